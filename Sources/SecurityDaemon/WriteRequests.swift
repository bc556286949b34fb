// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import Foundation
import ItemStore
import SecretBytes
import SecurityWire

/// Carries out adds, updates and deletes inside a transaction, on the writer thread.
final class WriteRequests {
    private let keys: ItemKeys
    private let writeKeys: WriteKeys
    private let now: () -> Date
    private let randomUUID: () -> [UInt8]

    /// Rows that an update or delete holds in memory at a time.
    private static let chunkRowCount = 256
    /// How long the outcome of a write can be asked for.
    static let outcomeLifetimeSeconds: Int64 = 60

    init(
        keys: ItemKeys, writeKeys: WriteKeys, now: @escaping () -> Date,
        randomUUID: @escaping () -> [UInt8]
    ) {
        self.keys = keys
        self.writeKeys = writeKeys
        self.now = now
        self.randomUUID = randomUUID
    }

    private var seconds: Int64 { Int64(now().timeIntervalSince1970) }

    // MARK: - Add

    /// What an add needs before the transaction: keys, and the sealed row.
    struct PreparedItem {
        var item: SealedItem
        let attributes: ItemAttributes
        let encoded: Data
    }

    /// Seals a new item. A locked class is reported here, before a duplicate would be.
    func prepare(
        _ new: NewItem, request: borrowing AuthorizedRequest, _ source: ItemKeys.Source
    ) throws(DaemonError) -> PreparedItem {
        guard let table = ItemTable(new.itemClass) else { throw .unimplemented }
        let attributes = completed(new, group: request.defaultGroup)
        let accessibility = attributes.accessibility ?? .whenUnlocked
        guard let keyClass = ProtectionClass(rawValue: accessibility.rawValue) else {
            throw .invalidRequest
        }
        let indexer = try writeKeys.prepareIndexer(userID: request.userID)
        let generation = try writeKeys.takeSeal(userID: request.userID, keyClass: keyClass)
        var item = SealedItem(
            table: table, rowID: 0, uuid: randomUUID(), userID: request.userID,
            keyClass: keyClass.rawValue, keyGeneration: generation, rowGeneration: 1,
            isTombstone: false, indexes: indexer.values(table, attributes), metadata: Data(),
            secret: [])
        let encoded = try sealMetadata(attributes, into: &item, source)
        try sealSecret(new.secret, keyClass, into: &item)
        return PreparedItem(item: item, attributes: attributes, encoded: encoded)
    }

    /// Stores a prepared item.
    func add(
        _ new: NewItem, _ prepared: PreparedItem, _ identity: WriteIdentity,
        _ transaction: StoreTransaction
    ) throws(DaemonError) -> ServiceReply {
        do throws(StoreError) { try transaction.insert(prepared.item) } catch {
            guard error == .constraint else { throw .store(error) }
            try insert(prepared.item, over: transaction)
        }
        try record(identity, userID: prepared.item.userID, uuid: prepared.item.uuid, transaction)
        return .added(row(new, uuid: prepared.item.uuid, encoded: prepared.encoded))
    }

    /// The answer to an add that was carried out before, when its first answer was lost; `uuid` is
    /// that of the row that it made.
    func addedBefore(
        _ new: NewItem, uuid: [UInt8], request: borrowing AuthorizedRequest,
        _ transaction: StoreTransaction
    ) throws(DaemonError) -> ServiceReply {
        guard let table = ItemTable(new.itemClass), !new.returning.isEmpty else {
            return .added(nil)
        }
        let found: SealedItem?
        do { found = try transaction.row(table, uuid: uuid) } catch { throw .store(error) }
        var encoded: Data?
        if let found, found.userID == request.userID,
            case .attributes(_, let stored) = try keys.open(found, ItemKeys.Source(transaction))
        {
            encoded = stored
        }
        return .added(row(new, uuid: uuid, encoded: encoded))
    }

    /// A row with this primary key is there: a readable one stands in the way, a tombstone or a
    /// corrupt one makes room, a locked one can't be told.
    private func insert(
        _ item: SealedItem, over transaction: StoreTransaction
    ) throws(DaemonError) {
        guard let primaryKey = item.index(.primaryKey) else { throw .invalidRequest }
        try makeRoom(primaryKey, item.table, transaction)
        do throws(StoreError) { try transaction.insert(item) } catch { throw .store(error) }
    }

