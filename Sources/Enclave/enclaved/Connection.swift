// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import EnclaveWire
import Glibc
import IPC

/// Where connections come from.
enum ConnectionSource {
    /// They are there at the start, and the process ends with the last one.
    case given([Connection])
    /// A supervisor hands them over, and the process ends with the connection to it.
    case supervisor(ControlSocket)
}

/// One connection of securityd: whole messages in and out, with a deadline for a slow peer.
final class Connection {
    /// What a readable connection delivered.
    enum Received {
        case message(EnclaveHeader)
        /// The peer has closed it.
        case end
        /// Bytes that aren't a message, or half a message after which nothing came: the connection
        /// must be closed.
        case garbage
        /// No bytes after all.
        case nothing
    }

    /// securityd sends and receives a message at once; the deadline is for a securityd that is
    /// stopped.
    private static let deadlineSeconds = 2

    private let descriptor: Descriptor

    /// - Parameters:
    ///   - descriptor: The socket.
    ///   - hasDeadline: It has one already: in the sandbox none can be set.
    init(_ descriptor: consuming Descriptor, hasDeadline: Bool = false) {
        if !hasDeadline {
            for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
                _ = llavero_set_timeout(descriptor.rawValue, option, Self.deadlineSeconds, 0)
            }
        }
        self.descriptor = descriptor
    }

    var rawValue: Int32 { descriptor.rawValue }

    /// Tells the peer that nothing more follows; the owner closes the descriptor.
    func end() { shutdown(descriptor.rawValue, Int32(SHUT_RDWR)) }

    /// Receives one message into the empty buffer.
    func receive(into buffer: inout MessageBuffer) -> Received {
        switch receiveSome(into: &buffer) {
        case 1...: break
        case 0: return .end
        case _: return errno == EINTR || errno == EAGAIN ? .nothing : .end
        }
        while buffer.byteCount < EnclaveHeader.byteCount {
            guard receiveSome(into: &buffer) > 0 else { return .garbage }
        }
        let parsed = unsafe buffer.withUnsafeBytes { bytes -> EnclaveHeader? in
            var reader = unsafe ByteReader(bytes)
            return try? unsafe EnclaveHeader(&reader)
        }
        guard let header = parsed, header.status == 0 else { return .garbage }
        let total = EnclaveHeader.byteCount + header.payloadByteCount
        buffer.reserve(total)
        while buffer.byteCount < total {
            guard receiveSome(into: &buffer) > 0 else { return .garbage }
        }
        return buffer.byteCount == total ? .message(header) : .garbage
    }

    private func receiveSome(into buffer: inout MessageBuffer) -> Int {
        var count = 0
        unsafe buffer.extend { room in
            count = unsafe recv(descriptor.rawValue, room.baseAddress, room.count, 0)
            return count
        }
        return count
    }

    /// Sends the message.
    /// - Returns: False when the peer doesn't receive it.
    func send(_ buffer: borrowing MessageBuffer) -> Bool {
        unsafe buffer.withUnsafeBytes { bytes in
            var sent = 0
            while sent < bytes.count {
                let count = unsafe Glibc.send(
                    descriptor.rawValue, bytes.baseAddress.map { unsafe $0 + sent },
                    bytes.count - sent, Int32(MSG_NOSIGNAL))
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { return false }
                sent += count
            }
            return true
        }
    }
}
