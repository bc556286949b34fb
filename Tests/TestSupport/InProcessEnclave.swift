// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Enclave
import EnclaveState
import EnclaveWire
import Foundation
import IPC
import SecretBytes

/// The enclave's core on a thread of the test process. It does the work of enclaved's loop, without
/// its sandbox, and with a key derivation that costs nothing.
enum InProcessEnclave {
    /// Starts it.
    /// - Returns: securityd's ends of the connections.
    static func start(
        stateDirectory: String, connectionCount: Int, clock: TestClock,
        marksNewerKeys: Bool = false, claimsHardware: Bool = false
    ) throws -> [Int32] {
        var ours: [Int32] = []
        var theirs: [Int32] = []
        for _ in 0..<connectionCount {
            let (here, there) = try UnixSocket.pair()
            ours.append(here)
            theirs.append(there)
        }
        let directory = try open(stateDirectory)
        let loop = Loop(sockets: theirs, marksNewerKeys: marksNewerKeys)
        let start = Start(try EventCounter())
        try NativeThread.start {
            do {
                let key = try FileDeviceKey(directory)
                var enclave = Enclave(
                    deviceKey: claimsHardware ? ClaimedTPM(key) : key,
                    state: FileState(directory) { _ in },
                    clock: { clock.seconds }, notify: { _ in })
                try directory.write("passcode.pub", enclave.publicKey, mode: 0o644)
                start.finished.signal()
                loop.run(&enclave)
            } catch {
                // Its clients find the connections closed.
                for socket in loop.sockets { close(socket) }
                start.finished.signal()
            }
        }
        start.finished.wait()
        return ours
    }

    /// An earlier enclave releases its directory when its connections end.
    private static func open(_ stateDirectory: String) throws -> StateDirectory {
        try TestSupport.Waiting.value("the enclave's directory") {
            do throws(StateDirectoryError) {
                return try StateDirectory(statePath: stateDirectory)
            } catch {
                guard error == .inUse else { throw error }
                return nil
            }
        }
    }

    private final class Start: Sendable {
        let finished: EventCounter
        init(_ finished: consuming EventCounter) { self.finished = finished }
    }

    /// A request whose reply is the next event.
    private struct Caller {
        let socket: Int32
        let header: EnclaveHeader
        let lastEvent: UInt32
    }

    /// Answers requests until every connection has ended.
    private struct Loop: Sendable {
        let sockets: [Int32]
        /// Sealed data gets the generation bit in its class byte, and can be opened only with it:
        /// as with an enclave that has a newer key of the class.
        let marksNewerKeys: Bool

        func run(_ enclave: inout Enclave) {
            var entries = sockets.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            var waiting: [Caller] = []
            while entries.contains(where: { $0.fd >= 0 }) {
                let milliseconds: Int32 = enclave.secondsUntilDeadline == nil ? -1 : 100
                let count = unsafe poll(&entries, nfds_t(entries.count), milliseconds)
                if count == 0 { enclave.tick() }
                defer { answer(&waiting, enclave) }
                guard count > 0 else { continue }
                for index in entries.indices where entries[index].revents != 0 {
                    if !serve(entries[index].fd, &enclave, &waiting) {
                        waiting.removeAll { $0.socket == entries[index].fd }
                        close(entries[index].fd)
                        entries[index].fd = -1
                    }
                    entries[index].revents = 0
                }
            }
        }

        /// - Returns: False when the connection has ended.
        private func serve(
            _ socket: Int32, _ enclave: inout Enclave, _ waiting: inout [Caller]
        ) -> Bool {
            guard let head = receive(EnclaveHeader.byteCount, socket),
                let header = head.header,
                let payload = receive(header.payloadByteCount, socket),
                let kind = EnclaveMessageKind(rawValue: header.kind)
            else { return false }
            var incoming = MessageBuffer()
            incoming.reserve(payload.count)
            incoming.bytes(payload)
            do throws(DecodingFailure) {
                var request = try unsafe incoming.withUnsafeBytes {
                    (bytes) throws(DecodingFailure) -> EnclaveRequest in
                    try unsafe EnclaveRequest.decode(kind, payload: bytes)
                }
                if marksNewerKeys, let turned = request.turningTheBit { request = turned }
                switch Self.result(enclave.handle(request, user: header.userID), &enclave) {
                case .reply(let reply):
                    if marksNewerKeys, let turned = reply.turningTheBit {
                        return send(turned, header, socket)
                    }
                    return send(reply, header, socket)
                case .waiting(let event):
                    waiting.append(Caller(socket: socket, header: header, lastEvent: event))
                    return true
                case .deferred: return false
                case .ended: return false
                }
            } catch {
                return false
            }
        }

