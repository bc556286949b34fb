// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
import Synchronization

/// Jobs for one thread, in order, up to a bound.
final class WorkQueue<Job: Sendable>: Sendable {
    private let jobs = Mutex<[Job]>([])
    private let arrived: EventCounter
    private let capacity: Int

    init(capacity: Int) throws(SystemError) {
        arrived = try EventCounter()
        self.capacity = capacity
    }

    /// Adds a job.
    /// - Parameters:
    ///   - job: The job.
    ///   - isBounded: False of one that something else bounds the number of.
    /// - Returns: False when the queue is full; nothing was added.
    @discardableResult
    func add(_ job: Job, isBounded: Bool = true) -> Bool {
        let isAdded = jobs.withLock { jobs in
            guard !isBounded || jobs.count < capacity else { return false }
            jobs.append(job)
            return true
        }
        if isAdded { arrived.signal() }
        return isAdded
    }

    /// Lets the thread look whether there is something to do.
    func wake() { arrived.signal() }

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
        jobs.withLock { jobs in
            let taken = Array(jobs.prefix(count))
            jobs.removeFirst(taken.count)
            if !jobs.isEmpty { arrived.signal() }
            return taken
        }
    }

    /// Whether nothing waits.
    var isEmpty: Bool { jobs.withLock { $0.isEmpty } }
}
