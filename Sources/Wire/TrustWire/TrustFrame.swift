// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import IPC

/// The 8 bytes before every message between securityd and trustd, in both directions.
package struct TrustFrame: Equatable, Sendable {
    /// Its byte count.
    package static let byteCount = 8

    /// The byte count of the message after it.
    package let messageByteCount: Int
    /// Chosen by securityd; the answer has the same.
    package let number: UInt32

    /// A frame for a message.
    package init(messageByteCount: Int, number: UInt32) {
        self.messageByteCount = messageByteCount
        self.number = number
    }

    /// Reads a frame.
    /// - Throws: when the message is over the limit.
    package init(
        decoding bytes: [UInt8], limit: Int
    ) throws(DecodingFailure) {
        guard bytes.count == Self.byteCount,
            let count = UInt32(littleEndianBytes: bytes[..<4]),
            let number = UInt32(littleEndianBytes: bytes[4...]), Int(count) <= limit
        else { throw DecodingFailure() }
        messageByteCount = Int(count)
        self.number = number
    }

    /// The 8 bytes and the message.
    package static func encoded(_ message: [UInt8], number: UInt32) -> [UInt8] {
        var writer = ByteWriter(reserving: byteCount + message.count)
        writer.u32(UInt32(clamping: message.count))
        writer.u32(number)
        writer.bytes(message)
        return writer.bytes
    }
}

/// Whole messages over a blocking stream socket.
package enum TrustStream {
    /// Receives a message.
    /// - Parameters:
    ///   - socket: The socket.
    ///   - limit: The maximum byte count of the message.
    /// - Returns: Nil at the end of the connection, after its time limit, and for a frame that isn't
    ///   one.
    package static func receive(
        _ socket: Int32, limit: Int
    ) -> (message: [UInt8], number: UInt32)? {
        guard let head = bytes(socket, TrustFrame.byteCount),
            let frame = try? TrustFrame(decoding: head, limit: limit),
            let message = bytes(socket, frame.messageByteCount)
        else { return nil }
        return (message, frame.number)
    }

    /// Sends a message.
    /// - Returns: Whether all of it was sent.
    package static func send(_ socket: Int32, _ message: [UInt8], number: UInt32) -> Bool {
        let bytes = TrustFrame.encoded(message, number: number)
        return unsafe bytes.withUnsafeBytes { bytes in
            unsafe UnixSocket.sendAll(socket, bytes)
        }
    }

    private static func bytes(_ socket: Int32, _ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        let isWhole = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe UnixSocket.receiveAll(socket, buffer)
        }
        return isWhole ? bytes : nil
    }
}
