// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import IPC
import Synchronization

/// Whose a job is.
package struct Requester: Hashable, Sendable {
    let userID: UInt32
    let process: Int32

    /// A process of a user.
    package init(userID: UInt32, process: Int32) {
        self.userID = userID
        self.process = process
    }
}

/// Jobs of clients for one thread. Users take turns, and so do the processes of a user: a flood of
/// one process delays another one by a job, not by all of them. Where there is no room left, one who
/// has less waiting takes the place of one who has more.
package final class FairQueue<Job: Sendable>: Sendable {
    /// How many jobs may wait.
    package struct Bounds: Sendable {
        let all: Int
        let perUser: Int
        let perProcess: Int

        /// Bounds, each of which holds alone.
        package init(all: Int, perUser: Int, perProcess: Int) {
            self.all = all
            self.perUser = perUser
            self.perProcess = perProcess
        }
    }

    /// What becomes of a job that is added.
    package enum Admission: Sendable {
        /// It waits.
        case added
        /// It waits, and this one doesn't any more: nobody has begun it, nor will.
        case addedInsteadOf(Job)
        /// Too much waits; nothing was added.
        case refused
    }

    private struct Entry {
        let job: Job
        let isBounded: Bool
    }

    /// The jobs of a user; at least one.
    private struct UserJobs {
        /// The oldest of a process first; never empty.
        var jobs: [Int32: [Entry]] = [:]
        /// Whose turn is next comes first.
        var turns: [Int32] = []
        var count = 0
    }

    private struct State {
        var users: [UInt32: UserJobs] = [:]
        /// Whose turn is next comes first.
        var turns: [UInt32] = []
        var count = 0
    }

    private let state = Mutex(State())
    private let arrived: EventCounter
    private let bounds: Bounds

    /// An empty queue.
    package init(_ bounds: Bounds) throws(SystemError) {
        arrived = try EventCounter()
        self.bounds = bounds
    }

    /// Adds a job.
    /// - Parameters:
    ///   - job: The job.
    ///   - requester: Whose it is.
    ///   - isBounded: False of one that something else bounds the number of.
    /// - Returns: What becomes of it.
    @discardableResult
    package func add(
        _ job: Job, of requester: Requester, isBounded: Bool = true
    ) -> Admission {
        let admission = state.withLock { state in
            let admission = isBounded ? admit(requester, &state) : .added
            if case .refused = admission { return admission }
            var user = state.users[requester.userID] ?? UserJobs()
            if user.count == 0 { state.turns.append(requester.userID) }
            if user.jobs[requester.process] == nil { user.turns.append(requester.process) }
            user.jobs[requester.process, default: []].append(
                Entry(job: job, isBounded: isBounded))
            user.count += 1
            state.users[requester.userID] = user
            state.count += 1
            return admission
        }
        if case .refused = admission { return admission }
        arrived.signal()
        return admission
    }

    /// Lets the thread look whether there is something to do.
    package func wake() { arrived.signal() }

    /// Waits for jobs and takes the next one.
    /// - Parameter milliseconds: How long to wait at most; nil has no limit.
    /// - Returns: Nil when the time is over, or the thread was only woken.
    package func take(within milliseconds: Int32? = nil) -> Job? {
        guard arrived.wait(milliseconds: milliseconds ?? -1) else { return nil }
        return state.withLock { state in
            let job = Self.next(&state)
            if state.count > 0 { arrived.signal() }
            return job
        }
    }

    private static func next(_ state: inout State) -> Job? {
        guard let userID = state.turns.first, let process = state.users[userID]?.turns.first else {
            return nil
        }
        state.turns.append(state.turns.removeFirst())
        state.users[userID]?.turns.append(process)
        state.users[userID]?.turns.removeFirst()
        return remove(0, of: Requester(userID: userID, process: process), &state)?.job
    }

    /// Takes a job out; who has none left has no turn.
    private static func remove(
        _ place: Int, of requester: Requester, _ state: inout State
    ) -> Entry? {
        guard var user = state.users.removeValue(forKey: requester.userID),
            let entry = user.jobs[requester.process]?.remove(at: place)
        else { return nil }
        if user.jobs[requester.process]?.isEmpty ?? true {
            user.jobs[requester.process] = nil
            user.turns.removeAll { $0 == requester.process }
        }
        user.count -= 1
        state.count -= 1
        if user.count > 0 {
            state.users[requester.userID] = user
        } else {
            state.turns.removeAll { $0 == requester.userID }
        }
        return entry
    }

    // MARK: - Admission

    private func admit(_ requester: Requester, _ state: inout State) -> Admission {
        let user = state.users[requester.userID]
        let count = user?.jobs[requester.process]?.count ?? 0
        guard count < bounds.perProcess else { return .refused }
        let userID: UInt32
        if let user, user.count >= bounds.perUser {
            userID = requester.userID
        } else if state.count >= bounds.all {
            guard let most = state.users.max(by: { $0.value.count < $1.value.count }) else {
                return .refused
            }
            // Of the same user, the processes are compared.
            guard most.key == requester.userID || most.value.count > (user?.count ?? 0) + 1 else {
                return .refused
            }
            userID = most.key
        } else {
            return .added
        }
        guard let most = state.users[userID]?.jobs.max(by: { $0.value.count < $1.value.count }),
            userID != requester.userID || most.value.count > count + 1,
            // The newest has waited least.
            let place = most.value.lastIndex(where: \.isBounded),
            let entry = Self.remove(
                place, of: Requester(userID: userID, process: most.key), &state)
        else { return .refused }
        return .addedInsteadOf(entry.job)
    }
}
