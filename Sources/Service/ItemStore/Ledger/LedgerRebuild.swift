// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import GRDB

/// The whole ledger: as it is stored, and as computed from the rows.
enum LedgerRebuild {
    /// Calls `body` with each leaf computed from the rows of a table.
    /// - Parameters:
    ///   - table: The table.
    ///   - userID: The user whose rows; nil for all users.
    ///   - database: The database.
    ///   - statements: Its statements.
    ///   - body: Receives the leaves; those of one user in order.
    /// - Throws: What `body` throws, and when the rows can't be read.
    static func tags(
        _ table: ItemTable, userID: UInt32?, _ database: Database, _ statements: StatementCache,
        _ body: (LeafNumber, Leaf) throws(StoreError) -> Void
    ) throws(StoreError) {
        let condition = userID == nil ? "" : "WHERE userid = ?"
        let statement = try statements.statement(
            "\(table.rawValue) tags \(userID == nil)", database
        ) {
            """
            SELECT rowid, userid, substr(metadata, -\(Leaf.tagByteCount))             FROM \(table.rawValue) NOT INDEXED \(condition) ORDER BY rowid
            """
        }
        statement.start()
        defer { statement.end() }
        if let userID { statement.bind(Int64(userID)) }
        // One leaf for each user: rows of many users are interleaved.
        var open: [UInt32: (number: LeafNumber, leaf: Leaf)] = [:]
        while try statement.step() {
            let tag = statement.bytes(2)
            guard let user = UInt32(exactly: statement.integer(1)),
                tag.count == Leaf.tagByteCount,
                let number = LeafNumber(table, userID: user, rowID: statement.integer(0))
            else { continue }
            if let full = open[user], full.number != number {
                try body(full.number, full.leaf)
                open[user] = nil
            }
            open[user, default: (number, Leaf())].leaf.set(tag, rowID: statement.integer(0))
        }
        for last in open.values { try body(last.number, last.leaf) }
    }

    /// Calls `body` with stored leaves of a user, in order: those after a position, at most a given
    /// number.
    static func leaves(
        userID: UInt32, after position: Int64? = nil, limit: Int? = nil, _ database: Database,
        _ statements: StatementCache, _ body: (LeafNumber, Leaf) throws(StoreError) -> Void
    ) throws(StoreError) {
        let statement = try statements.statement("leaves", database) {
            "SELECT number, tags FROM leaves WHERE number BETWEEN ? AND ? ORDER BY number LIMIT ?"
        }
        statement.start()
        defer { statement.end() }
        let range = LeafNumber.range(userID: userID)
        statement.bind(position.map { max($0 + 1, range.lowerBound) } ?? range.lowerBound)
        statement.bind(range.upperBound)
        statement.bind(Int64(limit ?? -1))
        while try statement.step() {
            try body(
                LeafNumber(rawValue: statement.integer(0)), Leaf(stored: statement.bytes(1)))
        }
    }
}

extension StoreTransaction {
    /// The root over a user's rows.
    package func root(userID: UInt32) throws(StoreError) -> RootRecord? {
        try LeafRows.root(userID: userID, database, statements)
    }

    /// Calls `body` with each stored leaf of a user.
    package func forEachLeaf(
        userID: UInt32, _ body: (LeafNumber, Leaf) throws(StoreError) -> Void
    ) throws(StoreError) {
        try LedgerRebuild.leaves(userID: userID, database, statements, body)
    }

    /// Calls `body` with each leaf of a user, computed from the rows.
    package func forEachLeafOfRows(
        userID: UInt32, _ body: (LeafNumber, Leaf) throws(StoreError) -> Void
    ) throws(StoreError) {
        for table in ItemTable.allCases {
            try LedgerRebuild.tags(table, userID: userID, database, statements, body)
        }
    }

    /// Replaces the ledger by the leaves of a user's rows. It doesn't update the root: the caller
    /// knows that it still matches, or makes a new one.
    package func rebuildLedger(userID: UInt32) throws(StoreError) {
        let clear = try statements.statement("leaves clear", database) {
            "DELETE FROM leaves WHERE number BETWEEN ? AND ?"
        }
        clear.start()
        let range = LeafNumber.range(userID: userID)
        clear.bind(range.lowerBound)
        clear.bind(range.upperBound)
        try clear.run()
        try forEachLeafOfRows(userID: userID) { (number, leaf) throws(StoreError) in
            try LeafRows.store(leaf, number, database, statements)
        }
    }

    /// Stores a root, whatever it was before.
    package func storeRoot(_ root: RootRecord) throws(StoreError) {
        try LeafRows.store(root, database, statements)
    }
}
