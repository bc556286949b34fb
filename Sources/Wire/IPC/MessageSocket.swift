// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc

/// One end of a connection that keeps messages apart, and doesn't block.
package struct MessageSocket: ~Copyable, Sendable {
    /// What came.
    package enum Received: Equatable, Sendable {
        case message([UInt8])
        case timedOut
        case end
    }

    private static let byteCountLimit = 64 * 1024
    private let socket: Descriptor

    /// Takes over a message socket.
    package init(_ socket: consuming Descriptor) { self.socket = socket }

    /// For waiting; stays owned here.
    package var rawValue: Int32 { socket.rawValue }

    /// Makes a pair; the caller owns both ends.
    package static func pair() throws(SystemError) -> (Int32, Int32) {
        var ends: [Int32] = [-1, -1]
        guard unsafe llavero_message_pair(&ends) == 0 else { throw SystemError("socketpair") }
        return (ends[0], ends[1])
    }

    /// Sends a message.
    /// - Returns: Whether it was sent.
    @discardableResult
    package borrowing func send(_ bytes: [UInt8]) -> Bool {
        Self.send(bytes, to: socket.rawValue)
    }

    /// Sends a message on a socket that another value owns.
    @discardableResult
    package static func send(_ bytes: [UInt8], to socket: Int32) -> Bool {
        while true {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            return count == bytes.count
        }
    }

    /// Waits for a message.
    package borrowing func receive(within milliseconds: Int) -> Received {
        let end = ContinuousClock.now + .milliseconds(milliseconds)
        while true {
            var entry = pollfd(fd: socket.rawValue, events: Int16(POLLIN), revents: 0)
            let left = max(ContinuousClock.now.duration(to: end), .zero)
            let count = unsafe poll(&entry, 1, Int32(clamping: Int(left / .milliseconds(1))))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return .timedOut }
            var bytes = [UInt8](repeating: 0, count: Self.byteCountLimit)
            let received = unsafe recv(socket.rawValue, &bytes, bytes.count, 0)
            if received < 0, errno == EINTR || errno == EAGAIN { continue }
            guard received > 0 else { return .end }
            return .message(Array(bytes[..<received]))
        }
    }
}
