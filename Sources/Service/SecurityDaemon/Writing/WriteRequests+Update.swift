// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import Foundation
import ItemStore
import SecretBytes
import SecurityWire

/// An update of all items that match.
struct UpdateWrite: WriteOperation {
    let query: ItemQuery
    let changes: ItemChanges
    let write: WriteIdentity

    var identity: WriteIdentity? { write }

    var lease: LeaseToken? { query.lease }

    var stored: (secret: Secret?, attributes: ItemAttributes)? {
        (changes.secret, changes.attributes)
    }

    func perform(
        _ requests: WriteRequests, _ prepared: WriteRequests.PreparedItem?,
        _ scope: borrowing ItemScope, _ transaction: StoreTransaction
    ) throws(DaemonError) -> WriteResult {
        try requests.update(query, changes, write, scope, transaction)
    }

    func repeated(
        _ requests: WriteRequests, uuid: [UInt8], _ scope: borrowing ItemScope,
        _ transaction: StoreTransaction
    ) throws(DaemonError) -> WriteResult {
        WriteResult(reply: .updated(nil, count: 0))
    }
}

extension WriteRequests {
    /// A row as it was written.
    struct Rewritten {
        let item: SealedItem
        let encoded: Data
        /// The item's group before the write; nil for a new item.
        let groupBefore: IndexValue?

        var change: RowChange {
            RowChange(
                owner: item.owner, table: item.table, uuid: item.uuid,
                generation: item.rowGeneration, groupBefore: groupBefore,
                groupAfter: item.index(.accessGroup), isOfBus: item.tagDigest != nil)
        }
    }

    /// Applies changes to every row that matches. A row that can't be opened any more doesn't count
    /// as an item.
    func update(
        _ query: ItemQuery, _ changes: ItemChanges, _ identity: WriteIdentity,
        _ scope: borrowing ItemScope, _ transaction: StoreTransaction
    ) throws(DaemonError) -> WriteResult {
        var noted = ChangeList()
        var count: UInt64 = 0
        var last: OutgoingRow?
        try forEachRow(ofAll: query, scope, transaction, wantsSecret: true) {
            (item, filter) throws(DaemonError) in
            switch try self.keys.open(item, ItemKeys.Source(transaction)) {
            case .newerFormat, .keyMissing: return
            case .corrupt: self.noteCorrupt(item)
            case .attributes(let stored):
                guard filter.admits(stored) else { return }
                let written: Rewritten
                do throws(DaemonError) {
                    written = try self.rewrite(
                        item, stored, changes, tombstones: query.tombstones, query.access,
                        scope.program, transaction)
                } catch {
                    guard error == .keyGone else { throw error }
                    return self.noteCorrupt(item)
                }
                noted.append(written.change)
                count += 1
                var row = OutgoingRow(itemClass: item.table.itemClass)
                row.uuid = written.item.uuid
                row.generation = written.item.rowGeneration
                last = row
            }
        }
        guard count > 0 else { throw query.generation == nil ? .absent : .generationChanged }
        try record(identity, userID: scope.userID, uuid: [], transaction)
        return WriteResult(
            reply: .updated(count == 1 ? last : nil, count: count), changes: noted)
    }

    /// Writes one row with changes: all of it is sealed again.
    func rewrite(
        _ old: SealedItem, _ stored: ItemAttributes, _ changes: ItemChanges,
        tombstones: TombstonePolicy, _ access: ItemAccess, _ program: GrantedProgram,
        _ transaction: StoreTransaction
    ) throws(DaemonError) -> Rewritten {
        // Who may not have the secret grants it to nobody, and puts no other in its place.
        let touchesSecret =
            changes.attributes.grants != nil || changes.secret != nil
            || changes.accessControl != .none
        if touchesSecret, program.isDenied(by: stored.grants) { throw .secretWithheld }
        if let group = changes.attributes[.accessGroup], stored.isTiedToItsGroup {
            guard group == stored[.accessGroup] else { throw .unimplemented }
        }
        var next = changed(stored, by: changes)
        guard next.grants == nil || !next.isTiedToItsGroup else { throw .invalidRequest }
        if !old.owner.isLogin {
            guard !changes.accessControl.isReplacement, !next.isSynchronizing else {
                throw .invalidRequest
            }
            next.accessibility = .alwaysThisDeviceOnly
        }
        let (item, encoded) = try reseal(
            old, next, changes.secret, changes.accessControl, access,
            transaction)
        try shares.take(
            item.usedByteCount - old.usedByteCount, userID: item.userID, transaction)
        try replace(old, with: item, transaction)
        if item.index(.primaryKey) != old.index(.primaryKey), !old.isTombstone,
            tombstones.leavesTombstone(ofSynchronizing: stored.isSynchronizing)
        {
            var mark = try tombstone(of: old, stored, uuid: randomUUID(), transaction)
            mark.rowID = 0
            do { try transaction.insert(mark) } catch { throw .store(error) }
        }
        return Rewritten(
            item: item, encoded: encoded, groupBefore: old.index(.accessGroup))
    }

