// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import SecurityWire
import Testing

/// Numbers on the wire and in the audit log: new ones come at the end, and none is used again.
@Suite struct NumberTests {
    @Test func aFrameAndStoredAttributesOfVersion1AreRead() throws {
        let head: [UInt8] = [3, 0, 0, 0, 5, 0, 0, 0, 1, 0, 18, 0, 9, 0, 0, 0]
        let frame = try unsafe head.withUnsafeBytes { try unsafe FrameHeader(decoding: $0) }
        #expect(
            frame
                == FrameHeader(
                    kind: .move, messageByteCount: 3, secretByteCount: 5, sequence: 9))
        var newer = head
        newer[8] = 2
        #expect(throws: WireError.malformed) {
            try unsafe newer.withUnsafeBytes { try unsafe FrameHeader(decoding: $0) }
        }

        // acct "anna", agrp "g", pdmn ak.
        let stored: [UInt8] = [
            0x0A, 5, 0x54, 0x61, 0x6E, 0x6E, 0x61, 0x7A, 1, 0x67, 0x80, 0x01, 6,
        ]
        let attributes = try ItemAttributes(serialized: Data(stored))
        #expect(attributes[.account] == .text("anna"))
        #expect(attributes[.accessGroup] == .text("g"))
        #expect(attributes.accessibility == .whenUnlocked)
        #expect([UInt8](attributes.serialized()) == stored)
    }

    @Test func kindsOfFrames() {
        let kinds: [FrameKind] = [
            .find, .add, .update, .delete, .deviceStatus, .challenge, .passcode, .lock, .watch,
            .auditPage, .assertion, .check, .recover, .key, .prove, .identity, .entitlements, .move,
            .openGroup, .lease, .revoke, .protectors, .access, .trust, .adoption, .transcode,
            .keychains, .backup, .front, .represent, .secrets, .busOwner,
        ]
        let replies: [FrameKind] = [
            .findReply, .addReply, .updateReply, .deleteReply, .deviceStatusReply, .challengeReply,
            .passcodeReply, .lockReply, .changeReply, .auditReply, .assertionReply, .checkReply,
            .recoverReply, .keyReply, .proveReply, .identityReply, .entitlementsReply, .moveReply,
            .openGroupReply, .leaseReply, .revokeReply, .protectorsReply,
            .accessReply, .trustReply, .adoptionReply, .transcodeReply, .keychainsReply,
            .backupReply, .frontReply, .representReply, .secretsReply, .busOwnerReply,
        ]
        #expect(kinds.map(\.rawValue) == Array(1...28) + Array(30...33))
        #expect(replies.map(\.rawValue) == Array(0x8001...0x801C) + Array(0x801E...0x8021))
        #expect(FrameKind.failure.rawValue == 0xFFFF)
        for number in [29] + Array(UInt16(34)...0x8000) {
            #expect(FrameKind(rawValue: number) == nil)
        }
    }

    @Test func reasonsOfFailures() {
        let reasons: [FailureReason] = [
            .absent, .duplicate, .locked, .unreachable, .keyGone, .denied, .wrongPasscode,
            .throttled, .invalidRequest, .tooLarge, .unknownOutcome, .unimplemented,
            .internalFailure, .wrongState, .disabled, .socketPathTooLong, .generationChanged,
            .calledOff, .rolledBack, .deviceKeyUnavailable, .tierNotMet, .leased, .leaseLost,
            .cancelled, .timedOut, .undecodable, .busy, .administratorNeeded, .shareUsed,
            .nameTaken, .noSuchProtector, .lastProtector, .tooManyProtectors,
            .personNeeded, .passwordNeeded, .accessRefused, .personCanceled,
        ]
        let ofKeychains: [FailureReason] = [
            .keychainLocked, .noSuchKeychain, .keychainExists, .tooManyKeychains,
            .invalidKeychain,
        ]
        let ofBackups: [FailureReason] = [.archiveDamaged, .archiveForeign, .archiveOlder]
        #expect(ofBackups.map(\.rawValue) == Array(46...48))
        #expect(reasons.map(\.rawValue) == Array(1...37))
        #expect(ofKeychains.map(\.rawValue) == Array(40...44))
        let ofFronts: [FailureReason] = [
            .notAFront, .notRepresented, .tooManyChannels, .secretsLocked, .foreignSecret,
        ]
        #expect(ofFronts.map(\.rawValue) == Array(50...54))
    }

    @Test func eventsOfTheAuditLog() {
        let events: [AuditEvent] = [
            .read, .add, .update, .delete, .setPasscode, .unlock, .changePasscode, .removePasscode,
            .lock, .configure, .makeEscrow, .reset, .recover, .holdUnlocked, .acceptRollback,
            .openGroup, .move, .migrate, .makeRecoveryCode, .useRecoveryCode, .bindRegisters,
            .addProtector, .removeProtector, .unlockByProtector, .testProtector, .approve,
            .adopt, .export, .forgetUser, .renameUser,
        ]
        let ofKeychains: [AuditEvent] = [
            .createKeychain, .unlockKeychain, .changeKeychainPassword, .lockKeychain,
            .configureKeychains, .deleteKeychain, .setBackupPassword, .removeBackupPassword,
            .backUp, .openBackup, .restoreBackup,
        ]
        let ofTheService: [AuditEvent] = [.started, .tailCut, .chainBroken, .recordsLost]
        #expect(events.map(\.rawValue) == Array(1...30))
        #expect(ofKeychains.map(\.rawValue) == Array(33...43))
        #expect(ofTheService.map(\.rawValue) == Array(128...131))
        let names = Set((events + ofKeychains + ofTheService).map(\.name))
        #expect(names.count == 45)
        #expect(!names.contains { $0.hasPrefix("event-") })
    }

    /// The order of fields is the order of bytes in stored metadata.
    @Test func fieldsOfAttributes() {
        let attributes: [Attribute] = [
            .account, .service, .generic, .label, .description, .comment, .alias, .protocolName,
            .creator, .type, .scriptCode, .isInvisible, .isNegative, .hasCustomIcon, .accessGroup,
            .accessible, .synchronizable, .creationDate, .modificationDate, .tokenID,
            .syncViewHint, .sha1, .tombstone, .multiUser, .uuid, .securityDomain, .server,
            .networkProtocol, .authenticationType, .port, .path, .certificateType,
            .certificateEncoding, .subject, .issuer, .serialNumber, .subjectKeyID, .publicKeyHash,
            .keyClass, .applicationLabel, .applicationTag, .keySizeInBits, .effectiveKeySize,
            .startDate, .endDate, .isPermanent, .isPrivate, .isModifiable, .isSensitive,
            .wasAlwaysSensitive, .isExtractable, .wasNeverExtractable, .canEncrypt, .canDecrypt,
            .canDerive, .canSign, .canVerify, .canSignRecover, .canVerifyRecover, .canWrap,
            .canUnwrap,
        ]
        // 25 says whether an item has a secret.
        #expect(attributes.map(\.fieldNumber) == Array(1...24) + Array(26...62))
    }
}
