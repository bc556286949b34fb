// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import IPC

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

/// The kind of a frame. A reply's kind is its request's with the top bit set.
package enum FrameKind: UInt16, CaseIterable, Sendable {
    case find = 1
    case add = 2
    case update = 3
    case delete = 4
    case deviceStatus = 5
    case challenge = 6
    case passcode = 7
    case lock = 8
    case watch = 9
    case auditPage = 10
    case assertion = 11
    case check = 12
    case recover = 13
    case key = 14
    case prove = 15
    case identity = 16
    case entitlements = 17
    case move = 18
    case openGroup = 19
    case lease = 20
    case revoke = 21
    case protectors = 22
    case findReply = 0x8001
    case addReply = 0x8002
    case updateReply = 0x8003
    case deleteReply = 0x8004
    case deviceStatusReply = 0x8005
    case challengeReply = 0x8006
    case passcodeReply = 0x8007
    case lockReply = 0x8008
    case changeReply = 0x8009
    case auditReply = 0x800A
    case assertionReply = 0x800B
    case checkReply = 0x800C
    case recoverReply = 0x800D
    case keyReply = 0x800E
    case proveReply = 0x800F
    case identityReply = 0x8010
    case entitlementsReply = 0x8011
    case moveReply = 0x8012
    case openGroupReply = 0x8013
    case leaseReply = 0x8014
    case revokeReply = 0x8015
    case protectorsReply = 0x8016
    case failure = 0xFFFF
}

/// A frame or message violates Documentation/PROTOCOL.md.
package enum WireError: Error, Equatable, Sendable {
    /// It can't be decoded, or has an impossible value.
    case malformed
    /// It is over a limit.
    case tooLarge
}
