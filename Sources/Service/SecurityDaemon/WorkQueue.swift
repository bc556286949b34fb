// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
import Synchronization

/// Jobs for one thread, in order, up to a bound.
final class WorkQueue<Job: Sendable>: Sendable {
    private struct Entry {
        let job: Job
        /// The user of a job that a client requested.
        let userID: UInt32?
    }

    private struct State {
        var entries: [Entry] = []
        var countsByUser: [UInt32: Int] = [:]
    }

    private let state = Mutex(State())
    private let arrived: EventCounter
    private let capacity: Int
    private let capacityPerUser: Int

    init(capacity: Int, capacityPerUser: Int) throws(SystemError) {
        arrived = try EventCounter()
        self.capacity = capacity
        self.capacityPerUser = capacityPerUser
    }

    /// Adds a job.
    /// - Parameters:
    ///   - job: The job.
    ///   - userID: The user; nil for a job that no client requested.
    ///   - isBounded: False for a job whose number is limited elsewhere.
    /// - Returns: False when the queue is full, or too many of this user's jobs wait; nothing was
    ///   added.
    @discardableResult
    func add(_ job: Job, of userID: UInt32? = nil, isBounded: Bool = true) -> Bool {
        let isAdded = state.withLock { state in
            guard !isBounded || state.entries.count < capacity else { return false }
            if let userID {
                let count = state.countsByUser[userID] ?? 0
                guard !isBounded || count < capacityPerUser else { return false }
                state.countsByUser[userID] = count + 1
            }
            state.entries.append(Entry(job: job, userID: userID))
            return true
        }
        if isAdded { arrived.signal() }
        return isAdded
    }

    /// Waits for jobs and takes the oldest, at most a given number; may be none.
    func take(_ count: Int) -> [Job] {
        arrived.wait()
        return taken(count)
    }

    /// Waits for jobs, up to a time limit, and takes the oldest.
    /// - Parameters:
    ///   - count: How many at most.
    ///   - milliseconds: The time limit; nil means none.
    /// - Returns: The jobs; may be none. Nil after the time limit.
    func take(_ count: Int, within milliseconds: Int32?) -> [Job]? {
        arrived.wait(milliseconds: milliseconds ?? -1) ? taken(count) : nil
    }

    private func taken(_ count: Int) -> [Job] {
        state.withLock { state in
            let taken = Array(state.entries.prefix(count))
            state.entries.removeFirst(taken.count)
            for case let userID? in taken.map(\.userID) {
                let count = state.countsByUser[userID] ?? 0
                state.countsByUser[userID] = count > 1 ? count - 1 : nil
            }
            if !state.entries.isEmpty { arrived.signal() }
            return taken.map(\.job)
        }
    }

    /// Whether no job waits.
    var isEmpty: Bool { state.withLock { $0.entries.isEmpty } }
}
