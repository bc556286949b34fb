// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import IPC
import Synchronization

/// Jobs for one thread, up to a bound. Users take turns, and so do the processes of a user; the jobs
/// of one process keep their order. What no client asked for comes after all that was there before,
/// and before all that came later.
package final class WorkQueue<Job: Sendable>: Sendable {
    private struct Section {
        var jobs = TurnList<Job>()
        /// What no client asked for.
        var last: [Job] = []
    }

    private struct State {
        var sections: [Section] = []
        var count = 0
        var countsByUser: [UInt32: Int] = [:]
    }

    private let state = Mutex(State())
    private let arrived: EventCounter
    private let capacity: Int
    private let capacityPerUser: Int

    /// An empty queue.
    package init(capacity: Int, capacityPerUser: Int) throws(SystemError) {
        arrived = try EventCounter()
        self.capacity = capacity
        self.capacityPerUser = capacityPerUser
    }

    /// Adds a job.
    /// - Parameters:
    ///   - job: The job.
    ///   - requester: Whose it is; nil of one that no client asked for.
    ///   - isBounded: False of one that something else bounds the number of.
    /// - Returns: False when the queue is full, or too much of this user's waits; nothing was added.
    @discardableResult
    package func add(
        _ job: Job, of requester: Requester? = nil, isBounded: Bool = true
    ) -> Bool {
        let isAdded = state.withLock { state in
            guard !isBounded || state.count < capacity else { return false }
            guard let requester else {
                if state.sections.isEmpty { state.sections.append(Section()) }
                state.sections[state.sections.count - 1].last.append(job)
                state.count += 1
                return true
            }
            let count = state.countsByUser[requester.userID] ?? 0
            guard !isBounded || count < capacityPerUser else { return false }
            state.countsByUser[requester.userID] = count + 1
            if state.sections.last?.last.isEmpty != true { state.sections.append(Section()) }
            state.sections[state.sections.count - 1].jobs.append(job, of: requester)
            state.count += 1
            return true
        }
        if isAdded { arrived.signal() }
        return isAdded
    }

    /// Waits for jobs and takes the next ones, so many at most; may be none.
    package func take(_ count: Int) -> [Job] {
        arrived.wait()
        return taken(count)
    }

    /// Waits for jobs, so long at most, and takes the next ones.
    /// - Parameters:
    ///   - count: How many at most.
    ///   - milliseconds: How long to wait at most; nil has no limit.
    /// - Returns: The jobs; may be none. Nil when the time is over.
    package func take(_ count: Int, within milliseconds: Int32?) -> [Job]? {
        arrived.wait(milliseconds: milliseconds ?? -1) ? taken(count) : nil
    }

    private func taken(_ count: Int) -> [Job] {
        state.withLock { state in
            var taken: [Job] = []
            while taken.count < count, !state.sections.isEmpty {
                if let (requester, job) = state.sections[0].jobs.next() {
                    let left = (state.countsByUser[requester.userID] ?? 1) - 1
                    state.countsByUser[requester.userID] = left > 0 ? left : nil
                    taken.append(job)
                } else if !state.sections[0].last.isEmpty {
                    taken.append(state.sections[0].last.removeFirst())
                } else {
                    state.sections.removeFirst()
                }
            }
            state.count -= taken.count
            if state.count > 0 { arrived.signal() }
            return taken
        }
    }

    /// Whether nothing waits.
    package var isEmpty: Bool { state.withLock { $0.count == 0 } }
}
