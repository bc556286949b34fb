// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Enclave
import EnclaveState
import EnclaveWire
import Foundation
import IPC
import SecretBytes

/// The enclave's core on a thread of the test process: what enclaved's loop does, without its
/// sandbox, and with a derivation from the passcode that costs nothing.
enum InProcessEnclave {
    /// Starts it.
    /// - Returns: securityd's ends of the connections.
    static func start(stateDirectory: String, connectionCount: Int) throws -> [Int32] {
        var ours: [Int32] = []
        var theirs: [Int32] = []
        for _ in 0..<connectionCount {
            let (here, there) = try UnixSocket.pair()
            ours.append(here)
            theirs.append(there)
        }
        let directory = try open(stateDirectory)
        let loop = Loop(sockets: theirs)
        let start = Start(try EventCounter())
        try NativeThread.start {
            do {
                var enclave = Enclave(
                    deviceKey: try FileDeviceKey(directory), state: FileState(directory) { _ in },
                    clock: { UInt64(max(time(nil), 0)) }, notify: { _ in })
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

    /// An enclave that was there before gives its directory up when its connections end.
    private static func open(_ stateDirectory: String) throws -> StateDirectory {
        try Waiting.value("the enclave's directory") {
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

    /// Answers requests until every connection has ended.
    private struct Loop: Sendable {
        let sockets: [Int32]

        func run(_ enclave: inout Enclave) {
            var entries = sockets.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            while entries.contains(where: { $0.fd >= 0 }) {
                guard unsafe poll(&entries, nfds_t(entries.count), -1) > 0 else { continue }
                for index in entries.indices where entries[index].revents != 0 {
                    if !serve(entries[index].fd, &enclave) {
                        close(entries[index].fd)
                        entries[index].fd = -1
                    }
                    entries[index].revents = 0
                }
            }
        }

        /// - Returns: False when the connection has ended.
        private func serve(_ socket: Int32, _ enclave: inout Enclave) -> Bool {
            guard let head = receive(EnclaveHeader.byteCount, socket),
                let header = head.header,
                let payload = receive(header.payloadByteCount, socket),
                let kind = EnclaveMessageKind(rawValue: header.kind)
            else { return false }
            var incoming = MessageBuffer()
            incoming.reserve(payload.count)
            incoming.bytes(payload)
            var outgoing = MessageBuffer()
            let isSent: Bool
            do throws(DecodingFailure) {
                let request = try unsafe incoming.withUnsafeBytes {
                    (bytes) throws(DecodingFailure) -> EnclaveRequest in
                    try unsafe EnclaveRequest.decode(kind, payload: bytes)
                }
                let reply = Self.reply(enclave.handle(request, user: header.userID), &enclave)
                reply.encode(
                    kind: header.kind, requestID: header.requestID, userID: header.userID,
                    into: &outgoing)
                isSent = send(outgoing, socket)
            } catch {
                isSent = false
            }
            return isSent
        }

        private static func reply(
            _ answer: consuming EnclaveAnswer, _ enclave: inout Enclave
        ) -> EnclaveReply {
            switch consume answer {
            case .reply(let reply): return reply
            case .deferred(let job):
                let key = Cryptography.deriveByAuthenticating(
                    job.passcode.bytes, using: SymmetricKey(data: job.salt))
                return reply(enclave.derivationFinished(.derived(key, .floor)), &enclave)
            case .ended: return .failure(.stateNotWritten)
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
