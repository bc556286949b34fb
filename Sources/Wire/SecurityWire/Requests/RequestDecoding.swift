// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import FoundationEssentials
import SecretBytes
import SwiftProtobuf

extension ClientRequest {
    /// Decodes a request from a peer.
    /// - Parameters:
    ///   - kind: From the frame's header.
    ///   - message: The protobuf message.
    ///   - secret: The secret section; it is copied.
    /// - Throws: ``WireError/malformed`` when it can't be decoded, breaks a rule of PROTOCOL.md or
    ///   isn't a request; ``WireError/tooLarge`` when a secret or the attributes are over
    ///   ``ItemLimits``.
    package init(
        decoding kind: FrameKind, message: UnsafeRawBufferPointer, secret: UnsafeRawBufferPointer
    ) throws(WireError) {
        let hasSecretSection = secret.count > 0
        switch kind {
        case .find:
            let query: WireQuery = try unsafe decode(message)
            guard !hasSecretSection else { throw .malformed }
            self = .find(try ItemQuery(query), cursor: query.cursor)
        case .add:
            let request: WireAddRequest = try unsafe decode(message)
            guard let itemClass = ItemClass(wireValue: request.itemClass),
                request.hasSecret_p || !hasSecretSection,
                let demandedTier = StorageTier(rawValue: request.demandedTier)
            else { throw .malformed }
            var item = NewItem(itemClass)
            item.attributes = try ItemAttributes(checking: request.attributes)
            item.returning = try ReturnFields(checking: request.returning)
            item.secret = unsafe request.hasSecret_p ? try Secret(checking: secret) : nil
            item.replacesExisting = request.replacesExisting
            item.demandedTier = demandedTier
            item.lease = LeaseToken(request.lease)
            if request.hasReplacement {
                item.replacement = try ItemReplacement(request.replacement)
            }
            self = .add(item, try WriteIdentity(request.identity))
        case .update:
            let request: WireUpdateRequest = try unsafe decode(message)
            guard request.hasSecret_p || !hasSecretSection else { throw .malformed }
            var changes = ItemChanges()
            changes.attributes = try ItemAttributes(checking: request.changes)
            changes.secret = unsafe request.hasSecret_p ? try Secret(checking: secret) : nil
            let query = try ItemQuery(request.query, besides: request.besides)
            self = .update(query, changes, try WriteIdentity(request.identity))
        case .delete:
            let request: WireDeleteRequest = try unsafe decode(message)
            guard !hasSecretSection else { throw .malformed }
            let query = try ItemQuery(request.query, besides: request.besides)
            self = .delete(query, try WriteIdentity(request.identity))
        case .passcode:
            let request: WirePasscodeRequest = try unsafe decode(message)
            guard !hasSecretSection, let operation = UInt8(exactly: request.operation),
                request.sealed.count <= ItemLimits.sealedPasscodeByteCount,
                request.permit.utf8.count <= PermitCode.textByteLimit
            else { throw .malformed }
            self = .passcode(
                operation: operation, sealed: [UInt8](request.sealed), permit: request.permit)
        case .deviceStatus: self = .deviceStatus
        case .challenge: self = .challenge
        case .lock: self = try unsafe .lock(message)
        case .watch: self = .watch
        case .auditPage: self = .auditPage(AuditQuery(try unsafe decode(message)))
        case .assertion: self = .assertion(seconds: try unsafe assertionSeconds(message))
        case .check: self = .check(cursor: try unsafe maintenanceCursor(message))
        case .recover: self = .recover(cursor: try unsafe maintenanceCursor(message))
        case .key:
            guard !hasSecretSection else { throw .malformed }
            self = .key(try KeyRequest(try unsafe decode(message)))
        case .prove:
            let request: WireProof = try unsafe decode(message)
            guard request.nonce.count == 32 else { throw .malformed }
            self = .prove([UInt8](request.nonce))
        case .identity: self = .identity
        case .entitlements, .move, .openGroup:
            guard !hasSecretSection else { throw .malformed }
            self = try unsafe Self.ofIdentity(kind, message)
        case .lease:
            guard !hasSecretSection else { throw .malformed }
            self = .lease(try LeaseRequest(try unsafe decode(message)))
        case .revoke:
            let request: WireRevokeRequest = try unsafe decode(message)
            guard !hasSecretSection, request.requestID.count == 16 else { throw .malformed }
            self = .revoke(requestID: [UInt8](request.requestID))
        case .protectors:
            guard !hasSecretSection else { throw .malformed }
            self = .protectors(try ProtectorRequest(try unsafe decode(message)))
        case .findReply, .addReply, .updateReply, .deleteReply, .deviceStatusReply,
            .challengeReply, .passcodeReply, .lockReply, .changeReply, .auditReply,
            .assertionReply, .checkReply, .recoverReply, .keyReply, .proveReply, .identityReply,
            .entitlementsReply, .moveReply, .openGroupReply, .leaseReply, .revokeReply,
            .protectorsReply, .failure:
            throw .malformed
        }
    }
}

