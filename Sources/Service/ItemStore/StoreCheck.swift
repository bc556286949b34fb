// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import FoundationEssentials
import GRDB

/// A wrapped key as it is stored in the database, with its identifiers.
package struct StoredTableKey: Hashable, Sendable {
    /// The user whose key it is.
    package let userID: UInt32
    /// The keychain whose key it is.
    package let keychain: UInt32
    /// The protection class identifier; nil of an index key.
    package let keyClass: UInt8?
    /// Its number in its class.
    package let generation: UInt32
    /// Wrapped by the enclave.
    package let wrapped: [UInt8]

    /// Identifies a wrapped key.
    package init(
        userID: UInt32, keychain: UInt32 = KeychainNumber.login, keyClass: UInt8?,
        generation: UInt32, wrapped: [UInt8]
    ) {
        self.userID = userID
        self.keychain = keychain
        self.keyClass = keyClass
        self.generation = generation
        self.wrapped = wrapped
    }
}

extension StoreReader {
    /// The maximum number of lines that SQLite's check writes.
    private static let problemLimit = 20

    /// Checks the whole file, including its indexes. Takes as long as reading it.
    /// - Returns: SQLite's findings, a line each, without any stored value; empty when all is
    ///   intact.
    /// - Throws: ``StoreError`` when the check can't be carried out; damage is part of the result.
    package func integrityProblems() throws(StoreError) -> [String] {
        do throws(StoreError) {
            return try borrow { (database) throws(StoreError) in
                do {
                    let lines = try String.fetchAll(
                        database, sql: "PRAGMA integrity_check(\(Self.problemLimit))")
                    return lines == ["ok"] ? [] : lines
                } catch { throw StoreError(error) }
            }
        } catch {
            guard error == .damaged else { throw error }
            return ["database disk image is malformed"]
        }
    }

    /// The names of the indexes in these findings of ``integrityProblems()``: an index can be
    /// rebuilt from its table.
    package func indexes(namedIn problems: [String]) throws(StoreError) -> [String] {
        try borrow { (database) throws(StoreError) in
            do {
                let names = try String.fetchAll(
                    database, sql: "SELECT name FROM sqlite_master WHERE type = 'index'")
                return names.filter { name in
                    problems.contains { $0.hasSuffix(" index \(name)") }
                }.sorted()
            } catch { throw StoreError(error) }
        }
    }

    /// The next rows of a table, of all users, including tombstones.
    /// - Parameters:
    ///   - table: The table to read.
    ///   - rowID: The row after which to continue.
    ///   - limit: How many at most.
    /// - Returns: The rows with their secrets, in the order of their numbers.
    /// - Throws: ``StoreError/damaged`` when the file can't be read there; other errors unchanged.
    package func allRows(
        _ table: ItemTable, after rowID: Int64, limit: Int
    ) throws(StoreError) -> [SealedItem] {
        try borrow { (database) throws(StoreError) in
            try TableScan.rows(table, after: rowID, limit: limit, database, statements)
        }
    }

    /// Every wrapped metadata key of a user's login, the newest index key, and every key of other
    /// keychains.
    package func tableKeys(userID: UInt32) throws(StoreError) -> [StoredTableKey] {
        try borrow { (database) throws(StoreError) in
            try TableScan.metadataKeys(userID: userID, database, statements)
                + KeyRows.indexKeys(database, statements, userID).suffix(1).map {
                    StoredTableKey(
                        userID: userID, keyClass: nil, generation: $0.generation,
                        wrapped: $0.wrapped)
                } + KeychainKeyRows.all(userID: userID, database, statements)
        }
    }
}

extension StoreTransaction {
    /// Rebuilds an index from its table.
    /// - Throws: ``StoreError/constraint`` when two rows have the same value in a unique column.
    package func rebuild(index name: String) throws(StoreError) {
        do {
            try database.execute(sql: "REINDEX \(name.quotedDatabaseIdentifier)")
        } catch { throw StoreError(error) }
    }
}

