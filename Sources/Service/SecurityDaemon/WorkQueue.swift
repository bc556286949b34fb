// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
import Synchronization

/// Jobs for one thread, in order, up to a bound.
final class WorkQueue<Job: Sendable>: Sendable {
    private struct Entry {
        let job: Job
        /// Of a job that a client asked for.
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
    ///   - userID: Whose it is; nil of one that no client asked for.
    ///   - isBounded: False of one that something else bounds the number of.
    /// - Returns: False when the queue is full, or too much of this user's waits; nothing was added.
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

    /// Waits for jobs and takes the oldest, so many at most; may be none.
    func take(_ count: Int) -> [Job] {
        arrived.wait()
        return taken(count)
    }

    /// Waits for jobs, so long at most, and takes the oldest.
    /// - Parameters:
    ///   - count: How many at most.
    ///   - milliseconds: How long to wait at most; nil has no limit.
    /// - Returns: The jobs; may be none. Nil when the time is over.
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

    /// Whether nothing waits.
    var isEmpty: Bool { state.withLock { $0.entries.isEmpty } }
}