    private func makeRoom(
        _ primaryKey: IndexValue, _ table: ItemTable, _ transaction: StoreTransaction
    ) throws(DaemonError) {
        let existing: SealedItem?
        do { existing = try transaction.row(table, primaryKey: primaryKey) } catch {
            throw .store(error)
        }
        guard let existing else { throw .store(.constraint) }
        if !existing.isTombstone {
            switch try keys.open(existing, ItemKeys.Source(transaction)) {
            case .attributes, .newerFormat: throw .duplicate
            case .corrupt, .keyMissing: break
            }
        }
        do { try transaction.quarantine(existing, now: seconds) } catch { throw .store(error) }
    }

    private func row(_ new: NewItem, uuid: [UInt8], encoded: Data?) -> OutgoingRow? {
        guard !new.returning.isEmpty else { return nil }
        var row = OutgoingRow(itemClass: new.itemClass)
        if new.returning.contains(.attributes) { row.attributes = encoded }
        if new.returning.contains(.persistentReference) { row.uuid = uuid }
        if new.returning.contains(.data) { row.secret = new.secret }
        return row
    }

    /// The attributes of a new item with everything that a caller may leave out. Source:
    /// Apple's SecItem, as observed.
    private func completed(_ new: NewItem, group: String) -> ItemAttributes {
        var attributes = new.attributes
        let moment = now().timeIntervalSinceReferenceDate
        attributes[.accessGroup] = .text(group)
        attributes[.creationDate] = .date(moment)
        attributes[.modificationDate] = .date(moment)
        if attributes.accessibility == nil { attributes.accessibility = .whenUnlocked }
        if attributes[.synchronizable] != .integer(1) { attributes[.synchronizable] = .integer(0) }
        for attribute in [Attribute.account, .service] where attributes[attribute] == nil {
            attributes[attribute] = .text("")
        }
        for attribute in [Attribute.tombstone, .multiUser, .sha1] { attributes[attribute] = nil }
        attributes.hasSecret = new.secret != nil
        return attributes
    }

    // MARK: - Update

    /// Applies changes to every row that matches.
    func update(
        _ query: ItemQuery, _ changes: ItemChanges, _ identity: WriteIdentity,
        request: borrowing AuthorizedRequest, _ transaction: StoreTransaction
    ) throws(DaemonError) -> ServiceReply {
        var count = 0
        try forEachRow(query, request, transaction, wantsSecret: true) {
            (item, filter) throws(DaemonError) in
            switch try self.keys.open(item, ItemKeys.Source(transaction)) {
            case .newerFormat, .keyMissing: return
            case .corrupt:
                do throws(StoreError) { try transaction.quarantine(item, now: self.seconds) } catch
                {
                    throw .store(error)
                }
            case .attributes(let stored, _):
                guard filter.admits(stored) else { return }
                try self.rewrite(item, stored, changes, transaction)
                count += 1
            }
        }
        guard count > 0 else { throw .absent }
        try record(identity, userID: request.userID, uuid: [], transaction)
        return .updated
    }

    private func rewrite(
        _ old: SealedItem, _ stored: ItemAttributes, _ changes: ItemChanges,
        _ transaction: StoreTransaction
    ) throws(DaemonError) {
        var attributes = stored
        var changed = changes.attributes
        for attribute in [Attribute.modificationDate, .tombstone, .multiUser, .sha1] {
            changed[attribute] = nil
        }
        attributes.merge(changed)
        attributes[.modificationDate] = .date(laterThan(stored[.modificationDate]))
        if changes.secret != nil { attributes.hasSecret = true }
        guard let accessibility = attributes.accessibility,
            let keyClass = ProtectionClass(rawValue: accessibility.rawValue),
            let oldSecret = SealedSecret(old), old.rowGeneration < .max
        else { throw .invalidRequest }
        let source = ItemKeys.Source(transaction)
        guard let indexer = try keys.indexer(userID: old.userID, source) else { throw .absent }

        var item = old
        item.keyClass = keyClass.rawValue
        // A key is made, or seals of it set aside, outside the transaction: this write is then
        // undone, and tried again.
        guard let generation = writeKeys.takePreparedSeal(userID: old.userID, keyClass: keyClass)
        else { throw .keyNotPrepared(keyClass) }
        item.keyGeneration = generation
        item.rowGeneration += 1
        item.indexes = indexer.values(old.table, attributes)
        _ = try sealMetadata(attributes, into: &item, source)
        if let secret = changes.secret {
            try sealSecret(secret, keyClass, into: &item)
        } else {
            do {
                item.secret = try keys.enclave.rebind(
                    oldSecret, toClass: keyClass, context: AssociatedData.contextForSecret(item),
                    userID: item.userID)
            } catch { throw error == .undecodable ? .keyGone : DaemonError(error) }
        }
        try replace(old, with: item, transaction)
    }

