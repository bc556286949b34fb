// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
package import SecretBytes

/// A format of certificates and keys. Source of the numbers: Apple's `SecExternalFormat`.
package enum CodingFormat: UInt8, CaseIterable, Sendable {
    /// Found by looking; on writing the usual one of the objects.
    case unknown = 0
    /// PKCS #1, SEC 1, PKCS #8 or a subject's public key.
    case openSSL = 1
    /// A line of OpenSSH.
    case ssh = 2
    /// The bytes of a symmetric key.
    case raw = 4
    /// PKCS #8, encrypted.
    case wrappedPKCS8 = 5
    /// PEM with OpenSSL's older encryption; read only.
    case wrappedOpenSSL = 6
    /// A private key of OpenSSH; read only.
    case wrappedSSH = 7
    /// A certificate.
    case x509 = 9
    /// Several blocks of PEM.
    case pemSequence = 10
    /// Certificates in PKCS #7.
    case pkcs7 = 11
    /// PKCS #12.
    case pkcs12 = 12
    /// Netscape's sequence of certificates.
    case netscape = 13
    /// As ``ssh``.
    case ssh2 = 14
}

/// A certificate or a key outside of any format.
package struct TranscodedObject: Sendable {
    /// What it is.
    package enum Kind: UInt8, Sendable {
        /// DER.
        case certificate = 1
        /// As `SecKeyCopyExternalRepresentation` has it.
        case privateKey = 2
        /// The same.
        case publicKey = 3
        /// Any bytes.
        case symmetricKey = 4
    }

    /// The type of a key.
    package enum KeyType: UInt8, Sendable {
        /// No asymmetric key.
        case none = 0
        /// RSA.
        case rsa = 1
        /// P-256, P-384 or P-521; the byte count says which.
        case curve = 2
        /// Ed25519.
        case ed25519 = 3
        /// X25519.
        case x25519 = 4
    }

    /// The longest name.
    package static let labelByteCount = 4096
    /// The longest public half: an RSA key of 16 384 bits.
    package static let publicByteCount = 8192
    /// The longest identifier.
    package static let keyIDByteCount = 256

    /// What it is.
    package var kind: Kind
    /// The type of a key.
    package var keyType: KeyType
    /// DER, or the key.
    package var bytes: Secret
    /// The public half of a private key; empty of other objects, and when it isn't known.
    package var publicBytes: [UInt8]
    /// The name in the file; nil for none.
    package var label: String?
    /// What relates a certificate and its key in the file; empty for none.
    package var keyID: [UInt8]

    /// An object.
    package init(
        _ kind: Kind, _ keyType: KeyType = .none, bytes: Secret, publicBytes: [UInt8] = [],
        label: String? = nil, keyID: [UInt8] = []
    ) {
        self.kind = kind
        self.keyType = keyType
        self.bytes = bytes
        self.publicBytes = publicBytes
        self.label = label
        self.keyID = keyID
    }

    /// Whether kind and type can be of one object.
    private var isConsistent: Bool {
        switch kind {
        case .certificate, .symmetricKey: keyType == .none
        case .privateKey, .publicKey: keyType != .none
        }
    }

    func encode(into parts: inout SecretParts) {
        parts.u8(kind.rawValue)
        parts.u8(keyType.rawValue)
        parts.object(bytes)
        parts.object(publicBytes)
        parts.object([UInt8]((label ?? "").utf8))
        parts.object(keyID)
    }

    init(_ reader: inout ByteReader) throws(DecodingFailure) {
        guard let kind = Kind(rawValue: try unsafe reader.u8()),
            let keyType = KeyType(rawValue: try unsafe reader.u8())
        else { throw DecodingFailure() }
        self.kind = kind
        self.keyType = keyType
        bytes = try unsafe reader.secretObject()
        publicBytes = try unsafe reader.object(limit: Self.publicByteCount)
        guard
            let text = String(
                validating: try unsafe reader.object(limit: Self.labelByteCount), as: UTF8.self)
        else { throw DecodingFailure() }
        label = text.isEmpty ? nil : text
        keyID = try unsafe reader.object(limit: Self.keyIDByteCount)
        guard isConsistent, bytes.bytes.byteCount > 0 else { throw DecodingFailure() }
    }
}
