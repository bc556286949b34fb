// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import CryptoExtras
import Foundation
import SecretBytes

/// Operations with RSA keys, on top of swift-crypto. Keys are in the form of PKCS #1.
enum RSAOperations {
    /// Sizes of keys that can be generated, in bits.
    static let madeBitCounts = [2048, 3072, 4096]

    /// PKCS #1 v1.5. An attacker who can request decryptions can undo it (Bleichenbacher 1998).
    static let pkcs1 = RSAPadding._WEAK_AND_INSECURE_PKCS_V1_5

    /// Makes a private key.
    static func makePrivateKey(bitCount: Int) -> Secret? {
        guard madeBitCounts.contains(bitCount) else { return nil }
        let size = _RSA.Signing.KeySize(bitCount: bitCount)
        return (try? _RSA.Signing.PrivateKey(keySize: size)).map {
            Secret.wiping($0.derRepresentation)
        }
    }

    /// Signs a digest.
    /// - Returns: Nil when the library refuses the key.
    static func sign(
        _ digest: [UInt8], of name: DigestName, privateKey: UnsafeRawBufferPointer,
        _ padding: AlgorithmMeaning.SignaturePadding
    ) -> Data? {
        guard
            let key = unsafe try? _RSA.Signing.PrivateKey(
                unsafeDERRepresentation: UnsafeRawBufferPointer(privateKey))
        else { return nil }
        func sign<D: Digest>(_ type: D.Type) -> Data? {
            guard let digest = libraryDigest(type, digest) else { return nil }
            return try? key.signature(for: digest, padding: padding.library).rawRepresentation
        }
        switch name {
        case .sha1: return sign(Insecure.SHA1Digest.self)
        case .sha224: return nil
        case .sha256: return sign(SHA256Digest.self)
        case .sha384: return sign(SHA384Digest.self)
        case .sha512: return sign(SHA512Digest.self)
        }
    }

    /// Whether a signature of a digest was made with this key.
    static func verify(
        _ signature: Data, of digest: [UInt8], by name: DigestName, publicKey: [UInt8],
        _ padding: AlgorithmMeaning.SignaturePadding
    ) -> Bool {
        guard let key = try? _RSA.Signing.PublicKey(unsafeDERRepresentation: publicKey) else {
            return false
        }
        let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
        func verify<D: Digest>(_ type: D.Type) -> Bool {
            guard let digest = libraryDigest(type, digest) else { return false }
            return key.isValidSignature(signature, for: digest, padding: padding.library)
        }
        switch name {
        case .sha1: return verify(Insecure.SHA1Digest.self)
        case .sha224: return false
        case .sha256: return verify(SHA256Digest.self)
        case .sha384: return verify(SHA384Digest.self)
        case .sha512: return verify(SHA512Digest.self)
        }
    }

    /// Encrypts at most as many bytes as fit into a block.
    /// - Returns: Nil for more bytes, and when the library refuses the key.
    static func encrypt(
        _ plaintext: Data, publicKey: [UInt8], _ padding: _RSA.Encryption.Padding
    ) -> Data? {
        guard let key = try? _RSA.Encryption.PublicKey(unsafeDERRepresentation: publicKey),
            plaintext.count <= key.maximumEncryptSize(with: padding)
        else { return nil }
        return try? key.encrypt(plaintext, padding: padding)
    }

    /// Decrypts a block.
    /// - Returns: Nil for a block that wasn't encrypted this way for this key.
    static func decrypt(
        _ ciphertext: Data, privateKey: UnsafeRawBufferPointer,
        _ padding: _RSA.Encryption.Padding
    ) -> Secret? {
        guard
            let key = unsafe try? _RSA.Encryption.PrivateKey(
                unsafeDERRepresentation: UnsafeRawBufferPointer(privateKey)),
            ciphertext.count == key.keySizeInBits / 8,
            let plaintext = try? key.decrypt(ciphertext, padding: padding)
        else { return nil }
        return Secret.wiping(plaintext)
    }
}

extension AlgorithmMeaning.SignaturePadding {
    fileprivate var library: _RSA.Signing.Padding {
        switch self {
        case .pkcs1: .insecurePKCS1v1_5
        case .pss: .PSS
        }
    }
}

extension DigestName {
    /// OAEP with this digest; nil if the library doesn't support it.
    var oaep: _RSA.Encryption.Padding? {
        switch self {
        case .sha1: .PKCS1_OAEP
        case .sha256: .PKCS1_OAEP_SHA256
        case .sha224, .sha384, .sha512: nil
        }
    }
}

/// The padding of an RSA block, as the library's type.
typealias RSAPadding = _RSA.Encryption.Padding
