// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC
import Synchronization

/// Threads on which the kernel may close what a peer has attached to its messages.
///
/// To close the last descriptor of an open file can take as long as its owner wants: a TCP
/// connection that lingers, a file of a file system that doesn't answer. Here only threads of the
/// peer's own jobs wait for that. Each process and each user can have but some of them, and processes
/// take turns. A wait that can be interrupted lasts some milliseconds. Sockets count for their user
/// until their close has ended.
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
        var socketsOfUser: [UInt32: Int] = [:]
        var socketsOfProcess: [Requester: Int] = [:]

        /// Counts sockets that are to be closed, or were.
        mutating func count(_ number: Int, _ requester: Requester) {
            let ofUser = socketsOfUser[requester.userID, default: 0] + number
            let ofProcess = socketsOfProcess[requester, default: 0] + number
            socketsOfUser[requester.userID] = ofUser > 0 ? ofUser : nil
            socketsOfProcess[requester] = ofProcess > 0 ? ofProcess : nil
        }
    }

    private static let limit = 32
    private static let limitForUser = 8
    private static let limitForProcess = 2
    /// What takes longer is interrupted, again and again.
    private static let patienceMilliseconds: Int64 = 10
    /// The same, where the system gives a thread no timer.
    private static let patience = Duration.seconds(1)

    private let state = Mutex(State())
    private let count = Atomic<Int>(0)
    private let socketCountNow = Atomic<Int>(0)
    /// What keeps the start of a process and the close of a peer's descriptor apart.
    private struct Gate {
        var isStarting = false
        var closing = 0

        /// Counts a close, unless a process is being started.
        mutating func beginClosing() -> Bool {
            if !isStarting { closing += 1 }
            return !isStarting
        }
    }

    private let gate = Mutex(Gate())
    /// How long a start waits for closes that can be interrupted.
    private static let closingPatience = Duration.milliseconds(200)
    /// How long a close waits for a start, which takes some milliseconds.
    private static let startingPatience = Duration.seconds(1)

    /// Which user numbers are one account's: they count together.
    let accounts: Accounts

    package init(accounts: Accounts = .apart) { self.accounts = accounts }

    /// Whether a job waits or runs: then somebody is to call ``interruptLate()`` from time to time.
    var isBusy: Bool { count.load(ordering: .relaxed) > 0 }

    /// Does a job on one of the threads; never waits.
    /// - Parameters:
    ///   - requester: Whose files are let go.
    ///   - body: The job.
    package func run(of requester: Requester, _ body: @escaping @Sendable () -> Void) {
        count.add(1, ordering: .relaxed)
        let requester = accounts.requester(requester)
        state.withLock { $0.waiting.append(body, of: requester) }
        startThread()
    }

    /// Closes a socket on one of the threads; never waits. The socket counts until that has ended.
    /// - Parameters:
    ///   - requester: Whose connection it was.
    ///   - body: Closes it.
    package func closeSocket(
        of requester: Requester, _ body: @escaping @Sendable () -> Void
    ) {
        socketCountNow.add(1, ordering: .relaxed)
        let requester = accounts.requester(requester)
        state.withLock { $0.count(1, requester) }
        run(of: requester) { [self] in
            body()
            state.withLock { $0.count(-1, requester) }
            socketCountNow.subtract(1, ordering: .relaxed)
        }
    }

    private struct EmptySockets {
        var waiting: [Int32] = []
        var hasThread = false

        mutating func next() -> Int32? {
            hasThread = !waiting.isEmpty
            return hasThread ? waiting.removeFirst() : nil
        }
    }

    private let emptySockets = Mutex(EmptySockets())

    /// Closes a socket that has nothing of its peer's in it; never waits. It has a thread apart: the
    /// kernel may close there what other programs have left, but a wait for that can be interrupted.
    /// - Parameter socket: The socket.
    package func closeEmpty(_ socket: Int32) {
        let needsThread = emptySockets.withLock { sockets in
            sockets.waiting.append(socket)
            defer { sockets.hasThread = true }
            return !sockets.hasThread
        }
        guard needsThread else { return }
        do throws(SystemError) {
            try NativeThread.start { [self] in
                llavero_accept_interruptions()
                let timer = llavero_make_interruption_timer()
                llavero_set_interruption_timer(timer, Self.patienceMilliseconds)
                closeEmptySockets()
                llavero_delete_interruption_timer(timer)
            }
        } catch { closeEmptySockets() }
    }

    private func closeEmptySockets() {
        while let socket = emptySockets.withLock({ $0.next() }) { Glibc.close(socket) }
    }

    /// Starts a process.
    ///
    /// Until it executes its program, a new process has copies of all descriptors. It closes them, and
    /// the caller waits for that. So no peer's descriptor is closed here meanwhile: otherwise the copy
    /// would be the last one.
    package func whileStarting<R>(_ body: () throws -> R) rethrows -> R {
        gate.withLock { $0.isStarting = true }
        defer { gate.withLock { $0.isStarting = false } }
        // A close that goes on longer can't be interrupted. The kernel has taken its descriptor from the
        // table long ago, so the new process has no copy.
        Self.wait(atMost: Self.closingPatience) { gate.withLock { $0.closing == 0 } }
        return try body()
    }

    /// Closes a descriptor of a peer's; the calling thread waits for what that takes.
    package func letGo(_ descriptor: Int32) {
        var hasBegun = false
        Self.wait(atMost: Self.startingPatience) {
            hasBegun = gate.withLock { $0.beginClosing() }
            return hasBegun
        }
        if !hasBegun { gate.withLock { $0.closing += 1 } }
        Glibc.close(descriptor)
        gate.withLock { $0.closing -= 1 }
    }

    private static func wait(atMost patience: Duration, for condition: () -> Bool) {
        let deadline = ContinuousClock.now + patience
        while !condition(), ContinuousClock.now < deadline { usleep(500) }
    }

    /// How many sockets aren't closed yet.
    package var socketCount: Int { socketCountNow.load(ordering: .relaxed) }

    /// How many sockets of a user and of one of his processes aren't closed yet.
    package func socketCounts(of requester: Requester) -> (ofUser: Int, ofProcess: Int) {
        guard socketCount > 0 else { return (0, 0) }
        let requester = accounts.requester(requester)
        return state.withLock { state in
            (
                state.socketsOfUser[requester.userID, default: 0],
                state.socketsOfProcess[requester, default: 0]
            )
        }
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
        let timer = llavero_make_interruption_timer()
        defer { llavero_delete_interruption_timer(timer) }
        var isStarting = true
        while let (number, body) = take(thread, isStarting) {
            isStarting = false
            llavero_set_interruption_timer(timer, Self.patienceMilliseconds)
            body()
            llavero_set_interruption_timer(timer, 0)
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
