// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import GRDB

/// A row that the ledger knows and that isn't there.
package struct MissingRow: Hashable, Sendable {
    /// The table that it was in.
    package let table: ItemTable
    /// The number that it had.
    package let rowID: Int64
}

extension StoreReader {
    /// Looks for rows that the ledger knows and that are not there, a part of the ledger at a time.
    /// - Parameters:
    ///   - userID: Whose rows.
    ///   - position: Where to go on; nil at the beginning.
    ///   - limit: How many leaves, of 64 rows each, to look at.
    /// - Returns: The rows that are missing, and where to go on: nil at the end.
    /// - Throws: ``StoreError/damaged`` when the file can't be read there; others as they come.
    package func missingRows(
        userID: UInt32, after position: Int64?, limit: Int
    ) throws(StoreError) -> (rows: [MissingRow], position: Int64?) {
        try borrow { (database) throws(StoreError) in
            var missing: [MissingRow] = []
            var last: Int64?
            var count = 0
            // While the leaves are being read, everything is seen as at their moment.
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

/// Comparing leaves with the rows that they are about.
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
