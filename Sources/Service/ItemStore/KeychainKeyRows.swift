// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import GRDB

/// The wrapped keys of other keychains than login: metadata keys, and under class 0 the index key. The
/// enclave ties them to a key of the keychain, so they open as long as that key exists.
enum KeychainKeyRows {
    /// The class under which an index key is stored. No protection class has this number.
    static let indexKeyClass: UInt8 = 0

    /// Every key of all of a user's keychains but login.
    static func all(
        userID: UInt32, _ database: Database, _ statements: StatementCache
    ) throws(StoreError) -> [StoredTableKey] {
        let statement = try statements.statement("keychainkeys scan", database) {
            """
            SELECT keychain, keyclass, generation, wrapped FROM keychainkeys WHERE userid = ? \
            ORDER BY keychain, keyclass, generation
            """
        }
        statement.start()
        defer { statement.end() }
        statement.bind(Int64(userID))
        var keys: [StoredTableKey] = []
        while try statement.step() {
            let keyClass = UInt8(exactly: statement.integer(1)) ?? .max
            keys.append(
                StoredTableKey(
                    userID: userID, keychain: UInt32(exactly: statement.integer(0)) ?? .max,
                    keyClass: keyClass == indexKeyClass ? nil : keyClass,
                    generation: UInt32(exactly: statement.integer(2)) ?? 0,
                    wrapped: statement.bytes(3)))
        }
        return keys
    }

    /// The index keys of a keychain, the newest last.
    static func indexKeys(
        _ database: Database, _ statements: StatementCache, _ userID: UInt32, _ keychain: UInt32
    ) throws(StoreError) -> [StoredIndexKey] {
        let statement = try statements.statement("keychainkeys index", database) {
            """
            SELECT generation, wrapped FROM keychainkeys
            WHERE userid = ? AND keychain = ? AND keyclass = \(indexKeyClass) ORDER BY generation
            """
        }
        statement.start()
        defer { statement.end() }
        statement.bind(Int64(userID))
        statement.bind(Int64(keychain))
        var keys: [StoredIndexKey] = []
        while try statement.step() {
            // Neither keybag nor erasures: the enclave says whether the keychain has a key.
            keys.append(
                StoredIndexKey(
                    generation: UInt32(exactly: statement.integer(0)) ?? 0,
                    wrapped: statement.bytes(1), keybagUUID: [], erasures: 0))
        }
        return keys
    }

    /// Stores a key, or replaces a damaged one by an intact copy.
    static func put(
        _ key: StoredTableKey, sealsReserved: Int64, replaces: Bool, _ database: Database,
        _ statements: StatementCache
    ) throws(StoreError) {
        let verb = replaces ? "INSERT OR REPLACE" : "INSERT"
        let statement = try statements.statement("keychainkeys \(verb)", database) {
            """
            \(verb) INTO keychainkeys
                (userid, keychain, keyclass, generation, wrapped, sealsreserved)
            VALUES (?, ?, ?, ?, ?, ?)
            """
        }
        statement.start()
        statement.bind(Int64(key.userID))
        statement.bind(Int64(key.keychain))
        statement.bind(Int64(key.keyClass ?? indexKeyClass))
        statement.bind(Int64(key.generation))
        statement.bind(key.wrapped)
        statement.bind(sealsReserved)
        try statement.run()
    }
}

extension StoreReader {
    /// The newest blind-index key of a keychain; that of login is the user's.
    package func indexKey(userID: UInt32, keychain: UInt32) throws(StoreError) -> StoredIndexKey? {
        guard keychain != KeychainNumber.login else { return try indexKey(userID: userID) }
        return try borrow { (database) throws(StoreError) in
            try KeychainKeyRows.indexKeys(database, statements, userID, keychain).last
        }
    }
}

extension StoreTransaction {
    /// The newest blind-index key of a keychain; that of login is the user's.
    package func indexKey(userID: UInt32, keychain: UInt32) throws(StoreError) -> StoredIndexKey? {
        guard keychain != KeychainNumber.login else { return try indexKey(userID: userID) }
        return try KeychainKeyRows.indexKeys(database, statements, userID, keychain).last
    }

