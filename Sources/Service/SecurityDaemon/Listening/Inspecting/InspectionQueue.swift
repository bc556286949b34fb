// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity

/// Jobs in the order in which they are due: users in turn, a user's looks before the digests that
/// his programs need (``DigestList``), which wait for four looks at most; last what has kept others
/// waiting already.
package struct InspectionQueue {
    /// Of one user.
    private struct Own {
        var looks: [InspectionJob] = []
        var heldBack: [InspectionJob] = []
        var digests = DigestList()
        /// How many looks were begun since a digest waits.
        var lookCount = 0
        var secondTries: [InspectionJob] = []

        var count: Int { looks.count + heldBack.count + digests.count + secondTries.count }

        mutating func add(_ job: InspectionJob) {
            switch job.work {
            case .secondTry: secondTries.append(job)
            case .digest: digests.add(job)
            case .look: if job.isHeldBack { heldBack.append(job) } else { looks.append(job) }
            }
        }

        func place(_ isAllowed: (InspectionJob) -> Bool) -> Place? {
            if lookCount >= InspectionQueue.looksBeforeDigest,
                let index = digests.next(isAllowed)
            {
                return .digest(index)
            }
            // They have waited longer than the others.
            if let index = heldBack.firstIndex(where: isAllowed) { return .heldBack(index) }
            if let index = looks.firstIndex(where: isAllowed) { return .look(index) }
            if let index = digests.next(isAllowed) { return .digest(index) }
            return secondTries.firstIndex(where: isAllowed).map { .secondTry($0) }
        }

        mutating func remove(_ place: Place) -> InspectionJob {
            lookCount = digests.count > 0 ? lookCount + 1 : 0
            switch place {
            case .look(let index): return looks.remove(at: index)
            case .heldBack(let index): return heldBack.remove(at: index)
            case .digest(let index):
                lookCount = 0
                return digests.remove(at: index)
            case .secondTry(let index): return secondTries.remove(at: index)
            }
        }

        /// Takes out what is to go.
        mutating func take(_ goes: (InspectionJob) -> Bool) -> [InspectionJob] {
            let all = (looks + heldBack + secondTries).filter(goes) + digests.take(goes)
            guard !all.isEmpty else { return [] }
            looks.removeAll(where: goes)
            heldBack.removeAll(where: goes)
            secondTries.removeAll(where: goes)
            return all
        }
    }

    private enum Place {
        case look(Int)
        case heldBack(Int)
        case digest(Int)
        case secondTry(Int)
    }

    /// One user's programs can't take all the room.
    package static let capacityForUser = 512
    static let capacity = 2048
    private static let looksBeforeDigest = 4
    private var users: [UInt32: Own] = [:]
    /// Whose turn is next comes first.
    private var turns: [UInt32] = []
    private var count = 0

    /// An empty queue.
    package init() {}

    /// Whether no job waits.
    package var isEmpty: Bool { count == 0 }

    /// Adds a job.
    /// - Returns: False when there is no room.
    package mutating func add(_ job: InspectionJob) -> Bool {
        let userID = job.userID
        guard count < Self.capacity, users[userID]?.count ?? 0 < Self.capacityForUser else {
            return false
        }
        if users[userID] == nil { turns.append(userID) }
        users[userID, default: Own()].add(job)
        count += 1
        return true
    }

    /// Whether a user has looks that wait for another one to end.
    func hasLooks(of userID: UInt32) -> Bool {
        guard let own = users[userID] else { return false }
        return !own.looks.isEmpty || !own.heldBack.isEmpty
    }

    /// Whether there is a job for ``next(_:)``.
    package func hasNext(_ isAllowed: (InspectionJob) -> Bool) -> Bool {
        turns.contains { users[$0]?.place(isAllowed) != nil }
    }

    /// Takes the next job.
    /// - Parameter isAllowed: Whether a job may begin now.
    /// - Returns: Nil when none may.
    package mutating func next(_ isAllowed: (InspectionJob) -> Bool) -> InspectionJob? {
        for (turn, userID) in turns.enumerated() {
            guard let place = users[userID]?.place(isAllowed),
                let job = users[userID]?.remove(place)
            else { continue }
            turns.remove(at: turn)
            count -= 1
            if users[userID]?.count == 0 { users[userID] = nil } else { turns.append(userID) }
            return job
        }
        return nil
    }

    /// Takes the jobs out that nobody waits for any more.
    package mutating func takeOverdue(_ now: ContinuousClock.Instant) -> [InspectionJob] {
        take { $0.deadline <= now }
    }

    /// Takes out what is to go.
    mutating func take(_ goes: (InspectionJob) -> Bool) -> [InspectionJob] {
        var taken: [InspectionJob] = []
        for userID in turns { taken += users[userID]?.take(goes) ?? [] }
        guard !taken.isEmpty else { return [] }
        count -= taken.count
        users = users.filter { $0.value.count > 0 }
        turns.removeAll { users[$0] == nil }
        return taken
    }
}

/// Digests that a user's programs wait for. By turns comes the shortest file, so that a long one keeps
/// no other program waiting, and one of the process whose turn it is, so that short ones don't keep a
/// long one waiting for ever.
struct DigestList {
    /// The shortest first.
    private var jobs: [InspectionJob] = []
    /// Whose turn is next comes first.
    private var turns: [Int32] = []
    private var isTurnOfShortest = true

    var count: Int { jobs.count }

    mutating func add(_ job: InspectionJob) {
        let process = job.process.processID
        if !turns.contains(process) { turns.append(process) }
        let place = jobs.firstIndex { Self.byteCount($0) > Self.byteCount(job) }
        jobs.insert(job, at: place ?? jobs.count)
    }

    /// Where the next one is; nil when none may begin.
    func next(_ isAllowed: (InspectionJob) -> Bool) -> Int? {
        if isTurnOfShortest { return jobs.firstIndex(where: isAllowed) }
        for process in turns {
            let place = jobs.firstIndex { $0.process.processID == process && isAllowed($0) }
            if let place { return place }
        }
        return nil
    }

    mutating func remove(at place: Int) -> InspectionJob {
        let job = jobs.remove(at: place)
        let process = job.process.processID
        turns.removeAll { $0 == process }
        if jobs.contains(where: { $0.process.processID == process }) { turns.append(process) }
        isTurnOfShortest.toggle()
        return job
    }

    mutating func take(_ goes: (InspectionJob) -> Bool) -> [InspectionJob] {
        let taken = jobs.filter(goes)
        guard !taken.isEmpty else { return [] }
        jobs.removeAll(where: goes)
        let left = Set(jobs.map(\.process.processID))
        turns.removeAll { !left.contains($0) }
        return taken
    }

    private static func byteCount(_ job: InspectionJob) -> Int64 {
        job.undigested?.identity.byteCount ?? 0
    }
}
