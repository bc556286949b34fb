// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import IPC

/// What trustd wants from the network; securityd forwards it unread to a trustfetcher
/// (Documentation/PROTOCOL.md, "Fetching").
package struct FetchRequest: Equatable, Sendable {
    /// What is there.
    package enum Kind: UInt8, Sendable {
        /// An OCSP response; the body is the request.
        case response = 1
        /// A revocation list.
        case list = 2
        /// Certificates of an issuer.
        case issuers = 3
    }

    package let kind: Kind
    package let address: String
    package let body: [UInt8]

    package init(_ kind: Kind, address: String, body: [UInt8] = []) {
        self.kind = kind
        self.address = address
        self.body = body
    }

    /// The bytes.
    package func encoded() -> [UInt8] {
        var writer = ByteWriter()
        writer.u8(kind.rawValue)
        writer.object([UInt8](address.utf8))
        writer.object(body)
        return writer.bytes
    }

    /// Reads a request.
    /// - Throws: for another layout.
    package init(decoding bytes: UnsafeRawBufferPointer) throws(DecodingFailure) {
        var reader = unsafe ByteReader(bytes)
        let kind = Kind(rawValue: try unsafe reader.u8())
        let address = String(validating: try unsafe reader.object(), as: UTF8.self)
        body = try unsafe reader.object()
        guard let kind, let address, address.utf8.count <= FetchLimits.addressByteCount else {
            throw DecodingFailure()
        }
        self.kind = kind
        self.address = address
        try unsafe reader.finish()
    }
}

/// What was fetched, or that nothing was.
package enum FetchReply {
    /// The bytes of a reply.
    package static func encoded(_ content: [UInt8]?) -> [UInt8] {
        guard let content else { return [0] }
        return [1] + content
    }

    /// - Returns: The content; nil if there is none.
    package static func decoded(_ bytes: [UInt8]) -> [UInt8]? {
        bytes.first == 1 ? Array(bytes.dropFirst()) : nil
    }
}

/// How much a question may fetch.
package enum FetchLimits {
    /// How often trustd asks for something.
    package static let requestCount = 16
    /// Milliseconds for all of it.
    package static let milliseconds = 3000
    /// Bytes of all of it.
    package static let byteCount = 20 << 20
    /// Bytes of a request.
    package static let requestByteCount = 64 * 1024
    /// Bytes of an address.
    package static let addressByteCount = 2048
}
