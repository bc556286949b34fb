// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import SecretBytes
package import SecurityWire

// Private keys that only the enclave sees.

extension KeychainConnection {
    /// Makes a key on P-256 in the enclave.
    /// - Parameters:
    ///   - accessibility: When it may be used.
    ///   - accessGroup: The group whose programs may use it; nil is the caller's own group.
    /// - Returns: The key; the service doesn't store it.
    /// - Throws: ``FailureReason/locked``; ``FailureReason/keyGone`` for a class that needs a
    ///   passcode where none is set; ``FailureReason/denied`` for a group that isn't held.
    package func makeKey(
        _ accessibility: Accessibility, accessGroup: String?
    ) throws(KeychainError) -> MadeKey {
        try makeKey(accessibility, accessGroup: accessGroup, CallBounds())
    }

    func makeKey(
        _ accessibility: Accessibility, accessGroup: String?, _ bounds: CallBounds
    ) throws(KeychainError) -> MadeKey {
        let reply = try key(KeyRequest(.make(accessibility), accessGroup: accessGroup), bounds)
        guard case .made(let key) = reply else { throw .unreachable }
        return key
    }

    /// Signs a digest of 20 to 64 bytes with a key in the enclave.
    /// - Returns: R ‖ S, 64 bytes.
    /// - Throws: ``FailureReason/locked``; ``FailureReason/keyGone`` for a key that isn't one, or not
    ///   of that group; ``FailureReason/denied``.
    package func sign(
        digest: [UInt8], sealed: [UInt8], accessGroup: String
    ) throws(KeychainError) -> Secret {
        try computed(.sign(digest: digest, sealed: sealed), accessGroup, CallBounds())
    }

    /// Agrees on a secret with the owner of a public key of 65 bytes, with a key in the enclave.
    /// - Returns: 32 bytes.
    /// - Throws: As ``sign(digest:sealed:accessGroup:)``; ``FailureReason/invalidRequest`` for
    ///   bytes that aren't a point of the curve.
    package func agree(
        publicKey: [UInt8], sealed: [UInt8], accessGroup: String
    ) throws(KeychainError) -> Secret {
        try agree(
            publicKey: publicKey, sealed: sealed, accessGroup: accessGroup, CallBounds())
    }

    func agree(
        publicKey: [UInt8], sealed: [UInt8], accessGroup: String, _ bounds: CallBounds
    ) throws(KeychainError) -> Secret {
        try computed(.agree(publicKey: publicKey, sealed: sealed), accessGroup, bounds)
    }

    private func computed(
        _ operation: KeyRequest.Operation, _ accessGroup: String, _ bounds: CallBounds
    ) throws(KeychainError) -> Secret {
        let reply = try key(KeyRequest(operation, accessGroup: accessGroup), bounds)
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
