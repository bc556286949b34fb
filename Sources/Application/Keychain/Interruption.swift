// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Synchronization

/// Lets one thread end another's wait: on a socket, or in a queue for one.
final class Interruption: Sendable {
    private struct State {
        /// The socket that the thread waits on; it stays open until ``Interruption/end()``.
        var socket: Int32?
        /// Ends a wait in the queue.
        var wake: (@Sendable () -> Void)?
        var cause: KeychainError?
    }

    private let state = Mutex(State())

    /// Why the wait was interrupted; nil while it wasn't.
    var cause: KeychainError? { state.withLock { $0.cause } }

    /// From now on the thread waits on a socket.
    /// - Returns: False when the interruption came first and nothing may be sent.
    func begin(_ socket: Int32) -> Bool {
        state.withLock { state in
            guard state.cause == nil else { return false }
            state.socket = socket
            return true
        }
    }

    /// From now on the thread waits in a queue.
    /// - Parameter wake: Ends the wait.
    /// - Returns: False when the interruption came first and the thread may not wait.
    func begin(waking wake: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard state.cause == nil else { return false }
            state.wake = wake
            return true
        }
    }

    /// The thread has released the socket, and its place in the queue.
    func end() {
        state.withLock { state in
            state.socket = nil
            state.wake = nil
        }
    }

    /// Ends the current wait and all later ones; the first cause stays.
    func raise(_ cause: KeychainError) {
        state.withLock { state in
            guard state.cause == nil else { return }
            state.cause = cause
            if let socket = state.socket { shutdown(socket, Int32(SHUT_RDWR)) }
            state.wake?()
        }
    }
}

/// How long a call may take, and what can end it earlier.
struct CallBounds: Sendable {
    /// The end of the call; nil for the usual deadline of each exchange.
    var end: ContinuousClock.Instant?
    var interruption: Interruption?

    /// The time left for an exchange.
    func rest(_ usual: Duration) -> Duration {
        guard let end else { return usual }
        return max(ContinuousClock.now.duration(to: end), .zero)
    }

    /// Whether the call still has time, and wasn't cancelled.
    func check() throws(KeychainError) {
        if let cause = interruption?.cause { throw cause }
        if let end, end <= .now { throw .timedOut }
    }

    /// What a failure means to the caller that set these bounds.
    func error(_ failure: Transport.Failure) -> KeychainError {
        if let cause = interruption?.cause { return cause }
        guard end != nil, failure == .timedOut || failure == .notSent else {
            return KeychainConnection.error(failure)
        }
        return .timedOut
    }
}
