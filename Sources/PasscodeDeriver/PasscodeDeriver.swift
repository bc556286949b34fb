// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import Enclave
package import IPC
import SecretBytes

/// The child's side: derives keys from passcodes until its parent is gone.
///
/// It is a process of its own so that enclaved answers other requests meanwhile, and so that the
/// memory that a derivation takes goes back to the system.
package enum PasscodeDeriver {
    /// Serves one job after another; returns at end of file, or when a job is not one.
    package static func serve(_ socket: consuming Descriptor, scrub: () -> Void = {}) {
        let socket = DeriverSocket(descriptor: socket)
        while carryOutOne(socket) { scrub() }
    }

    /// In a call of its own, so that nothing of it is in use when the stack is overwritten.
    private static func carryOutOne(_ socket: borrowing DeriverSocket) -> Bool {
        guard let job = receiveJob(socket) else { return false }
        return socket.send(DeriverMessages.encode(run(job)))
    }

    /// Derives.
    package static func run(_ job: DerivationJob) -> DerivationOutcome {
        switch job.cost {
        case .calibrated:
            guard let result = Argon2id.calibrate(job.passcode, salt: job.salt) else {
                return .failed
            }
            return .derived(result.key, result.parameters)
        case .given(let parameters):
            guard
                let key = Argon2id.derive(job.passcode, salt: job.salt, parameters: parameters)
            else { return .failed }
            return .derived(key, parameters)
        }
    }

    private static func receiveJob(_ socket: borrowing DeriverSocket) -> DerivationJob? {
        var header = SecretBytes(byteCount: DeriverMessages.jobHeaderByteCount)
        guard socket.receive(&header),
            let byteCount = try? DeriverMessages.passcodeByteCount(header)
        else { return nil }
        var passcode = SecretBytes(byteCount: byteCount)
        guard socket.receive(&passcode) else { return nil }
        return try? DeriverMessages.decodeJob(header, passcode: Secret(passcode))
    }
}

/// enclaved's side of the connection to its deriver: one job at a time.
package struct DeriverConnection: ~Copyable {
    /// The deriver has ended, or says something that is no reply.
    package struct Gone: Error, Sendable {}

    private let socket: DeriverSocket

    /// Takes over a connected stream socket.
    package init(_ socket: consuming Descriptor) { self.socket = DeriverSocket(descriptor: socket) }

    /// For waiting; readable once the job is done.
    package var rawValue: Int32 { socket.descriptor.rawValue }

    /// Hands over a job. It fits into the socket's buffer, so that this doesn't wait.
    package borrowing func start(_ job: DerivationJob) throws(Gone) {
        guard socket.send(DeriverMessages.encode(job)) else { throw Gone() }
    }

    /// Takes the reply of a job; to be called once the socket is readable.
    package borrowing func finish() throws(Gone) -> DerivationOutcome {
        var message = SecretBytes(byteCount: DeriverMessages.replyByteCount)
        guard socket.receive(&message),
            let outcome = try? DeriverMessages.decodeOutcome(message)
        else { throw Gone() }
        return outcome
    }
}
