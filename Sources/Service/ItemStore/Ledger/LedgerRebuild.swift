// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import GRDB

/// The whole ledger: as it is stored, and as computed from the rows.
enum LedgerRebuild {
    /// Calls `body` with each leaf computed from the rows of a table.
    /// - Parameters:
    ///   - table: The table.
    ///   - userID: The user whose rows.
    ///   - database: The database.
    ///   - statements: Its statements.
    ///   - body: Receives the leaves, in order.
    /// - Throws: What `body` throws, and when the rows can't be read.
    static func tags(
        _ table: ItemTable, userID: UInt32, _ database: Database, _ statements: StatementCache,
        _ body: (LeafNumber, Leaf) throws(StoreError) -> Void
    ) throws(StoreError) {
        let statement = try statements.statement("\(table.rawValue) tags", database) {
            """
            SELECT rowid, substr(metadata, -\(Leaf.tagByteCount)) \
            FROM \(table.rawValue) NOT INDEXED WHERE userid = ? ORDER BY rowid
            """
        }
        statement.start()
        defer { statement.end() }
        statement.bind(Int64(userID))
        var open: (number: LeafNumber, leaf: Leaf)?
        while try statement.step() {
            let tag = statement.bytes(1)
            guard tag.count == Leaf.tagByteCount,
                let number = LeafNumber(table, userID: userID, rowID: statement.integer(0))
            else { continue }
            if let full = open, full.number != number { try body(full.number, full.leaf) }
            var leaf = open?.number == number ? open?.leaf ?? Leaf() : Leaf()
            leaf.set(tag, rowID: statement.integer(0))
            open = (number, leaf)
        }
        if let open { try body(open.number, open.leaf) }
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