    /// Adds a key of a keychain other than login.
    /// - Parameters:
    ///   - key: The key; one of its name must not exist yet.
    ///   - sealsReserved: How many seals of it are reserved; 0 for an index key.
    /// - Throws: ``StoreError/constraint`` when there is a key of this name.
    package func insertKeychainKey(
        _ key: StoredTableKey, sealsReserved: Int64
    ) throws(StoreError) {
        precondition(key.keychain != KeychainNumber.login, "login has tables of its own")
        try KeychainKeyRows.put(
            key, sealsReserved: sealsReserved, replaces: false, database, statements)
    }

    /// Records that more seals under a metadata key of a keychain other than login are reserved.
    package func reserveSeals(
        userID: UInt32, keychain: UInt32, keyClass: UInt8, generation: UInt32, upTo count: Int64
    ) throws(StoreError) {
        let statement = try statements.statement("keychainkeys reserve", database) {
            """
            UPDATE keychainkeys SET sealsreserved = ?
            WHERE userid = ? AND keychain = ? AND keyclass = ? AND generation = ?
            """
        }
        statement.start()
        statement.bind(count)
        statement.bind(Int64(userID))
        statement.bind(Int64(keychain))
        statement.bind(Int64(keyClass))
        statement.bind(Int64(generation))
        try statement.run()
    }

    /// Removes every wrapped key of a keychain. The keychain is never login.
    package func deleteKeychainKeys(userID: UInt32, keychain: UInt32) throws(StoreError) {
        precondition(keychain != KeychainNumber.login, "login is never deleted")
        let statement = try statements.statement("keychainkeys delete", database) {
            "DELETE FROM keychainkeys WHERE userid = ? AND keychain = ?"
        }
        statement.start()
        statement.bind(Int64(userID))
        statement.bind(Int64(keychain))
        try statement.run()
    }

    /// Removes the wrapped keys of all keychains of a user but login.
    package func deleteKeychainKeys(userID: UInt32) throws(StoreError) {
        let statement = try statements.statement("keychainkeys of user", database) {
            "DELETE FROM keychainkeys WHERE userid = ?"
        }
        statement.start()
        statement.bind(Int64(userID))
        try statement.run()
    }

    /// The next rows of a keychain, tombstones included, without their secrets.
    /// - Parameters:
    ///   - table: The table to read.
    ///   - userID: The user whose keychain.
    ///   - keychain: The keychain.
    ///   - rowID: The row after which to continue.
    ///   - limit: How many at most.
    /// - Returns: The rows, in the order of their numbers.
    /// - Throws: ``StoreError`` when the rows can't be read.
    package func rows(
        _ table: ItemTable, userID: UInt32, keychain: UInt32, after rowID: Int64, limit: Int
    ) throws(StoreError) -> [SealedItem] {
        let statement = try statements.statement("\(table.rawValue) of keychain", database) {
            """
            SELECT \(ItemRow.columns(table, wantsSecret: false)) FROM \(table.rawValue) NOT INDEXED \
            WHERE rowid > ? AND userid = ? AND keychain = ? ORDER BY rowid LIMIT ?
            """
        }
        statement.start()
        defer { statement.end() }
        statement.bind(rowID)
        statement.bind(Int64(userID))
        statement.bind(Int64(keychain))
        statement.bind(Int64(limit))
        var items: [SealedItem] = []
        while try statement.step() { items.append(ItemRow.read(statement, table)) }
        return items
    }

    /// Removes a keychain's rows from the quarantine.
    package func clearQuarantine(userID: UInt32, keychain: UInt32) throws(StoreError) {
        precondition(keychain != KeychainNumber.login, "login is never deleted")
        let statement = try statements.statement("quarantine of keychain", database) {
            "DELETE FROM quarantine WHERE userid = ? AND keychain = ?"
        }
        statement.start()
        statement.bind(Int64(userID))
        statement.bind(Int64(keychain))
        try statement.run()
    }
}
