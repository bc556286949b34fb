// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import IPC

/// The 24 bytes before every payload, in both directions.
package struct EnclaveHeader: Hashable, Sendable {
    /// The header's own byte count.
    package static let byteCount = 24
    /// The version of all messages, in each of them: daemons of two versions don't understand each
    /// other by luck. Another one for every change of a message's layout. 0 was the one before there
    /// was this number.
    package static let version: UInt32 = 1
    /// The maximum byte count of a payload.
    ///
    /// It fits 1024 rows of 4 KiB each; more need several requests.
    package static let payloadLimit = 4 * 1024 * 1024

    /// The byte count of the payload.
    package var payloadByteCount: Int
    /// The kind of the request, as received: an unknown one gets a reply, and isn't dropped.
    package var kind: UInt16
    /// The status; 0 in requests.
    package var status: UInt16
    /// Chosen by the client; the reply has the same.
    package var requestID: UInt64
    /// The user whose keybag the request is for.
    package var userID: UInt32

    /// Combines the parts.
    package init(
        payloadByteCount: Int, kind: UInt16, status: UInt16, requestID: UInt64, userID: UInt32
    ) {
        self.payloadByteCount = payloadByteCount
        self.kind = kind
        self.status = status
        self.requestID = requestID
        self.userID = userID
    }

    /// Reads a header.
    /// - Throws: when there are fewer than 24 bytes, the payload is over the limit, or the
    ///   message is of another version.
    package init(_ reader: inout ByteReader) throws(DecodingFailure) {
        payloadByteCount = try unsafe Int(reader.u32())
        kind = try unsafe reader.u16()
        status = try unsafe reader.u16()
        requestID = try unsafe reader.u64()
        userID = try unsafe reader.u32()
        let version = try unsafe reader.u32()
        guard payloadByteCount <= Self.payloadLimit, version == Self.version else {
            throw DecodingFailure()
        }
    }
}
