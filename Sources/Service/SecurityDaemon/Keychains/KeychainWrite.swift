// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import Foundation
import ItemStore
import KeychainVocabulary
import SecurityWire

/// Changes what the database says of keychains. Its scope is the group of records.
struct KeychainWrite: WriteOperation {
    enum Work: Sendable {
        case step(KeychainStep)
        /// Replaces the search list and the default keychain.
        case preferences(KeychainPreferences)
    }

    let work: Work
    /// The groups whose items a deletion may take along; nil: those of all.
    var groups: Set<String>?

    var identity: WriteIdentity? { nil }

    func prepare(
        _ requests: WriteRequests, _ scope: borrowing ItemScope, _ source: ItemKeys.Source
    ) throws(DaemonError) -> WriteRequests.PreparedItem? {
        switch work {
        case .step(.begin(let record)):
            return try requests.prepare(.ofKeychain(record.attributes), scope, source)
        case .preferences(let preferences):
            return try requests.prepare(.ofKeychain(preferences.attributes), scope, source)
        case .step(.settle), .step(.remove): return nil
        }
    }

    func perform(
        _ requests: WriteRequests, _ prepared: WriteRequests.PreparedItem?,
        _ scope: borrowing ItemScope, _ transaction: StoreTransaction
    ) throws(DaemonError) -> WriteResult {
        switch work {
        case .preferences(let preferences):
            guard let prepared else { throw .invalidRequest }
            try requests.store(preferences, prepared, scope, transaction)
            return .ofKeychain
        case .step(.begin(let record)):
            guard let prepared else { throw .invalidRequest }
            try requests.begin(record, prepared, scope, transaction)
            return .ofKeychain
        case .step(.settle(let record, let state)):
            if state == .deleting, let groups {
                try requests.admitDeletion(of: record, with: groups, scope, transaction)
            }
            try requests.settle(record, state, scope, transaction)
            return .ofKeychain
        case .step(.remove(let record)):
            var result = WriteResult.ofKeychain
            result.changes = try requests.remove(record, scope, transaction)
            return result
        }
    }

    func repeated(
        _ requests: WriteRequests, uuid: [UInt8], _ scope: borrowing ItemScope,
        _ transaction: StoreTransaction
    ) throws(DaemonError) -> WriteResult {
        // A step without an identity isn't repeated.
        throw .invalidRequest
    }
}

extension WriteResult {
    /// Of a step that no client waits for.
    fileprivate static let ofKeychain = WriteResult(reply: .protectorNonce([]))
}

extension NewItem {
    fileprivate static func ofKeychain(_ attributes: ItemAttributes) -> NewItem {
        var item = NewItem(.genericPassword)
        item.attributes = attributes
        return item
    }
}

extension WriteRequests {
    /// The number of rows in memory while a keychain is deleted.
    private static let deletedRowCount = 256

    /// Stores a record. Of two creators of one path one gets it.
    fileprivate func begin(
        _ record: KeychainRecord, _ prepared: PreparedItem, _ scope: borrowing ItemScope,
        _ transaction: StoreTransaction
    ) throws(DaemonError) {
        let records = try records(scope, transaction)
        guard records.count < KeychainLimits.count else { throw .enclave(.tooManyKeychains) }
        let isTaken = records.contains {
            $0.record.number == record.number || $0.record.uuid == record.uuid
                || $0.record.path == record.path
        }
        guard !isTaken else { throw .enclave(.keychainExists) }
        let written = try insert(
            .ofKeychain(record.attributes), prepared, scope.program, transaction)
        try shares.take(written.item.usedByteCount, userID: written.item.userID, transaction)
    }

    /// Changes the state of a record.
    fileprivate func settle(
        _ record: KeychainRecord, _ state: KeychainRecord.State, _ scope: borrowing ItemScope,
        _ transaction: StoreTransaction
    ) throws(DaemonError) {
        let found = try found(record, scope, transaction)
        var next = found.record
        next.state = state
        var changes = ItemChanges()
        changes.attributes[.generic] = next.attributes[.generic]
        _ = try rewrite(
            found.item, found.stored, changes, tombstones: .never, ItemAccess(), scope.program,
            transaction)
    }

    /// Decides whether a keychain's items may all go.
    /// - Throws: ``DaemonError/groupNotHeld`` when there is one of another group.
    fileprivate func admitDeletion(
        of record: KeychainRecord, with groups: Set<String>, _ scope: borrowing ItemScope,
        _ transaction: StoreTransaction
    ) throws(DaemonError) {
        let owner = RowOwner(userID: scope.userID, keychain: record.number)
        let indexer: BlindIndexer?
        do throws(DaemonError) {
            indexer = try keys.indexer(owner, ItemKeys.Source(transaction))
        } catch {
            // Without the key nothing in it can be found any more.
            guard error == .keyGone else { throw error }
            return
        }
        guard let indexer else { return }
        for table in ItemTable.allCases {
            let held = Set(
                groups.map { indexer.value(table, .accessGroup, [UInt8]($0.utf8)) })
            var last: Int64 = 0
            while true {
                let rows: [SealedItem]
                do throws(StoreError) {
                    rows = try transaction.rows(
                        table, userID: owner.userID, keychain: owner.keychain, after: last,
                        limit: Self.deletedRowCount)
                } catch { throw .store(error) }
                for row in rows where !row.isTombstone {
                    try record.admitDeletion(of: row, holding: held)
                }
                guard let final = rows.last else { break }
                last = final.rowID
            }
        }
    }

