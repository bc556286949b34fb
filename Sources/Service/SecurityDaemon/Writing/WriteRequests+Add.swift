// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import Foundation
import ItemStore
import KeychainVocabulary
import SecretBytes
import SecurityWire

/// An add.
struct AddWrite: WriteOperation {
    let item: NewItem
    let write: WriteIdentity

    var identity: WriteIdentity? { write }

    var lease: LeaseToken? { item.lease }

    var stored: (secret: Secret?, attributes: ItemAttributes)? { (item.secret, item.attributes) }

    func prepare(
        _ requests: WriteRequests, _ scope: borrowing ItemScope, _ source: ItemKeys.Source
    ) throws(DaemonError) -> WriteRequests.PreparedItem? {
        try requests.prepare(item, scope, source)
    }

    func perform(
        _ requests: WriteRequests, _ prepared: WriteRequests.PreparedItem?,
        _ scope: borrowing ItemScope, _ transaction: StoreTransaction
    ) throws(DaemonError) -> WriteResult {
        guard let prepared else { throw .invalidRequest }
        return try requests.add(item, prepared, write, scope, transaction)
    }

    func repeated(
        _ requests: WriteRequests, uuid: [UInt8], _ scope: borrowing ItemScope,
        _ transaction: StoreTransaction
    ) throws(DaemonError) -> WriteResult {
        try requests.addedBefore(item, uuid: uuid, scope, transaction)
    }
}

extension WriteRequests {
    /// The preparation of an add before the transaction: keys, and the sealed row.
    struct PreparedItem {
        var item: SealedItem
        let encoded: Data
    }

    /// Seals a new item. A locked class is reported here, before a duplicate could be.
    func prepare(
        _ new: NewItem, _ scope: borrowing ItemScope, _ source: ItemKeys.Source,
        group: String? = nil, completing: (inout ItemAttributes) -> Void = { _ in }
    ) throws(DaemonError) -> PreparedItem {
        // An identity consists of a certificate and a key, which are added separately.
        guard let table = ItemTable(new.itemClass) else { throw .invalidRequest }
        let isTombstone = new.attributes[.tombstone] == .integer(1)
        guard !isTombstone || (new.replacement == nil && !new.replacesExisting) else {
            throw .invalidRequest
        }
        var attributes = completed(new, group: group ?? scope.defaultGroup)
        completing(&attributes)
        // enclaved uses such a key for the programs of its group alone.
        guard attributes.grants == nil || !attributes.isTiedToItsGroup else {
            throw .invalidRequest
        }
        if isTombstone { attributes = Self.tombstoneAttributes(of: attributes, table) }
        if !scope.owner.isLogin {
            // Its own password protects it, and it stays on this device.
            guard new.accessControl == nil, !attributes.isSynchronizing else {
                throw .invalidRequest
            }
            attributes.accessibility = .alwaysThisDeviceOnly
        }
        guard let accessibility = attributes.accessibility,
            let keyClass = ProtectionClass(rawValue: accessibility.rawValue)
        else { throw .invalidRequest }
        let indexer = try writeKeys.prepareIndexer(scope.owner)
        let generation = try writeKeys.takeSeal(scope.owner, keyClass: keyClass)
        var item = SealedItem(
            table: table, rowID: 0, uuid: randomUUID(), userID: scope.userID,
            keychain: scope.keychain, keyClass: keyClass.rawValue, keyGeneration: generation,
            rowGeneration: 1, isTombstone: isTombstone, indexes: [], metadata: Data(), secret: [])
        item.take(attributes, indexer)
        let encoded = try sealMetadata(attributes, into: &item, source)
        if let control = new.accessControl, !isTombstone {
            try attributes.checkGuarded()
            try sealGuarded(new.secret, control, new.access, keyClass, into: &item)
        } else {
            try sealSecret(isTombstone ? nil : new.secret, keyClass, into: &item)
        }
        // Everything may have been erased meanwhile. A row has keys of one keybag alone.
        guard keys.cache.indexer(item.owner)?.rootKeys === indexer.rootKeys else {
            throw .keyNotPrepared(keyClass)
        }
        return PreparedItem(item: item, encoded: encoded)
    }

