// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CertificateRequests
import Crypto
import CryptoExtras
import FoundationEssentials
import SecretBytes
import SecurityWire

/// A private key that signs a certificate request. This process holds it while it signs, and
/// swift-crypto computes.
struct RequestKey {
    /// Keys that are made.
    enum Kind: String {
        case p256, p384, p521, ed25519, rsa2048, rsa3072, rsa4096
    }

    private enum Form {
        case p256(P256.Signing.PrivateKey)
        case p384(P384.Signing.PrivateKey)
        case p521(P521.Signing.PrivateKey)
        case ed25519(Curve25519.Signing.PrivateKey)
        case rsa(_RSA.Signing.PrivateKey)
    }

    private let form: Form

    private init(_ form: Form) { self.form = form }

    /// The key of an item; nil for another type, and for bytes that aren't such a key.
    /// - Parameters:
    ///   - type: The number of `kSecAttrKeyType…`.
    ///   - secret: For RSA the form of PKCS #1, on a curve 04 ‖ X ‖ Y ‖ K, for Ed25519 32 bytes.
    init?(type: Int64, _ secret: Secret) {
        let form: Form? = unsafe secret.bytes.withUnsafeBytes { bytes -> Form? in
            switch (type, bytes.count) {
            case (42, _):
                return unsafe (try? _RSA.Signing.PrivateKey(unsafeDERRepresentation: bytes)).map {
                    .rsa($0)
                }
            case (73, 97):
                return unsafe (try? P256.Signing.PrivateKey(x963Representation: bytes)).map {
                    .p256($0)
                }
            case (73, 145):
                return unsafe (try? P384.Signing.PrivateKey(x963Representation: bytes)).map {
                    .p384($0)
                }
            case (73, 199):
                return unsafe (try? P521.Signing.PrivateKey(x963Representation: bytes)).map {
                    .p521($0)
                }
            case (105, 32):
                return unsafe (try? Curve25519.Signing.PrivateKey(rawRepresentation: bytes)).map {
                    .ed25519($0)
                }
            default: return nil
            }
        }
        guard let form else { return nil }
        self.form = form
    }

    /// Makes a key.
    /// - Returns: The key, and the secret of its item.
    static func make(_ kind: Kind) -> (RequestKey, Secret)? {
        let (form, data): (Form, Data)
        switch kind {
        case .p256:
            let key = P256.Signing.PrivateKey()
            (form, data) = (.p256(key), key.x963Representation)
        case .p384:
            let key = P384.Signing.PrivateKey()
            (form, data) = (.p384(key), key.x963Representation)
        case .p521:
            let key = P521.Signing.PrivateKey()
            (form, data) = (.p521(key), key.x963Representation)
        case .ed25519:
            let key = Curve25519.Signing.PrivateKey()
            (form, data) = (.ed25519(key), key.rawRepresentation)
        case .rsa2048, .rsa3072, .rsa4096:
            let bitCount = kind == .rsa2048 ? 2048 : kind == .rsa3072 ? 3072 : 4096
            guard
                let key = try? _RSA.Signing.PrivateKey(keySize: .init(bitCount: bitCount))
            else { return nil }
            (form, data) = (.rsa(key), key.derRepresentation)
        }
        var bytes = data
        let secret = unsafe bytes.withUnsafeMutableBytes { source in
            defer { unsafe SecretMemory.wipe(source) }
            return Secret(unsafe SecretBytes(copying: UnsafeRawBufferPointer(source)))
        }
        return (RequestKey(form), secret)
    }

    // MARK: - Public half

    /// Its public half: for RSA in the form of PKCS #1, for others a point or 32 bytes.
    var publicBytes: [UInt8] {
        switch form {
        case .p256(let key): [UInt8](key.publicKey.x963Representation)
        case .p384(let key): [UInt8](key.publicKey.x963Representation)
        case .p521(let key): [UInt8](key.publicKey.x963Representation)
        case .ed25519(let key): [UInt8](key.publicKey.rawRepresentation)
        case .rsa(let key): [UInt8](key.publicKey.pkcs1DERRepresentation)
        }
    }

