// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import SecretBytes

/// A reply as a client sees it.
package enum ReceivedReply: Sendable {
    case found([FoundItem], nextCursor: UInt64, openedRowCount: UInt64)
    case written(FoundItem?, count: UInt64)
    case changes([ItemChange], missedSome: Bool)
    case deviceStatus(DeviceReport)
    case challenge([UInt8])
    case locked(seconds: UInt32)
    case auditPage(AuditPage)
    case maintenance(MaintenancePage)
    case key(KeyReply)
    case prove([UInt8])
    case identity(CallerIdentity)
    case entitlements([String: EntitlementValue])
    /// Nil for a released one.
    case leased(LeaseToken?)
    case revoked(wasCarriedOut: Bool)
    case protectors([KeychainProtector], hasNoPasscode: Bool, nonce: [UInt8])
    case trust([UInt8])
    case exported(ExportPage)
    case transcoded(Secret)
    /// Nil for what has no result.
    case keychains(KeychainListing?)
    case backup(BackupAnswer)
    /// With the reasons, if they were asked for.
    case represented(Representation)
    case secrets(SecretReply)
    case done
    case failed(Failure)
}

extension ReceivedReply {
    /// Decodes a reply.
    /// - Throws: ``WireError/malformed`` when it can't be decoded or isn't a reply.
    package init(
        decoding kind: FrameKind, message: UnsafeRawBufferPointer, secret: UnsafeRawBufferPointer
    ) throws(WireError) {
        let content = unsafe FrameContent(message, secret: secret)
        switch kind {
        case .findReply: self = unsafe try .found(message, secrets: secret)
        case .addReply, .updateReply, .deleteReply, .moveReply:
            self = try unsafe .decodeWritten(content)
        case .changeReply: self = try unsafe .decodeChanges(content)
        case .deviceStatusReply:
            self = .deviceStatus(DeviceReport(try unsafe content.decoded()))
        case .challengeReply: self = try unsafe .decodeChallenge(content)
        case .passcodeReply, .assertionReply, .openGroupReply, .accessReply: self = .done
        case .frontReply:
            try unsafe content.version()
            self = .done
        case .representReply:
            self = .represented(try unsafe Representation(content, hasReasons: false))
        case .secretsReply: self = .secrets(try unsafe SecretReply(content))
        case .busOwnerReply:
            self = .represented(try unsafe Representation(content, hasReasons: true))
        case .lockReply:
            let reply: WireLockReply = try unsafe content.decoded()
            self = .locked(seconds: reply.secondsUntilLocked)
        case .auditReply: self = .auditPage(try AuditPage(try unsafe content.decoded()))
        case .checkReply, .recoverReply:
            self = .maintenance(try MaintenancePage(try unsafe content.decoded()))
        case .keyReply:
            self = .key(try unsafe KeyReply(try content.decoded(), secret: secret))
        case .proveReply: self = try unsafe .decodeProve(content)
        case .identityReply: self = .identity(try CallerIdentity(try unsafe content.decoded()))
        case .entitlementsReply:
            self = .entitlements(
                try [String: EntitlementValue](try unsafe content.decoded()))
        case .leaseReply:
            let reply: WireLeaseReply = try unsafe content.decoded()
            self = .leased(LeaseToken(reply.lease))
        case .revokeReply:
            let reply: WireRevokeReply = try unsafe content.decoded()
            self = .revoked(wasCarriedOut: reply.wasCarriedOut)
        case .protectorsReply: self = try unsafe .decodeProtectors(content)
        case .trustReply: self = .trust(try unsafe content.bytesAlone())
        case .adoptionReply: self = try unsafe .decodeAdoption(content)
        case .transcodeReply: self = .transcoded(try unsafe content.secretAlone())
        case .keychainsReply: self = .keychains(try unsafe content.keychainListing())
        case .backupReply: self = .backup(try unsafe content.backupAnswer())
        case .failure: self = .failed(Failure(try unsafe content.decoded()))
        case .find, .add, .update, .delete, .deviceStatus, .challenge, .passcode, .lock, .watch,
            .auditPage, .assertion, .check, .recover, .prove, .identity, .key, .entitlements,
            .move, .openGroup, .lease, .revoke, .protectors, .access, .trust, .adoption,
            .transcode, .keychains, .backup, .front, .represent, .secrets, .busOwner:
            throw .malformed
        }
    }
}
