// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import ItemStore
import SecurityWire

extension WriteRequests {
    private static let stagedPageCount = 256

    /// Makes the staged rows part of the keychain: all at once for readers.
    func finishRestore(
        _ options: RestoreOptions, _ identity: WriteIdentity?, _ scope: borrowing ItemScope,
        _ transaction: StoreTransaction
    ) throws(DaemonError) -> WriteResult {
        var counts = RestoreCounts()
        var changes = ChangeList()
        var fresh: Set<[UInt8]> = []
        if options.replaces {
            try removeReplaced(scope, transaction, &counts, &changes)
        }
        var last: Int64 = 0
        while true {
            let rows: [StagedRow]
            do {
                rows = try transaction.stagedRows(
                    userID: scope.userID, after: last, limit: Self.stagedPageCount)
            } catch { throw .store(error) }
            for row in rows {
                last = row.number
                // An item that was moved while the archive was made can be in it twice.
                guard fresh.insert([row.item.table.archiveNumber] + row.item.uuid).inserted else {
                    try lose(row.item, transaction, &counts)
                    continue
                }
                try place(row.item, options, transaction, &counts, &changes)
            }
            guard rows.count == Self.stagedPageCount else { break }
        }
        do { try transaction.clearStaged(userID: scope.userID) } catch { throw .store(error) }
        if let identity { try record(identity, userID: scope.userID, uuid: [], transaction) }
        return WriteResult(reply: .backup(.restored(counts)), changes: changes)
    }

    /// Leaves a staged row out.
    private func lose(
        _ item: SealedItem, _ transaction: StoreTransaction, _ counts: inout RestoreCounts
    ) throws(DaemonError) {
        counts.lost += 1
        try shares.take(-item.usedByteCount, userID: item.userID, transaction)
    }

    private func place(
        _ staged: SealedItem, _ options: RestoreOptions, _ transaction: StoreTransaction,
        _ counts: inout RestoreCounts, _ changes: inout ChangeList
    ) throws(DaemonError) {
        let item = try withTags(staged, transaction)
        let present = try rowsInTheWay(of: item, transaction)
        // Another user's row has taken the reference since the item was staged.
        guard present.allSatisfy({ $0.userID == item.userID && $0.owner.isLogin }) else {
            return try lose(item, transaction, &counts)
        }
        var decision = RestoreDecision.add
        if !present.isEmpty {
            let source = ItemKeys.Source(transaction)
            guard case .attributes(let attributes) = try keys.open(item, source) else {
                throw .invalidRequest
            }
            decision = try RestoreConflicts(keys, source).decision(
                attributes, beside: present, options)
        }
        switch decision {
        case .keep:
            counts.kept += 1
            try shares.take(-item.usedByteCount, userID: item.userID, transaction)
        case .add, .replace:
            for row in present {
                do { try transaction.delete(row) } catch { throw .store(error) }
                try shares.take(-row.usedByteCount, userID: row.userID, transaction)
                if !row.isTombstone { changes.append(Self.deletion(of: row)) }
            }
            do { try transaction.insert(item) } catch { throw .store(error) }
            if decision == .add { counts.added += 1 } else { counts.replaced += 1 }
            guard !item.isTombstone else { return }
            changes.append(
                RowChange(
                    owner: item.owner, table: item.table, uuid: item.uuid,
                    generation: item.rowGeneration, groupBefore: nil,
                    groupAfter: item.index(.accessGroup), isOfBus: item.tagDigest != nil))
        }
    }

    /// The tags of an item of the Secret Service follow from its attributes; they aren't staged.
    private func withTags(
        _ staged: SealedItem, _ transaction: StoreTransaction
    ) throws(DaemonError) -> SealedItem {
        guard staged.tagDigest != nil else { return staged }
        let source = ItemKeys.Source(transaction)
        guard case .attributes(let attributes) = try keys.open(staged, source),
            let indexer = try keys.indexer(staged.owner, source)
        else { throw .invalidRequest }
        var item = staged
        item.newTags = attributes.secrets.map { indexer.tags($0) }
        return item
    }

    /// The rows with the same reference or the same primary key.
    private func rowsInTheWay(
        of item: SealedItem, _ transaction: StoreTransaction
    ) throws(DaemonError) -> [SealedItem] {
        guard let primaryKey = item.index(.primaryKey) else { throw .invalidRequest }
        do throws(StoreError) {
            let same = try transaction.row(item.table, uuid: item.uuid)
            let other = try transaction.row(item.table, primaryKey: primaryKey)
            guard let same else { return other.map { [$0] } ?? [] }
            guard let other, other.rowID != same.rowID else { return [same] }
            return [same, other]
        } catch { throw .store(error) }
    }

    // MARK: - Replacing everything

    /// Removes what a backup could have and what doesn't synchronize.
    private func removeReplaced(
        _ scope: borrowing ItemScope, _ transaction: StoreTransaction,
        _ counts: inout RestoreCounts, _ changes: inout ChangeList
    ) throws(DaemonError) {
        for table in ItemTable.allCases {
            var last: Int64 = 0
            while true {
                let rows: [SealedItem]
                do {
                    rows = try transaction.rows(
                        table, userID: scope.userID, keychain: KeychainNumber.login, after: last,
                        limit: Self.stagedPageCount)
                } catch { throw .store(error) }
                for row in rows {
                    last = row.rowID
                    try remove(row, transaction, &counts, &changes)
                }
                guard rows.count == Self.stagedPageCount else { break }
            }
        }
    }

    private func remove(
        _ found: SealedItem, _ transaction: StoreTransaction, _ counts: inout RestoreCounts,
        _ changes: inout ChangeList
    ) throws(DaemonError) {
        let row: SealedItem?
        do { row = try transaction.row(found.table, rowID: found.rowID) } catch {
            throw .store(error)
        }
        guard let row, try RestoreConflicts(keys, ItemKeys.Source(transaction)).goes(row) else {
            return
        }
        do { try transaction.delete(row) } catch { throw .store(error) }
        try shares.take(-row.usedByteCount, userID: row.userID, transaction)
        counts.removed += 1
        changes.append(Self.deletion(of: row))
    }
}
