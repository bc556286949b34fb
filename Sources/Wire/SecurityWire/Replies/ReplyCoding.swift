// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import FoundationEssentials
package import SecretBytes
import SwiftProtobuf

/// One row for a client.
package struct OutgoingRow: Sendable {
    package var itemClass: ItemClass
    /// Serialized attributes, if requested.
    package var attributes: Data?
    /// 16 bytes, if the reference was requested.
    package var uuid: [UInt8]?
    /// The secret, if it was requested and there is one.
    package var secret: Secret?
    /// How often the row has been written, if usage was requested; else 0.
    package var generation: UInt32 = 0
    /// When it was last read, if usage was requested.
    package var lastUsed: Double?
    /// For an identity: its certificate's attributes and data, as far as requested.
    package var certificate: (attributes: Data?, data: Secret?)?

    package init(itemClass: ItemClass) { self.itemClass = itemClass }
}

/// securityd's replies.
package enum ServiceReply: Sendable {
    case found(OutgoingRows, nextCursor: UInt64, openedRowCount: UInt64)
    case added(OutgoingRow?)
    /// With the row, if exactly one matched.
    case updated(OutgoingRow?, count: UInt64)
    case deleted(count: UInt64)
    case changes([ItemChange], missedSome: Bool)
    case deviceStatus(DeviceReport)
    case challenge([UInt8])
    case passcodeDone
    /// How long until the keys are dropped; 0: they are.
    case locked(seconds: UInt32)
    case asserted
    case auditPage(AuditPage)
    case checked(MaintenancePage)
    case recovered(MaintenancePage)
    case key(KeyReply)
    /// The request wasn't looked at: the client must first send this nonce back. Empty after it
    /// has.
    case prove([UInt8])
    case identity(CallerIdentity)
    case entitlements([String: EntitlementValue])
    case moved(count: UInt64)
    case openedGroup
    /// Taken or renewed.
    case leased(LeaseToken)
    case gaveBackLease
    case revoked(wasCarriedOut: Bool)
    case protectors([KeychainProtector], hasNoPasscode: Bool)
    /// A nonce for a message about protectors.
    case protectorNonce([UInt8])
    case failed(Failure)

    /// The frame of this reply.
    package func encoded(sequence: UInt32) throws(WireError) -> EncodedFrame {
        switch self {
        case .found(let rows, let nextCursor, let openedRowCount):
            let message = rows.message(
                nextCursor: nextCursor, openedRowCount: openedRowCount)
            return try EncodedFrame(
                .findReply, message: message, secrets: rows.secrets, sequence: sequence,
                messageLimit: FrameHeader.maximumBodyByteCount)
        case .added(let row):
            var message = WireWriteReply()
            if let row { message.row = Data(row.message) }
            let secrets = row?.secret.map { [$0] } ?? []
            return try EncodedFrame(.addReply, message, secrets: secrets, sequence: sequence)
        case .updated(let row, let count):
            var message = WireWriteReply()
            if let row { message.row = Data(row.message) }
            message.count = count
            return try EncodedFrame(.updateReply, message, sequence: sequence)
        case .deleted(let count):
            var message = WireWriteReply()
            message.count = count
            return try EncodedFrame(.deleteReply, message, sequence: sequence)
        case .changes(let changes, let missedSome):
            var message = WireChangeReply()
            message.changes = changes.map(\.message)
            message.missedSome = missedSome
            return try EncodedFrame(.changeReply, message, sequence: sequence)
        case .deviceStatus(let report):
            return try EncodedFrame(.deviceStatusReply, report.message, sequence: sequence)
        case .challenge(let nonce):
            var message = WireChallengeReply()
            message.nonce = Data(nonce)
            return try EncodedFrame(.challengeReply, message, sequence: sequence)
        case .passcodeDone:
            return try EncodedFrame(.passcodeReply, WireWriteReply(), sequence: sequence)
        case .locked(let seconds):
            var message = WireLockReply()
            message.secondsUntilLocked = seconds
            return try EncodedFrame(.lockReply, message, sequence: sequence)
        case .asserted:
            return try EncodedFrame(.assertionReply, WireWriteReply(), sequence: sequence)
        case .auditPage(let page):
            return try EncodedFrame(
                .auditReply, page.message, sequence: sequence,
                messageLimit: FrameHeader.maximumBodyByteCount)
        case .checked(let page):
            return try EncodedFrame(
                .checkReply, page.message, sequence: sequence,
                messageLimit: FrameHeader.maximumBodyByteCount)
        case .recovered(let page):
            return try EncodedFrame(
                .recoverReply, page.message, sequence: sequence,
                messageLimit: FrameHeader.maximumBodyByteCount)
        case .key(let reply): return try reply.encoded(sequence: sequence)
        case .prove(let nonce):
            var message = WireProof()
            message.nonce = Data(nonce)
            return try EncodedFrame(.proveReply, message, sequence: sequence)
        case .identity(let identity):
            return try EncodedFrame(.identityReply, identity.message, sequence: sequence)
        case .entitlements(let values):
            return try EncodedFrame(.entitlementsReply, values.message, sequence: sequence)
        case .moved(let count):
            var message = WireWriteReply()
            message.count = count
            return try EncodedFrame(.moveReply, message, sequence: sequence)
        case .openedGroup:
            return try EncodedFrame(.openGroupReply, WireWriteReply(), sequence: sequence)
        case .leased(let token):
            var message = WireLeaseReply()
            message.lease = token.number
            return try EncodedFrame(.leaseReply, message, sequence: sequence)
        case .gaveBackLease:
            return try EncodedFrame(.leaseReply, WireLeaseReply(), sequence: sequence)
        case .revoked(let wasCarriedOut):
            var message = WireRevokeReply()
            message.wasCarriedOut = wasCarriedOut
            return try EncodedFrame(.revokeReply, message, sequence: sequence)
        case .protectors(let protectors, let hasNoPasscode):
            var message = WireProtectorReply()
            message.protectors = protectors.map(\.message)
            message.hasNoPasscode_p = hasNoPasscode
            return try EncodedFrame(.protectorsReply, message, sequence: sequence)
        case .protectorNonce(let nonce):
            var message = WireProtectorReply()
            message.nonce = Data(nonce)
            return try EncodedFrame(.protectorsReply, message, sequence: sequence)
        case .failed(let failure):
            var message = WireFailure()
            message.status = failure.status
            message.reason = failure.reason.rawValue
            message.retryAfterSeconds = failure.retryAfterSeconds
            return try EncodedFrame(.failure, message, sequence: sequence)
        }
    }
}

