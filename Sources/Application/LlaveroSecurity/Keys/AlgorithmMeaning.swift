// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Foundation

/// The parts of a ``SecKeyAlgorithm``. A name with a part that nothing here can compute has no
/// meaning.
enum AlgorithmMeaning: Hashable, Sendable {
    /// The input of a signature.
    enum Input: Hashable, Sendable {
        case digest
        case message
    }

    /// The padding of an RSA signature.
    enum SignaturePadding: Hashable, Sendable {
        case pkcs1
        /// With a salt as long as the digest.
        case pss
    }

    /// The encoding of an ECDSA signature.
    enum SignatureForm: Hashable, Sendable {
        /// A DER SEQUENCE (ANSI X9.62).
        case der
        /// Both numbers concatenated (RFC 4754).
        case raw
    }

    /// The padding of an RSA block.
    enum EncryptionPadding: Hashable, Sendable {
        /// None: the block is the number.
        case raw
        case pkcs1
        case oaep(DigestName)
        /// The OAEP block contains an AES key, and AES-GCM encrypts the data.
        case oaepThenGCM(DigestName)
    }

    case rsaSignature(Input, SignaturePadding, DigestName)
    /// A block that the caller has made: as it is, or in the padding of PKCS #1 v1.5.
    case rsaBlockSignature(isPadded: Bool)
    /// Ed25519 (RFC 8032 §5.1).
    case edDSA
    /// If the name has no digest, the input is a digest of any kind.
    case ecdsa(Input, SignatureForm, DigestName?)
    case rsaEncryption(EncryptionPadding)
    case ecies(DigestName, derivesNonce: Bool)
    /// If the name has no digest, no key is derived from the secret.
    case keyExchange(DigestName?)

    /// The meaning of a name; nil if it isn't supported here.
    init?(_ algorithm: SecKeyAlgorithm) {
        guard let known = Self.table[algorithm.rawValue as String] else { return nil }
        self = known
    }

    private static let table: [String: AlgorithmMeaning] = {
        var table: [String: AlgorithmMeaning] = [:]
        for digest in DigestName.allCases {
            let name = digest.rawValue
            for (input, word) in [(Input.digest, "digest"), (.message, "message")] {
                for (form, part) in [(SignatureForm.der, "X962"), (.raw, "RFC4754")] {
                    table["algid:sign:ECDSA:\(word)-\(part):\(name)"] = .ecdsa(input, form, digest)
                }
                table["algid:sign:RSA:\(word)-PKCS1v15:\(name)"] =
                    .rsaSignature(input, .pkcs1, digest)
                table["algid:sign:RSA:\(word)-PSS:\(name):\(name):\(digest.byteCount)"] =
                    .rsaSignature(input, .pss, digest)
            }
            table["algid:encrypt:RSA:OAEP:\(name)"] = .rsaEncryption(.oaep(digest))
            table["algid:encrypt:RSA:OAEP:\(name):AESGCM"] = .rsaEncryption(.oaepThenGCM(digest))
            // The curves have the cofactor 1, so both kinds of agreement are the same.
            for way in ["ECDH", "ECDHC"] {
                table["algid:keyexchange:\(way):KDFX963:\(name)"] = .keyExchange(digest)
                table["algid:encrypt:ECIES:\(way):KDFX963:\(name):AESGCM"] =
                    .ecies(digest, derivesNonce: false)
                guard digest != .sha1 else { continue }
                table["algid:encrypt:ECIES:\(way):KDFX963:\(name):AESGCM-KDFIV"] =
                    .ecies(digest, derivesNonce: true)
            }
        }
        table["algid:encrypt:RSA:raw"] = .rsaEncryption(.raw)
        table["algid:sign:RSA:raw"] = .rsaBlockSignature(isPadded: false)
        table["algid:sign:RSA:digest-PKCS1v15"] = .rsaBlockSignature(isPadded: true)
        table["algid:sign:EdDSA:message-Curve25519:SHA512"] = .edDSA
        table["algid:encrypt:RSA:PKCS1"] = .rsaEncryption(.pkcs1)
        table["algid:sign:ECDSA:digest-X962"] = .ecdsa(.digest, .der, nil)
        table["algid:sign:ECDSA:digest-RFC4754"] = .ecdsa(.digest, .raw, nil)
        // The older name for the same.
        table["algid:sign:ECDSA:RFC4754"] = .ecdsa(.digest, .raw, nil)
        for way in ["ECDH", "ECDHC"] { table["algid:keyexchange:\(way)"] = .keyExchange(nil) }
        return table
    }()