    /// Stores a prepared item.
    func add(
        _ new: NewItem, _ prepared: PreparedItem, _ identity: WriteIdentity,
        _ scope: borrowing ItemScope, _ transaction: StoreTransaction
    ) throws(DaemonError) -> WriteResult {
        let written: Rewritten
        if let changed = try change(new, scope, transaction) {
            written = changed
        } else {
            written = try insert(new, prepared, scope.program, transaction)
        }
        let item = written.item
        if written.groupBefore == nil {
            try shares.take(item.usedByteCount, userID: item.userID, transaction)
        }
        try record(identity, userID: item.userID, uuid: item.uuid, transaction)
        var result = WriteResult(
            reply: .added(
                row(
                    new, uuid: item.uuid, generation: item.rowGeneration,
                    encoded: written.encoded)))
        if !item.isTombstone { result.changes.append(written.change) }
        return result
    }

    func insert(
        _ new: NewItem, _ prepared: PreparedItem, _ program: GrantedProgram,
        _ transaction: StoreTransaction
    ) throws(DaemonError) -> Rewritten {
        do throws(StoreError) {
            try transaction.insert(prepared.item)
            return Rewritten(item: prepared.item, encoded: prepared.encoded, groupBefore: nil)
        } catch {
            guard error == .constraint, let primaryKey = prepared.item.index(.primaryKey) else {
                throw .store(error)
            }
            if new.replacesExisting, let existing = try existing(new, prepared, transaction) {
                return try replace(existing, with: new, program, transaction)
            }
            let displaced = try makeRoom(primaryKey, prepared.item.table, transaction)
            return try place(prepared, displaced, transaction)
        }
    }

    /// Changes the existing item that matches: the oldest that can be opened.
    /// - Returns: Nil when there is none.
    private func change(
        _ new: NewItem, _ scope: borrowing ItemScope, _ transaction: StoreTransaction
    ) throws(DaemonError) -> Rewritten? {
        guard let replacement = new.replacement else { return nil }
        var query = ItemQuery(new.itemClass)
        query.attributes = replacement.filter
        query.synchronizable = replacement.filter[.synchronizable] == .integer(1) ? .yes : .no
        query.attributes[.synchronizable] = nil
        var changes = ItemChanges()
        changes.attributes = replacement.changes
        changes.secret = new.secret
        var written: Rewritten?
        try forEachRow(query, scope, transaction, wantsSecret: true) {
            (item, filter) throws(DaemonError) in
            guard written == nil else { return }
            switch try self.keys.open(item, ItemKeys.Source(transaction)) {
            case .newerFormat, .keyMissing: return
            case .corrupt: self.noteCorrupt(item)
            case .attributes(let stored):
                guard filter.admits(stored) else { return }
                do throws(DaemonError) {
                    written = try self.rewrite(
                        item, stored, changes, tombstones: .ofSynchronizable, new.access,
                        scope.program, transaction)
                } catch {
                    guard error == .keyGone else { throw error }
                    self.noteCorrupt(item)
                }
            }
        }
        return written
    }

    /// Stores a prepared item in the place of another row. It replaces a corrupt row under that
    /// row's number, since old references name rows by number.
    private func place(
        _ prepared: PreparedItem, _ displaced: Displaced, _ transaction: StoreTransaction
    ) throws(DaemonError) -> Rewritten {
        var item = prepared.item
        do throws(StoreError) {
            switch displaced {
            case .corrupt(let rowID): item.rowID = rowID
            case .tombstone(let mark): try transaction.delete(mark)
            }
            try transaction.insert(item)
        } catch { throw .store(error) }
        return Rewritten(item: item, encoded: prepared.encoded, groupBefore: nil)
    }

    /// The reply to an add that was carried out before, when its first reply was lost; `uuid` is
    /// that of the row that it made.
    func addedBefore(
        _ new: NewItem, uuid: [UInt8], _ scope: borrowing ItemScope,
        _ transaction: StoreTransaction
    ) throws(DaemonError) -> WriteResult {
        guard let table = ItemTable(new.itemClass), !new.returning.isEmpty else {
            return WriteResult(reply: .added(nil))
        }
        let found: SealedItem?
        do { found = try transaction.row(table, uuid: uuid) } catch { throw .store(error) }
        var encoded: Data?
        if let found, found.userID == scope.userID,
            case .attributes(let stored) = try keys.openStored(
                found, ItemKeys.Source(transaction))
        {
            encoded = stored.encoded
        }
        return WriteResult(
            reply: .added(
                row(new, uuid: uuid, generation: found?.rowGeneration ?? 0, encoded: encoded)))
    }

