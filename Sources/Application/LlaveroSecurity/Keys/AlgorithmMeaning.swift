// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Foundation

/// What a ``SecKeyAlgorithm`` says, taken apart. A name that says something which nothing here can
/// compute has no meaning.
enum AlgorithmMeaning: Hashable, Sendable {
    /// What is handed in to be signed.
    enum Input: Hashable, Sendable {
        case digest
        case message
    }

    /// How an RSA signature is filled up.
    enum SignaturePadding: Hashable, Sendable {
        case pkcs1
        /// With a salt as long as the digest.
        case pss
    }

    /// How the two numbers of an ECDSA signature are written.
    enum SignatureForm: Hashable, Sendable {
        /// A DER SEQUENCE (ANSI X9.62).
        case der
        /// One behind the other (RFC 4754).
        case raw
    }

    /// How an RSA block is filled up.
    enum EncryptionPadding: Hashable, Sendable {
        case pkcs1
        case oaep(DigestName)
        /// OAEP holds an AES key, and AES-GCM the data.
        case oaepThenGCM(DigestName)
    }

    case rsaSignature(Input, SignaturePadding, DigestName)
    /// Without a digest's name the input is a digest of any kind.
    case ecdsa(Input, SignatureForm, DigestName?)
    case rsaEncryption(EncryptionPadding)
    case ecies(DigestName, derivesNonce: Bool)
    /// Without a digest's name the secret is not derived from further.
    case keyExchange(DigestName?)

    /// The meaning of a name; nil if it has none here.
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
                    guard digest.canBeComputed || input == .digest else { continue }
                    table["algid:sign:ECDSA:\(word)-\(part):\(name)"] = .ecdsa(input, form, digest)
                }
                guard digest.canBeComputed else { continue }
                table["algid:sign:RSA:\(word)-PKCS1v15:\(name)"] =
                    .rsaSignature(input, .pkcs1, digest)
                table["algid:sign:RSA:\(word)-PSS:\(name):\(name):\(digest.byteCount)"] =
                    .rsaSignature(input, .pss, digest)
            }
            guard digest.canBeComputed else { continue }
            // The curves have the cofactor 1, so that both ways to agree are the same.
            for way in ["ECDH", "ECDHC"] {
                table["algid:keyexchange:\(way):KDFX963:\(name)"] = .keyExchange(digest)
                table["algid:encrypt:ECIES:\(way):KDFX963:\(name):AESGCM"] =
                    .ecies(digest, derivesNonce: false)
                guard digest != .sha1 else { continue }
                table["algid:encrypt:ECIES:\(way):KDFX963:\(name):AESGCM-KDFIV"] =
                    .ecies(digest, derivesNonce: true)
            }
        }
        for digest in [DigestName.sha1, .sha256] {
            table["algid:encrypt:RSA:OAEP:\(digest.rawValue)"] = .rsaEncryption(.oaep(digest))
            table["algid:encrypt:RSA:OAEP:\(digest.rawValue):AESGCM"] =
                .rsaEncryption(.oaepThenGCM(digest))
        }
        table["algid:encrypt:RSA:PKCS1"] = .rsaEncryption(.pkcs1)
        table["algid:sign:ECDSA:digest-X962"] = .ecdsa(.digest, .der, nil)
        table["algid:sign:ECDSA:digest-RFC4754"] = .ecdsa(.digest, .raw, nil)
        // The older name of the same.
        table["algid:sign:ECDSA:RFC4754"] = .ecdsa(.digest, .raw, nil)
        for way in ["ECDH", "ECDHC"] { table["algid:keyexchange:\(way)"] = .keyExchange(nil) }
        return table
    }()

    /// Whether a key can do this, as Apple answers.
    ///
    /// Source: Apple's SecKey, as published. An RSA key of either half raises to its exponent, and
    /// that is all that is asked for where a signature is verified or a block decrypted: so a
    /// private RSA key verifies, and a public one decrypts. Both fail with whatever they are given.
    /// What also has a symmetric key in it, and keys on curves, look at the half.
    func isSupported(by key: SecKey, for operation: SecKeyOperationType) -> Bool {
        let isPrivate = key.keyClass == .privateKey
        let isOnCurve = if case .ellipticCurve = key.algorithm { true } else { false }
        switch (self, operation) {
        case (.rsaSignature(_, let padding, let digest), .sign):
            return isPrivate && hasUsableModulus(key) && padding.fits(digest, key)
        case (.rsaSignature, .verify): return hasUsableModulus(key)
        case (.ecdsa, .sign): return isPrivate && isOnCurve
        case (.ecdsa, .verify): return key.keyClass == .publicKey && isOnCurve
        case (.rsaEncryption, .encrypt):
            return key.keyClass == .publicKey && hasUsableModulus(key)
        case (.rsaEncryption(.oaepThenGCM), .decrypt): return isPrivate && hasUsableModulus(key)
        case (.rsaEncryption, .decrypt): return hasUsableModulus(key)
        case (.ecies, .encrypt): return key.keyClass == .publicKey && isOnCurve
        case (.ecies, .decrypt), (.keyExchange, .keyExchange): return isPrivate && isOnCurve
        case (.rsaSignature, _), (.ecdsa, _), (.rsaEncryption, _), (.ecies, _),
            (.keyExchange, _):
            return false
        }
    }

    /// The library takes moduli of whole bytes from 1024 bits on.
    private func hasUsableModulus(_ key: SecKey) -> Bool {
        guard case .rsa(let bitCount) = key.algorithm else { return false }
        return bitCount >= 1024 && bitCount.isMultiple(of: 8)
    }
}

extension AlgorithmMeaning.SignaturePadding {
    /// Whether the padding of a digest fits into a block of the key: PSS takes two digests and two
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

    /// Whether the library computes it. A digest that it doesn't can be handed in all the same.
    var canBeComputed: Bool { self != .sha224 }

    /// The digest of bytes; nil unless ``canBeComputed``.
    func digest(of bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        switch self {
        case .sha1: unsafe [UInt8](Insecure.SHA1.hash(data: bytes))
        case .sha224: nil
        case .sha256: unsafe [UInt8](SHA256.hash(data: bytes))
        case .sha384: unsafe [UInt8](SHA384.hash(data: bytes))
        case .sha512: unsafe [UInt8](SHA512.hash(data: bytes))
        }
    }
}

/// Why nothing was computed.
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
