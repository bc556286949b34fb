// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import Enclave
package import EnclaveWire
package import IPC
package import SecretBytes

/// enclaved's side of the connection to its child: one job at a time, and short calls, which wait
/// for the job that is under way.
package final class DeriverConnection {
    /// The child has ended, or says something that is no reply.
    package struct Gone: Error, Sendable {}

    /// Longer than any operation of a TPM takes.
    private static let milliseconds = 22_000

    private let socket: DeriverSocket
    private var hasJob = false
    private var early: DerivationOutcome?
    private var isGone = false

    /// Takes over a connected stream socket.
    package init(_ socket: consuming Descriptor) { self.socket = DeriverSocket(descriptor: socket) }

    /// For waiting; readable once the job is done.
    package var rawValue: Int32 { socket.descriptor.rawValue }

    /// Whether `finish` has something to give although the socket isn't readable: a call came
    /// between, or the child is gone.
    package var hasNews: Bool { early != nil || isGone }

    /// Hands over a job. It fits into the socket's buffer, so that this doesn't wait.
    package func start(_ job: DerivationJob) throws(Gone) {
        hasJob = true
        guard !isGone, socket.send(DeriverMessages.encode(job)) else { throw Gone() }
    }

    /// Takes the reply of a job; to be called once the socket is readable, or there is news.
    package func finish() throws(Gone) -> DerivationOutcome {
        if let outcome = early {
            early = nil
            return outcome
        }
        guard hasJob, !isGone else { throw Gone() }
        return try receiveOutcome()
    }

    private func receiveOutcome() throws(Gone) -> DerivationOutcome {
        guard let (status, content) = socket.receiveMessage(within: Self.milliseconds),
            let outcome = try? DeriverMessages.decodeOutcome(status, content.bytes)
        else {
            isGone = true
            throw Gone()
        }
        hasJob = false
        return outcome
    }

    /// Asks for something else than a derivation, and waits.
    func call(
        _ kind: DeriverMessages.Kind, _ content: [UInt8] = [], _ secrets: [Secret] = []
    ) throws(DeviceKeyFailure) -> Secret {
        guard !isGone else { throw .gone }
        guard socket.send(DeriverMessages.message(kind.rawValue, content, secrets)) else {
            isGone = true
            throw .gone
        }
        if hasJob {
            do { early = try receiveOutcome() } catch { throw .gone }
        }
        guard let (status, content) = socket.receiveMessage(within: Self.milliseconds) else {
            isGone = true
            throw .gone
        }
        guard status == DeriverMessages.success else {
            throw DeviceKeyFailure(rawValue: status) ?? .failed
        }
        return content
    }

    // MARK: - Making device keys

    /// Makes a device key in the child's TPM.
    /// - Returns: What is to be kept of it; with a counter, it is to be used next.
    package func makeDeviceKey(hasCounter: Bool) throws(DeviceKeyFailure) -> [UInt8] {
        try call(.make, [hasCounter ? 1 : 0]).array
    }

    /// Uses a device key of the child's TPM.
    /// - Returns: What is to be kept from now on.
    package func useDeviceKey(_ record: [UInt8]) throws(DeviceKeyFailure) -> [UInt8] {
        try call(.use, record).array
    }

    /// Gives the counter's room in the TPM back.
    package func removeCounter() throws(DeviceKeyFailure) { _ = try call(.removeCounter) }
}

/// The device key that the child has in its TPM.
package final class RemoteDeviceKey: DeviceKey {
    /// What keeps it.
    package let maker: DeviceKeyMaker
    private let connection: DeriverConnection

    /// Calls the child.
    package init(maker: DeviceKeyMaker, _ connection: DeriverConnection) {
        self.maker = maker
        self.connection = connection
    }

    /// Asks the child.
    package func tangle(
        _ purpose: TanglePurpose, _ input: borrowing SecretBytes
    ) throws(DeviceKeyFailure) -> Secret {
        let copy = Secret(input.prefix(input.byteCount))
        let tangled = try connection.call(.tangle, [purpose.rawValue], [copy])
        guard tangled.bytes.byteCount == Cryptography.keyByteCount else { throw .failed }
        return tangled
    }

    /// Jobs bring this with them: nothing asks for it here.
    package func enrol(
        _ derived: Secret, context: [UInt8], attemptLimit: UInt32
    ) throws(DeviceKeyFailure) -> (material: PasscodeMaterial, sealed: [UInt8]) { throw .failed }

    /// Jobs bring this with them: nothing asks for it here.
    package func open(
        _ derived: Secret, sealed: [UInt8], context: [UInt8]
    ) throws(DeviceKeyFailure) -> PasscodeMaterial { throw .failed }

    /// Asks the child.
    package func release(_ sealed: [UInt8]) { _ = try? connection.call(.release, sealed) }

    /// Asks the child.
    package func readCounter() throws(DeviceKeyFailure) -> UInt64 {
        let bytes = try connection.call(.readCounter).array
        guard bytes.count == 8 else { throw .failed }
        return bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Asks the child.
    package func incrementCounter() throws(DeviceKeyFailure) {
        _ = try connection.call(.incrementCounter)
    }
}
