// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import GRDB

/// A metadata key as it is stored in the database.
package struct StoredMetadataKey: Sendable {
    /// Its number in its class; the newest one seals.
    package let generation: UInt32
    /// Wrapped by the enclave.
    package let wrapped: [UInt8]
    /// How many seals have been reserved under it so far.
    package let sealsReserved: Int64
}

/// A blind-index key as it is stored in the database.
package struct StoredIndexKey: Equatable, Sendable {
    /// Its number for the user; the newest one is used.
    package let generation: UInt32
    /// Wrapped by the enclave.
    package let wrapped: [UInt8]
    /// Its keybag, 16 bytes.
    package let keybagUUID: [UInt8]
    /// How often everything of the user had been erased when it was made.
    package let erasures: UInt32

    /// Combines the parts.
    package init(generation: UInt32, wrapped: [UInt8], keybagUUID: [UInt8], erasures: UInt32) {
        self.generation = generation
        self.wrapped = wrapped
        self.keybagUUID = keybagUUID
        self.erasures = erasures
    }
}

/// Rows of the key tables.
enum KeyRows {
    /// The metadata keys of a keychain: where they are, and the condition for them. Those of login are in
    /// a table of their own, which version 1 had.
    private static func place(_ keychain: UInt32) -> (table: String, condition: String) {
        keychain == KeychainNumber.login
            ? ("metadatakeys", "userid = ?") : ("keychainkeys", "userid = ? AND keychain = ?")
    }

    static func metadataKey(
        _ database: Database, _ statements: StatementCache, _ userID: UInt32, _ keychain: UInt32,
        _ keyClass: UInt8, _ generation: UInt32?
    ) throws(StoreError) -> StoredMetadataKey? {
        let condition = generation == nil ? "ORDER BY generation DESC" : "AND generation = ?"
        let place = place(keychain)
        let statement = try statements.statement(
            "\(place.table) \(generation == nil)", database
        ) {
            """
            SELECT generation, wrapped, sealsreserved FROM \(place.table)
            WHERE \(place.condition) AND keyclass = ? \(condition) LIMIT 1
            """
        }
        statement.start()
        defer { statement.end() }
        statement.bind(Int64(userID))
        if keychain != KeychainNumber.login { statement.bind(Int64(keychain)) }
        statement.bind(Int64(keyClass))
        if let generation { statement.bind(Int64(generation)) }
        guard try statement.step() else { return nil }
        return StoredMetadataKey(
            generation: UInt32(exactly: statement.integer(0)) ?? 0, wrapped: statement.bytes(1),
            sealsReserved: statement.integer(2))
    }

    static func indexKey(
        _ database: Database, _ statements: StatementCache, _ userID: UInt32
    ) throws(StoreError) -> StoredIndexKey? {
        try indexKeys(database, statements, userID).last
    }

    /// All index keys of a user, the newest last.
    static func indexKeys(
        _ database: Database, _ statements: StatementCache, _ userID: UInt32
    ) throws(StoreError) -> [StoredIndexKey] {
        let statement = try statements.statement("indexkeys", database) {
            """
            SELECT generation, wrapped, keybaguuid, erasures FROM indexkeys
            WHERE userid = ? ORDER BY generation
            """
        }
        statement.start()
        defer { statement.end() }
        statement.bind(Int64(userID))
        var keys: [StoredIndexKey] = []
        while try statement.step() {
            keys.append(
                StoredIndexKey(
                    generation: UInt32(exactly: statement.integer(0)) ?? 0,
                    wrapped: statement.bytes(1), keybagUUID: statement.bytes(2),
                    erasures: UInt32(exactly: statement.integer(3)) ?? 0))
        }
        return keys
    }
}