extension ItemChange {
    fileprivate var message: WireChange {
        var message = WireChange()
        message.kind = kind.rawValue
        message.itemClass = reference.itemClass.wireValue
        message.persistentUuid = Data(reference.uuid)
        message.generation = generation.number
        return message
    }

    fileprivate init(_ message: WireChange) throws(WireError) {
        guard let kind = Kind(rawValue: message.kind),
            let itemClass = ItemClass(wireValue: message.itemClass),
            let change = ItemChange(
                kind: kind, itemClass: itemClass, uuid: [UInt8](message.persistentUuid),
                generation: message.generation)
        else { throw .malformed }
        self = change
    }
}

// MARK: - Decoding, in the client

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
    case done
    case failed(Failure)

    /// Reads a reply.
    /// - Throws: ``WireError/malformed`` when it can't be decoded or isn't a reply.
    package init(
        decoding kind: FrameKind, message: UnsafeRawBufferPointer, secret: UnsafeRawBufferPointer
    ) throws(WireError) {
        switch kind {
        case .findReply:
            self = unsafe try .found(message, secrets: secret)
        case .addReply, .updateReply, .deleteReply, .moveReply:
            let reply: WireWriteReply = try unsafe decode(message)
            var rest = unsafe secret
            let item = unsafe try Self.row(reply.row, taking: &rest)
            guard unsafe rest.isEmpty else { throw .malformed }
            self = .written(item, count: reply.count)
        case .changeReply:
            let reply: WireChangeReply = try unsafe decode(message)
            var changes: [ItemChange] = []
            for change in reply.changes { changes.append(try ItemChange(change)) }
            self = .changes(changes, missedSome: reply.missedSome)
        case .deviceStatusReply:
            self = .deviceStatus(DeviceReport(try unsafe decode(message)))
        case .challengeReply:
            let reply: WireChallengeReply = try unsafe decode(message)
            guard reply.nonce.count == 32 else { throw .malformed }
            self = .challenge([UInt8](reply.nonce))
        case .passcodeReply, .assertionReply, .openGroupReply: self = .done
        case .lockReply:
            let reply: WireLockReply = try unsafe decode(message)
            self = .locked(seconds: reply.secondsUntilLocked)
        case .auditReply: self = .auditPage(try AuditPage(try unsafe decode(message)))
        case .checkReply, .recoverReply:
            self = .maintenance(try MaintenancePage(try unsafe decode(message)))
        case .keyReply:
            self = .key(try unsafe KeyReply(try decode(message), secret: secret))
        case .proveReply:
            let reply: WireProof = try unsafe decode(message)
            guard reply.nonce.isEmpty || reply.nonce.count == 32 else { throw .malformed }
            self = .prove([UInt8](reply.nonce))
        case .identityReply: self = .identity(try CallerIdentity(try unsafe decode(message)))
        case .entitlementsReply:
            self = .entitlements(try [String: EntitlementValue](try unsafe decode(message)))
        case .leaseReply:
            let reply: WireLeaseReply = try unsafe decode(message)
            self = .leased(LeaseToken(reply.lease))
        case .revokeReply:
            let reply: WireRevokeReply = try unsafe decode(message)
            self = .revoked(wasCarriedOut: reply.wasCarriedOut)
        case .protectorsReply:
            let reply: WireProtectorReply = try unsafe decode(message)
            guard reply.nonce.isEmpty || reply.nonce.count == 32 else { throw .malformed }
            var protectors: [KeychainProtector] = []
            for entry in reply.protectors { protectors.append(try KeychainProtector(entry)) }
            self = .protectors(
                protectors, hasNoPasscode: reply.hasNoPasscode_p, nonce: [UInt8](reply.nonce))
        case .failure:
            let reply: WireFailure = try unsafe decode(message)
            self = .failed(
                Failure(
                    reply.status, FailureReason(rawValue: reply.reason) ?? .internalFailure,
                    retryAfterSeconds: reply.retryAfterSeconds))
        case .find, .add, .update, .delete, .deviceStatus, .challenge, .passcode, .lock, .watch,
            .auditPage, .assertion, .check, .recover, .prove, .identity, .key, .entitlements,
            .move, .openGroup, .lease, .revoke, .protectors:
            throw .malformed
        }
    }
}

