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

    package init(itemClass: ItemClass) { self.itemClass = itemClass }
}

/// What securityd answers.
package enum ServiceReply: Sendable {
    case found([OutgoingRow], nextCursor: UInt64)
    case added(OutgoingRow?)
    case updated
    case deleted
    case deviceStatus(DeviceReport)
    case challenge([UInt8])
    case passcodeDone
    case locked
    case failed(Failure)

    /// The frame of this reply.
    package func encoded(sequence: UInt32) throws(WireError) -> EncodedFrame {
        switch self {
        case .found(let rows, let nextCursor):
            var message = WireFindReply()
            message.rows = rows.map(\.message)
            message.nextCursor = nextCursor
            return try EncodedFrame(
                .findReply, message, secrets: rows.compactMap(\.secret), sequence: sequence,
                messageLimit: FrameHeader.maximumBodyByteCount)
        case .added(let row):
            var message = WireWriteReply()
            if let row { message.row = row.message }
            let secrets = row?.secret.map { [$0] } ?? []
            return try EncodedFrame(.addReply, message, secrets: secrets, sequence: sequence)
        case .updated:
            return try EncodedFrame(.updateReply, WireWriteReply(), sequence: sequence)
        case .deleted:
            return try EncodedFrame(.deleteReply, WireWriteReply(), sequence: sequence)
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
        return message
    }
}

// MARK: - Decoding, in the client

/// A reply as a client sees it.
package enum ReceivedReply: Sendable {
    case found([FoundItem], nextCursor: UInt64)
    case written(FoundItem?)
    case deviceStatus(DeviceReport)
    case challenge([UInt8])
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
            self = .found(items, nextCursor: reply.nextCursor)
        case .addReply, .updateReply, .deleteReply:
            let reply: WireWriteReply = try unsafe decode(message)
            var rest = unsafe secret
            let item = unsafe reply.hasRow ? try FoundItem(reply.row, taking: &rest) : nil
            guard unsafe rest.isEmpty else { throw .malformed }
            self = .written(item)
        case .deviceStatusReply:
            self = .deviceStatus(DeviceReport(try unsafe decode(message)))
        case .challengeReply:
            let reply: WireChallengeReply = try unsafe decode(message)
            guard reply.nonce.count == 32 else { throw .malformed }
            self = .challenge([UInt8](reply.nonce))
        case .passcodeReply, .lockReply: self = .done
        case .failure:
            let reply: WireFailure = try unsafe decode(message)
            self = .failed(
                Failure(
                    reply.status, FailureReason(rawValue: reply.reason) ?? .internalFailure,
                    retryAfterSeconds: reply.retryAfterSeconds))
        case .find, .add, .update, .delete, .deviceStatus, .challenge, .passcode, .lock:
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
        attributes = ItemAttributes()
        if row.hasAttributes { attributes = try ItemAttributes(serialized: row.attributes) }
        if row.hasPersistentUuid {
            persistentReference = PersistentReference(
                itemClass: itemClass, uuid: [UInt8](row.persistentUuid))
            guard persistentReference != nil else { throw .malformed }
        }
        if row.hasSecretByteCount {
            let byteCount = Int(row.secretByteCount)
            guard byteCount <= secrets.count else { throw .malformed }
            unsafe secret = Secret(
                SecretBytes(copying: UnsafeRawBufferPointer(rebasing: secrets[..<byteCount])))
            unsafe secrets = UnsafeRawBufferPointer(rebasing: secrets[byteCount...])
        }
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
