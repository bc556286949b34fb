// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
package import SecretBytes

/// Sizes in the messages about private keys on P-256 (FIPS 186-5, SEC 1 §2.3.3).
package enum PrivateKeyLayout {
    /// 04 ‖ X ‖ Y.
    package static let publicKeyByteCount = 65
    /// R ‖ S.
    package static let signatureByteCount = 64
    /// The x coordinate that both sides compute.
    package static let agreedByteCount = 32
    /// The signed digest: from SHA-1's size to SHA-512's.
    package static let digestByteCounts = 20...64
    /// Larger than any sealed private key.
    package static let sealedByteCountLimit = 512
}

// MARK: - Layout

extension EnclaveRequest {
    /// u8 byte count of the digest, digest, binding, sealed key.
    static func decodeSign(
        _ reader: inout ByteReader
    ) throws(DecodingFailure) -> EnclaveRequest {
        let byteCount = try unsafe Int(reader.u8())
        guard PrivateKeyLayout.digestByteCounts.contains(byteCount) else { throw DecodingFailure() }
        let digest = try unsafe reader.array(byteCount)
        return .sign(digest: digest, key: try unsafe decodeKey(&reader))
    }

    /// 65 bytes public key, binding, sealed key.
    static func decodeAgree(
        _ reader: inout ByteReader
    ) throws(DecodingFailure) -> EnclaveRequest {
        let publicKey = try unsafe reader.array(PrivateKeyLayout.publicKeyByteCount)
        return .agree(publicKey: publicKey, key: try unsafe decodeKey(&reader))
    }

    static func decodeKey(
        _ reader: inout ByteReader
    ) throws(DecodingFailure) -> SealedSecret {
        let binding = try unsafe SecretBinding(&reader)
        guard unsafe reader.remaining <= PrivateKeyLayout.sealedByteCountLimit else {
            throw DecodingFailure()
        }
        return SealedSecret(binding: binding, sealed: unsafe [UInt8](reader.rest()))
    }
}

extension MessageBuffer {
    mutating func appendSign(_ digest: [UInt8], _ key: SealedSecret) {
        u8(UInt8(truncatingIfNeeded: digest.count))
        bytes(digest)
        append(key.binding)
        bytes(key.sealed)
    }

    mutating func appendAgree(_ publicKey: [UInt8], _ key: SealedSecret) {
        bytes(publicKey)
        append(key.binding)
        bytes(key.sealed)
    }
}

// MARK: - Calls

extension EnclaveClient {
    /// Makes a private key on P-256.
    /// - Parameters:
    ///   - binding: The key can be used only with the same class and context.
    ///   - userID: The user whose keybag has the class key.
    /// - Returns: The public half, 65 bytes, and the sealed key.
    /// - Throws: `locked`, `classMissing`, or that the call failed.
    package mutating func makePrivateKey(
        _ binding: SecretBinding, userID: UInt32
    ) throws(EnclaveCallError) -> (publicKey: [UInt8], sealed: [UInt8]) {
        switch try call(.makePrivateKey(binding), userID: userID) {
        case .madePrivateKey(let publicKey, let sealed): return (publicKey, sealed)
        case let reply: throw link.unexpected(reply)
        }
    }

    /// Signs a digest.
    /// - Parameters:
    ///   - digest: 20 to 64 bytes.
    ///   - key: The result of `makePrivateKey`.
    ///   - userID: The same as when it was made.
    /// - Returns: R ‖ S, 64 bytes.
    /// - Throws: `locked`, `classMissing`, `undecodable` for a key that can't be opened with this
    ///   binding, `malformed` for a digest of another size, or that the call failed.
    package mutating func sign(
        digest: [UInt8], key: SealedSecret, userID: UInt32
    ) throws(EnclaveCallError) -> [UInt8] {
        guard PrivateKeyLayout.digestByteCounts.contains(digest.count),
            key.sealed.count <= PrivateKeyLayout.sealedByteCountLimit
        else { throw .malformed }
        switch try call(.sign(digest: digest, key: key), userID: userID) {
        case .signature(let signature): return signature
        case let reply: throw link.unexpected(reply)
        }
    }

    /// Agrees on a secret with the owner of a public key.
    /// - Parameters:
    ///   - publicKey: 65 bytes.
    ///   - key: The result of `makePrivateKey`.
    ///   - userID: The same as when it was made.
    /// - Returns: 32 bytes.
    /// - Throws: As `sign`; `malformed` for bytes that aren't a point of the curve.
    package mutating func agree(
        publicKey: [UInt8], key: SealedSecret, userID: UInt32
    ) throws(EnclaveCallError) -> SecretBytes {
        guard publicKey.count == PrivateKeyLayout.publicKeyByteCount,
            key.sealed.count <= PrivateKeyLayout.sealedByteCountLimit
        else { throw .malformed }
        switch try call(.agree(publicKey: publicKey, key: key), userID: userID) {
        case .agreed(let secret): return secret
        case let reply: throw link.unexpected(reply)
        }
    }
}
