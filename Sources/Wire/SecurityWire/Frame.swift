// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import IPC
package import SecretBytes
import SwiftProtobuf

/// The header of every frame between a client and securityd: 16 bytes, little-endian
/// (Documentation/PROTOCOL.md, "Frames").
package struct FrameHeader: Equatable, Sendable {
    /// The header's own byte count.
    package static let byteCount = 16
    /// Maximum byte count of a frame after the header: message and secrets. Larger frames end the
    /// connection.
    package static let maximumBodyByteCount = 16 * 1024 * 1024
    /// The size at which a reply is split into pages.
    package static let replyPageByteCount = 2 * 1024 * 1024
    /// The version of the frame layout.
    package static let version: UInt16 = 1

    /// The kind of the message.
    package var kind: FrameKind
    /// Bytes of the protobuf message.
    package var messageByteCount: Int
    /// Bytes of the secret section after it.
    package var secretByteCount: Int
    /// Chosen by the client, and repeated in the reply.
    package var sequence: UInt32

    /// Bytes after the header.
    package var bodyByteCount: Int { messageByteCount + secretByteCount }

    package init(kind: FrameKind, messageByteCount: Int, secretByteCount: Int, sequence: UInt32) {
        self.kind = kind
        self.messageByteCount = messageByteCount
        self.secretByteCount = secretByteCount
        self.sequence = sequence
    }

    /// Reads 16 bytes.
    /// - Throws: ``WireError/malformed`` for another version or an unknown kind;
    ///   ``WireError/tooLarge`` for a body over the limit.
    package init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        do {
            var reader = unsafe ByteReader(bytes)
            let message = try unsafe reader.u32()
            let secret = try unsafe reader.u32()
            let version = try unsafe reader.u16()
            let kind = try unsafe reader.u16()
            sequence = try unsafe reader.u32()
            guard version == Self.version, let kind = FrameKind(rawValue: kind) else {
                throw DecodingFailure()
            }
            self.kind = kind
            messageByteCount = Int(message)
            secretByteCount = Int(secret)
        } catch { throw .malformed }
        guard bodyByteCount <= Self.maximumBodyByteCount else { throw .tooLarge }
    }

    /// The 16 bytes.
    package func encode(into writer: inout ByteWriter) {
        writer.u32(UInt32(messageByteCount))
        writer.u32(UInt32(secretByteCount))
        writer.u16(Self.version)
        writer.u16(kind.rawValue)
        writer.u32(sequence)
    }
}

/// A frame or message violates Documentation/PROTOCOL.md.
package enum WireError: Error, Equatable, Sendable {
    /// It can't be decoded, or has an impossible value.
    case malformed
    /// It is over a limit.
    case tooLarge
}

/// A frame ready to send: the header and the message, and the secrets after it.
package struct EncodedFrame: Sendable {
    /// Frame header and protobuf message.
    package var bytes: [UInt8]
    /// The secret section, in order.
    package var secrets: [Secret]

    init(
        _ kind: FrameKind, _ message: some Message, secrets: [Secret] = [], sequence: UInt32,
        messageLimit: Int = ItemLimits.messageByteCount
    ) throws(WireError) {
        let body: [UInt8]
        do { body = try message.serializedBytes() } catch { throw .malformed }
        try self.init(
            kind, message: body, secrets: secrets, sequence: sequence, messageLimit: messageLimit)
    }

    /// Takes an encoded message.
    init(
        _ kind: FrameKind, message body: [UInt8], secrets: [Secret] = [], sequence: UInt32,
        messageLimit: Int = ItemLimits.messageByteCount
    ) throws(WireError) {
        let secretByteCount = secrets.reduce(0) { $0 + $1.bytes.byteCount }
        guard body.count <= messageLimit,
            body.count + secretByteCount <= FrameHeader.maximumBodyByteCount
        else { throw .tooLarge }
        var writer = ByteWriter(reserving: FrameHeader.byteCount + body.count)
        FrameHeader(
            kind: kind, messageByteCount: body.count, secretByteCount: secretByteCount,
            sequence: sequence
        ).encode(into: &writer)
        writer.bytes(body)
        bytes = writer.bytes
        self.secrets = secrets
    }
}

/// What a received frame has behind its header; it borrows the memory.
@unsafe struct FrameContent {
    /// The protobuf message.
    let message: UnsafeRawBufferPointer
    /// The secret section.
    let secret: UnsafeRawBufferPointer

    init(_ message: UnsafeRawBufferPointer, secret: UnsafeRawBufferPointer) {
        unsafe self.message = message
        unsafe self.secret = secret
    }

    /// Whether there is a secret section.
    var hasSecret: Bool { unsafe !secret.isEmpty }

    /// Decodes the message in place, without a copy.
    func decoded<M: Message>() throws(WireError) -> M {
        do { return try unsafe M(serializedBytes: message.bytes) } catch { throw .malformed }
    }

    /// The same, of a frame that must not have a secret section.
    func decodedAlone<M: Message>() throws(WireError) -> M {
        guard unsafe !hasSecret else { throw .malformed }
        return try unsafe decoded()
    }
}