    /// Deletes all of a keychain.
    /// - Returns: The deleted items, for watchers.
    fileprivate func remove(
        _ record: KeychainRecord, _ scope: borrowing ItemScope, _ transaction: StoreTransaction
    ) throws(DaemonError) -> ChangeList {
        let found = try found(record, scope, transaction)
        let owner = RowOwner(userID: scope.userID, keychain: record.number)
        var changes = ChangeList()
        do throws(StoreError) {
            for table in ItemTable.allCases {
                var last: Int64 = 0
                while true {
                    let rows = try transaction.rows(
                        table, userID: owner.userID, keychain: owner.keychain, after: last,
                        limit: Self.deletedRowCount)
                    for row in rows {
                        try transaction.delete(row)
                        if !row.isTombstone { changes.append(Self.deletion(of: row)) }
                    }
                    guard let final = rows.last else { break }
                    last = final.rowID
                }
            }
            try transaction.clearQuarantine(userID: owner.userID, keychain: owner.keychain)
            try transaction.deleteKeychainKeys(userID: owner.userID, keychain: owner.keychain)
            try transaction.delete(found.item)
        } catch { throw .store(error) }
        if let id = KeychainID(record.uuid) { try forget(id, scope, transaction) }
        return changes
    }

    // MARK: - Preferences

    /// Stores the search list and the default keychain, in place of those before.
    fileprivate func store(
        _ preferences: KeychainPreferences, _ prepared: PreparedItem,
        _ scope: borrowing ItemScope, _ transaction: StoreTransaction
    ) throws(DaemonError) {
        guard let found = try storedPreferences(scope, transaction) else {
            let written = try insert(
                .ofKeychain(preferences.attributes), prepared, scope.program, transaction)
            return try shares.take(
                written.item.usedByteCount, userID: written.item.userID, transaction)
        }
        try replace(found, with: preferences, scope, transaction)
    }

    /// Takes a keychain out of the search list.
    private func forget(
        _ id: KeychainID, _ scope: borrowing ItemScope, _ transaction: StoreTransaction
    ) throws(DaemonError) {
        guard let found = try storedPreferences(scope, transaction),
            let preferences = KeychainPreferences(found.stored)
        else { return }
        let next = preferences.without(id)
        if next != preferences { try replace(found, with: next, scope, transaction) }
    }

    private func replace(
        _ found: StoredItem, with preferences: KeychainPreferences,
        _ scope: borrowing ItemScope, _ transaction: StoreTransaction
    ) throws(DaemonError) {
        var changes = ItemChanges()
        changes.attributes[.generic] = preferences.attributes[.generic]
        _ = try rewrite(
            found.item, found.stored, changes, tombstones: .never, ItemAccess(), scope.program,
            transaction)
    }

    private func storedPreferences(
        _ scope: borrowing ItemScope, _ transaction: StoreTransaction
    ) throws(DaemonError) -> StoredItem? {
        try items(KeychainPreferences.name, scope, transaction).first
    }

    // MARK: - Reading

    private struct StoredRecord {
        let record: KeychainRecord
        let item: SealedItem
        let stored: ItemAttributes
    }

    private func found(
        _ record: KeychainRecord, _ scope: borrowing ItemScope, _ transaction: StoreTransaction
    ) throws(DaemonError) -> StoredRecord {
        let found = try records(scope, transaction).first {
            $0.record.uuid == record.uuid && $0.record.number == record.number
        }
        guard let found else { throw .enclave(.noSuchKeychain) }
        return found
    }

    /// All records that can be read.
    private func records(
        _ scope: borrowing ItemScope, _ transaction: StoreTransaction
    ) throws(DaemonError) -> [StoredRecord] {
        try items(KeychainRecord.common, scope, transaction).compactMap { found in
            KeychainRecord(found.stored).map {
                StoredRecord(record: $0, item: found.item, stored: found.stored)
            }
        }
    }

    private struct StoredItem {
        let item: SealedItem
        let stored: ItemAttributes
    }

    private func items(
        _ attributes: ItemAttributes, _ scope: borrowing ItemScope,
        _ transaction: StoreTransaction
    ) throws(DaemonError) -> [StoredItem] {
        var query = ItemQuery(.genericPassword)
        query.attributes = attributes
        query.synchronizable = .any
        query.limit = nil
        var items: [StoredItem] = []
        try forEachRow(query, scope, transaction, wantsSecret: true) {
            (item, filter) throws(DaemonError) in
            switch try self.keys.open(item, ItemKeys.Source(transaction)) {
            case .newerFormat, .keyMissing: return
            case .corrupt: self.noteCorrupt(item)
            case .attributes(let stored):
                if filter.admits(stored) { items.append(StoredItem(item: item, stored: stored)) }
            }
        }
        return items
    }
}