/// Decodes a protobuf message in place, without a copy.
func decode<M: Message>(_ bytes: UnsafeRawBufferPointer) throws(WireError) -> M {
    do { return try unsafe M(serializedBytes: bytes.bytes) } catch { throw .malformed }
}

extension ItemQuery {
    /// The queries of a write: its own, and the additional ones.
    init(_ message: WireQuery, besides: [WireQuery]) throws(WireError) {
        try self.init(message)
        for other in besides { self.besides.append(try ItemQuery(other)) }
    }

    init(_ message: WireQuery) throws(WireError) {
        if message.itemClass != 0 {
            guard let itemClass = ItemClass(wireValue: message.itemClass) else { throw .malformed }
            self.init(itemClass)
        } else {
            self.init(nil)
        }
        attributes = try ItemAttributes(checking: message.filter)
        guard let filter = SynchronizableFilter(rawValue: message.synchronizable),
            message.limit <= UInt64(Int32.max)
        else { throw .malformed }
        synchronizable = filter
        limit = message.limit == 0 ? nil : Int(message.limit)
        returning = try ReturnFields(checking: message.returning)
        if !message.persistentUuid.isEmpty {
            persistentReference = PersistentReference(
                itemClass: itemClass ?? .genericPassword, uuid: [UInt8](message.persistentUuid))
            guard persistentReference != nil else { throw .malformed }
        }
        guard itemClass != nil || persistentReference != nil else { throw .malformed }
        rowNumber = message.hasRowNumber ? message.rowNumber : nil
        guard let policy = TombstonePolicy(rawValue: message.tombstones) else { throw .malformed }
        tombstones = policy
        lease = LeaseToken(message.lease)
        if !message.generationUuid.isEmpty {
            generation = ItemGeneration(
                uuid: [UInt8](message.generationUuid), number: message.generation)
            guard generation != nil else { throw .malformed }
        }
    }
}

extension ItemReplacement {
    /// - Throws: ``WireError/malformed`` for a filter that every item would pass.
    init(_ message: WireItemReplacement) throws(WireError) {
        let filter = try ItemAttributes(checking: message.filter)
        guard !filter.isEmpty else { throw .malformed }
        self.init(of: filter, changes: try ItemAttributes(checking: message.changes))
    }
}

extension ReturnFields {
    init(checking rawValue: UInt32) throws(WireError) {
        self.init(rawValue: rawValue)
        guard isSubset(of: .all) else { throw .malformed }
    }
}

extension Secret {
    convenience init(checking bytes: UnsafeRawBufferPointer) throws(WireError) {
        guard bytes.count <= ItemLimits.secretByteCount else { throw .tooLarge }
        self.init(unsafe SecretBytes(copying: bytes))
    }
}

extension WriteIdentity {
    init(_ message: WireWriteIdentity) throws(WireError) {
        guard message.requestID.count == 16 else { throw .malformed }
        self.init(requestID: [UInt8](message.requestID), isRepeated: message.isRepeated)
    }
}
