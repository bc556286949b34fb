// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC

/// Makes blocking calls for tasks, with a deadline, and abandons them when their task is cancelled.
final class AsyncCalls: Sendable {
    let clock: DeadlineClock
    /// Ordinary calls share one connection, so a second thread would only wait for it.
    private let calls: CallThreads
    /// Waits for leases, each on its own connection.
    private let waits: CallThreads

    private static let waitLimit = 8

    /// The threads that make a call.
    enum Kind {
        case read
        case write
        case wait
    }

    init() throws(SystemError) {
        clock = try DeadlineClock()
        calls = try CallThreads(threadLimit: 1)
        waits = try CallThreads(threadLimit: Self.waitLimit)
    }

    /// Makes a call.
    /// - Parameters:
    ///   - kind: Its kind.
    ///   - duration: How long it may take; nil as in ``makeAlone(_:within:_:)``.
    ///   - body: The call, on another thread.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws; ``FailureReason/cancelled`` and ``FailureReason/timedOut``.
    func make<R: Sendable>(
        _ kind: Kind, within duration: Duration?,
        _ body: @escaping @Sendable (CallBounds) throws(KeychainError) -> R
    ) async throws(KeychainError) -> R {
        let threads = kind == .wait ? waits : calls
        return try await make(kind, within: duration, body) { threads.add($0) }
    }

    /// Makes a call on a separate thread, for as long as it takes.
    /// - Parameters:
    ///   - kind: Its kind.
    ///   - duration: How long it may take; nil means without a limit, with the usual deadline for
    ///     each request to the service that it makes.
    ///   - body: The call.
    /// - Returns: What `body` returns.
    /// - Throws: As ``make(_:within:_:)``.
    func makeAlone<R: Sendable>(
        _ kind: Kind, within duration: Duration?,
        _ body: @escaping @Sendable (CallBounds) throws(KeychainError) -> R
    ) async throws(KeychainError) -> R {
        try await make(kind, within: duration, body) { call in
            do throws(SystemError) {
                try NativeThread.start { call.carryOut() }
                return true
            } catch { return false }
        }
    }

    private func make<R: Sendable>(
        _ kind: Kind, within duration: Duration?,
        _ body: @escaping @Sendable (CallBounds) throws(KeychainError) -> R,
        start: @escaping @Sendable (any QueuedCall) -> Bool
    ) async throws(KeychainError) -> R {
        if let duration, duration <= .zero { throw .timedOut }
        let end = duration.map { ContinuousClock.Instant.end(of: $0) }
        let call = Call<R>(isWrite: kind != .read) { (interruption) throws(KeychainError) -> R in
            try body(CallBounds(end: end, interruption: interruption))
        }
        return try await wait(for: call, until: end) { start(call) }
    }

    /// Waits until a call has been carried out or abandoned.
    /// - Parameters:
    ///   - call: The call.
    ///   - end: When it is abandoned, if ever.
    ///   - start: Hands the call to a thread; returns false when none takes it.
    /// - Returns: The call's result.
    /// - Throws: The call's error, or why it was abandoned.
    func wait<R: Sendable>(
        for call: Call<R>, until end: ContinuousClock.Instant?, start: @Sendable () -> Bool
    ) async throws(KeychainError) -> R {
        let alarm = end.map { clock.set($0) { call.giveUp(.timedOut) } }
        defer { if let alarm { clock.cancel(alarm) } }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { task in
                guard call.begin(for: task) else { return }
                if !start() { call.giveUp(.unreachable) }
            }
        } onCancel: {
            call.giveUp(.cancelled)
        }
        return try outcome.get()
    }
}
