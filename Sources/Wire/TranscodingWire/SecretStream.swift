// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
package import SecretBytes

/// Whole messages with secrets over a blocking stream socket: u32 byte count, and the bytes.
package enum SecretStream {
    /// Receives a message.
    /// - Parameters:
    ///   - socket: The socket.
    ///   - limit: The maximum byte count.
    /// - Returns: Nil at the end of the connection, after its time limit, and over the limit.
    package static func receive(_ socket: Int32, limit: Int) -> Secret? {
        var head = [UInt8](repeating: 0, count: 4)
        let hasHead = unsafe head.withUnsafeMutableBytes {
            unsafe UnixSocket.receiveAll(socket, $0)
        }
        guard hasHead, let count = UInt32(littleEndianBytes: head[...]), Int(count) <= limit else {
            return nil
        }
        var isWhole = false
        let bytes = unsafe SecretBytes(byteCount: Int(count)) { buffer in
            isWhole = unsafe UnixSocket.receiveAll(socket, buffer)
        }
        return isWhole ? Secret(bytes) : nil
    }

    /// Sends a message.
    /// - Returns: Whether all of it was sent.
    package static func send(_ socket: Int32, _ message: Secret) -> Bool {
        var parts = SecretParts()
        parts.object(message)
        return unsafe parts.joined().bytes.withUnsafeBytes {
            unsafe UnixSocket.sendAll(socket, $0)
        }
    }
}
