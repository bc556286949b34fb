// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import FoundationEssentials
package import KeychainVocabulary
package import SecretBytes

/// A request about a private key that enclaved makes and uses.
package struct KeyRequest: Sendable {
    /// The operation.
    package enum Operation: Equatable, Sendable {
        /// Make a key of a class.
        case make(Accessibility)
        /// Sign a digest with a key.
        case sign(digest: [UInt8], sealed: [UInt8])
        /// Agree on a secret with the owner of a public key.
        case agree(publicKey: [UInt8], sealed: [UInt8])
    }

    /// The operation.
    package var operation: Operation
    /// The access group of the key; nil is the caller's own.
    package var accessGroup: String?
    /// For a key to be made: what its use demands; nil for nothing.
    package var accessControl: AccessControl?
    /// Under which authentication context the key is used.
    package var access = ItemAccess()

    package init(
        _ operation: Operation, accessGroup: String?, accessControl: AccessControl? = nil
    ) {
        self.operation = operation
        self.accessGroup = accessGroup
        self.accessControl = accessControl
    }
}

/// A new key.
package struct MadeKey: Equatable, Sendable {
    /// 65 bytes.
    package var publicKey: [UInt8]
    /// The sealed key, which requests to use it must contain.
    package var sealed: [UInt8]
    /// Its access group.
    package var accessGroup: String

    package init(publicKey: [UInt8], sealed: [UInt8], accessGroup: String) {
        self.publicKey = publicKey
        self.sealed = sealed
        self.accessGroup = accessGroup
    }
}

/// The result of a key request.
package enum KeyReply: Sendable {
    case made(MadeKey)
    /// A signature, or a shared secret.
    case computed(Secret)
}

/// Sizes in messages about keys.
package enum KeyLimits {
    /// A point of P-256, uncompressed.
    package static let publicKeyByteCount = 65
    /// Sizes of digests that can be signed.
    package static let digestByteCounts = 20...64
    /// Larger than any sealed key.
    package static let sealedByteCount = 512
    /// Larger than any access group.
    package static let accessGroupByteCount = 4096
}

// MARK: - Coding

extension ClientRequest {
    /// Decodes a request about a private key.
    static func decodeKey(_ content: FrameContent) throws(WireError) -> ClientRequest {
        return .key(try KeyRequest(try unsafe content.decodedAlone()))
    }
}

extension KeyRequest {
    init(_ message: WireKeyRequest) throws(WireError) {
        let group = message.accessGroup
        guard message.sealed.count <= KeyLimits.sealedByteCount,
            group.utf8.count <= KeyLimits.accessGroupByteCount
        else { throw .malformed }
        let input = [UInt8](message.input)
        let sealed = [UInt8](message.sealed)
        switch message.operation {
        case 1:
            guard let number = UInt8(exactly: message.protectionClass),
                let accessibility = Accessibility(rawValue: number), input.isEmpty, sealed.isEmpty
            else { throw .malformed }
            operation = .make(accessibility)
        case 2:
            guard KeyLimits.digestByteCounts.contains(input.count) else { throw .malformed }
            operation = .sign(digest: input, sealed: sealed)
        case 3:
            guard input.count == KeyLimits.publicKeyByteCount else { throw .malformed }
            operation = .agree(publicKey: input, sealed: sealed)
        default: throw .malformed
        }
        accessGroup = group.isEmpty ? nil : group
        accessControl = try AccessControl(checking: message.accessControl)
        if accessControl != nil, message.operation != 1 { throw .malformed }
        access = try ItemAccess(context: message.accessContext, purpose: message.accessPurpose)
    }

    var message: WireKeyRequest {
        var message = WireKeyRequest()
        message.accessGroup = accessGroup ?? ""
        message.accessControl = Data(accessControl?.encoded ?? [])
        message.accessContext = Data(access.context)
        message.accessPurpose = access.purpose
        switch operation {
        case .make(let accessibility):
            message.operation = 1
            message.protectionClass = UInt32(accessibility.rawValue)
        case .sign(let digest, let sealed):
            message.operation = 2
            message.input = Data(digest)
            message.sealed = Data(sealed)
        case .agree(let publicKey, let sealed):
            message.operation = 3
            message.input = Data(publicKey)
            message.sealed = Data(sealed)
        }
        return message
    }
}

extension KeyReply {
    /// Decodes a reply: with a key in the message or a result in the secret section.
    init(
        _ message: WireKeyReply, secret: UnsafeRawBufferPointer
    ) throws(WireError) {
        if message.sealed.isEmpty {
            guard unsafe !secret.isEmpty else { throw .malformed }
            self = .computed(try unsafe Secret(checking: secret))
            return
        }
        guard unsafe secret.isEmpty, message.publicKey.count == KeyLimits.publicKeyByteCount,
            !message.accessGroup.isEmpty
        else { throw .malformed }
        self = .made(
            MadeKey(
                publicKey: [UInt8](message.publicKey), sealed: [UInt8](message.sealed),
                accessGroup: message.accessGroup))
    }

    var message: WireKeyReply {
        var message = WireKeyReply()
        if case .made(let key) = self {
            message.publicKey = Data(key.publicKey)
            message.sealed = Data(key.sealed)
            message.accessGroup = key.accessGroup
        }
        return message
    }

    /// The secret section of the reply.
    var secrets: [Secret] {
        if case .computed(let secret) = self { [secret] } else { [] }
    }
}

extension KeyRequest {
    /// The same request with other names of access groups; nil when a name isn't a group.
    func namingGroups(_ name: (String) -> String?) -> KeyRequest? {
        guard let accessGroup else { return self }
        return name(accessGroup).map { name in
            var request = self
            request.accessGroup = name
            return request
        }
    }
}

extension KeyReply {
    /// The same reply with other names of access groups.
    func namingGroups(_ name: (String) -> String) -> KeyReply {
        guard case .made(var key) = self else { return self }
        key.accessGroup = name(key.accessGroup)
        return .made(key)
    }
}
