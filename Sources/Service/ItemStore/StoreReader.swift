// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import FoundationEssentials
import GRDB

/// A connection that reads; each event thread has its own, so that reads never wait for the
/// writer's syncs.
package final class StoreReader {
    private let queue: DatabaseQueue
    let statements = StatementCache()

    init(path: String) throws(StoreError) { queue = try StoreConnection.open(path, .reader) }

    /// Calls `body` for each row of a plan, in the order of row numbers, until it returns false.
    /// All rows are of one snapshot.
    package func scan(
        _ plan: QueryPlan, after rowID: Int64, _ body: (SealedItem) -> Bool
    ) throws(StoreError) {
        try borrow { (database) throws(StoreError) in
            try RowScan.run(plan, after: rowID, database, statements, nil, body)
        }
    }

    /// The newest metadata key of a class, or one generation of it.
    package func metadataKey(
        userID: UInt32, keychain: UInt32 = KeychainNumber.login, keyClass: UInt8,
        generation: UInt32?
    ) throws(StoreError) -> StoredMetadataKey? {
        try borrow { (database) throws(StoreError) in
            try KeyRows.metadataKey(
                database, statements, userID, keychain, keyClass, generation)
        }
    }

    /// The newest blind-index key of a user.
    package func indexKey(userID: UInt32) throws(StoreError) -> StoredIndexKey? {
        try borrow { (database) throws(StoreError) in
            try KeyRows.indexKey(database, statements, userID)
        }
    }

    /// All blind-index keys of a user, the newest last.
    package func indexKeys(userID: UInt32) throws(StoreError) -> [StoredIndexKey] {
        try borrow { (database) throws(StoreError) in
            try KeyRows.indexKeys(database, statements, userID)
        }
    }

    /// Never `queue.read`: it sets a pragma that expires every cached statement.
    func borrow<R>(
        _ body: (Database) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        do { return try queue.unsafeReentrantRead { database in try body(database) } } catch {
            throw error as? StoreError ?? StoreError(error)
        }
    }
}

/// The statements of one connection, by their shape.
final class StatementCache {
    private var statements: [String: SQLStatement] = [:]
    private var queries: [QueryPlan.Shape: SQLStatement] = [:]
    /// A peer chooses combinations of attributes; ordinary programs use a dozen.
    private static let maximumCount = 256

    /// The statement of a plan.
    func statement(
        _ plan: QueryPlan, _ database: Database
    ) throws(StoreError) -> SQLStatement {
        let shape = plan.shape
        if let statement = queries[shape] { return statement }
        if queries.count >= Self.maximumCount { queries.removeAll() }
        let statement = try SQLStatement(database, plan.sql)
        queries[shape] = statement
        return statement
    }

    /// One of our own statements, by its name.
    func statement(
        _ key: String, _ database: Database, _ sql: () -> String
    ) throws(StoreError) -> SQLStatement {
        if let statement = statements[key] { return statement }
        if statements.count >= Self.maximumCount { statements.removeAll() }
        let statement = try SQLStatement(database, sql())
        statements[key] = statement
        return statement
    }
}

/// Running a plan's statement.
enum RowScan {
    static func run(
        _ plan: QueryPlan, after rowID: Int64, _ database: Database, _ statements: StatementCache,
        _ ledger: LedgerWriter?, _ body: (SealedItem) throws(StoreError) -> Bool
    ) throws(StoreError) {
        var leaves = LeafCursor(database, statements, ledger)
        let statement = try statements.statement(plan, database)
        statement.start()
        defer { statement.end() }
        plan.bind(to: statement, after: rowID)
        let comparesGroups = plan.comparesGroups
        var item = ItemRow.blank(plan.table)
        while try statement.step() {
            ItemRow.read(statement, into: &item)
            guard comparesGroups || plan.scope.contains(item.index(.accessGroup)) else {
                continue
            }
            item.isCurrent = try leaves.holds(item)
            guard try body(item) else { return }
        }
    }
}
