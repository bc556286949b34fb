// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import SecurityDaemon
import Testing

/// In which order peers are looked into.
@Suite struct InspectionQueueTests {
    private static func queue(_ jobs: [InspectionJob]) -> InspectionQueue {
        var queue = InspectionQueue()
        for job in jobs { add(job, to: &queue) }
        return queue
    }

    private static func add(_ job: InspectionJob, to queue: inout InspectionQueue) {
        let isAdded = queue.add(job)
        #expect(isAdded)
    }

    /// Everything, in the order in which it is taken.
    private static func drained(
        _ queue: InspectionQueue, _ isAllowed: (InspectionJob) -> Bool = { _ in true }
    ) -> [InspectionJob] {
        var queue = queue
        var jobs: [InspectionJob] = []
        while let job = queue.next(isAllowed) { jobs.append(job) }
        return jobs
    }

    private static func byteCounts(_ jobs: [InspectionJob]) -> [Int64] {
        jobs.compactMap { $0.undigested?.identity.byteCount }
    }

    @Test func usersTakeTurns() throws {
        let jobs = try [1, 1, 1, 2, 3].map { try InspectionFixture.look($0) }
        #expect(Self.drained(Self.queue(jobs)).map(\.userID) == [1, 2, 3, 1, 1])
    }

    @Test func newJobsDoNotJumpTheQueue() throws {
        var queue = Self.queue(try [1, 1, 2].map { try InspectionFixture.look($0) })
        let first = queue.next { _ in true }
        #expect(first?.userID == 1)
        Self.add(try InspectionFixture.look(1), to: &queue)
        #expect(Self.drained(queue).map(\.userID) == [2, 1, 1])
    }

    @Test func looksComeBeforeDigestsAndThoseBeforeSecondTries() throws {
        let jobs = [
            try InspectionFixture.secondTry(1), try InspectionFixture.digest(1, 1, 10),
            try InspectionFixture.look(1),
        ]
        #expect(Self.drained(Self.queue(jobs)).map(\.work) == [.look, .digest, .secondTry])
    }

    @Test func aDigestWaitsForFourLooksAtMost() throws {
        var jobs = try (0..<10).map { _ in try InspectionFixture.look(1) }
        jobs.append(try InspectionFixture.digest(1, 2, 10))
        let works = Self.drained(Self.queue(jobs)).map(\.work)
        #expect(works == [.look, .look, .look, .look, .digest] + works.suffix(6))
        #expect(works.count == 11)
    }

    /// What has to wait for a place isn't overtaken by what comes later.
    @Test func whatWasHeldBackComesFirst() throws {
        var held = try InspectionFixture.look(1)
        held.isHeldBack = true
        let queue = Self.queue([try InspectionFixture.look(1), held])
        #expect(Self.drained(queue).map(\.isHeldBack) == [true, false])
    }

    /// Every other digest is the shortest file's.
    @Test func aShortFileWaitsForOneLongOneAtMost() throws {
        let long = try (1...5).map { try InspectionFixture.digest(1, $0, 1000) }
        var queue = Self.queue(long)
        let first = queue.next { _ in true }
        #expect(first?.undigested?.identity.byteCount == 1000)
        Self.add(try InspectionFixture.digest(1, 9, 10), to: &queue)
        #expect(Self.byteCounts(Self.drained(queue)).prefix(2).contains(10))
    }

    /// The others are of processes in turn.
    @Test func manyShortFilesDoNotKeepALongOneWaiting() throws {
        var queue = Self.queue([try InspectionFixture.digest(1, 9, 1000)])
        for process in Int32(11)...30 {
            Self.add(try InspectionFixture.digest(1, process, 10), to: &queue)
        }
        #expect(Self.byteCounts(Self.drained(queue)).prefix(2).contains(1000))
        // Nor do those of one process.
        var other = InspectionQueue()
        for _ in 0..<20 { Self.add(try InspectionFixture.digest(1, 1, 10), to: &other) }
        Self.add(try InspectionFixture.digest(1, 9, 1000), to: &other)
        #expect(Self.byteCounts(Self.drained(other)).prefix(4).contains(1000))
    }

    @Test func whatMayNotBeginKeepsNobodyElseWaiting() throws {
        let jobs = [
            try InspectionFixture.look(1), try InspectionFixture.digest(1, 1, 10),
            try InspectionFixture.look(2),
        ]
        let queue = Self.queue(jobs)
        let taken = Self.drained(queue) { $0.userID != 1 || $0.work == .digest }
        #expect(taken.map(\.userID) == [1, 2])
        #expect(taken.first?.work == .digest)
        #expect(!queue.hasNext { _ in false })
        #expect(queue.hasNext { $0.userID == 2 })
    }

    @Test func oneUserCannotTakeAllTheRoom() throws {
        var queue = InspectionQueue()
        for _ in 0..<InspectionQueue.capacityForUser {
            Self.add(try InspectionFixture.look(1), to: &queue)
        }
        let isAdded = queue.add(try InspectionFixture.look(1))
        #expect(!isAdded)
        Self.add(try InspectionFixture.look(2), to: &queue)
    }

