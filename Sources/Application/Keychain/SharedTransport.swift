// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
import SecretBytes

/// The connection of a process's threads: one thread uses it at a time, and the others wait in a
/// queue, each until its deadline. A child made by `fork` has its own queue and connection.
final class SharedTransport: Sendable {
    /// A thread that waits in the queue.
    private final class Waiter: Sendable {
        let turn: EventCounter
        init() throws(SystemError) { turn = try EventCounter() }
    }

    private struct Line: ~Copyable {
        /// Nil while a thread uses it.
        var transport: Transport?
        var waiters: [Waiter] = []
        /// The next thread: the transport is reserved for it.
        var next: Waiter?
    }

    /// What an arriving thread finds.
    private enum Arrival: ~Copyable {
        case transport(Transport)
        case line(Waiter)
        case noWaiting
    }

    private let line: ForkAwareMutex<Line>

    init(locate: @escaping @Sendable () -> ServiceLocation) {
        // This closes the parent's connection without using it.
        line = ForkAwareMutex { _ in Line(transport: Transport(locate: locate)) }
    }

    /// Calls `body` with the connection and the remaining time.
    /// - Throws: ``Transport/Failure/notSent`` when the wait for other threads' calls used up the
    ///   time, or was interrupted.
    func use<R>(
        within deadline: Duration, _ interruption: Interruption?,
        _ body: (inout Transport, Duration) throws(Transport.Failure) -> R
    ) throws(Transport.Failure) -> R {
        switch arrive() {
        case .transport(let transport):
            return try use(transport, deadline, body)
        case .noWaiting: throw .notSent
        case .line(let waiter):
            let start = ContinuousClock.now
            let isWanted = interruption?.begin { waiter.turn.signal() } ?? true
            if isWanted { _ = UnixSocket.waitUntilReadable(waiter.turn.descriptor, deadline) }
            interruption?.end()
            guard let transport = takeTurn(waiter) else { throw .notSent }
            let rest = deadline - start.duration(to: .now)
            guard interruption?.cause == nil, rest > .zero else {
                giveBack(transport)
                throw .notSent
            }
            return try use(transport, rest, body)
        }
    }

    private func use<R>(
        _ transport: consuming Transport, _ deadline: Duration,
        _ body: (inout Transport, Duration) throws(Transport.Failure) -> R
    ) throws(Transport.Failure) -> R {
        let result: R
        do throws(Transport.Failure) { result = try body(&transport, deadline) } catch {
            giveBack(transport)
            throw error
        }
        giveBack(transport)
        return result
    }

    private func arrive() -> Arrival {
        line.withLock { line in
            if line.next == nil, let transport = line.transport.take() {
                return .transport(transport)
            }
            guard let waiter = try? Waiter() else { return .noWaiting }
            line.waiters.append(waiter)
            return .line(waiter)
        }
    }

    /// - Returns: Nil when the waiter's turn didn't come; it has then left the queue.
    private func takeTurn(_ waiter: Waiter) -> Transport? {
        line.withLock { line in
            guard line.next === waiter else {
                line.waiters.removeAll { $0 === waiter }
                return nil
            }
            line.next = nil
            return line.transport.take()
        }
    }

    private func giveBack(_ transport: consuming Transport) {
        var given: Transport? = transport
        line.withLock { line in
            line.transport = given.take()
            guard !line.waiters.isEmpty else { return }
            let next = line.waiters.removeFirst()
            line.next = next
            next.turn.signal()
        }
    }
}
