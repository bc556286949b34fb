// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import KeychainVocabulary
package import SecretBytes
package import SecurityWire

// Private keys that only the enclave sees.

extension KeychainConnection {
    /// Makes a key on P-256 in the enclave.
    /// - Parameters:
    ///   - accessibility: When it may be used.
    ///   - accessGroup: The group whose programs may use it; nil is the caller's own group.
    ///   - control: What its use demands beside; nil is nothing.
    ///   - access: The context with a password of the application, if `control` demands one.
    /// - Returns: The key; the service doesn't store it.
    /// - Throws: ``FailureReason/locked``; ``FailureReason/keyGone`` for a class that needs a
    ///   passcode where none is set; ``FailureReason/denied`` for a group that isn't held.
    package func makeKey(
        _ accessibility: Accessibility, accessGroup: String?, control: AccessControl? = nil,
        access: ItemAccess = ItemAccess()
    ) throws(KeychainError) -> MadeKey {
        try makeKey(
            accessibility, accessGroup: accessGroup, control: control, access: access,
            CallBounds())
    }

    func makeKey(
        _ accessibility: Accessibility, accessGroup: String?, control: AccessControl? = nil,
        access: ItemAccess = ItemAccess(), _ bounds: CallBounds
    ) throws(KeychainError) -> MadeKey {
        var request = KeyRequest(
            .make(accessibility), accessGroup: accessGroup, accessControl: control)
        request.access = access
        let reply = try key(request, bounds)
        guard case .made(let key) = reply else { throw .unreachable }
        return key
    }

    /// Signs a digest of 20 to 64 bytes with a key in the enclave.
    /// - Returns: R ‖ S, 64 bytes.
    /// - Throws: ``FailureReason/locked``; ``FailureReason/keyGone`` for a key that isn't one, or not
    ///   of that group; ``FailureReason/denied``; ``FailureReason/personNeeded`` and
    ///   ``FailureReason/passwordNeeded`` for a key with an access control.
    package func sign(
        digest: [UInt8], sealed: [UInt8], accessGroup: String, access: ItemAccess = ItemAccess()
    ) throws(KeychainError) -> Secret {
        try computed(.sign(digest: digest, sealed: sealed), accessGroup, access, CallBounds())
    }

    /// Agrees on a secret with the owner of a public key of 65 bytes, with a key in the enclave.
    /// - Returns: 32 bytes.
    /// - Throws: As ``sign(digest:sealed:accessGroup:)``; ``FailureReason/invalidRequest`` for
    ///   bytes that aren't a point of the curve.
    package func agree(
        publicKey: [UInt8], sealed: [UInt8], accessGroup: String,
        access: ItemAccess = ItemAccess()
    ) throws(KeychainError) -> Secret {
        try computed(
            .agree(publicKey: publicKey, sealed: sealed), accessGroup, access, CallBounds())
    }

    func agree(
        publicKey: [UInt8], sealed: [UInt8], accessGroup: String, _ bounds: CallBounds
    ) throws(KeychainError) -> Secret {
        try computed(
            .agree(publicKey: publicKey, sealed: sealed), accessGroup, ItemAccess(), bounds)
    }

    private func computed(
        _ operation: KeyRequest.Operation, _ accessGroup: String, _ access: ItemAccess,
        _ bounds: CallBounds
    ) throws(KeychainError) -> Secret {
        var request = KeyRequest(operation, accessGroup: accessGroup)
        request.access = access
        let reply = try key(request, bounds)
        guard case .computed(let secret) = reply else { throw .unreachable }
        return secret
    }

    /// The service stores nothing, so a request can be repeated.
    private func key(
        _ request: KeyRequest, _ bounds: CallBounds
    ) throws(KeychainError) -> KeyReply {
        guard case .key(let reply) = try read(.key(request), bounds) else { throw .unreachable }
        return reply
    }
}
