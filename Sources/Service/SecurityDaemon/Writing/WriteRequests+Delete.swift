// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ItemStore
import KeychainVocabulary
import SecurityWire

/// A delete of all items that match.
struct DeleteWrite: WriteOperation {
    let query: ItemQuery
    let write: WriteIdentity

    var identity: WriteIdentity? { write }

    var lease: LeaseToken? { query.lease }

    func perform(
        _ requests: WriteRequests, _ prepared: WriteRequests.PreparedItem?,
        _ scope: borrowing ItemScope, _ transaction: StoreTransaction
    ) throws(DaemonError) -> WriteResult {
        try requests.delete(query, write, scope, transaction)
    }

    func repeated(
        _ requests: WriteRequests, uuid: [UInt8], _ scope: borrowing ItemScope,
        _ transaction: StoreTransaction
    ) throws(DaemonError) -> WriteResult {
        WriteResult(reply: .deleted(count: 0))
    }
}

extension WriteRequests {
    /// Deletes every row that matches. It opens a row only if the query needs its metadata, or a
    /// tombstone must be left: so it works while locked.
    func delete(
        _ query: ItemQuery, _ identity: WriteIdentity, _ scope: borrowing ItemScope,
        _ transaction: StoreTransaction
    ) throws(DaemonError) -> WriteResult {
        var noted = ChangeList()
        var count: UInt64 = 0
        try forEachRow(ofAll: query, scope, transaction, wantsSecret: false) {
            (item, filter) throws(DaemonError) in
            // By default a tombstone leaves nothing behind, whether it synchronizes or not. Source: Apple's
            // SecItem, as observed.
            let isSynchronizing =
                item.isTombstone ? false : try self.isSynchronizing(item, transaction)
            let leavesTombstone = query.tombstones.leavesTombstone(
                ofSynchronizing: isSynchronizing)
            var stored: ItemAttributes?
            if filter.needsMetadata || (leavesTombstone && !item.isTombstone) {
                if case .attributes(let attributes) = try self.keys.open(
                    item, ItemKeys.Source(transaction))
                {
                    stored = attributes
                }
                if filter.needsMetadata {
                    guard let stored, filter.admits(stored) else { return }
                }
            }
            try self.keys.demandAccess(to: item, for: .delete, query.access)
            count += 1
            // It is already the tombstone that would be left.
            if leavesTombstone, item.isTombstone { return }
            if leavesTombstone, let stored {
                let mark = try self.tombstone(of: item, stored, uuid: item.uuid, transaction)
                do throws(StoreError) { try transaction.replace(item, with: mark) } catch {
                    throw .store(error)
                }
            } else {
                do throws(StoreError) { try transaction.delete(item) } catch {
                    throw .store(error)
                }
            }
            if !item.isTombstone { noted.append(Self.deletion(of: item)) }
        }
        guard count > 0 else { throw query.generation == nil ? .absent : .generationChanged }
        try record(identity, userID: scope.userID, uuid: [], transaction)
        return WriteResult(reply: .deleted(count: count), changes: noted)
    }

    /// Whether a row's item synchronizes, according to its blind index.
    private func isSynchronizing(
        _ item: SealedItem, _ transaction: StoreTransaction
    ) throws(DaemonError) -> Bool {
        let source = ItemKeys.Source(transaction)
        guard let indexer = try keys.indexer(item.owner, source),
            let content = SynchronizableFilter.yes.storedContent
        else { return false }
        return item.index(.synchronizable)
            == indexer.value(item.table, .synchronizable, content)
    }

    /// The change that watchers receive for a deleted row.
    static func deletion(of item: SealedItem) -> RowChange {
        RowChange(
            owner: item.owner, table: item.table, uuid: item.uuid,
            generation: item.rowGeneration, groupBefore: item.index(.accessGroup),
            groupAfter: nil, isOfBus: item.tagDigest != nil)
    }
}
