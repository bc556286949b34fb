// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import FoundationEssentials
package import SecretBytes
import SwiftProtobuf

/// One row on its way to a client.
package struct OutgoingRow: Sendable {
    package var itemClass: ItemClass
    /// Serialized attributes, if they were asked for.
    package var attributes: Data?
    /// 16 bytes, if the reference was asked for.
    package var uuid: [UInt8]?
    /// The secret, if it was asked for and there is one.
    package var secret: Secret?
    /// How often the row has been written, if usage was asked for; else 0.
    package var generation: UInt32 = 0
    /// When it was last read, if usage was asked for.
    package var lastUsed: Double?
    /// Of an identity: its certificate's attributes and data, as far as they were asked for.
    package var certificate: (attributes: Data?, data: Secret?)?

    package init(itemClass: ItemClass) { self.itemClass = itemClass }
}

/// What securityd answers.
package enum ServiceReply: Sendable {
    case found([OutgoingRow], nextCursor: UInt64, openedRowCount: UInt64)
    case added(OutgoingRow?)
    /// With the row, if it is one.
    case updated(OutgoingRow?, count: UInt64)
    case deleted(count: UInt64)
    case changes([ItemChange], missedSome: Bool)
    case deviceStatus(DeviceReport)
    case challenge([UInt8])
    case passcodeDone
    case locked
    case auditPage(AuditPage)
    case failed(Failure)

    /// The frame of this reply.
    package func encoded(sequence: UInt32) throws(WireError) -> EncodedFrame {
        switch self {
        case .found(let rows, let nextCursor, let openedRowCount):
            var message = WireFindReply()
            message.rows = rows.map(\.message)
            message.nextCursor = nextCursor
            message.openedRowCount = openedRowCount
            return try EncodedFrame(
                .findReply, message, secrets: rows.flatMap(\.secrets), sequence: sequence,
                messageLimit: FrameHeader.maximumBodyByteCount)
        case .added(let row):
            var message = WireWriteReply()
            if let row { message.row = row.message }
            let secrets = row?.secret.map { [$0] } ?? []
            return try EncodedFrame(.addReply, message, secrets: secrets, sequence: sequence)
        case .updated(let row, let count):
            var message = WireWriteReply()
            if let row { message.row = row.message }
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
        case .locked:
            return try EncodedFrame(.lockReply, WireWriteReply(), sequence: sequence)
        case .auditPage(let page):
            return try EncodedFrame(
                .auditReply, page.message, sequence: sequence,
                messageLimit: FrameHeader.maximumBodyByteCount)
        case .failed(let failure):
            var message = WireFailure()
            message.status = failure.status
            message.reason = failure.reason.rawValue
            message.retryAfterSeconds = failure.retryAfterSeconds
            return try EncodedFrame(.failure, message, sequence: sequence)
        }
    }
}

extension OutgoingRow {
    fileprivate var message: WireFoundRow {
        var message = WireFoundRow()
        message.itemClass = itemClass.wireValue
        if let attributes { message.attributes = attributes }
        if let uuid { message.persistentUuid = Data(uuid) }
        if let secret { message.secretByteCount = UInt32(secret.bytes.byteCount) }
        message.generation = generation
        if let lastUsed { message.lastUsed = lastUsed }
        if let certificate {
            message.certificateAttributes = certificate.attributes ?? Data()
            if let data = certificate.data {
                message.certificateByteCount = UInt32(data.bytes.byteCount)
            }
        }
        return message
    }

    /// What of it goes into the secret section.
    fileprivate var secrets: [Secret] { [secret, certificate?.data].compactMap(\.self) }
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
    case auditPage(AuditPage)
    case done
    case failed(Failure)

    /// Reads a reply.
    /// - Throws: ``WireError/malformed`` when it doesn't decode or isn't a reply.
    package init(
        decoding kind: FrameKind, message: UnsafeRawBufferPointer, secret: UnsafeRawBufferPointer
    ) throws(WireError) {
        switch kind {
        case .findReply:
            let reply: WireFindReply = try unsafe decode(message)
            var rest = unsafe secret
            var items: [FoundItem] = []
            items.reserveCapacity(reply.rows.count)
            for row in reply.rows { items.append(unsafe try FoundItem(row, taking: &rest)) }
            guard unsafe rest.isEmpty else { throw .malformed }
            self = .found(
                items, nextCursor: reply.nextCursor, openedRowCount: reply.openedRowCount)
        case .addReply, .updateReply, .deleteReply:
            let reply: WireWriteReply = try unsafe decode(message)
            var rest = unsafe secret
            let item = unsafe reply.hasRow ? try FoundItem(reply.row, taking: &rest) : nil
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
        case .passcodeReply, .lockReply: self = .done
        case .auditReply: self = .auditPage(try AuditPage(try unsafe decode(message)))
        case .failure:
            let reply: WireFailure = try unsafe decode(message)
            self = .failed(
                Failure(
                    reply.status, FailureReason(rawValue: reply.reason) ?? .internalFailure,
                    retryAfterSeconds: reply.retryAfterSeconds))
        case .find, .add, .update, .delete, .deviceStatus, .challenge, .passcode, .lock, .watch,
            .auditPage:
            throw .malformed
        }
    }
}

extension FoundItem {
    /// Takes one row; its secret comes off the front of `secrets`.
    fileprivate init(
        _ row: WireFoundRow, taking secrets: inout UnsafeRawBufferPointer
    ) throws(WireError) {
        guard let itemClass = ItemClass(wireValue: row.itemClass) else { throw .malformed }
        self.init(itemClass)
        if row.hasAttributes { attributes = try ItemAttributes(serialized: row.attributes) }
        if row.hasPersistentUuid {
            let uuid = [UInt8](row.persistentUuid)
            persistentReference = PersistentReference(itemClass: itemClass, uuid: uuid)
            guard persistentReference != nil else { throw .malformed }
            generation = ItemGeneration(uuid: uuid, number: row.generation)
        }
        if row.hasLastUsed { lastUsed = row.lastUsed }
        if row.hasSecretByteCount {
            secret = unsafe try Self.take(row.secretByteCount, from: &secrets)
        }
        guard row.hasCertificateAttributes else { return }
        var certificate = FoundCertificate()
        certificate.attributes = try ItemAttributes(serialized: row.certificateAttributes)
        if row.hasCertificateByteCount {
            certificate.data = unsafe try Self.take(row.certificateByteCount, from: &secrets)
        }
        self.certificate = certificate
    }

    private static func take(
        _ count: UInt32, from secrets: inout UnsafeRawBufferPointer
    ) throws(WireError) -> Secret {
        let byteCount = Int(count)
        guard byteCount <= secrets.count else { throw .malformed }
        defer { unsafe secrets = UnsafeRawBufferPointer(rebasing: secrets[byteCount...]) }
        return unsafe Secret(
            SecretBytes(copying: UnsafeRawBufferPointer(rebasing: secrets[..<byteCount])))
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
        return message
    }
}
