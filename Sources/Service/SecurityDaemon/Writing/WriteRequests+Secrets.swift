// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import Foundation
import ItemStore
import SecretBytes
import SecurityWire

/// An add on a channel.
struct AddSecretWrite: WriteOperation {
    let new: NewSecret
    let write: WriteIdentity
    let reach: BusReach

    var identity: WriteIdentity? { write }

    var changesSecrets: Bool { !reach.isOfFront }

    func prepare(
        _ requests: WriteRequests, _ scope: borrowing ItemScope, _ source: ItemKeys.Source
    ) throws(DaemonError) -> WriteRequests.PreparedItem? {
        try requests.prepare(new, reach, scope, source)
    }

    func perform(
        _ requests: WriteRequests, _ prepared: WriteRequests.PreparedItem?,
        _ scope: borrowing ItemScope, _ transaction: StoreTransaction
    ) throws(DaemonError) -> WriteResult {
        guard let prepared else { throw .invalidRequest }
        return try requests.add(new, prepared, write, reach, scope, transaction)
    }

    func repeated(
        _ requests: WriteRequests, uuid: [UInt8], _ scope: borrowing ItemScope,
        _ transaction: StoreTransaction
    ) throws(DaemonError) -> WriteResult {
        WriteResult(reply: .secrets(.added(uuid, wasReplaced: false, nil)))
    }
}

/// An update on a channel.
struct UpdateSecretWrite: WriteOperation {
    let change: SecretChange
    let write: WriteIdentity
    let reach: BusReach

    var identity: WriteIdentity? { write }

    var changesSecrets: Bool { !reach.isOfFront }

    func perform(
        _ requests: WriteRequests, _ prepared: WriteRequests.PreparedItem?,
        _ scope: borrowing ItemScope, _ transaction: StoreTransaction
    ) throws(DaemonError) -> WriteResult {
        try requests.update(change, write, reach, scope, transaction)
    }

    func repeated(
        _ requests: WriteRequests, uuid: [UInt8], _ scope: borrowing ItemScope,
        _ transaction: StoreTransaction
    ) throws(DaemonError) -> WriteResult {
        WriteResult(reply: .secrets(.updated(nil)))
    }
}

/// A delete on a channel: of one item, or of a collection.
struct DeleteSecretWrite: WriteOperation {
    /// What is deleted.
    enum Target: Sendable {
        case item([UInt8])
        case collection(String)
    }

    let target: Target
    let write: WriteIdentity
    let reach: BusReach

    var identity: WriteIdentity? { write }

    var changesSecrets: Bool { !reach.isOfFront }

    func perform(
        _ requests: WriteRequests, _ prepared: WriteRequests.PreparedItem?,
        _ scope: borrowing ItemScope, _ transaction: StoreTransaction
    ) throws(DaemonError) -> WriteResult {
        switch target {
        case .item(let uuid):
            try requests.deleteSecret(uuid, write, reach, scope, transaction)
        case .collection(let name):
            try requests.deleteSecrets(inCollection: name, write, reach, scope, transaction)
        }
    }

    func repeated(
        _ requests: WriteRequests, uuid: [UInt8], _ scope: borrowing ItemScope,
        _ transaction: StoreTransaction
    ) throws(DaemonError) -> WriteResult {
        switch target {
        case .item: WriteResult(reply: .secrets(.deleted(count: 0)))
        case .collection: WriteResult(reply: .secrets(.deletedCollection(count: 0)))
        }
    }
}

/// Items of the Secret Service: generic passwords with an account of their own.
extension WriteRequests {
    private static let chunkCount = 64

    // MARK: - Adding

    /// Seals a new item.
    func prepare(
        _ new: NewSecret, _ reach: BusReach, _ scope: borrowing ItemScope,
        _ source: ItemKeys.Source
    ) throws(DaemonError) -> PreparedItem {
        let group = try reach.group(of: new)
        var item = NewItem(.genericPassword)
        item.attributes[.account] = .text(Self.text(randomUUID()))
        if !new.label.isEmpty { item.attributes[.label] = .text(new.label) }
        item.attributes.accessibility = new.accessibility
        item.attributes.secrets = new.fields
        item.secret = new.secret
        return try prepare(item, scope, source, group: group) { attributes in
            guard reach.isOfFront else { return }
            if new.created != 0 { attributes[.creationDate] = .date(new.created) }
            if new.modified != 0 { attributes[.modificationDate] = .date(new.modified) }
        }
    }