    private func replace(
        _ old: SealedItem, with item: SealedItem, _ transaction: StoreTransaction
    ) throws(DaemonError) {
        do throws(StoreError) { try transaction.replace(old, with: item) } catch {
            guard error == .constraint, let primaryKey = item.index(.primaryKey) else {
                throw .store(error)
            }
            try makeRoom(primaryKey, item.table, transaction)
            do throws(StoreError) { try transaction.replace(old, with: item) } catch {
                throw .store(error)
            }
        }
    }

    /// Modification dates only go forward, even where the clock doesn't.
    private func laterThan(_ earlier: AttributeValue?) -> Double {
        let moment = now().timeIntervalSinceReferenceDate
        guard case .date(let date)? = earlier else { return moment }
        return max(moment, date + 0.001)
    }

    // MARK: - Delete

    /// Deletes every row that matches. Nothing is opened unless the query asks for something that
    /// only the metadata tells, so it works while locked.
    func delete(
        _ query: ItemQuery, _ identity: WriteIdentity, request: borrowing AuthorizedRequest,
        _ transaction: StoreTransaction
    ) throws(DaemonError) -> ServiceReply {
        var count = 0
        try forEachRow(query, request, transaction, wantsSecret: false) {
            (item, filter) throws(DaemonError) in
            if filter.needsMetadata {
                guard
                    case .attributes(let stored, _) = try self.keys.open(
                        item, ItemKeys.Source(transaction)), filter.admits(stored)
                else { return }
            }
            do throws(StoreError) { try transaction.delete(item.table, rowID: item.rowID) } catch {
                throw .store(error)
            }
            count += 1
        }
        guard count > 0 else { throw .absent }
        try record(identity, userID: request.userID, uuid: [], transaction)
        return .deleted
    }

    // MARK: - Shared steps

    private func forEachRow(
        _ query: ItemQuery, _ request: borrowing AuthorizedRequest,
        _ transaction: StoreTransaction, wantsSecret: Bool,
        _ body: (SealedItem, RowFilter) throws(DaemonError) -> Void
    ) throws(DaemonError) {
        let indexer = try keys.indexer(userID: request.userID, ItemKeys.Source(transaction))
        guard let indexer else { throw .absent }
        let planned = try plan(
            query, groups: request.readableGroups, heldGroups: request.heldGroups,
            userID: request.userID, indexer: indexer, wantsSecret: wantsSecret)
        var last: Int64 = 0
        while true {
            let rows: [SealedItem]
            do {
                rows = try transaction.rows(planned.plan, after: last, limit: Self.chunkRowCount)
            } catch { throw .store(error) }
            for row in rows where planned.filter.admits(row) { try body(row, planned.filter) }
            guard rows.count == Self.chunkRowCount, let final = rows.last else { return }
            last = final.rowID
        }
    }

    private func sealMetadata(
        _ attributes: ItemAttributes, into item: inout SealedItem, _ source: ItemKeys.Source
    ) throws(DaemonError) -> Data {
        let row = item
        var encoded = Data()
        item.metadata = try keys.seal(
            item,
            { (key) throws(DaemonError) in
                let sealed = try MetadataSealer.seal(attributes, for: row, under: key)
                encoded = sealed.encoded
                return sealed.bytes
            }, source)
        return encoded
    }

    private func sealSecret(
        _ secret: Secret?, _ keyClass: ProtectionClass, into item: inout SealedItem
    ) throws(DaemonError) {
        let bytes = secret ?? Secret(SecretBytes(byteCount: 0))
        do {
            item.secret = try keys.enclave.seal(
                class: keyClass, context: AssociatedData.contextForSecret(item),
                secret: bytes.bytes, userID: item.userID)
        } catch { throw DaemonError(error) }
    }

    private func record(
        _ identity: WriteIdentity, userID: UInt32, uuid: [UInt8], _ transaction: StoreTransaction
    ) throws(DaemonError) {
        do {
            try transaction.recordOutcome(
                requestID: identity.requestID, userID: userID, uuid: uuid, now: seconds)
        } catch { throw .store(error) }
    }
}