    /// Whether a key supports this, as Apple's function reports it.
    ///
    /// Source: Apple's SecKey, as published. An RSA key of either half can raise to its exponent,
    /// and Apple's function checks no more where a signature is verified or a block decrypted. So
    /// it reports that a private RSA key verifies, and a public one decrypts. Both calls then fail
    /// on every input. For algorithms with a symmetric key, and for keys on curves, the function
    /// also checks the half.
    func isSupported(by key: SecKey, for operation: SecKeyOperationType) -> Bool {
        let isPrivate = key.keyClass == .privateKey
        let isOnCurve = if case .ellipticCurve = key.algorithm { true } else { false }
        switch (self, operation) {
        case (.rsaSignature(_, let padding, let digest), .sign):
            return isPrivate && hasUsableModulus(key) && padding.fits(digest, key)
        case (.rsaBlockSignature, .sign): return isPrivate && hasUsableModulus(key)
        case (.rsaSignature, .verify), (.rsaBlockSignature, .verify):
            return hasUsableModulus(key)
        case (.edDSA, .sign): return isPrivate && key.algorithm == .ed25519
        case (.edDSA, .verify): return key.keyClass == .publicKey && key.algorithm == .ed25519
        case (.ecdsa, .sign): return isPrivate && isOnCurve
        case (.ecdsa, .verify): return key.keyClass == .publicKey && isOnCurve
        case (.rsaEncryption, .encrypt):
            return key.keyClass == .publicKey && hasUsableModulus(key)
        case (.rsaEncryption(.oaepThenGCM), .decrypt): return isPrivate && hasUsableModulus(key)
        case (.rsaEncryption, .decrypt): return hasUsableModulus(key)
        case (.ecies, .encrypt): return key.keyClass == .publicKey && isOnCurve
        case (.ecies, .decrypt): return isPrivate && isOnCurve
        case (.keyExchange, .keyExchange):
            return isPrivate && (isOnCurve || key.algorithm == .x25519)
        case (.rsaSignature, _), (.rsaBlockSignature, _), (.ecdsa, _), (.edDSA, _),
            (.rsaEncryption, _), (.ecies, _), (.keyExchange, _):
            return false
        }
    }

    /// The library accepts moduli of whole bytes from 1024 bits on.
    private func hasUsableModulus(_ key: SecKey) -> Bool {
        guard case .rsa(let bitCount) = key.algorithm else { return false }
        return bitCount >= 1024 && bitCount.isMultiple(of: 8)
    }
}

extension AlgorithmMeaning.SignaturePadding {
    /// Whether the padding of a digest fits into a block of the key: PSS needs two digests and two
    /// bytes (RFC 8017 §9.1.1).
    fileprivate func fits(_ digest: DigestName, _ key: SecKey) -> Bool {
        self != .pss || key.algorithm.blockByteCount >= 2 * digest.byteCount + 2
    }
}

/// The digests of algorithm names.
enum DigestName: String, CaseIterable, Sendable {
    case sha1 = "SHA1"
    case sha224 = "SHA224"
    case sha256 = "SHA256"
    case sha384 = "SHA384"
    case sha512 = "SHA512"

    var byteCount: Int {
        switch self {
        case .sha1: 20
        case .sha224: 28
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }

    /// The digest of bytes.
    func digest(of bytes: UnsafeRawBufferPointer) -> [UInt8] {
        switch self {
        case .sha1: unsafe [UInt8](Insecure.SHA1.hash(data: bytes))
        case .sha224: unsafe SHA224.digest(of: bytes)
        case .sha256: unsafe [UInt8](SHA256.hash(data: bytes))
        case .sha384: unsafe [UInt8](SHA384.hash(data: bytes))
        case .sha512: unsafe [UInt8](SHA512.hash(data: bytes))
        }
    }
}

/// Why the computation failed.
struct KeyFailure: Error {
    let status: OSStatus
    let description: String?

    init(_ status: OSStatus, _ description: String? = nil) {
        self.status = status
        self.description = description
    }
}

extension NSData {
    /// The bytes, lent.
    func lend<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        unsafe body(UnsafeRawBufferPointer(start: length > 0 ? bytes : nil, count: length))
    }
}
