// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import SecurityDaemon
import Synchronization
import TestSupport
import Testing

/// Turns of users and of their processes, where jobs have no queue of their own kind.
@Suite struct TurnTests {
    private static func who(_ userID: UInt32, _ process: Int32) -> Requester {
        Requester(userID: userID, process: process)
    }

    @Test func usersTakeTurnsAndSoDoTheProcessesOfEach() {
        var list = TurnList<String>()
        for job in ["a1", "a2", "a3"] { list.append(job, of: Self.who(1, 1)) }
        list.append("b1", of: Self.who(1, 2))
        for job in ["x1", "x2"] { list.append(job, of: Self.who(2, 3)) }
        var jobs: [String] = []
        while let (_, job) = list.next() { jobs.append(job) }
        #expect(jobs == ["a1", "x1", "b1", "x2", "a2", "a3"])
        #expect(list.isEmpty)
    }

    @Test func whoMayNotBeginKeepsNobodyElseWaiting() {
        var list = TurnList<String>()
        list.append("a1", of: Self.who(1, 1))
        list.append("b1", of: Self.who(1, 2))
        #expect(!list.hasNext { _ in false })
        let allowed = [list.next { $0 == Self.who(1, 2) }, list.next { $0 == Self.who(1, 2) }]
        #expect(allowed.map { $0?.job } == ["b1", nil])
        let last = list.next()
        #expect(last?.job == "a1")
    }

    // MARK: - Writes

    private static func drained(_ queue: WorkQueue<String>) -> [String] {
        var jobs: [String] = []
        while let some = queue.take(3, within: 0), !some.isEmpty { jobs += some }
        return jobs
    }

    /// A flood of writes of one process delays another one's by a write, not by all of them.
    @Test func writesOfUsersAndProcessesTakeTurns() throws {
        let queue = try WorkQueue<String>(capacity: 100, capacityPerUser: 50)
        for number in 1...5 { queue.add("a\(number)", of: Self.who(1, 1)) }
        queue.add("b1", of: Self.who(1, 2))
        queue.add("x1", of: Self.who(2, 3))
        #expect(Self.drained(queue) == ["a1", "x1", "b1", "a2", "a3", "a4", "a5"])
        #expect(queue.isEmpty)
    }

    /// What the service does for itself has its place in time.
    @Test func workOfNoClientComesAfterWhatWasThereAndBeforeWhatComesLater() throws {
        let queue = try WorkQueue<String>(capacity: 100, capacityPerUser: 50)
        queue.add("a1", of: Self.who(1, 1))
        queue.add("a2", of: Self.who(1, 1))
        queue.add("lock")
        queue.add("unlock")
        queue.add("x1", of: Self.who(2, 2))
        #expect(Self.drained(queue) == ["a1", "a2", "lock", "unlock", "x1"])
    }

    @Test func aUserHasHisBoundAndOthersKeepTheirs() throws {
        let queue = try WorkQueue<String>(capacity: 4, capacityPerUser: 2)
        #expect(queue.add("a1", of: Self.who(1, 1)))
        #expect(queue.add("a2", of: Self.who(1, 2)))
        #expect(!queue.add("a3", of: Self.who(1, 1)))
        #expect(queue.add("x1", of: Self.who(2, 3)))
        #expect(queue.add("work"))
        #expect(!queue.add("y1", of: Self.who(3, 4)))
        #expect(queue.add("must", isBounded: false))
        #expect(queue.take(2) == ["a1", "x1"])
        #expect(queue.add("a3", of: Self.who(1, 1)))
    }

    // MARK: - Releases

    /// Four processes let more go than there are threads for, and each takes long; a fifth one's turn
    /// comes before any of theirs comes again.
    @Test func aProcessWaitsForOneReleaseOfEachOtherOneAtMost() throws {
        let releases = ReleaseThreads()
        let gates = Mutex(0)
        let begun = Mutex<[Int32]>([])
        func add(_ process: Int32) {
            releases.run(of: Self.who(1, process)) {
                begun.withLock { $0.append(process) }
                // Each ends when one more is let through.
                while !gates.withLock({ open in
                    guard open > 0 else { return false }
                    open -= 1
                    return true
                }) { usleep(1000) }
            }
        }
        for process in Int32(1)...4 { for _ in 0..<10 { add(process) } }
        try Waiting.until("all threads of the user") { begun.withLock { $0.count } == 8 }
        add(5)
        // Those that end make room for as many.
        gates.withLock { $0 += 8 }
        try Waiting.until("the next ones") { begun.withLock { $0.count } == 16 }
        #expect(begun.withLock { $0.contains(5) })
        gates.withLock { $0 += 33 }
        try Waiting.until("the rest") {
            begun.withLock { $0.count } == 41 && gates.withLock { $0 == 0 }
        }
    }

    /// A socket counts for its user and its process until its close has ended.
    @Test func aSocketCountsUntilItsCloseHasEnded() throws {
        let releases = ReleaseThreads()
        let mayEnd = Mutex(false)
        for process in Int32(1)...2 {
            for _ in 0..<5 {
                releases.closeSocket(of: Self.who(1, process)) {
                    while !mayEnd.withLock({ $0 }) { usleep(1000) }
                }
            }
        }
        let counts = releases.socketCounts(of: Self.who(1, 2))
        #expect(counts.ofUser == 10)
        #expect(counts.ofProcess == 5)
        let others = releases.socketCounts(of: Self.who(2, 2))
        #expect(others.ofUser == 0)
        #expect(others.ofProcess == 0)
        #expect(releases.socketCount == 10)
        mayEnd.withLock { $0 = true }
        try Waiting.until("the closes") { releases.socketCount == 0 }
    }

    /// Without any call from outside, a release that waits for something is interrupted.
    @Test func aReleaseThatWaitsIsInterrupted() throws {
        let releases = ReleaseThreads()
        let outcomes = Mutex<[Int32]>([])
        for process in Int32(1)...20 {
            releases.run(of: Self.who(1, process)) {
                let outcome = poll(nil, 0, -1) == 0 ? 0 : errno
                outcomes.withLock { $0.append(outcome) }
            }
        }
        try Waiting.until("all of them") { outcomes.withLock { $0.count } == 20 }
        #expect(outcomes.withLock { $0 } == [Int32](repeating: EINTR, count: 20))
    }
}
