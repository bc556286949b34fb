// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
package import KeychainVocabulary
package import SecretBytes

/// A request about a private key on P-256 with an access control. The layouts are in PROTOCOL.md,
/// "Access control".
package enum GuardedKeyRequest: Sendable {
    /// Make a key; the salt of its access control is ignored.
    case make(SecretBinding, AccessControl)
    /// Sign a digest of 20 to 64 bytes.
    case sign(digest: [UInt8], key: SealedSecret)
    /// Agree on a secret with the owner of a public key, 65 bytes.
    case agree(publicKey: [UInt8], key: SealedSecret)
}

// MARK: - Layout

// u8 1 make: binding, access control. 2 sign: u8 byte count of the digest, digest, binding, sealed
// key. 3 agree: 65 bytes public key, binding, sealed key.
extension GuardedKeyRequest {
    init(_ reader: inout ByteReader) throws(DecodingFailure) {
        switch try unsafe reader.u8() {
        case 1:
            let binding = try unsafe SecretBinding(&reader)
            self = .make(binding, try unsafe reader.accessControl())
        case 2:
            let byteCount = try unsafe Int(reader.u8())
            guard PrivateKeyLayout.digestByteCounts.contains(byteCount) else {
                throw DecodingFailure()
            }
            let digest = try unsafe reader.array(byteCount)
            self = .sign(digest: digest, key: try unsafe EnclaveRequest.decodeKey(&reader))
        case 3:
            let publicKey = try unsafe reader.array(PrivateKeyLayout.publicKeyByteCount)
            self = .agree(publicKey: publicKey, key: try unsafe EnclaveRequest.decodeKey(&reader))
        case _: throw DecodingFailure()
        }
    }
}

extension MessageBuffer {
    mutating func append(_ request: GuardedKeyRequest) {
        switch request {
        case .make(let binding, let control):
            u8(1)
            append(binding)
            append(control)
        case .sign(let digest, let key):
            u8(2)
            appendSign(digest, key)
        case .agree(let publicKey, let key):
            u8(3)
            appendAgree(publicKey, key)
        }
    }
}

// MARK: - Calls

extension EnclaveClient {
    /// Makes a private key with an access control.
    /// - Returns: The public half, 65 bytes, and the sealed key.
    /// - Throws: as without one; `passwordNeeded`; `accessRefused` for what can't be bound here.
    package mutating func makePrivateKey(
        _ binding: SecretBinding, _ control: AccessControl, under scope: AccessScope,
        userID: UInt32
    ) throws(EnclaveCallError) -> (publicKey: [UInt8], sealed: [UInt8]) {
        switch try access(.key(scope, .make(binding, control)), userID) {
        case .madeKey(let publicKey, let sealed): return (publicKey, sealed)
        case .opened, .sealed, .judged, .done, .computed: throw link.broken()
        }
    }

    /// Signs a digest with a key that has an access control.
    /// - Returns: R ‖ S, 64 bytes.
    /// - Throws: as without one; `personNeeded`, `passwordNeeded`, `accessRefused`.
    package mutating func sign(
        digest: [UInt8], key: SealedSecret, under scope: AccessScope, userID: UInt32
    ) throws(EnclaveCallError) -> Secret {
        guard PrivateKeyLayout.digestByteCounts.contains(digest.count) else { throw .malformed }
        return try computed(
            .sign(digest: digest, key: key), key, PrivateKeyLayout.signatureByteCount, scope,
            userID)
    }

    /// Agrees on a secret, with a key that has an access control.
    /// - Returns: 32 bytes.
    /// - Throws: as ``sign(digest:key:under:userID:)``.
    package mutating func agree(
        publicKey: [UInt8], key: SealedSecret, under scope: AccessScope, userID: UInt32
    ) throws(EnclaveCallError) -> Secret {
        guard publicKey.count == PrivateKeyLayout.publicKeyByteCount else { throw .malformed }
        return try computed(
            .agree(publicKey: publicKey, key: key), key, PrivateKeyLayout.agreedByteCount, scope,
            userID)
    }

    private mutating func computed(
        _ request: GuardedKeyRequest, _ key: SealedSecret, _ byteCount: Int,
        _ scope: AccessScope, _ userID: UInt32
    ) throws(EnclaveCallError) -> Secret {
        guard key.sealed.count <= PrivateKeyLayout.sealedByteCountLimit else { throw .malformed }
        switch try access(.key(scope, request), userID) {
        case .computed(let result):
            guard result.bytes.byteCount == byteCount else { throw link.broken() }
            return result
        case .opened, .sealed, .judged, .done, .madeKey: throw link.broken()
        }
    }
}
