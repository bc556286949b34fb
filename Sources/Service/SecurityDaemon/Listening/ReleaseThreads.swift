// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import IPC
import Synchronization

/// Threads on which the kernel may close what a peer has attached to its messages.
///
/// To close the last descriptor of an open file can take as long as its owner wants: a TCP
/// connection that lingers, a file of a file system that doesn't answer. Here only threads of the
/// peer's own jobs wait for that. Each process and each user can have but some of them, processes take
/// turns, and a wait that can be interrupted is, after a second or two.
package final class ReleaseThreads: Sendable {
    private struct Running {
        let requester: Requester
        let thread: Int32
        let begun: ContinuousClock.Instant
    }

    private struct State {
        var waiting = TurnList<@Sendable () -> Void>()
        var running: [UInt64: Running] = [:]
        /// Threads that were started and haven't taken a job yet.
        var starting = 0
        var jobCount: UInt64 = 0
    }

    private static let limit = 32
    private static let limitForUser = 8
    private static let limitForProcess = 2
    /// What takes longer is interrupted.
    private static let patience = Duration.seconds(1)

    private let state = Mutex(State())
    private let count = Atomic<Int>(0)

    package init() {}

    /// Whether a job waits or runs: then somebody is to call ``interruptLate()`` from time to time.
    var isBusy: Bool { count.load(ordering: .relaxed) > 0 }

    /// Does a job on one of the threads; never waits.
    /// - Parameters:
    ///   - requester: Whose files are let go.
    ///   - body: The job.
    package func run(of requester: Requester, _ body: @escaping @Sendable () -> Void) {
        count.add(1, ordering: .relaxed)
        state.withLock { $0.waiting.append(body, of: requester) }
        startThread()
    }

    /// Interrupts the jobs that have taken too long. Starts a thread where the system gave none
    /// before.
    func interruptLate() {
        let now = ContinuousClock.now
        state.withLock { state in
            for job in state.running.values where job.begun.duration(to: now) > Self.patience {
                llavero_interrupt(job.thread)
            }
        }
        startThread()
    }

    /// Starts a thread if there is a job that may run.
    private func startThread() {
        let isNeeded = state.withLock { state in
            guard state.running.count + state.starting < Self.limit,
                state.waiting.hasNext(Self.permission(state))
            else { return false }
            state.starting += 1
            return true
        }
        guard isNeeded else { return }
        do throws(SystemError) {
            try NativeThread.start { [self] in work() }
        } catch { state.withLock { $0.starting -= 1 } }
    }

    /// A thread's life: jobs as long as there are any that may run.
    private func work() {
        llavero_accept_interruptions()
        let thread = llavero_thread_number()
        var isStarting = true
        while let (number, body) = take(thread, isStarting) {
            isStarting = false
            body()
            _ = state.withLock { $0.running.removeValue(forKey: number) }
            count.subtract(1, ordering: .relaxed)
        }
    }

    private func take(
        _ thread: Int32, _ isStarting: Bool
    ) -> (UInt64, @Sendable () -> Void)? {
        state.withLock { state in
            if isStarting { state.starting -= 1 }
            guard let (requester, body) = state.waiting.next(Self.permission(state)) else {
                return nil
            }
            state.jobCount += 1
            state.running[state.jobCount] = Running(
                requester: requester, thread: thread, begun: .now)
            return (state.jobCount, body)
        }
    }

    /// Whether a process and its user may have a job begun now.
    private static func permission(_ state: State) -> (Requester) -> Bool {
        var ofUser: [UInt32: Int] = [:]
        var ofProcess: [Requester: Int] = [:]
        for job in state.running.values {
            ofUser[job.requester.userID, default: 0] += 1
            ofProcess[job.requester, default: 0] += 1
        }
        return { [ofUser, ofProcess] requester in
            ofUser[requester.userID, default: 0] < limitForUser
                && ofProcess[requester, default: 0] < limitForProcess
        }
    }
}