        private func answer(_ waiting: inout [Caller], _ enclave: borrowing Enclave) {
            for request in waiting {
                guard let event = enclave.lockEvent(after: request.lastEvent) else { continue }
                waiting.removeAll { $0.socket == request.socket }
                _ = send(.lockEvent(event), request.header, request.socket)
            }
        }

        private func send(
            _ reply: consuming EnclaveReply, _ header: EnclaveHeader, _ socket: Int32
        ) -> Bool {
            var outgoing = MessageBuffer()
            reply.encode(
                kind: header.kind, requestID: header.requestID, userID: header.userID,
                into: &outgoing)
            return send(outgoing, socket)
        }

        private static func result(
            _ answer: consuming EnclaveAnswer, _ enclave: inout Enclave
        ) -> EnclaveAnswer {
            switch consume answer {
            case .reply(let reply): return .reply(reply)
            case .deferred(let job):
                let key = Cryptography.deriveByAuthenticating(
                    job.passcode.bytes, using: SymmetricKey(data: job.salt))
                return result(enclave.derivationFinished(.derived(key, .floor)), &enclave)
            case .waiting(let event): return .waiting(after: event)
            case .ended: return .ended
            }
        }

        private func receive(_ byteCount: Int, _ socket: Int32) -> [UInt8]? {
            var bytes = [UInt8](repeating: 0, count: byteCount)
            var filled = 0
            while filled < byteCount {
                let count = unsafe bytes.withUnsafeMutableBytes { buffer in
                    unsafe recv(
                        socket, buffer.baseAddress.map { unsafe $0 + filled }, byteCount - filled,
                        0)
                }
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { return nil }
                filled += count
            }
            return bytes
        }

        private func send(_ message: borrowing MessageBuffer, _ socket: Int32) -> Bool {
            unsafe message.withUnsafeBytes { bytes in
                var sent = 0
                while sent < bytes.count {
                    let count = unsafe Glibc.send(
                        socket, bytes.baseAddress.map { unsafe $0 + sent }, bytes.count - sent,
                        Int32(MSG_NOSIGNAL))
                    if count < 0 && errno == EINTR { continue }
                    guard count > 0 else { return false }
                    sent += count
                }
                return true
            }
        }
    }
}

extension [UInt8] {
    fileprivate var header: EnclaveHeader? {
        unsafe withUnsafeBytes { bytes in
            var reader = unsafe ByteReader(bytes)
            return try? unsafe EnclaveHeader(&reader)
        }
    }
}

extension EnclaveRequest {
    /// The request with that bit of the sealed data flipped; nil if it has no sealed data.
    fileprivate var turningTheBit: EnclaveRequest? {
        switch self {
        case .open(let rows): .open(rows.map(\.turningTheBit))
        case .verify(let rows): .verify(rows.map(\.turningTheBit))
        case .rebind(let source, let target, let sealed):
            .rebind(from: source, to: target, sealed: sealed.turningTheBit)
        case _: nil
        }
    }
}

extension EnclaveReply {
    fileprivate var turningTheBit: EnclaveReply? {
        switch self {
        case .sealed(let sealed): .sealed(sealed.turningTheBit)
        case _: nil
        }
    }
}

extension SealedSecret {
    fileprivate var turningTheBit: SealedSecret {
        SealedSecret(binding: binding, sealed: sealed.turningTheBit)
    }
}

extension [UInt8] {
    /// Bit 7 of the class, the second byte of a sealed secret.
    fileprivate var turningTheBit: [UInt8] {
        var sealed = self
        if sealed.count > 1 { sealed[1] ^= 0x80 }
        return sealed
    }
}

/// A file that claims to be a TPM: no test has one.
private final class ClaimedTPM: SealingDeviceKey {
    let maker = DeviceKeyMaker.tpm
    private let key: FileDeviceKey

    init(_ key: FileDeviceKey) { self.key = key }

    func tangle(
        _ purpose: TanglePurpose, _ input: borrowing SecretBytes
    ) throws(DeviceKeyFailure) -> Secret { try key.tangle(purpose, input) }

    func sealEntropy(
        _ entropy: borrowing SecretBytes, context: [UInt8]
    ) throws(DeviceKeyFailure) -> [UInt8] { try key.sealEntropy(entropy, context: context) }

    func openEntropy(
        _ sealed: [UInt8], context: [UInt8]
    ) throws(DeviceKeyFailure) -> Secret { try key.openEntropy(sealed, context: context) }

    func readCounter() throws(DeviceKeyFailure) -> UInt64 { try key.readCounter() }

    func incrementCounter() throws(DeviceKeyFailure) { try key.incrementCounter() }
}