extension StoreReader {
    /// All wrapped keys of all users, in the form for copies.
    func keysToCopy() throws(StoreError) -> [KeyCopy] {
        try borrow { (database) throws(StoreError) in
            do {
                let metadata = try Row.fetchAll(
                    database,
                    sql: "SELECT keyclass, userid, generation, x'', wrapped FROM metadatakeys")
                let index = try Row.fetchAll(
                    database,
                    sql: "SELECT NULL, userid, generation, keybaguuid, wrapped FROM indexkeys")
                let others = try Row.fetchAll(
                    database,
                    sql: """
                        SELECT nullif(keyclass, \(KeychainKeyRows.indexKeyClass)), userid, generation,
                            x'', wrapped, keychain
                        FROM keychainkeys
                        """)
                return (metadata + index + others).compactMap(KeyCopy.init(row:))
            } catch { throw StoreError(error) }
        }
    }
}

extension KeyCopy {
    /// From a row; nil if another program wrote it.
    fileprivate init?(row: Row) {
        guard let userID = Int64.fromDatabaseValue(row[1]).flatMap({ UInt32(exactly: $0) }),
            let generation = Int64.fromDatabaseValue(row[2]).flatMap({ UInt32(exactly: $0) }),
            let uuid = Data.fromDatabaseValue(row[3]), let wrapped = Data.fromDatabaseValue(row[4])
        else { return nil }
        let keyClass = Int64.fromDatabaseValue(row[0]).flatMap { UInt8(exactly: $0) }
        // Those of login have no such column.
        let column = row.count > 5 ? Int64.fromDatabaseValue(row[5]) : Int64(KeychainNumber.login)
        guard let keychain = column.flatMap({ UInt32(exactly: $0) }) else { return nil }
        self.init(
            keyClass: keyClass, userID: userID, keychain: keychain, generation: generation,
            keybagUUID: [UInt8](uuid), wrapped: [UInt8](wrapped))
    }
}

/// Reading whole tables.
enum TableScan {
    static func rows(
        _ table: ItemTable, after rowID: Int64, limit: Int, hasKeychains: Bool = true,
        hasTags: Bool = true, _ database: Database, _ statements: StatementCache
    ) throws(StoreError) -> [SealedItem] {
        let columns = ItemRow.columns(
            table, wantsSecret: true, hasKeychains: hasKeychains, hasTags: hasTags)
        let statement = try statements.statement("\(table.rawValue) scan", database) {
            """
            SELECT \(columns) FROM \(table.rawValue) NOT INDEXED \
            WHERE rowid > ? ORDER BY rowid LIMIT ?
            """
        }
        statement.start()
        defer { statement.end() }
        statement.bind(rowID)
        statement.bind(Int64(limit))
        var items: [SealedItem] = []
        var leaves = LeafCursor(database, statements)
        while try statement.step() {
            var item = ItemRow.read(statement, table)
            item.isCurrent = try leaves.holds(item)
            items.append(item)
        }
        return items
    }

    static func metadataKeys(
        userID: UInt32, _ database: Database, _ statements: StatementCache
    ) throws(StoreError) -> [StoredTableKey] {
        var keys: [StoredTableKey] = []
        let statement = try statements.statement("tablekeys scan", database) {
            """
            SELECT keyclass, generation, wrapped FROM metadatakeys WHERE userid = ? \
            ORDER BY keyclass, generation
            """
        }
        statement.start()
        defer { statement.end() }
        statement.bind(Int64(userID))
        while try statement.step() {
            keys.append(
                StoredTableKey(
                    userID: userID, keyClass: UInt8(exactly: statement.integer(0)) ?? 0,
                    generation: UInt32(exactly: statement.integer(1)) ?? 0,
                    wrapped: statement.bytes(2)))
        }
        return keys
    }
}
