// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import FoundationEssentials
import SecretBytes

/// Identifies one write, so that the client can ask for its outcome after a lost reply.
package struct WriteIdentity: Sendable {
    /// 16 random bytes.
    package let requestID: [UInt8]
    /// This write has been sent before without a reply.
    package var isRepeated: Bool

    package init(requestID: [UInt8], isRepeated: Bool) {
        self.requestID = requestID
        self.isRepeated = isRepeated
    }
}

extension WriteIdentity {
    init(_ message: WireWriteIdentity) throws(WireError) {
        guard message.requestID.count == 16 else { throw .malformed }
        self.init(requestID: [UInt8](message.requestID), isRepeated: message.isRepeated)
    }
}

extension WriteIdentity {
    var message: WireWriteIdentity {
        var message = WireWriteIdentity()
        message.requestID = Data(requestID)
        message.isRepeated = isRepeated
        return message
    }
}

extension WireWriteReply {
    /// The reply to a write.
    init(_ row: OutgoingRow? = nil, count: UInt64 = 0) {
        self.init()
        if let row { self.row = Data(row.message) }
        self.count = count
    }
}

extension ReceivedReply {
    /// Decodes the reply to a write: its row, if there is one, and the count.
    static func decodeWritten(_ content: FrameContent) throws(WireError) -> ReceivedReply {
        let reply: WireWriteReply = try unsafe content.decoded()
        var rest = unsafe content.secret
        let item = unsafe try row(reply.row, taking: &rest)
        guard unsafe rest.isEmpty else { throw .malformed }
        return .written(item, count: reply.count)
    }

    /// The row of a write's reply; nil when there is none.
    private static func row(
        _ message: Data, taking secrets: inout UnsafeRawBufferPointer
    ) throws(WireError) -> FoundItem? {
        guard !message.isEmpty else { return nil }
        return try unsafe message.withUnsafeBytes { bytes in
            Result { () throws(WireError) in try unsafe FoundItem(bytes, taking: &secrets) }
        }.get()
    }
}

extension Secret {
    convenience init(checking bytes: UnsafeRawBufferPointer) throws(WireError) {
        guard bytes.count <= ItemLimits.secretByteCount else { throw .tooLarge }
        self.init(unsafe SecretBytes(copying: bytes))
    }
}
