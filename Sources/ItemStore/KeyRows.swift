// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import GRDB

/// A metadata key as it lies in the database.
package struct StoredMetadataKey: Sendable {
    /// Which one of its class; the newest seals.
    package let generation: UInt32
    /// Wrapped by the enclave.
    package let wrapped: [UInt8]
    /// How many seals under it have been set aside so far.
    package let sealsReserved: Int64
}

/// Rows of the two key tables.
enum KeyRows {
    static func metadataKey(
        _ database: Database, _ statements: StatementCache, _ userID: UInt32, _ keyClass: UInt8,
        _ generation: UInt32?
    ) throws(StoreError) -> StoredMetadataKey? {
        let condition = generation == nil ? "ORDER BY generation DESC" : "AND generation = ?"
        let statement = try statements.statement("metadatakey \(generation == nil)", database) {
            """
            SELECT generation, wrapped, sealsreserved FROM metadatakeys
            WHERE userid = ? AND keyclass = ? \(condition) LIMIT 1
            """
        }
        statement.start()
        defer { statement.end() }
        statement.bind(Int64(userID))
        statement.bind(Int64(keyClass))
        if let generation { statement.bind(Int64(generation)) }
        guard try statement.step() else { return nil }
        return StoredMetadataKey(
            generation: UInt32(exactly: statement.integer(0)) ?? 0, wrapped: statement.bytes(1),
            sealsReserved: statement.integer(2))
    }

    static func indexKey(
        _ database: Database, _ statements: StatementCache, _ userID: UInt32
    ) throws(StoreError) -> [UInt8]? {
        let statement = try statements.statement("indexkey", database) {
            "SELECT wrapped FROM indexkeys WHERE userid = ?"
        }
        statement.start()
        defer { statement.end() }
        statement.bind(Int64(userID))
        return try statement.step() ? statement.bytes(0) : nil
    }
}
