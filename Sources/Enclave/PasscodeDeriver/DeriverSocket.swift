// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import IPC
import SecretBytes

/// Whole messages over a stream socket, blocking.
struct DeriverSocket: ~Copyable {
    let descriptor: Descriptor

    /// Fills the bytes.
    /// - Returns: False when the peer has closed the connection.
    borrowing func receive(_ message: inout SecretBytes) -> Bool {
        let socket = descriptor.rawValue
        return unsafe message.withUnsafeMutableBytes { bytes in
            var filled = 0
            while filled < bytes.count {
                let count = unsafe recv(
                    socket, bytes.baseAddress.map { unsafe $0 + filled }, bytes.count - filled, 0)
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { return false }
                filled += count
            }
            return true
        }
    }

    /// Sends the bytes.
    /// - Returns: False when the peer has closed the connection.
    borrowing func send(_ message: borrowing SecretBytes) -> Bool {
        let socket = descriptor.rawValue
        return unsafe message.withUnsafeBytes { bytes in
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

    /// Receives a whole message: its fifth byte, and the bytes after it.
    /// - Parameter milliseconds: The time limit for each part; nil: none.
    /// - Returns: Nil when the peer has closed the connection, is too slow, or sends an invalid
    ///   message.
    borrowing func receiveMessage(within milliseconds: Int? = nil) -> (UInt8, Secret)? {
        guard isReadable(milliseconds) else { return nil }
        var head = SecretBytes(byteCount: DeriverMessages.headByteCount)
        guard receive(&head) else { return nil }
        let (count, number) = unsafe head.withUnsafeBytes { bytes in
            (
                unsafe Int(UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self))),
                unsafe bytes[4]
            )
        }
        guard count <= DeriverMessages.limit else { return nil }
        var content = SecretBytes(byteCount: count)
        guard count == 0 || (isReadable(milliseconds) && receive(&content)) else { return nil }
        return (number, Secret(content))
    }

    private borrowing func isReadable(_ milliseconds: Int?) -> Bool {
        guard let milliseconds else { return true }
        var entry = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
        while true {
            let count = unsafe poll(&entry, 1, Int32(clamping: milliseconds))
            if count < 0 && errno == EINTR { continue }
            return count > 0
        }
    }
}
