// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import FoundationEssentials
import IPC
package import SecretBytes
import SwiftProtobuf

/// A frame ready to send: the header and the message, and the secrets after it.
package struct EncodedFrame: Sendable {
    /// Frame header and protobuf message.
    package var bytes: [UInt8]
    /// The secret section, in order.
    package var secrets: [Secret]

    init(
        _ kind: FrameKind, _ message: some Message, secrets: [Secret] = [], sequence: UInt32,
        messageLimit: Int = ItemLimits.messageByteCount
    ) throws(WireError) {
        let body: [UInt8]
        do { body = try message.serializedBytes() } catch { throw .malformed }
        try self.init(
            kind, message: body, secrets: secrets, sequence: sequence, messageLimit: messageLimit)
    }

    /// Takes an encoded message.
    init(
        _ kind: FrameKind, message body: [UInt8], secrets: [Secret] = [], sequence: UInt32,
        messageLimit: Int = ItemLimits.messageByteCount
    ) throws(WireError) {
        let secretByteCount = secrets.reduce(0) { $0 + $1.bytes.byteCount }
        guard body.count <= messageLimit,
            body.count + secretByteCount <= FrameHeader.maximumBodyByteCount
        else { throw .tooLarge }
        var writer = ByteWriter(reserving: FrameHeader.byteCount + body.count)
        FrameHeader(
            kind: kind, messageByteCount: body.count, secretByteCount: secretByteCount,
            sequence: sequence
        ).encode(into: &writer)
        writer.bytes(body)
        bytes = writer.bytes
        self.secrets = secrets
    }
}

extension ClientRequest {
    /// The frame of this request.
    /// - Throws: ``WireError/tooLarge`` when it is over the frame limit.
    package func encoded(sequence: UInt32) throws(WireError) -> EncodedFrame {
        switch self {
        case .find(let query, let cursor):
            var message = query.message
            message.cursor = cursor
            return try EncodedFrame(.find, message, sequence: sequence)
        case .add(let item, let identity):
            var message = WireAddRequest()
            message.itemClass = item.itemClass.wireValue
            message.attributes = item.attributes.serialized()
            message.hasSecret_p = item.secret != nil
            message.returning = item.returning.rawValue
            message.identity = identity.message
            message.replacesExisting = item.replacesExisting
            message.demandedTier = item.demandedTier.rawValue
            message.lease = item.lease?.number ?? 0
            if let replacement = item.replacement { message.replacement = replacement.message }
            let secrets = item.secret.map { [$0] } ?? []
            return try EncodedFrame(.add, message, secrets: secrets, sequence: sequence)
        case .update(let query, let changes, let identity):
            var message = WireUpdateRequest()
            message.query = query.message
            message.besides = query.besides.map(\.message)
            message.changes = changes.attributes.serialized()
            message.hasSecret_p = changes.secret != nil
            message.identity = identity.message
            let secrets = changes.secret.map { [$0] } ?? []
            return try EncodedFrame(.update, message, secrets: secrets, sequence: sequence)
        case .delete(let query, let identity):
            var message = WireDeleteRequest()
            message.query = query.message
            message.besides = query.besides.map(\.message)
            message.identity = identity.message
            return try EncodedFrame(.delete, message, sequence: sequence)
        case .deviceStatus:
            return try EncodedFrame(.deviceStatus, WireQuery(), sequence: sequence)
        case .challenge:
            return try EncodedFrame(.challenge, WireQuery(), sequence: sequence)
        case .passcode(let operation, let sealed, let permit):
            var message = WirePasscodeRequest()
            message.operation = UInt32(operation)
            message.sealed = Data(sealed)
            message.permit = permit
            return try EncodedFrame(.passcode, message, sequence: sequence)
        case .lock(let mode, let waits, let subject):
            var message = WireLockRequest()
            message.mode = mode.rawValue
            message.answersAtOnce = !waits
            if let number = subject.number { message.otherUser = number }
            return try EncodedFrame(.lock, message, sequence: sequence)
        case .assertion(let seconds):
            var message = WireAssertionRequest()
            message.seconds = UInt32(seconds)
            return try EncodedFrame(.assertion, message, sequence: sequence)
        case .watch:
            return try EncodedFrame(.watch, WireQuery(), sequence: sequence)
        case .auditPage(let query):
            return try EncodedFrame(.auditPage, query.message, sequence: sequence)
        case .check(let cursor):
            return try EncodedFrame(.check, maintenanceMessage(cursor), sequence: sequence)
        case .recover(let cursor):
            return try EncodedFrame(.recover, maintenanceMessage(cursor), sequence: sequence)
        case .key(let request):
            return try EncodedFrame(.key, request.message, sequence: sequence)
        case .prove(let nonce):
            var message = WireProof()
            message.nonce = Data(nonce)
            return try EncodedFrame(.prove, message, sequence: sequence)
        case .identity:
            return try EncodedFrame(.identity, WireQuery(), sequence: sequence)
        case .entitlements(let names):
            var message = WireEntitlementsRequest()
            message.names = names
            return try EncodedFrame(.entitlements, message, sequence: sequence)
        case .move(let move, let identity):
            return try EncodedFrame(.move, move.message(identity), sequence: sequence)
        case .openGroup(let group, let sealed):
            var message = WireOpenGroupRequest()
            message.group = group
            message.sealed = Data(sealed)
            return try EncodedFrame(.openGroup, message, sequence: sequence)
        case .lease(let request):
            return try EncodedFrame(.lease, request.message, sequence: sequence)
        case .revoke(let requestID):
            var message = WireRevokeRequest()
            message.requestID = Data(requestID)
            return try EncodedFrame(.revoke, message, sequence: sequence)
        case .protectors(let request):
            return try EncodedFrame(.protectors, request.message, sequence: sequence)
        }
    }
}

extension ItemReplacement {
    var message: WireItemReplacement {
        var message = WireItemReplacement()
        message.filter = filter.serialized()
        message.changes = changes.serialized()
        return message
    }
}

extension ItemQuery {
    var message: WireQuery {
        var message = WireQuery()
        if let itemClass { message.itemClass = itemClass.wireValue }
        message.filter = attributes.serialized()
        let isReferred = persistentReference != nil || rowNumber != nil || generation != nil
        let defaultFilter = isReferred ? SynchronizableFilter.any : .no
        message.synchronizable = (synchronizable ?? defaultFilter).rawValue
        if let persistentReference { message.persistentUuid = Data(persistentReference.uuid) }
        if let limit { message.limit = UInt64(max(limit, 0)) }
        message.returning = returning.rawValue
        if let rowNumber { message.rowNumber = rowNumber }
        if let generation {
            message.generationUuid = Data(generation.uuid)
            message.generation = generation.number
        }
        message.tombstones = tombstones.rawValue
        message.lease = lease?.number ?? 0
        return message
    }
}

extension WriteIdentity {
    var message: WireWriteIdentity {
        var message = WireWriteIdentity()
        message.requestID = Data(requestID)
        message.isRepeated = isRepeated
        return message
    }
}
