// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SecretBytes
import SecurityWire

// What is read of received bytes, without the connection.
extension Transport {
    static func header(_ bytes: UnsafeRawBufferPointer) throws(Failure) -> FrameHeader {
        do {
            return try unsafe FrameHeader(
                decoding: UnsafeRawBufferPointer(rebasing: bytes[..<FrameHeader.byteCount]))
        } catch { throw .cutOff }
    }

    static func nextCursor(
        _ header: FrameHeader, _ bytes: UnsafeRawBufferPointer
    ) -> UInt64 {
        guard header.kind == .findReply else { return 0 }
        let end = FrameHeader.byteCount + header.messageByteCount
        return unsafe ReceivedReply.nextCursor(
            UnsafeRawBufferPointer(rebasing: bytes[FrameHeader.byteCount..<end]))
    }

    static func grown(
        _ buffer: borrowing SecretBytes, _ filled: Int, _ total: Int
    ) -> SecretBytes {
        unsafe SecretBytes(byteCount: total) { target in
            unsafe buffer.withUnsafeBytes { source in
                unsafe target.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[..<filled]))
            }
        }
    }

    /// Decodes the reply and wipes the buffer.
    static func decode(
        _ buffer: inout SecretBytes, _ header: FrameHeader, _ filled: Int
    ) throws(Failure) -> ReceivedReply {
        return try unsafe buffer.withUnsafeMutableBytes { bytes throws(Failure) in
            let used = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[..<filled])
            defer { unsafe SecretMemory.wipe(used) }
            let split = FrameHeader.byteCount + header.messageByteCount
            do {
                return try unsafe ReceivedReply(
                    decoding: header.kind,
                    message: UnsafeRawBufferPointer(rebasing: used[FrameHeader.byteCount..<split]),
                    secret: UnsafeRawBufferPointer(rebasing: used[split...]))
            } catch { throw .cutOff }
        }
    }
}

extension Transport.Failure {
    /// Whether the request had been sent, at least in part.
    var mayHaveBeenCarriedOut: Bool {
        switch self {
        case .cutOff, .timedOut: true
        case .notConnected, .notSent, .pathTooLong, .wrongServer, .tooLarge: false
        }
    }
}
