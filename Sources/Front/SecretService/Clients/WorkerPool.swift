// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
import Synchronization

/// Threads for what may wait. Each client has at most two of them at a time: one for its calls, in
/// their order, and one for a prompt. So a client that makes its thread wait holds up nobody else.
final class WorkerPool: Sendable {
    typealias Work = @Sendable () -> Void

    private struct State {
        var work: [Work] = []
        /// The first one of `work` that isn't taken.
        var next = 0
        var threadCount = 0
        var idleCount = 0
        var isEnded = false

        var waitingCount: Int { work.count - next }

        mutating func take() -> Work? {
            guard next < work.count else { return nil }
            let taken = work[next]
            next += 1
            // What was taken is let go of now and then, and not each time.
            if next == work.count || next > 1024 {
                work.removeFirst(next)
                next = 0
            }
            return taken
        }
    }

    /// securityd has 256 channels for a user, and each may ask a person beside its calls.
    private static let threadLimit = 512
    /// Threads that stay when there is nothing to do.
    private static let idleLimit = 4

    private let state = Mutex(State())
    private let wakeup: Wakeup

    init() throws(SystemError) { wakeup = try Wakeup(isSemaphore: true) }

    /// Has work done on another thread.
    func run(_ work: @escaping Work) {
        let needsThread = state.withLock { state in
            state.work.append(work)
            let isShort = state.idleCount < state.waitingCount
            guard isShort, state.threadCount < Self.threadLimit else { return false }
            state.threadCount += 1
            state.idleCount += 1
            return true
        }
        if needsThread {
            do throws(SystemError) { try NativeThread.start { self.serve() } } catch {
                // Those that there are do it later.
                state.withLock { state in
                    state.threadCount -= 1
                    state.idleCount -= 1
                }
            }
        }
        wakeup.signal()
    }

    /// Lets the threads end when they have done what there is.
    func end() {
        let count = state.withLock { state in
            state.isEnded = true
            return state.threadCount
        }
        for _ in 0..<count { wakeup.signal() }
    }

    private func serve() {
        while true {
            wakeup.wait()
            let work = state.withLock { state in
                let work = state.take()
                if work != nil || state.isEnded { state.idleCount -= 1 }
                if work == nil, state.isEnded { state.threadCount -= 1 }
                return (work, state.isEnded)
            }
            if let body = work.0 {
                body()
            } else if work.1 {
                return
            } else {
                continue
            }
            let stays = state.withLock { state in
                let wanted = max(Self.idleLimit, state.waitingCount)
                let stays = state.isEnded || state.idleCount < wanted
                if stays { state.idleCount += 1 } else { state.threadCount -= 1 }
                return stays
            }
            if !stays { return }
        }
    }
}
