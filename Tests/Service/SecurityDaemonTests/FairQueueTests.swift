// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SecurityDaemon
import Testing

/// Whose turn is next, and who gets a place in a full queue.
@Suite struct FairQueueTests {
    private static func queue(
        all: Int = 100, perUser: Int = 100, perProcess: Int = 100
    ) throws -> FairQueue<String> {
        try FairQueue(FairQueue.Bounds(all: all, perUser: perUser, perProcess: perProcess))
    }

    private static func who(_ userID: UInt32, _ process: Int32) -> Requester {
        Requester(userID: userID, process: process)
    }

    /// All jobs, in the order in which they are taken.
    private static func drained(_ queue: FairQueue<String>) -> [String] {
        var jobs: [String] = []
        while let job = queue.take(within: 0) { jobs.append(job) }
        return jobs
    }

    /// The result for a job, as a word.
    private static func outcome(_ admission: FairQueue<String>.Admission) -> String {
        switch admission {
        case .added: "added"
        case .addedInsteadOf(let job): "instead of \(job)"
        case .refused: "refused"
        }
    }

    @Test func jobsOfOneProcessKeepTheirOrder() throws {
        let queue = try Self.queue()
        for job in ["a", "b", "c"] { queue.add(job, of: Self.who(1, 1)) }
        #expect(Self.drained(queue) == ["a", "b", "c"])
        #expect(queue.take(within: 0) == nil)
    }

    @Test func usersTakeTurnsAndSoDoTheProcessesOfEach() throws {
        let queue = try Self.queue()
        for job in ["a1", "a2", "a3", "a4"] { queue.add(job, of: Self.who(1, 1)) }
        queue.add("b1", of: Self.who(1, 2))
        for job in ["x1", "x2"] { queue.add(job, of: Self.who(2, 3)) }
        #expect(Self.drained(queue) == ["a1", "x1", "b1", "x2", "a2", "a3", "a4"])
    }

    /// Asking again doesn't give another turn.
    @Test func newJobsDoNotJumpTheQueue() throws {
        let queue = try Self.queue()
        for job in ["a1", "a2"] { queue.add(job, of: Self.who(1, 1)) }
        queue.add("b1", of: Self.who(1, 2))
        #expect(queue.take() == "a1")
        queue.add("a3", of: Self.who(1, 1))
        #expect(Self.drained(queue) == ["b1", "a2", "a3"])
    }

    @Test func processHasItsBoundAndOthersKeepTheirs() throws {
        let queue = try Self.queue(perProcess: 2)
        let outcomes = ["a", "b", "c"].map { Self.outcome(queue.add($0, of: Self.who(1, 1))) }
        #expect(outcomes == ["added", "added", "refused"])
        #expect(Self.outcome(queue.add("d", of: Self.who(1, 2))) == "added")
        #expect(queue.take() == "a")
        #expect(Self.outcome(queue.add("e", of: Self.who(1, 1))) == "added")
    }

    @Test func processWithoutJobsTakesThePlaceOfTheOneWithMost() throws {
        let queue = try Self.queue(perUser: 3)
        for job in ["a1", "a2", "a3"] { queue.add(job, of: Self.who(1, 1)) }
        #expect(Self.outcome(queue.add("b1", of: Self.who(1, 2))) == "instead of a3")
        // Now it would only be reversed.
        #expect(Self.outcome(queue.add("b2", of: Self.who(1, 2))) == "refused")
        #expect(Self.outcome(queue.add("a4", of: Self.who(1, 1))) == "refused")
        #expect(Self.outcome(queue.add("x1", of: Self.who(2, 3))) == "added")
        #expect(Self.drained(queue) == ["a1", "x1", "b1", "a2"])
    }

    @Test func userWithoutJobsTakesThePlaceOfTheOneWithMost() throws {
        let queue = try Self.queue(all: 4, perUser: 3)
        for job in ["a1", "a2", "a3"] { queue.add(job, of: Self.who(1, 1)) }
        queue.add("x1", of: Self.who(2, 2))
        #expect(Self.outcome(queue.add("y1", of: Self.who(3, 3))) == "instead of a3")
        #expect(Self.outcome(queue.add("x2", of: Self.who(2, 2))) == "refused")
        #expect(Self.drained(queue) == ["a1", "x1", "y1", "a2"])
    }

    /// A job that must be done isn't refused, and never loses its place.
    @Test func unboundedJobsStay() throws {
        let queue = try Self.queue(perUser: 2, perProcess: 2)
        for job in ["a1", "a2", "a3"] {
            queue.add(job, of: Self.who(1, 1), isBounded: false)
        }
        #expect(Self.outcome(queue.add("b1", of: Self.who(1, 2))) == "refused")
        #expect(Self.drained(queue) == ["a1", "a2", "a3"])
        #expect(Self.outcome(queue.add("b1", of: Self.who(1, 2))) == "added")
    }

    @Test func wokenThreadFindsNothing() throws {
        let queue = try Self.queue()
        queue.wake()
        #expect(queue.take() == nil)
    }
}
