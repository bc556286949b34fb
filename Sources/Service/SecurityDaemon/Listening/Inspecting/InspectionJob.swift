// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import CodeIdentity

/// Establishes who peers are. Answers on any thread, once, perhaps before the call returns.
package protocol PeerIdentifying: Sendable {
    /// Looks into a process.
    /// - Parameters:
    ///   - process: The process.
    ///   - traces: What an earlier look has opened of it; nil at the first.
    ///   - stage: How far to look.
    ///   - answer: Gets who it is; nil when that can't be told. Then nothing may be assumed: the
    ///     group that any program of the user has would be the wrong place for what a signed one
    ///     stores.
    func identify(
        _ process: InspectedProcess, _ traces: PeerTraces?, _ stage: InspectionStage,
        answer: @escaping @Sendable (EstablishedPeer?) -> Void)
}

/// A process that waits to be looked into, or is.
struct InspectionJob: Sendable {
    let process: InspectedProcess
    let stage: InspectionStage
    let answer: @Sendable (EstablishedPeer?) -> Void
    /// When nobody waits for the answer any more.
    let deadline: ContinuousClock.Instant
    var traces: PeerTraces?
    var digests: [KnownDigest] = []
    /// The file whose digest comes next.
    var undigested: UndigestedFile?
    /// It was begun already, and took so long that it had to make room for others.
    var isSecondTry = false

    var userID: UInt32 { process.userID }

    /// What a peerinspector is asked.
    func question(asksRootsFilesAlone: Bool) -> InspectionQuestion {
        if let undigested { return .digest(undigested) }
        return .who(
            process, traces,
            InspectionOrder(stage, digests: digests, asksRootsFilesAlone: asksRootsFilesAlone))
    }
}

/// What an inspector is to do.
enum InspectionWork {
    /// Looking at what the kernel says of a process.
    case look
    /// Reading a file.
    case digest
    /// A look that took too long once.
    case secondTry
}

/// Jobs in the order in which they are due: users in turn, a user's looks before the digests that
/// his programs need, shorter files first, so that a large one keeps no other program waiting; last
/// what has kept others waiting already.
struct InspectionQueue {
    /// Of one user.
    private struct Own {
        var looks: [InspectionJob] = []
        var digests: [InspectionJob] = []
        var secondTries: [InspectionJob] = []

        var count: Int { looks.count + digests.count + secondTries.count }

        mutating func add(_ job: InspectionJob) {
            guard !job.isSecondTry else { return secondTries.append(job) }
            guard let file = job.undigested else { return looks.append(job) }
            let place = digests.firstIndex {
                $0.undigested?.identity.byteCount ?? 0 > file.identity.byteCount
            }
            digests.insert(job, at: place ?? digests.count)
        }
    }

    /// One user's programs can't take all the room.
    static let capacityForUser = 512
    static let capacity = 2048
    private var users: [UInt32: Own] = [:]
    /// Whose turn is next comes first.
    private var turns: [UInt32] = []
    private var count = 0

    var isEmpty: Bool { count == 0 }

    /// Adds a job.
    /// - Returns: False when there is no room.
    mutating func add(_ job: InspectionJob) -> Bool {
        let userID = job.userID
        guard count < Self.capacity, users[userID]?.count ?? 0 < Self.capacityForUser else {
            return false
        }
        if users[userID] == nil { turns.append(userID) }
        users[userID, default: Own()].add(job)
        count += 1
        return true
    }

    /// Whether a user has looks that haven't been begun yet.
    func hasLooks(of userID: UInt32) -> Bool { users[userID]?.looks.isEmpty == false }

    /// Takes the next job.
    /// - Parameter isAllowed: Whether a user may have another piece of such work begun now.
    /// - Returns: Nil when none may begin.
    mutating func next(
        _ isAllowed: (_ work: InspectionWork, _ userID: UInt32) -> Bool
    ) -> InspectionJob? {
        for (place, userID) in turns.enumerated() {
            var job: InspectionJob?
            if users[userID]?.looks.isEmpty == false, isAllowed(.look, userID) {
                job = users[userID]?.looks.removeFirst()
            } else if users[userID]?.digests.isEmpty == false, isAllowed(.digest, userID) {
                job = users[userID]?.digests.removeFirst()
            } else if users[userID]?.secondTries.isEmpty == false, isAllowed(.secondTry, userID) {
                job = users[userID]?.secondTries.removeFirst()
            }
            guard let job else { continue }
            turns.remove(at: place)
            count -= 1
            if users[userID]?.count == 0 { users[userID] = nil } else { turns.append(userID) }
            return job
        }
        return nil
    }

    /// Takes the jobs out that nobody waits for any more.
    mutating func takeOverdue(_ now: ContinuousClock.Instant) -> [InspectionJob] {
        var overdue: [InspectionJob] = []
        for (userID, own) in users {
            let late = (own.looks + own.digests + own.secondTries).filter { $0.deadline <= now }
            guard !late.isEmpty else { continue }
            overdue += late
            count -= late.count
            let rest = Own(
                looks: own.looks.filter { $0.deadline > now },
                digests: own.digests.filter { $0.deadline > now },
                secondTries: own.secondTries.filter { $0.deadline > now })
            users[userID] = rest.count == 0 ? nil : rest
            if rest.count == 0 { turns.removeAll { $0 == userID } }
        }
        return overdue
    }
}
