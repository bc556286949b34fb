// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Synchronization

/// Lets one thread end what another waits for: on a socket, or in line for one.
final class Interruption: Sendable {
    private struct State {
        /// What is waited for now; closed by nobody before ``Interruption/end()``.
        var socket: Int32?
        /// Ends a wait in line.
        var wake: (@Sendable () -> Void)?
        var cause: KeychainError?
    }

    private let state = Mutex(State())

    /// Why it was interrupted; nil while it wasn't.
    var cause: KeychainError? { state.withLock { $0.cause } }

    /// Something is sent over a socket from now on.
    /// - Returns: False when nothing is to be sent any more.
    func begin(_ socket: Int32) -> Bool {
        state.withLock { state in
            guard state.cause == nil else { return false }
            state.socket = socket
            return true
        }
    }

    /// Somebody stands in line from now on.
    /// - Parameter wake: Ends the wait.
    /// - Returns: False when nothing is to be waited for any more.
    func begin(waking wake: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard state.cause == nil else { return false }
            state.wake = wake
            return true
        }
    }

    /// The socket is somebody else's from now on, and the place in line.
    func end() {
        state.withLock { state in
            state.socket = nil
            state.wake = nil
        }
    }

    /// Ends the wait, and those to come; the first cause stays.
    func raise(_ cause: KeychainError) {
        state.withLock { state in
            guard state.cause == nil else { return }
            state.cause = cause
            if let socket = state.socket { shutdown(socket, Int32(SHUT_RDWR)) }
            state.wake?()
        }
    }
}

/// How long a call may take, and what ends it before.
struct CallBounds: Sendable {
    /// When it is over; nil for the usual deadline of each exchange.
    var end: ContinuousClock.Instant?
    var interruption: Interruption?

    /// What is left for an exchange.
    func rest(_ usual: Duration) -> Duration {
        guard let end else { return usual }
        return max(ContinuousClock.now.duration(to: end), .zero)
    }

    /// Whether the call still has time, and is still wanted.
    func check() throws(KeychainError) {
        if let cause = interruption?.cause { throw cause }
        if let end, end <= .now { throw .timedOut }
    }

    /// What a failure means to whoever set these bounds.
    func error(_ failure: Transport.Failure) -> KeychainError {
        if let cause = interruption?.cause { return cause }
        guard end != nil, failure == .timedOut || failure == .notSent else {
            return KeychainConnection.error(failure)
        }
        return .timedOut
    }
}