    private static func text(_ uuid: [UInt8]) -> String {
        uuid.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    /// Stores a prepared item, or changes the one with exactly these pairs.
    func add(
        _ new: NewSecret, _ prepared: PreparedItem, _ identity: WriteIdentity, _ reach: BusReach,
        _ scope: borrowing ItemScope, _ transaction: StoreTransaction
    ) throws(DaemonError) -> WriteResult {
        let written: Rewritten
        if new.replaces, !new.fields.pairs.isEmpty,
            let replaced = try replace(with: new, reach, scope, transaction)
        {
            written = replaced
        } else {
            do throws(StoreError) { try transaction.insert(prepared.item) } catch {
                throw .store(error)
            }
            written = Rewritten(item: prepared.item, encoded: prepared.encoded, groupBefore: nil)
            try shares.take(written.item.usedByteCount, userID: scope.userID, transaction)
        }
        try record(identity, userID: scope.userID, uuid: written.item.uuid, transaction)
        var result = WriteResult(
            reply: .secrets(
                .added(
                    written.item.uuid, wasReplaced: written.groupBefore != nil,
                    written.secretRow)))
        result.changes.append(written.change)
        return result
    }

    /// Changes the item with exactly these pairs: in the first group that has one, the oldest.
    /// - Returns: Nil when there is none.
    private func replace(
        with new: NewSecret, _ reach: BusReach, _ scope: borrowing ItemScope,
        _ transaction: StoreTransaction
    ) throws(DaemonError) -> Rewritten? {
        let source = ItemKeys.Source(transaction)
        guard let indexer = try keys.indexer(scope.owner, source) else { return nil }
        let tags = [
            indexer.tag(set: new.fields.pairs), indexer.tag(collection: new.fields.collection),
        ]
        let bus = BusScope(reach, indexer)
        var best: (item: SealedItem, stored: ItemAttributes, rank: Int)?
        try forEachRow(tags, scope.userID, transaction, wantsSecret: true) {
            (item) throws(DaemonError) in
            let rank = bus.rank(of: item)
            guard bus.place(of: item) == .held, rank < best?.rank ?? .max else { return }
            guard case .attributes(let stored) = try self.keys.open(item, source) else { return }
            guard bus.confirms(.held, group: stored.accessGroup),
                stored.secrets?.pairs == new.fields.pairs,
                stored.secrets?.collection.utf8.elementsEqual(new.fields.collection.utf8) == true,
                !reach.isOfFront || stored.accessGroup == new.group
            else { return }
            best = (item, stored, rank)
        }
        guard let best else { return nil }
        var changes = ItemChanges()
        changes.attributes[.label] = .text(new.label)
        changes.attributes.secrets = new.fields
        changes.secret = new.secret
        return try rewrite(
            best.item, best.stored, changes, tombstones: .never, ItemAccess(), scope.program,
            transaction)
    }

    // MARK: - Changing

    /// Changes one item.
    func update(
        _ change: SecretChange, _ identity: WriteIdentity, _ reach: BusReach,
        _ scope: borrowing ItemScope, _ transaction: StoreTransaction
    ) throws(DaemonError) -> WriteResult {
        let item = try held(change.reference, reach, scope, transaction)
        let stored = try opened(item, reach, transaction)
        guard var fields = stored.secrets else { throw .absent }
        if let pairs = change.pairs { fields.pairs = pairs }
        if let contentType = change.contentType { fields.contentType = contentType }
        if let collection = change.collection { fields.collection = collection }
        var changes = ItemChanges()
        if let label = change.label { changes.attributes[.label] = .text(label) }
        changes.attributes.secrets = fields
        changes.secret = change.secret
        let written = try rewrite(
            item, stored, changes, tombstones: .never, ItemAccess(), scope.program, transaction)
        try record(identity, userID: scope.userID, uuid: written.item.uuid, transaction)
        var result = WriteResult(reply: .secrets(.updated(written.secretRow)))
        result.changes.append(written.change)
        return result
    }

    // MARK: - Deleting

    /// Deletes one item.
    func deleteSecret(
        _ uuid: [UInt8], _ identity: WriteIdentity, _ reach: BusReach,
        _ scope: borrowing ItemScope, _ transaction: StoreTransaction
    ) throws(DaemonError) -> WriteResult {
        let item = try held(uuid, reach, scope, transaction)
        var noted = ChangeList()
        try delete(item, &noted, transaction)
        try record(identity, userID: scope.userID, uuid: [], transaction)
        return WriteResult(reply: .secrets(.deleted(count: 1)), changes: noted)
    }

    /// Deletes all items of a collection that the channel reaches.
    func deleteSecrets(
        inCollection name: String, _ identity: WriteIdentity, _ reach: BusReach,
        _ scope: borrowing ItemScope, _ transaction: StoreTransaction
    ) throws(DaemonError) -> WriteResult {
        var noted = ChangeList()
        var count: UInt32 = 0
        if let indexer = try keys.indexer(scope.owner, ItemKeys.Source(transaction)) {
            let bus = BusScope(reach, indexer)
            try forEachRow(
                [indexer.tag(collection: name)], scope.userID, transaction, wantsSecret: false
            ) { (item) throws(DaemonError) in
                guard bus.place(of: item) == .held else { return }
                try self.delete(item, &noted, transaction)
                count += 1
            }
        }
        try record(identity, userID: scope.userID, uuid: [], transaction)
        return WriteResult(reply: .secrets(.deletedCollection(count: count)), changes: noted)
    }

    /// A locked item isn't deleted: who can't see it can't tell which one it is.
    private func delete(
        _ item: SealedItem, _ noted: inout ChangeList, _ transaction: StoreTransaction
    ) throws(DaemonError) {
        _ = try keys.openStored(item, ItemKeys.Source(transaction))
        do throws(StoreError) { try transaction.delete(item) } catch { throw .store(error) }
        noted.append(Self.deletion(of: item))
    }

    // MARK: - Rows

    /// The row of a reference, if the channel reaches it.
    private func held(
        _ uuid: [UInt8], _ reach: BusReach, _ scope: borrowing ItemScope,
        _ transaction: StoreTransaction
    ) throws(DaemonError) -> SealedItem {
        let found: SealedItem?
        do throws(StoreError) {
            found = try transaction.row(.genericPasswords, uuid: uuid)
        } catch { throw .store(error) }
        guard let item = found, item.userID == scope.userID, item.owner.isLogin,
            !item.isTombstone,
            let indexer = try keys.indexer(scope.owner, ItemKeys.Source(transaction))
        else { throw .absent }
        switch BusScope(reach, indexer).place(of: item) {
        case .held: return item
        case .foreign: throw .foreignSecret
        case .outOfReach: throw .absent
        }
    }

    private func opened(
        _ item: SealedItem, _ reach: BusReach, _ transaction: StoreTransaction
    ) throws(DaemonError) -> ItemAttributes {
        switch try keys.open(item, ItemKeys.Source(transaction)) {
        case .attributes(let stored):
            guard let group = stored.accessGroup, reach.holds(group) else { throw .absent }
            return stored
        case .corrupt:
            noteCorrupt(item)
            throw .keyGone
        case .keyMissing, .newerFormat: throw .keyGone
        }
    }

    /// Calls `body` for each row that has all tags; it may remove the row.
    private func forEachRow(
        _ tags: [IndexValue], _ userID: UInt32, _ transaction: StoreTransaction,
        wantsSecret: Bool, _ body: (SealedItem) throws(DaemonError) -> Void
    ) throws(DaemonError) {
        guard let plan = TagPlan(userID: userID, tags: tags, wantsSecret: wantsSecret) else {
            throw .invalidRequest
        }
        var last: Int64 = 0
        while true {
            let rows: [SealedItem]
            do throws(StoreError) {
                rows = try transaction.rows(plan, after: last, limit: Self.chunkCount)
            } catch { throw .store(error) }
            for row in rows { try body(row) }
            guard rows.count == Self.chunkCount, let rowID = rows.last?.rowID else { return }
            last = rowID
        }
    }
}

extension WriteRequests.Rewritten {
    /// The row as a channel is told it.
    fileprivate var secretRow: SecretRow? {
        guard let stored = try? StoredAttributes(encoded), let fields = stored.secrets else {
            return nil
        }
        var row = SecretRow(item.uuid)
        row.attributes = SecretRow.Attributes(stored, fields)
        return row
    }
}
