// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
package import IPC
import SecretBytes
package import SecurityWire

/// A client that sends arbitrary bytes, and receives bytes or the end of the connection.
package final class RawConnection {
    /// The reply.
    package enum Answer: Equatable, Sendable {
        /// A frame.
        case frame(FrameKind, message: [UInt8], secret: [UInt8])
        /// Bytes that aren't a frame.
        case garbage
        /// The service has closed the connection.
        case closed
        /// Nothing until the deadline.
        case silence
    }

    private let socket: Descriptor

    /// Connects.
    package init(_ path: String) throws {
        do { socket = try UnixSocket.connect(to: path, timeout: Waiting.patience) } catch {
            throw TestFailure("No connection to \(path): \(error)")
        }
    }

    /// Takes over a connection.
    package init(owning socket: consuming Descriptor) { self.socket = socket }

    /// The descriptor; this value keeps the ownership.
    package var rawValue: Int32 { socket.rawValue }

    // MARK: - Sending

    /// Sends bytes.
    /// - Returns: Whether the service received them all; false when it has closed the connection.
    @discardableResult
    package func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.send(
                    socket.rawValue, buffer.baseAddress.map { unsafe $0 + sent },
                    buffer.count - sent, Int32(MSG_NOSIGNAL))
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Sends bytes with descriptors attached.
    package func send(_ bytes: [UInt8], attaching descriptors: [Int32]) -> Bool {
        // struct cmsghdr: byte count, level, type; then the descriptors.
        var control: [Int32] = [0, 0, SOL_SOCKET, 1] + descriptors
        let byteCount = control.count * 4
        control[0] = Int32(byteCount)
        if control.count % 2 != 0 { control.append(0) }
        var bytes = bytes
        return unsafe bytes.withUnsafeMutableBytes { data in
            unsafe control.withUnsafeMutableBytes { control in
                var part = unsafe iovec(iov_base: data.baseAddress, iov_len: data.count)
                return unsafe withUnsafeMutablePointer(to: &part) { part in
                    var message = unsafe msghdr()
                    unsafe message.msg_iov = part
                    unsafe message.msg_iovlen = 1
                    unsafe message.msg_control = control.baseAddress
                    unsafe message.msg_controllen = control.count
                    return unsafe sendmsg(socket.rawValue, &message, Int32(MSG_NOSIGNAL))
                        == data.count
                }
            }
        }
    }

    /// Announces that nothing more will be sent.
    package func finishSending() { shutdown(socket.rawValue, Int32(SHUT_WR)) }

    // MARK: - Receiving

    /// One frame, or what came instead.
    package func receive(within duration: Duration = Waiting.patience) -> Answer {
        let deadline = ContinuousClock.now + duration
        var bytes: [UInt8] = []
        var wanted = FrameHeader.byteCount
        var header: FrameHeader?
        while bytes.count < wanted {
            guard Waiting.forReadable(socket.rawValue, until: deadline) else { return .silence }
            var piece = [UInt8](repeating: 0, count: min(wanted - bytes.count, 1 << 20))
            let count = unsafe recv(socket.rawValue, &piece, piece.count, 0)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return .closed }
            bytes += piece[..<count]
            if bytes.count == wanted, header == nil {
                header = unsafe bytes.withUnsafeBytes { try? unsafe FrameHeader(decoding: $0) }
                guard let header else { return .garbage }
                wanted += header.bodyByteCount
            }
        }
        guard let header else { return .garbage }
        let split = FrameHeader.byteCount + header.messageByteCount
        return .frame(
            header.kind, message: [UInt8](bytes[FrameHeader.byteCount..<split]),
            secret: [UInt8](bytes[split...]))
    }

    /// Sends bytes and waits for the reply.
    package func exchange(_ bytes: [UInt8], within duration: Duration = Waiting.patience) -> Answer
    {
        // Also when the service received only part: a reply before it closed counts.
        send(bytes)
        return receive(within: duration)
    }
}

extension RawConnection.Answer {
    /// The reply in the frame; nil when it isn't one.
    package var reply: ReceivedReply? {
        guard case .frame(let kind, let message, let secret) = self else { return nil }
        return unsafe message.withUnsafeBytes { message in
            unsafe secret.withUnsafeBytes { secret in
                try? unsafe ReceivedReply(decoding: kind, message: message, secret: secret)
            }
        }
    }

    /// The failure in the frame; nil when it isn't one.
    package var failure: Failure? {
        guard case .failed(let failure)? = reply else { return nil }
        return failure
    }

    /// Whether the request was refused or the connection closed.
    package var isRefusal: Bool { self == .closed || failure != nil }
}

extension ClientRequest {
    /// The whole frame, secrets included.
    package func frameBytes(sequence: UInt32 = 1) throws -> [UInt8] {
        let frame = try encoded(sequence: sequence)
        return frame.bytes + frame.secrets.flatMap(\.testBytes)
    }
}
