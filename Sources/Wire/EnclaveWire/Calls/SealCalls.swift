// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
package import SecretBytes

/// The binding of a sealed secret.
package struct SecretBinding: Hashable, Sendable {
    /// The byte count of a context digest.
    package static let contextByteCount = 32

    /// The class whose key wraps the row key.
    package let protectionClass: ProtectionClass
    /// The 32-byte digest of all data from which the secret must not be separated.
    package let context: [UInt8]

    /// Binds to a class and a context.
    /// - Parameters:
    ///   - protectionClass: The class.
    ///   - context: 32 bytes, otherwise the result is nil.
    package init?(protectionClass: ProtectionClass, context: [UInt8]) {
        guard context.count == Self.contextByteCount else { return nil }
        self.protectionClass = protectionClass
        self.context = context
    }
}

/// A secret with its binding.
package struct SecretToSeal: ~Copyable, Sendable {
    /// The binding.
    package let binding: SecretBinding
    /// The secret.
    package let secret: SecretBytes

    /// Combines the parts.
    package init(binding: SecretBinding, secret: consuming SecretBytes) {
        self.binding = binding
        self.secret = secret
    }
}

// MARK: - Layout

extension SecretBinding {
    init(_ reader: inout ByteReader) throws(DecodingFailure) {
        guard let protectionClass = ProtectionClass(rawValue: try unsafe reader.u8()),
            let binding = SecretBinding(
                protectionClass: protectionClass,
                context: try unsafe reader.array(Self.contextByteCount))
        else { throw DecodingFailure() }
        self = binding
    }
}

extension SecretToSeal {
    init(_ reader: inout ByteReader) throws(DecodingFailure) {
        let binding = try unsafe SecretBinding(&reader)
        self.init(binding: binding, secret: unsafe SecretBytes(copying: reader.rest()))
    }
}

extension EnclaveRequest {
    /// Writes a whole `seal` message without owning the secret.
    package static func encodeSeal(
        _ binding: SecretBinding, secret: borrowing SecretBytes, requestID: UInt64,
        userID: UInt32, into buffer: inout MessageBuffer
    ) {
        buffer.begin(
            kind: EnclaveMessageKind.seal.rawValue, requestID: requestID, userID: userID,
            payload: 1 + SecretBinding.contextByteCount + secret.byteCount)
        buffer.append(binding)
        buffer.bytes(secret)
        buffer.finish()
    }
}

extension MessageBuffer {
    mutating func append(_ binding: SecretBinding) {
        u8(binding.protectionClass.rawValue)
        bytes(binding.context)
    }
}

// MARK: - Calls

extension EnclaveClient {
    /// The maximum size of a secret in a message: the payload without class, context, wrapped key,
    /// tag and padding, so that it can also be opened again.
    package static let secretLimit = EnclaveHeader.payloadLimit - 512

    /// Seals a secret.
    /// - Parameters:
    ///   - protectionClass: The class whose key must be usable, now and to open it.
    ///   - context: 32 bytes, the digest of the associated data.
    ///   - secret: At most `secretLimit` bytes.
    ///   - userID: The user whose keybag has the class key.
    /// - Returns: The sealed bytes, for `open` with the same class and context.
    /// - Throws: `locked`, `classMissing`, `malformed` for a secret or context of the wrong size,
    ///   or that the call failed.
    package mutating func seal(
        class protectionClass: ProtectionClass, context: [UInt8],
        secret: borrowing SecretBytes, userID: UInt32
    ) throws(EnclaveCallError) -> [UInt8] {
        guard secret.byteCount <= Self.secretLimit,
            let binding = SecretBinding(protectionClass: protectionClass, context: context)
        else { throw .malformed }
        EnclaveRequest.encodeSeal(
            binding, secret: secret, requestID: try link.nextRequestID(), userID: userID,
            into: &link.buffer)
        return try sealed(try link.reply(to: .seal))
    }

    /// Seals a sealed secret again for another class or context; the plain secret stays in
    /// enclaved.
    package mutating func rebind(
        _ row: SealedSecret, toClass protectionClass: ProtectionClass, context: [UInt8],
        userID: UInt32
    ) throws(EnclaveCallError) -> [UInt8] {
        guard let target = SecretBinding(protectionClass: protectionClass, context: context),
            row.sealed.count <= EnclaveHeader.payloadLimit - 128
        else { throw .malformed }
        return try sealed(
            try call(.rebind(from: row.binding, to: target, sealed: row.sealed), userID: userID))
    }

    private mutating func sealed(
        _ reply: consuming EnclaveReply
    ) throws(EnclaveCallError) -> [UInt8] {
        switch consume reply {
        case .sealed(let sealed): return sealed
        case let reply: throw link.unexpected(reply)
        }
    }
}
