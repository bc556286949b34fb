// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// Jobs of requesters who take turns: users, and the processes of each user. The jobs of one process
/// keep their order.
package struct TurnList<Job> {
    private struct User {
        var jobs: [Int32: [Job]] = [:]
        /// Whose turn is next comes first.
        var turns: [Int32] = []
    }

    private var users: [UInt32: User] = [:]
    private var turns: [UInt32] = []
    /// How many jobs wait.
    package private(set) var count = 0

    /// An empty list.
    package init() {}

    /// Whether no job waits.
    package var isEmpty: Bool { count == 0 }

    /// Adds a job behind those of its process.
    package mutating func append(_ job: Job, of requester: Requester) {
        if users[requester.userID] == nil { turns.append(requester.userID) }
        var user = users.removeValue(forKey: requester.userID) ?? User()
        if user.jobs[requester.process] == nil { user.turns.append(requester.process) }
        user.jobs[requester.process, default: []].append(job)
        users[requester.userID] = user
        count += 1
    }

    /// Whether there is a job for ``next(_:)``.
    package func hasNext(_ isAllowed: (Requester) -> Bool) -> Bool { place(isAllowed) != nil }

    /// Takes the next job.
    /// - Parameter isAllowed: Whether a requester may have a job begun now.
    /// - Returns: The job, and whose it is; nil when none may begin.
    package mutating func next(
        _ isAllowed: (Requester) -> Bool = { _ in true }
    ) -> (requester: Requester, job: Job)? {
        guard let requester = place(isAllowed),
            var user = users.removeValue(forKey: requester.userID),
            let job = user.jobs[requester.process]?.removeFirst()
        else { return nil }
        user.turns.removeAll { $0 == requester.process }
        if user.jobs[requester.process]?.isEmpty ?? true {
            user.jobs[requester.process] = nil
        } else {
            user.turns.append(requester.process)
        }
        turns.removeAll { $0 == requester.userID }
        if !user.turns.isEmpty {
            turns.append(requester.userID)
            users[requester.userID] = user
        }
        count -= 1
        return (requester, job)
    }

    private func place(_ isAllowed: (Requester) -> Bool) -> Requester? {
        for userID in turns {
            for process in users[userID]?.turns ?? [] {
                let requester = Requester(userID: userID, process: process)
                if isAllowed(requester) { return requester }
            }
        }
        return nil
    }
}