extension ReceivedReply {
    /// The row of a write's reply; nil when there is none.
    private static func row(
        _ message: Data, taking secrets: inout UnsafeRawBufferPointer
    ) throws(WireError) -> FoundItem? {
        guard !message.isEmpty else { return nil }
        return try unsafe message.withUnsafeBytes { bytes in
            Result { () throws(WireError) in try unsafe FoundItem(bytes, taking: &secrets) }
        }.get()
    }
}

extension CallerIdentity {
    fileprivate init(_ message: WireIdentityReply) throws(WireError) {
        let stored = message.storedGroups.isEmpty ? nil : message.storedGroups
        guard stored.map({ $0.count == message.accessGroups.count }) ?? true else {
            throw .malformed
        }
        self.init(
            grade: message.grade, userID: message.userID,
            application: message.application.isEmpty ? nil : message.application,
            accessGroups: message.accessGroups, storedGroups: stored, reasons: message.reasons)
    }

    fileprivate var message: WireIdentityReply {
        var message = WireIdentityReply()
        message.grade = grade
        message.userID = userID
        message.application = application ?? ""
        message.accessGroups = accessGroups
        message.reasons = reasons
        if storedGroups != accessGroups { message.storedGroups = storedGroups }
        return message
    }
}

extension DeviceReport {
    fileprivate init(_ message: WireDeviceStatusReply) {
        self.init(
            state: message.state, passcodeSet: message.passcodeSet, deviceKey: message.deviceKey,
            memory: message.memory, failedAttempts: message.failedAttempts,
            secondsUntilNextAttempt: message.secondsUntilNextAttempt,
            usableClasses: message.usableClasses, existingClasses: message.existingClasses,
            identityGrade: message.identityGrade)
        graceSeconds = message.graceSeconds
        eraseAfter = message.eraseAfter
        secondsUntilLocked = message.secondsUntilLocked
        hasEscrow = message.hasEscrow_p
        keptFileCount = message.keptFileCount
        erasures = message.erasures
        hasRecoveryCode = message.hasRecoveryCode_p
        boundRegisters = message.boundRegisters
        erasesForUnidentified = message.erasesForUnidentified
        landlock = message.landlock
        landlockVersion = message.landlockVersion
        filtersSystemCalls = message.filtersSystemCalls
        serviceRelease = message.serviceRelease
        enclaveRelease = message.enclaveRelease
    }

    fileprivate var message: WireDeviceStatusReply {
        var message = WireDeviceStatusReply()
        message.state = state
        message.passcodeSet = passcodeSet
        message.deviceKey = deviceKey
        message.memory = memory
        message.failedAttempts = failedAttempts
        message.secondsUntilNextAttempt = secondsUntilNextAttempt
        message.usableClasses = usableClasses
        message.existingClasses = existingClasses
        message.identityGrade = identityGrade
        message.graceSeconds = graceSeconds
        message.eraseAfter = eraseAfter
        message.secondsUntilLocked = secondsUntilLocked
        message.hasEscrow_p = hasEscrow
        message.keptFileCount = keptFileCount
        message.erasures = erasures
        message.hasRecoveryCode_p = hasRecoveryCode
        message.boundRegisters = boundRegisters
        message.erasesForUnidentified = erasesForUnidentified
        message.landlock = landlock
        message.landlockVersion = landlockVersion
        message.filtersSystemCalls = filtersSystemCalls
        message.serviceRelease = serviceRelease
        message.enclaveRelease = enclaveRelease
        return message
    }
}
