// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import Crypto
import FoundationEssentials
import IPC

/// The envelope of everything that a team signs (CODE-SIGNING.md, "Documents").
package struct SignedDocument: Sendable {
    /// What a document is.
    package enum Kind: UInt8, Sendable {
        case certificate = 1
        case codeSignature = 2
        case profile = 3
        case revocations = 4
    }

    /// Bytes before the body.
    package static let headerByteCount = 12
    /// Bytes of the signature behind it: r and s, 32 each.
    package static let signatureByteCount = 64
    /// Most bytes of a body.
    package static let bodyLimit = 128 * 1024
    private static let magic = Array("LLVR".utf8)

    /// What it is.
    package let kind: Kind
    /// The fields.
    package let body: [UInt8]
    /// Everything, as it is stored.
    package let encoded: [UInt8]

    /// Reads one document from the start of some bytes.
    package init(decoding bytes: some Sequence<UInt8>) throws(SignatureProblem) {
        var fields = DocumentFields(bytes)
        self = try Self.next(&fields)
        try fields.finish()
    }

    /// Reads the next of several documents.
    static func next(_ fields: inout DocumentFields) throws(SignatureProblem) -> SignedDocument {
        var header = DocumentFields(try fields.bytes(headerByteCount))
        let start = header
        guard try header.bytes(4) == magic,
            let kind = Kind(rawValue: try header.integer(UInt8.self)),
            try header.integer(UInt8.self) == 1, try header.integer(UInt16.self) == 0
        else { throw .malformed }
        let count = Int(try header.integer(UInt32.self))
        guard count <= bodyLimit else { throw .malformed }
        let body = try fields.bytes(count)
        let signature = try fields.bytes(signatureByteCount)
        var whole = start
        let encoded = try whole.bytes(headerByteCount) + body + signature
        return SignedDocument(kind: kind, body: body, encoded: encoded)
    }

    private init(kind: Kind, body: [UInt8], encoded: [UInt8]) {
        self.kind = kind
        self.body = body
        self.encoded = encoded
    }

    /// What a signer signs for a body of a kind: the envelope without the signature.
    package static func signedBytes(_ kind: Kind, _ body: [UInt8]) -> [UInt8] {
        var bytes = magic + [kind.rawValue, 1, 0, 0]
        bytes.append(littleEndian: UInt32(body.count))
        return bytes + body
    }

    /// Puts a body and its signature together.
    package init(_ kind: Kind, body: [UInt8], signature: [UInt8]) {
        precondition(signature.count == Self.signatureByteCount && body.count <= Self.bodyLimit)
        self.init(
            kind: kind, body: body, encoded: Self.signedBytes(kind, body) + signature)
    }

    /// Checks the signature against a key.
    package func verify(_ key: SigningKey) throws(SignatureProblem) {
        guard let publicKey = try? P256.Signing.PublicKey(rawRepresentation: key.bytes),
            let signature = try? P256.Signing.ECDSASignature(
                rawRepresentation: encoded.suffix(Self.signatureByteCount)),
            publicKey.isValidSignature(
                signature, for: encoded.dropLast(Self.signatureByteCount))
        else { throw .signatureInvalid }
    }
}

/// A P-256 public key: x and y, 32 bytes each.
package struct SigningKey: Hashable, Sendable {
    /// Bytes of a key.
    package static let byteCount = 64
    /// x and y.
    package let bytes: [UInt8]

    /// Takes a key's bytes; whether they are a point shows when something is verified.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// The public half of a private key.
    package init(_ key: P256.Signing.PublicKey) { bytes = [UInt8](key.rawRepresentation) }

    /// What other documents name the key by: SHA-256 of its bytes.
    package var digest: [UInt8] { [UInt8](SHA256.hash(data: bytes)) }
}
