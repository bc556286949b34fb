// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
import Synchronization

/// A few threads that make blocking calls for tasks, in order. They are started when there is
/// something to do, and end after a while without.
final class CallThreads: Sendable {
    private struct State {
        var calls: [any QueuedCall] = []
        /// How many of the first ones are taken already.
        var taken = 0
        var threadCount = 0
        var idleCount = 0
        var waiting: Int { calls.count - taken }
    }

    private let state = Mutex(State())
    private let arrived: EventCounter
    private let threadLimit: Int

    /// Calls that wait, at most: who would wait for more is better told at once.
    private static let capacity = 4096
    private static let idleMilliseconds: Int32 = 10_000

    init(threadLimit: Int) throws(SystemError) {
        self.threadLimit = threadLimit
        arrived = try EventCounter()
    }

    /// Has a call made.
    /// - Returns: False when too many wait, or there is no thread.
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
                // Nobody would ever make it.
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

    /// - Returns: Nil when there is nothing to do; the thread counts as idle then.
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
        // One signal may have stood for two calls.
        if hasMore { arrived.signal() }
        return call
    }
}