    /// Its public half in the form of certificates (RFC 5280 §4.1.2.7).
    var publicKeyInfo: [UInt8] {
        let algorithm =
            switch form {
            case .p256: Self.identifiers("1.2.840.10045.2.1", "1.2.840.10045.3.1.7")
            case .p384: Self.identifiers("1.2.840.10045.2.1", "1.3.132.0.34")
            case .p521: Self.identifiers("1.2.840.10045.2.1", "1.3.132.0.35")
            case .ed25519: Self.identifiers("1.3.101.112")
            case .rsa: Self.identifiers("1.2.840.113549.1.1.1") + [0x05, 0x00]
            }
        return DERText.element(
            0x30,
            DERText.element(0x30, algorithm) + DERText.element(0x03, [0] + publicBytes))
    }

    private static func identifiers(_ names: String...) -> [UInt8] {
        names.flatMap { DERText.identifier($0) ?? [] }
    }

    /// The attributes of an item that is this key, as the library's own.
    var itemAttributes: ItemAttributes {
        var attributes = ItemAttributes()
        attributes[.keyClass] = .integer(1)
        attributes[.applicationLabel] = .data([UInt8](Insecure.SHA1.hash(data: publicBytes)))
        let (type, bitCount): (Int64, Int64) =
            switch form {
            case .p256: (73, 256)
            case .p384: (73, 384)
            case .p521: (73, 521)
            case .ed25519: (105, 256)
            case .rsa(let key): (42, Int64(key.keySizeInBits))
            }
        attributes[.type] = .integer(type)
        attributes[.keySizeInBits] = .integer(bitCount)
        attributes[.effectiveKeySize] = .integer(bitCount)
        for attribute in [
            Attribute.isPrivate, .isModifiable, .isExtractable, .isPermanent, .canSign,
            .canDecrypt, .canUnwrap,
        ] {
            attributes[attribute] = .integer(1)
        }
        for attribute in [
            Attribute.isSensitive, .wasAlwaysSensitive, .wasNeverExtractable, .canEncrypt,
            .canVerify, .canWrap, .canSignRecover, .canVerifyRecover,
        ] {
            attributes[attribute] = .integer(0)
        }
        attributes[.canDerive] = .integer(type == 42 ? 0 : 1)
        return attributes
    }

    // MARK: - Signature

    /// The `AlgorithmIdentifier` of ``sign(_:)``.
    var algorithm: [UInt8] {
        let content =
            switch form {
            case .p256, .p384, .p521: Self.identifiers("1.2.840.10045.4.3.2")
            case .ed25519: Self.identifiers("1.3.101.112")
            case .rsa: Self.identifiers("1.2.840.113549.1.1.11") + [0x05, 0x00]
            }
        return DERText.element(0x30, content)
    }

    /// Signs bytes, with SHA-256 unless the key is Ed25519.
    /// - Returns: Nil when the library refuses the key.
    func sign(_ bytes: [UInt8]) -> [UInt8]? {
        let digest = SHA256.hash(data: bytes)
        switch form {
        case .p256(let key):
            return (try? key.signature(for: digest)).map { [UInt8]($0.derRepresentation) }
        case .p384(let key):
            return (try? key.signature(for: digest)).map { [UInt8]($0.derRepresentation) }
        case .p521(let key):
            return (try? key.signature(for: digest)).map { [UInt8]($0.derRepresentation) }
        case .ed25519(let key): return (try? key.signature(for: bytes)).map { [UInt8]($0) }
        case .rsa(let key):
            return (try? key.signature(for: digest, padding: .insecurePKCS1v1_5)).map {
                [UInt8]($0.rawRepresentation)
            }
        }
    }
}
