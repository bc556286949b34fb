// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import GRDB

/// The leaves that the open transaction changes, before they are written to the database.
///
/// Consecutive rows share a leaf, so this buffers changes and writes each leaf once: at the end of
/// each request, and when there are many.
final class LedgerWriter {
    private struct Change {
        let old: Leaf
        var new: Leaf
    }

    private let keeper: any RootKeeper
    private var changes: [LeafNumber: Change] = [:]

    /// The size limit of the buffer: 128 KiB.
    private static let changeLimit = 64

    init(keeper: any RootKeeper) { self.keeper = keeper }

    func begin() {
        changes = [:]
        keeper.begin()
    }

    /// The buffered leaves belong to an earlier transaction.
    func beginPart() { keeper.beginPart() }

    func undoPart() {
        changes = [:]
        keeper.undoPart()
    }

    func end(isCommitted: Bool) {
        changes = [:]
        keeper.end(isCommitted: isCommitted)
    }

    /// The leaf in the open transaction; nil when the transaction hasn't changed it.
    func changed(_ number: LeafNumber) -> Leaf? { changes[number]?.new }

    /// Sets a row's new tag; nil for a deleted row.
    func set(
        _ tag: [UInt8]?, of item: SealedItem, in transaction: StoreTransaction
    ) throws(StoreError) {
        guard let number = LeafNumber(item.table, userID: item.userID, rowID: item.rowID) else {
            // No committed row has such a number.
            guard tag == nil else { throw .rootNotKept }
            return
        }
        var change: Change
        if let known = changes[number] {
            change = known
        } else {
            if changes.count >= Self.changeLimit { try flush(transaction) }
            let leaf = try LeafRows.leaf(number, transaction.database, transaction.statements)
            change = Change(old: leaf ?? Leaf(), new: leaf ?? Leaf())
        }
        change.new.set(tag, rowID: item.rowID)
        changes[number] = change
    }

    /// Writes the changed leaves.
    func flush(_ transaction: StoreTransaction) throws(StoreError) {
        for (number, change) in changes where change.new != change.old {
            try keeper.replace(number, change.old, with: change.new, in: transaction)
            try LeafRows.store(
                change.new, number, transaction.database, transaction.statements)
        }
        changes = [:]
    }

    /// Writes the records that are committed with the rows.
    func finish(_ transaction: StoreTransaction) throws(StoreError) {
        try flush(transaction)
        for record in try keeper.records() {
            try LeafRows.store(record, transaction.database, transaction.statements)
        }
    }
}