    /// Seals a whole row again, with these attributes, and with its own secret if there is no new
    /// one.
    /// - Throws: ``DaemonError/keyGone`` when its secret can't be opened.
    private func reseal(
        _ old: SealedItem, _ attributes: ItemAttributes, _ secret: Secret?,
        _ control: AccessControlChange = .none, _ access: ItemAccess = ItemAccess(),
        _ transaction: StoreTransaction
    ) throws(DaemonError) -> (item: SealedItem, encoded: Data) {
        guard let accessibility = attributes.accessibility,
            let keyClass = ProtectionClass(rawValue: accessibility.rawValue),
            let oldSecret = SealedSecret(old), old.rowGeneration < .max
        else { throw .invalidRequest }
        let source = ItemKeys.Source(transaction)
        guard let indexer = try keys.indexer(old.owner, source) else { throw .absent }

        var item = old
        item.keyClass = keyClass.rawValue
        // Keys are made, and seals reserved, outside the transaction: this write is then rolled
        // back and retried.
        guard let generation = writeKeys.takePreparedSeal(old.owner, keyClass: keyClass)
        else { throw .keyNotPrepared(keyClass) }
        item.keyGeneration = generation
        item.rowGeneration += 1
        item.take(attributes, indexer)
        let encoded = try sealMetadata(attributes, into: &item, source)
        if old.isGuarded || control.isReplacement {
            if control != .removed { try attributes.checkGuarded() }
            try resealGuarded(
                old, oldSecret, secret, control, access, keyClass, into: &item)
        } else if let secret {
            try sealSecret(secret, keyClass, into: &item)
        } else {
            do {
                item.secret = try keys.enclave.rebind(
                    oldSecret, toClass: keyClass, context: AssociatedData.contextForSecret(item),
                    userID: item.userID)
            } catch { throw error == .undecodable ? .keyGone : DaemonError(error) }
        }
        return (item, encoded)
    }

    private func changed(_ stored: ItemAttributes, by changes: ItemChanges) -> ItemAttributes {
        var attributes = stored
        var changed = changes.attributes
        changed[.modificationDate] = nil
        for attribute in Self.unsettable { changed[attribute] = nil }
        attributes.merge(changed)
        attributes[.modificationDate] = .date(laterThan(stored[.modificationDate]))
        if changes.secret != nil { attributes.hasSecret = true }
        if attributes.grants?.isEmpty ?? false { attributes.grants = nil }
        return attributes
    }

    private func replace(
        _ old: SealedItem, with item: SealedItem, _ transaction: StoreTransaction
    ) throws(DaemonError) {
        do throws(StoreError) { try transaction.replace(old, with: item) } catch {
            guard error == .constraint, let primaryKey = item.index(.primaryKey) else {
                throw .store(error)
            }
            let displaced = try makeRoom(primaryKey, item.table, transaction)
            do throws(StoreError) {
                // The item keeps its row: a tombstone with the same primary key is deleted.
                if case .tombstone(let mark) = displaced {
                    try transaction.delete(mark)
                }
                try transaction.replace(old, with: item)
            } catch { throw .store(error) }
        }
    }
}

extension ItemAttributes {
    /// Whether the item synchronizes.
    var isSynchronizing: Bool { self[.synchronizable] == .integer(1) }
}
