// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
import Synchronization

/// A few threads that make blocking calls for tasks, in order. They start when there is work, and
/// end after a while without any.
final class CallThreads: Sendable {
    private struct State {
        var calls: [any QueuedCall] = []
        /// How many calls at the front of the queue have been taken already.
        var taken = 0
        var threadCount = 0
        var idleCount = 0
        var waiting: Int { calls.count - taken }
    }

    private let state = Mutex(State())
    private let arrived: EventCounter
    private let threadLimit: Int

    /// The limit of waiting calls: beyond it, an immediate error is better than a longer wait.
    private static let capacity = 4096
    private static let idleMilliseconds: Int32 = 10_000

    init(threadLimit: Int) throws(SystemError) {
        self.threadLimit = threadLimit
        arrived = try EventCounter()
    }

    /// Queues a call.
    /// - Returns: False when too many calls wait, or no thread can be started.
    func add(_ call: any QueuedCall) -> Bool {
        let (isAdded, starts) = state.withLock { state in
            guard state.waiting < Self.capacity else { return (false, false) }
            state.calls.append(call)
            let starts = state.waiting > state.idleCount && state.threadCount < threadLimit
            if starts { state.threadCount += 1 }
            return (true, starts)
        }
        guard isAdded else { return false }
        arrived.signal()
        guard starts else { return true }
        do throws(SystemError) {
            try NativeThread.start { self.run() }
            return true
        } catch {
            return state.withLock { state in
                state.threadCount -= 1
                guard state.threadCount == 0 else { return true }
                // No thread would ever make it.
                state.calls = []
                state.taken = 0
                return false
            }
        }
    }

    private func run() {
        while true {
            if let call = take() {
                call.carryOut()
                continue
            }
            let isCalled = arrived.wait(milliseconds: Self.idleMilliseconds)
            let isOver = state.withLock { state in
                state.idleCount -= 1
                guard !isCalled, state.waiting == 0 else { return false }
                state.threadCount -= 1
                return true
            }
            if isOver { return }
        }
    }

    /// - Returns: Nil when there is no work; the thread then counts as idle.
    private func take() -> (any QueuedCall)? {
        let (call, hasMore) = state.withLock { state -> ((any QueuedCall)?, Bool) in
            guard state.waiting > 0 else {
                state.idleCount += 1
                return (nil, false)
            }
            let call = state.calls[state.taken]
            state.taken += 1
            if state.taken == state.calls.count {
                state.calls.removeAll(keepingCapacity: true)
                state.taken = 0
            } else if state.taken >= 64 {
                state.calls.removeFirst(state.taken)
                state.taken = 0
            }
            return (call, state.waiting > 0 && state.idleCount > 0)
        }
        // One signal may have announced two calls.
        if hasMore { arrived.signal() }
        return call
    }
}
