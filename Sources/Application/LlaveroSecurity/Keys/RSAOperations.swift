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
        case .sha224:
            return unsafe sign224(digest, privateKey: privateKey, padding, key.keySizeInBits / 8)
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
        case .sha224:
            guard
                let block = power(signature.rawRepresentation, publicKey: publicKey)
            else { return false }
            if padding == .pss { return RSABlock.isPSS(block, of: digest, name) }
            let content = RSABlock.digestInfo224(digest)
            return block == RSABlock.pkcs1(content, blockByteCount: block.count)
        case .sha256: return verify(SHA256Digest.self)
        case .sha384: return verify(SHA384Digest.self)
        case .sha512: return verify(SHA512Digest.self)
        }
    }

    /// Signs bytes that the caller has prepared: as they are, after zeros, or in the padding of
    /// PKCS #1 v1.5.
    /// - Returns: Nil for more bytes than fit, for a number that isn't below the modulus, and when
    ///   the library refuses the key.
    static func sign(
        block: [UInt8], isPadded: Bool, privateKey: UnsafeRawBufferPointer, blockByteCount: Int
    ) -> Data? {
        let prepared =
            isPadded
            ? RSABlock.pkcs1(block, blockByteCount: blockByteCount)
            : filled(block, blockByteCount: blockByteCount)
        guard let prepared else { return nil }
        return unsafe privatePower(prepared, privateKey: privateKey)
    }

    /// Whether a signature is one of bytes that the caller has prepared.
    static func verify(
        _ signature: Data, ofBlock block: [UInt8], isPadded: Bool, publicKey: [UInt8]
    ) -> Bool {
        guard let found = power(signature, publicKey: publicKey) else { return false }
        return isPadded
            ? found == RSABlock.pkcs1(block, blockByteCount: found.count)
            : found == filled(block, blockByteCount: found.count)
    }

    /// After zeros; nil for more bytes than a block has.
    private static func filled(_ bytes: [UInt8], blockByteCount: Int) -> [UInt8]? {
        guard bytes.count <= blockByteCount else { return nil }
        return [UInt8](repeating: 0, count: blockByteCount - bytes.count) + bytes
    }

    private static func sign224(
        _ digest: [UInt8], privateKey: UnsafeRawBufferPointer,
        _ padding: AlgorithmMeaning.SignaturePadding, _ blockByteCount: Int
    ) -> Data? {
        let block: [UInt8]?
        switch padding {
        case .pkcs1:
            block = RSABlock.pkcs1(
                RSABlock.digestInfo224(digest), blockByteCount: blockByteCount)
        case .pss:
            var generator = SystemRandomNumberGenerator()
            let salt = digest.map { _ in UInt8.random(in: 0...255, using: &generator) }
            block = RSABlock.pss(digest, .sha224, salt: salt, blockByteCount: blockByteCount)
        }
        guard let block else { return nil }
        return unsafe privatePower(block, privateKey: privateKey)
    }

    /// Encrypts at most as many bytes as fit into a block.
    /// - Returns: Nil for more bytes, for a number that isn't below the modulus, and when the
    ///   library refuses the key.
    static func encrypt(
        _ plaintext: Data, publicKey: [UInt8], _ padding: BlockPadding
    ) -> Data? {
        guard let key = try? _RSA.Encryption.PublicKey(unsafeDERRepresentation: publicKey) else {
            return nil
        }
        if let own = padding.library {
            guard plaintext.count <= key.maximumEncryptSize(with: own) else { return nil }
            return try? key.encrypt(plaintext, padding: own)
        }
        let byteCount = key.keySizeInBits / 8
        guard let power = RSAPublicOperation(publicKey: publicKey) else { return nil }
        if case .oaep(let digest) = padding {
            let block = unsafe plaintext.withUnsafeBytes {
                unsafe RSABlock.oaep($0, digest, blockByteCount: byteCount)
            }
            guard let block else { return nil }
            return unsafe block.bytes.withUnsafeBytes { unsafe power($0).map { Data($0) } }
        }
        guard plaintext.count <= byteCount else { return nil }
        var block = Data(count: byteCount - plaintext.count) + plaintext
        return unsafe block.withUnsafeMutableBytes { bytes in
            defer { unsafe SecretMemory.wipe(bytes) }
            return unsafe power(UnsafeRawBufferPointer(bytes)).map { Data($0) }
        }
    }

    /// Decrypts a block.
    /// - Returns: Nil for a block that wasn't encrypted this way for this key.
    static func decrypt(
        _ ciphertext: Data, privateKey: UnsafeRawBufferPointer, _ padding: BlockPadding
    ) -> Secret? {
        guard let own = padding.library else {
            guard
                let block = unsafe privatePower([UInt8](ciphertext), privateKey: privateKey).map(
                    Secret.wiping)
            else { return nil }
            guard case .oaep(let digest) = padding else { return block }
            return RSABlock.openOAEP(block.bytes, digest)
        }
        guard
            let key = unsafe try? _RSA.Encryption.PrivateKey(
                unsafeDERRepresentation: UnsafeRawBufferPointer(privateKey)),
            ciphertext.count == key.keySizeInBits / 8,
            let plaintext = try? key.decrypt(ciphertext, padding: own)
        else { return nil }
        return Secret.wiping(plaintext)
    }

    // MARK: - Exponentiation

    /// A block raised to the private exponent. The library calls this a blind signature (RFC 9474
    /// §4.3): it is the operation without padding, blinded, and its result is checked with the
    /// public exponent before it is returned.
    /// - Returns: Nil unless the block is as long as the modulus and its number below it.
    private static func privatePower(
        _ block: [UInt8], privateKey: UnsafeRawBufferPointer
    ) -> Data? {
        let key = unsafe try? _RSA.BlindSigning.PrivateKey<SHA384>(
            unsafeDERRepresentation: UnsafeRawBufferPointer(privateKey))
        return try? key?.blindSignature(for: block).rawRepresentation
    }

    /// A block raised to the public exponent.
    private static func power(_ block: Data, publicKey: [UInt8]) -> [UInt8]? {
        guard let power = RSAPublicOperation(publicKey: publicKey) else { return nil }
        return unsafe block.withUnsafeBytes { unsafe power($0) }
    }

    /// The padding of one block.
    enum BlockPadding {
        case none
        /// PKCS #1 v1.5. An attacker who can request decryptions can undo it (Bleichenbacher 1998).
        case pkcs1
        case oaep(DigestName)

        /// The library's own; nil if it has none.
        fileprivate var library: _RSA.Encryption.Padding? {
            switch self {
            case .pkcs1: ._WEAK_AND_INSECURE_PKCS_V1_5
            case .oaep(.sha1): .PKCS1_OAEP
            case .oaep(.sha256): .PKCS1_OAEP_SHA256
            case .none, .oaep: nil
            }
        }
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