    @Test func overdueJobsAreTakenOut() throws {
        let now = ContinuousClock.now
        var queue = Self.queue([
            try InspectionFixture.look(1, 1, deadline: now),
            try InspectionFixture.look(1, 2, deadline: now + .seconds(1)),
            try InspectionFixture.look(2, 3, deadline: now),
        ])
        let overdue = queue.takeOverdue(now)
        #expect(overdue.map(\.userID).sorted() == [1, 2])
        #expect(Self.drained(queue).map(\.userID) == [1])
    }
}

/// How many inspectors may wait for a user's file systems.
@Suite struct InspectorUseTests {
    private static let now = ContinuousClock.now
    private static let before = now - .seconds(1)

    @Test func whoHasNoneAtWorkMayBegin() throws {
        let use = InspectorUse(now: Self.now)
        #expect(use.permission(try InspectionFixture.look(1)) == .everything)
        #expect(use.isIdle(1))
    }

    /// With two stuck, nothing that could stick is begun for the user.
    @Test func withTwoStuckTheThirdProgramsFileSystemIsNotAsked() throws {
        var use = InspectorUse(now: Self.now)
        use.addKilled(for: 1, at: Self.before)
        #expect(use.permission(try InspectionFixture.look(1)) == .everything)
        #expect(!use.isHeldUp(1))
        use.addKilled(for: 1, at: Self.before)
        #expect(use.isHeldUp(1))
        #expect(use.permission(try InspectionFixture.look(1)) == .rootsFilesAlone)
        #expect(use.permission(try InspectionFixture.secondTry(1)) == .rootsFilesAlone)
        #expect(use.permission(try InspectionFixture.digest(1, 1, 10)) == .none)
        var held = try InspectionFixture.look(1)
        held.isHeldBack = true
        #expect(use.permission(held) == .none)
        // A file that root's file system has is no danger.
        var digest = try InspectionFixture.digest(1, 1, 10)
        digest.asksRootsFilesAlone = true
        #expect(use.permission(digest) == .rootsFilesAlone)
        // Nor is another user's.
        #expect(use.permission(try InspectionFixture.look(2)) == .everything)
    }

    /// Those at work count as if they were stuck: nobody knows.
    @Test func twoThatAreLateAreEnough() throws {
        var use = InspectorUse(now: Self.now)
        for _ in 0..<2 { use.addBusy(try InspectionFixture.look(1), since: Self.before) }
        #expect(use.permission(try InspectionFixture.look(1)) == .rootsFilesAlone)
        #expect(!use.isHeldUp(1))
    }

    @Test func twoThatHaveJustBegunAreWaitedFor() throws {
        var use = InspectorUse(now: Self.now)
        for _ in 0..<2 { use.addBusy(try InspectionFixture.look(1), since: Self.now) }
        #expect(use.permission(try InspectionFixture.look(1)) == .none)
    }

    @Test func oneUserHasNoMoreThanFiveAtWork() throws {
        var use = InspectorUse(now: Self.now)
        var look = try InspectionFixture.look(1)
        look.asksRootsFilesAlone = true
        for _ in 0..<5 { use.addBusy(look, since: Self.before) }
        #expect(use.permission(try InspectionFixture.look(1)) == .none)
        #expect(use.permission(try InspectionFixture.look(2)) == .everything)
    }

    /// Whatever it is that they wait for: a user has no more processes that can't be ended than these.
    @Test func whoHasFiveThatDoNotEndHasNoMore() throws {
        var use = InspectorUse(now: Self.now)
        for _ in 0..<5 { use.addKilled(for: 1, at: Self.before) }
        #expect(use.permission(try InspectionFixture.look(1)) == .none)
        #expect(use.permission(try InspectionFixture.look(2)) == .everything)
    }
}

/// Files that aren't read again.
@Suite struct VainDigestTests {
    private static let nobody = ClientIdentity.unsigned(1, .signature(.codeChanged))
    private static let now = ContinuousClock.now

    @Test func aLongFileIsNotReadAgainHoweverItIsChanged() {
        var vain = VainDigests()
        let file = InspectionFixture.file(VainDigests.longByteCount)
        #expect(vain.identity(file, userID: 1, now: Self.now) == nil)
        vain.note(file, Self.nobody, now: Self.now)
        let touched = InspectionFixture.file(VainDigests.longByteCount + 1, changed: 7)
        #expect(vain.identity(touched, userID: 1, now: Self.now)?.hasChangedCode == true)
        // Another file, another user, and after a while.
        let other = InspectionFixture.file(VainDigests.longByteCount, inode: 2)
        #expect(vain.identity(other, userID: 1, now: Self.now) == nil)
        #expect(vain.identity(file, userID: 2, now: Self.now) == nil)
        #expect(vain.identity(file, userID: 1, now: Self.now + VainDigests.patience) == nil)
    }

    /// A developer's program that was built anew is read at once.
    @Test func aShortFileIsReadAgain() {
        var vain = VainDigests()
        let file = InspectionFixture.file(VainDigests.longByteCount - 1)
        vain.note(file, Self.nobody, now: Self.now)
        #expect(vain.identity(file, userID: 1, now: Self.now) == nil)
    }
}
