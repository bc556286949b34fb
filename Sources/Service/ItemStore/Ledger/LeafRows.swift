// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import GRDB

/// Rows of the two tables of the ledger.
enum LeafRows {
    static func leaf(
        _ number: LeafNumber, _ database: Database, _ statements: StatementCache
    ) throws(StoreError) -> Leaf? {
        let statement = try statements.statement("leaf", database) {
            "SELECT tags FROM leaves WHERE number = ?"
        }
        statement.start()
        defer { statement.end() }
        statement.bind(number.rawValue)
        return try statement.step() ? Leaf(stored: statement.bytes(0)) : nil
    }

    /// A leaf without rows isn't stored.
    static func store(
        _ leaf: Leaf, _ number: LeafNumber, _ database: Database, _ statements: StatementCache
    ) throws(StoreError) {
        if leaf.isEmpty {
            let statement = try statements.statement("leaf delete", database) {
                "DELETE FROM leaves WHERE number = ?"
            }
            statement.start()
            statement.bind(number.rawValue)
            return try statement.run()
        }
        let statement = try statements.statement("leaf store", database) {
            "INSERT OR REPLACE INTO leaves (number, tags) VALUES (?, ?)"
        }
        statement.start()
        statement.bind(number.rawValue)
        statement.bind(leaf.bytes)
        try statement.run()
    }

    static func root(
        userID: UInt32, _ database: Database, _ statements: StatementCache
    ) throws(StoreError) -> RootRecord? {
        let statement = try statements.statement("root", database) {
            "SELECT number, keygeneration, sealed FROM roots WHERE userid = ?"
        }
        statement.start()
        defer { statement.end() }
        statement.bind(Int64(userID))
        guard try statement.step() else { return nil }
        return RootRecord(
            userID: userID, number: statement.integer(0),
            keyGeneration: UInt32(exactly: statement.integer(1)) ?? 0, sealed: statement.bytes(2))
    }

    static func store(
        _ root: RootRecord, _ database: Database, _ statements: StatementCache
    ) throws(StoreError) {
        let statement = try statements.statement("root store", database) {
            """
            INSERT OR REPLACE INTO roots (userid, number, keygeneration, sealed)
            VALUES (?, ?, ?, ?)
            """
        }
        statement.start()
        statement.bind(Int64(root.userID))
        statement.bind(root.number)
        statement.bind(Int64(root.keyGeneration))
        statement.bind(root.sealed)
        try statement.run()
    }
}

/// Looks rows up in their leaves while a statement reads them, in the same snapshot of the
/// database.
struct LeafCursor {
    private let database: Database
    private let statements: StatementCache
    /// The leaves of the open transaction, if there is one.
    private let writer: LedgerWriter?
    private var current: (number: LeafNumber, leaf: Leaf?)?

    init(_ database: Database, _ statements: StatementCache, _ writer: LedgerWriter? = nil) {
        self.database = database
        self.statements = statements
        self.writer = writer
    }

    /// Whether a row is the one that was committed.
    mutating func holds(_ item: SealedItem) throws(StoreError) -> Bool {
        guard let number = LeafNumber(item.table, userID: item.userID, rowID: item.rowID) else {
            return false
        }
        if let leaf = writer?.changed(number) {
            return leaf.holds(item.metadata, rowID: item.rowID)
        }
        if current?.number != number {
            current = (number, try LeafRows.leaf(number, database, statements))
        }
        return current?.leaf?.holds(item.metadata, rowID: item.rowID) ?? false
    }
}
