// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import FoundationEssentials
import GRDB

/// The one connection that writes. Several requests share a commit.
package final class StoreWriter {
    private let queue: DatabaseQueue
    private let statements = StatementCache()
    private let ledger: LedgerWriter
    private var writesSinceCheckpoint = 0

    /// This many writes leave about 1 000 pages in the log.
    private static let writesPerCheckpoint = 256

    init(path: String, keeper: any RootKeeper) throws(StoreError) {
        queue = try StoreConnection.open(path, .writer)
        ledger = LedgerWriter(keeper: keeper)
    }

    /// Runs a batch of writes in one transaction and commits it durably.
    ///
    /// - Parameter body: Carries out the writes; if there are several, each inside
    ///   ``StoreTransaction/isolated(_:storeFailure:)``. An error that it throws rolls back the
    ///   whole batch.
    /// - Throws: The error of `body`; else why the transaction couldn't begin or be committed.
    package func commit(_ body: (StoreTransaction) throws(StoreError) -> Void) throws(StoreError) {
        do {
            try queue.inDatabase { database in
                let transaction = StoreTransaction(database, statements, ledger)
                try transaction.control("BEGIN IMMEDIATE")
                ledger.begin()
                do {
                    try body(transaction)
                    if !transaction.isUndone { try ledger.finish(transaction) }
                    try transaction.control(transaction.isUndone ? "ROLLBACK" : "COMMIT")
                    ledger.end(isCommitted: !transaction.isUndone)
                } catch {
                    ledger.end(isCommitted: false)
                    try? transaction.control("ROLLBACK")
                    throw error
                }
                writesSinceCheckpoint += 1
            }
        } catch { throw error as? StoreError ?? StoreError(error) }
    }

    /// Checkpoints the write-ahead log into the database when it is long enough; called when no
    /// client waits.
    package func checkpointIfDue() {
        guard writesSinceCheckpoint >= Self.writesPerCheckpoint else { return }
        writesSinceCheckpoint = 0
        // A busy reader only delays it: the next call retries.
        _ = try? queue.inDatabase { database in try database.checkpoint(.passive) }
    }

    /// Checkpoints the whole write-ahead log into the database and empties it; called when nothing
    /// has been written for a while, and at the end. A remaining log would make the next start
    /// slower, and keep the data of deleted items longer.
    /// - Throws: ``StoreError`` when the log can't be moved; not when a reader only delays it.
    package func checkpoint() throws(StoreError) {
        writesSinceCheckpoint = 0
        do {
            try queue.inDatabase { database in
                // The next write must not wait for a long reader.
                try StoreConnection.withoutWaiting(database) {
                    _ = try database.checkpoint(.truncate)
                }
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            return
        } catch { throw StoreError(error) }
    }
}

/// An open transaction: rows in, rows out.
package final class StoreTransaction {
    let database: Database
    let statements: StatementCache
    let ledger: LedgerWriter
    fileprivate private(set) var isUndone = false

    fileprivate init(
        _ database: Database, _ statements: StatementCache, _ ledger: LedgerWriter
    ) {
        self.database = database
        self.statements = statements
        self.ledger = ledger
    }

    /// Marks the whole transaction to be rolled back at its end.
    package func undo() { isUndone = true }

    fileprivate func control(_ sql: String) throws(StoreError) {
        let statement = try statements.statement(sql, database) { sql }
        statement.start()
        try statement.run()
    }

    /// Runs one request's writes: if `body` throws, they are rolled back and the others stay.
    /// - Parameters:
    ///   - body: Carries out the writes.
    ///   - storeFailure: Converts a failure of the savepoint itself to the caller's error.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`; the converted failure of the savepoint.
    package func isolated<R, E: Error>(
        _ body: () throws(E) -> R, storeFailure: (StoreError) -> E
    ) throws(E) -> R {
        func step(_ sql: String) throws(E) {
            do throws(StoreError) { try control(sql) } catch { throw storeFailure(error) }
        }
        func flush() throws(E) {
            do throws(StoreError) { try ledger.flush(self) } catch { throw storeFailure(error) }
        }
        try flush()
        try step("SAVEPOINT request")
        ledger.beginPart()
        let result: R
        do throws(E) {
            result = try body()
            try flush()
        } catch {
            ledger.undoPart()
            try step("ROLLBACK TO request")
            try step("RELEASE request")
            throw error
        }
        try step("RELEASE request")
        return result
    }

    // MARK: - Rows

    /// The next rows of a plan.
    /// - Parameters:
    ///   - plan: Which rows to read.
    ///   - rowID: The row after which to continue.
    ///   - limit: The maximum number; so that a request for every row doesn't need memory for all.
    /// - Returns: At most `limit` rows; fewer when there are no more.
    /// - Throws: ``StoreError`` when the rows can't be read.
    package func rows(
        _ plan: QueryPlan, after rowID: Int64, limit: Int
    ) throws(StoreError) -> [SealedItem] {
        var items: [SealedItem] = []
        try RowScan.run(plan, after: rowID, database, statements, ledger) { item in
            items.append(item)
            return items.count < limit
        }
        return items
    }

    /// The row with a primary key, tombstones included.
    package func row(
        _ table: ItemTable, primaryKey: IndexValue
    ) throws(StoreError) -> SealedItem? {
        try row(table, where: "pk") { $0.bind(primaryKey) }
    }

    /// The row with a number, tombstones included.
    package func row(_ table: ItemTable, rowID: Int64) throws(StoreError) -> SealedItem? {
        try row(table, where: "rowid") { $0.bind(rowID) }
    }

    /// The row with a UUID, tombstones included.
    package func row(_ table: ItemTable, uuid: [UInt8]) throws(StoreError) -> SealedItem? {
        try row(table, where: "uuid") { $0.bind(uuid) }
    }

    private func row(
        _ table: ItemTable, where column: String, _ bind: (SQLStatement) -> Void
    ) throws(StoreError) -> SealedItem? {
        let statement = try statements.statement("\(table.rawValue) by \(column)", database) {
            """
            SELECT \(ItemRow.columns(table, wantsSecret: true)) FROM \(table.rawValue) \
            WHERE \(column) = ?
            """
        }
        statement.start()
        defer { statement.end() }
        bind(statement)
        guard try statement.step() else { return nil }
        var item = ItemRow.read(statement, table)
        var leaves = LeafCursor(database, statements, ledger)
        item.isCurrent = try leaves.holds(item)
        return item
    }

    /// Inserts a row, under its number if it has one.
    /// - Throws: ``StoreError/constraint`` when its primary key, UUID or number is taken.
    package func insert(_ item: SealedItem) throws(StoreError) {
        let statement = try statements.statement("\(item.table.rawValue) insert", database) {
            ItemRow.insertSQL(item.table)
        }
        statement.start()
        ItemRow.bind(item, to: statement)
        try statement.run()
        var inserted = item
        if item.rowID == 0 { inserted.rowID = database.lastInsertedRowID }
        if let tags = item.newTags { try put(tags, of: inserted) }
        try ledger.set(item.tag, of: inserted, in: self)
    }

    /// Writes a row over an older state of the same row.
    /// - Throws: ``StoreError/constraint`` when its primary key is another row's.
    package func replace(_ old: SealedItem, with item: SealedItem) throws(StoreError) {
        let changed = item.table.indexColumns.filter { item.index($0) != old.index($0) }
        let name = changed.map(\.rawValue).joined(separator: " ")
        let statement = try statements.statement(
            "\(item.table.rawValue) replace \(name)", database
        ) { ItemRow.updateSQL(item.table, changed) }
        statement.start()
        ItemRow.bindChanges(item, changed, to: statement)
        try statement.run()
        if item.tagDigest != old.tagDigest || item.newTags != nil {
            try deleteTags(of: old)
            try put(item.newTags ?? [], of: item)
        }
        try ledger.set(item.tag, of: item, in: self)
    }

    /// Removes a row.
    package func delete(_ item: SealedItem) throws(StoreError) {
        let statement = try statements.statement("\(item.table.rawValue) delete", database) {
            "DELETE FROM \(item.table.rawValue) WHERE rowid = ?"
        }
        statement.start()
        statement.bind(item.rowID)
        try statement.run()
        try deleteTags(of: item)
        try ledger.set(nil, of: item, in: self)
    }

    /// The next rows of a user whose secrets and metadata are under keys of one class.
    /// - Parameters:
    ///   - table: The table to read.
    ///   - userID: The user whose rows.
    ///   - keyClass: The protection class identifier.
    ///   - rowID: The row after which to continue.
    ///   - limit: How many at most.
    /// - Returns: The rows, tombstones included, in the order of their numbers.
    /// - Throws: ``StoreError`` when the rows can't be read.
    package func rows(
        _ table: ItemTable, userID: UInt32, keyClass: UInt8, after rowID: Int64, limit: Int
    ) throws(StoreError) -> [SealedItem] {
        let statement = try statements.statement("\(table.rawValue) of class", database) {
            """
            SELECT \(ItemRow.columns(table, wantsSecret: false)) FROM \(table.rawValue) \
            WHERE rowid > ? AND userid = ? AND keyclass = ? ORDER BY rowid LIMIT ?
            """
        }
        statement.start()
        defer { statement.end() }
        statement.bind(rowID)
        statement.bind(Int64(userID))
        statement.bind(Int64(keyClass))
        statement.bind(Int64(limit))
        var items: [SealedItem] = []
        while try statement.step() {
            items.append(ItemRow.read(statement, table))
        }
        return items
    }

    // MARK: - Keys

    /// The newest metadata key of a class, or one generation of it.
    package func metadataKey(
        userID: UInt32, keychain: UInt32 = KeychainNumber.login, keyClass: UInt8,
        generation: UInt32?
    ) throws(StoreError) -> StoredMetadataKey? {
        try KeyRows.metadataKey(database, statements, userID, keychain, keyClass, generation)
    }

    /// Adds a metadata key.
    package func insertMetadataKey(
        userID: UInt32, keyClass: UInt8, generation: UInt32, wrapped: [UInt8], sealsReserved: Int64
    ) throws(StoreError) {
        let statement = try statements.statement("metadatakey insert", database) {
            """
            INSERT INTO metadatakeys (userid, keyclass, generation, wrapped, sealsreserved)
            VALUES (?, ?, ?, ?, ?)
            """
        }
        statement.start()
        statement.bind(Int64(userID))
        statement.bind(Int64(keyClass))
        statement.bind(Int64(generation))
        statement.bind(wrapped)
        statement.bind(sealsReserved)
        try statement.run()
    }

    /// Removes all metadata keys of a class.
    package func deleteMetadataKeys(userID: UInt32, keyClass: UInt8) throws(StoreError) {
        let statement = try statements.statement("metadatakeys delete", database) {
            "DELETE FROM metadatakeys WHERE userid = ? AND keyclass = ?"
        }
        statement.start()
        statement.bind(Int64(userID))
        statement.bind(Int64(keyClass))
        try statement.run()
    }

    /// Records that more seals under a key are reserved.
    package func reserveSeals(
        userID: UInt32, keyClass: UInt8, generation: UInt32, upTo count: Int64
    ) throws(StoreError) {
        let statement = try statements.statement("metadatakey reserve", database) {
            """
            UPDATE metadatakeys SET sealsreserved = ?
            WHERE userid = ? AND keyclass = ? AND generation = ?
            """
        }
        statement.start()
        statement.bind(count)
        statement.bind(Int64(userID))
        statement.bind(Int64(keyClass))
        statement.bind(Int64(generation))
        try statement.run()
    }

    /// The newest blind-index key of a user.
    package func indexKey(userID: UInt32) throws(StoreError) -> StoredIndexKey? {
        try KeyRows.indexKey(database, statements, userID)
    }

    /// Adds a blind-index key of a user, or replaces a damaged one by an intact copy.
    package func putIndexKey(_ key: StoredIndexKey, userID: UInt32) throws(StoreError) {
        let statement = try statements.statement("indexkey put", database) {
            """
            INSERT OR REPLACE INTO indexkeys (userid, generation, wrapped, keybaguuid, erasures)
            VALUES (?, ?, ?, ?, ?)
            """
        }
        statement.start()
        statement.bind(Int64(userID))
        statement.bind(Int64(key.generation))
        statement.bind(key.wrapped)
        statement.bind(key.keybagUUID)
        statement.bind(Int64(key.erasures))
        try statement.run()
    }

    /// Replaces a damaged or missing metadata key by an intact copy. It seals nothing any more,
    /// because the number of its seals is unknown.
    package func putBack(_ copy: KeyCopy) throws(StoreError) {
        guard copy.keychain == KeychainNumber.login else {
            return try KeychainKeyRows.put(
                copy.key, sealsReserved: Self.usedUp, replaces: true, database, statements)
        }
        guard let keyClass = copy.keyClass else {
            return try putIndexKey(
                StoredIndexKey(
                    generation: copy.generation, wrapped: copy.wrapped,
                    keybagUUID: copy.keybagUUID,
                    erasures: try indexKey(userID: copy.userID)?.erasures ?? 0),
                userID: copy.userID)
        }
        let statement = try statements.statement("metadatakey put", database) {
            """
            INSERT OR REPLACE INTO metadatakeys
                (userid, keyclass, generation, wrapped, sealsreserved)
            VALUES (?, ?, ?, ?, ?)
            """
        }
        statement.start()
        statement.bind(Int64(copy.userID))
        statement.bind(Int64(keyClass))
        statement.bind(Int64(copy.generation))
        statement.bind(copy.wrapped)
        statement.bind(Self.usedUp)
        try statement.run()
    }

    /// Rewrites the tables of metadata keys. A row with a damaged name is out of order, and SQLite
    /// doesn't find all rows after it.
    package func rewriteMetadataKeys() throws(StoreError) {
        let rest = "keyclass, generation, wrapped, sealsreserved"
        try rewrite("metadatakeys", "userid, \(rest)")
        try rewrite("keychainkeys", "userid, keychain, \(rest)")
    }

    private func rewrite(_ table: String, _ columns: String) throws(StoreError) {
        do {
            let rows = try Row.fetchAll(database, sql: "SELECT \(columns) FROM \(table)")
            try database.execute(sql: "DELETE FROM \(table)")
            for row in rows where row.databaseValues.allSatisfy({ !$0.isNull }) {
                let places = Array(repeating: "?", count: row.count).joined(separator: ", ")
                try database.execute(
                    sql: "INSERT OR REPLACE INTO \(table) (\(columns)) VALUES (\(places))",
                    arguments: StatementArguments(row.databaseValues))
            }
        } catch { throw StoreError(error) }
    }

    /// More seals than any key makes.
    private static let usedUp: Int64 = 1 << 40
}
