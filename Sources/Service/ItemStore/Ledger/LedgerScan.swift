// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import GRDB

/// A missing row: the ledger has it, but its table doesn't.
package struct MissingRow: Hashable, Sendable {
    /// Its table.
    package let table: ItemTable
    /// Its number.
    package let rowID: Int64
}

extension StoreReader {
    /// Looks for rows that are in the ledger but missing from their tables, a part of the ledger at
    /// a time.
    /// - Parameters:
    ///   - userID: The user whose rows.
    ///   - position: Where to continue; nil at the beginning.
    ///   - limit: How many leaves, of 64 rows each, to look at.
    /// - Returns: The missing rows, and where to continue: nil at the end.
    /// - Throws: ``StoreError/damaged`` when the file can't be read there; other errors unchanged.
    package func missingRows(
        userID: UInt32, after position: Int64?, limit: Int
    ) throws(StoreError) -> (rows: [MissingRow], position: Int64?) {
        try borrow { (database) throws(StoreError) in
            var missing: [MissingRow] = []
            var last: Int64?
            var count = 0
            // A read transaction, so that leaves and rows are of the same snapshot.
            try LedgerRebuild.leaves(
                userID: userID, after: position, limit: limit, database, statements
            ) { (number, leaf) throws(StoreError) in
                count += 1
                last = number.rawValue
                missing += try LedgerScan.missing(number, leaf, database, statements)
            }
            return (missing, count == limit ? last : nil)
        }
    }
}

/// Comparing leaves with their rows.
enum LedgerScan {
    static func missing(
        _ number: LeafNumber, _ leaf: Leaf, _ database: Database, _ statements: StatementCache
    ) throws(StoreError) -> [MissingRow] {
        guard let first = number.firstRow else { return [] }
        let statement = try statements.statement("\(first.table.rawValue) numbers", database) {
            """
            SELECT rowid FROM \(first.table.rawValue) NOT INDEXED \
            WHERE rowid BETWEEN ? AND ? AND userid = ?
            """
        }
        statement.start()
        defer { statement.end() }
        statement.bind(first.rowID)
        statement.bind(first.rowID + Int64(Leaf.rowCount) - 1)
        statement.bind(Int64(number.userID))
        var found: Set<Int64> = []
        while try statement.step() { found.insert(statement.integer(0)) }
        return (0..<Leaf.rowCount).filter(leaf.hasRow).map { first.rowID + Int64($0) }
            .filter { !found.contains($0) }.map { MissingRow(table: first.table, rowID: $0) }
    }
}