    /// The readable item with the primary key of a new one; it may lack a secret.
    private func existing(
        _ new: NewItem, _ prepared: PreparedItem, _ transaction: StoreTransaction
    ) throws(DaemonError) -> (item: SealedItem, attributes: ItemAttributes)? {
        guard let primaryKey = prepared.item.index(.primaryKey) else { throw .invalidRequest }
        let found: SealedItem?
        do { found = try transaction.row(prepared.item.table, primaryKey: primaryKey) } catch {
            throw .store(error)
        }
        guard let found, !found.isTombstone else { return nil }
        switch try keys.open(found, ItemKeys.Source(transaction)) {
        case .attributes(let attributes):
            if new.secret == nil, try hasLostSecret(found, attributes) { return nil }
            return (found, attributes)
        // Overwriting it could lose data that this version doesn't know.
        case .newerFormat: throw .duplicate
        case .corrupt, .keyMissing: return nil
        }
    }

    private func replace(
        _ existing: (item: SealedItem, attributes: ItemAttributes), with new: NewItem,
        _ program: GrantedProgram, _ transaction: StoreTransaction
    ) throws(DaemonError) -> Rewritten {
        var changes = ItemChanges()
        changes.attributes = new.attributes
        changes.attributes[.creationDate] = nil
        changes.attributes[.accessGroup] = nil
        changes.secret = new.secret
        changes.accessControl = new.accessControl.map { .replaced($0) } ?? .none
        return try rewrite(
            existing.item, existing.attributes, changes, tombstones: .never, new.access,
            program, transaction)
    }

    private func row(
        _ new: NewItem, uuid: [UInt8], generation: UInt32, encoded: Data?
    ) -> OutgoingRow? {
        guard !new.returning.isEmpty else { return nil }
        var row = OutgoingRow(itemClass: new.itemClass)
        if new.returning.contains(.attributes) { row.attributes = encoded }
        if new.returning.contains(.persistentReference) { row.uuid = uuid }
        if new.returning.contains(.usage) {
            row.uuid = uuid
            row.generation = generation
        }
        if new.returning.contains(.data) { row.secret = new.secret }
        return row
    }

    /// The attributes of a new item, with defaults for those that the caller omitted. Source:
    /// Apple's SecItem, as observed.
    func completed(_ new: NewItem, group: String) -> ItemAttributes {
        var attributes = new.attributes
        let moment = now().timeIntervalSinceReferenceDate
        attributes[.accessGroup] = .text(group)
        attributes[.creationDate] = .date(moment)
        attributes[.modificationDate] = .date(moment)
        if attributes.accessibility == nil {
            attributes.accessibility = defaultAccessibility(new, group: group)
        }
        if attributes[.synchronizable] != .integer(1) { attributes[.synchronizable] = .integer(0) }
        for (attribute, value) in Attribute.defaults(for: new.itemClass)
        where attributes[attribute] == nil {
            attributes[attribute] = value
        }
        for attribute in Self.unsettable { attributes[attribute] = nil }
        attributes.hasSecret = new.secret != nil
        if attributes.grants?.isEmpty ?? false { attributes.grants = nil }
        return attributes
    }

    private func defaultAccessibility(_ new: NewItem, group: String) -> Accessibility {
        // Items on a token don't lock with this device.
        if case .text(let token)? = new.attributes[.tokenID], !token.isEmpty { return .always }
        // The machine's rows are readable with nobody logged in.
        if ReservedGroup(rawValue: group) != nil { return .alwaysThisDeviceOnly }
        if group == "com.apple.apsd" { return .alwaysThisDeviceOnly }
        return new.itemClass == .certificate ? .always : .whenUnlocked
    }

    /// Attributes that no caller sets. An add uses the value of ``Attribute/tombstone`` only to
    /// make a tombstone.
    static let unsettable: [Attribute] = [.tombstone, .multiUser, .sha1]
}
