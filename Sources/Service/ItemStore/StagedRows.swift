// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import GRDB

/// A row of a restore that isn't part of the keychain yet.
package struct StagedRow: Sendable {
    /// Its number among the staged rows.
    package let number: Int64
    /// The row as it is to be inserted; it has no row number yet.
    package let item: SealedItem
}

extension StoreTransaction {
    /// Adds a row to those of a user's restore.
    package func stage(_ item: SealedItem) throws(StoreError) {
        let statement = try statements.statement("stage", database) {
            """
            INSERT INTO staged (userid, source, uuid, keyclass, keygeneration, rowgeneration,
                tombstone, indexes, tagdigest, metadata, secret)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        }
        statement.start()
        statement.bind(Int64(item.userID))
        statement.bind(text: item.table.rawValue)
        statement.bind(item.uuid)
        statement.bind(Int64(item.keyClass))
        statement.bind(Int64(item.keyGeneration))
        statement.bind(Int64(item.rowGeneration))
        statement.bind(item.isTombstone ? 1 : 0)
        statement.bind(IndexValue.bytes(item.indexes))
        statement.bind(item.tagDigest)
        statement.bind(item.metadata)
        statement.bind(item.secret)
        try statement.run()
    }

    /// The next staged rows of a user.
    package func stagedRows(
        userID: UInt32, after number: Int64, limit: Int
    ) throws(StoreError) -> [StagedRow] {
        let statement = try statements.statement("staged page", database) {
            """
            SELECT number, source, uuid, keyclass, keygeneration, rowgeneration, tombstone,
                indexes, metadata, secret, tagdigest
            FROM staged WHERE userid = ? AND number > ? ORDER BY number LIMIT ?
            """
        }
        statement.start()
        defer { statement.end() }
        statement.bind(Int64(userID))
        statement.bind(number)
        statement.bind(Int64(limit))
        var rows: [StagedRow] = []
        while try statement.step() {
            let source = String(decoding: statement.bytes(1), as: UTF8.self)
            guard let table = ItemTable(rawValue: source) else { throw .damaged }
            var item = SealedItem(
                table: table, rowID: 0, uuid: statement.bytes(2), userID: userID,
                keyClass: UInt8(exactly: statement.integer(3)) ?? 0,
                keyGeneration: UInt32(exactly: statement.integer(4)) ?? 0,
                rowGeneration: UInt32(exactly: statement.integer(5)) ?? 0,
                isTombstone: statement.integer(6) != 0,
                indexes: IndexValue.values(statement.bytes(7), of: table),
                metadata: statement.data(8), secret: statement.bytes(9))
            item.tagDigest = statement.indexValue(10)
            rows.append(StagedRow(number: statement.integer(0), item: item))
        }
        return rows
    }

    /// How many bytes the staged rows of a user have, counted as rows are.
    package func stagedByteCount(userID: UInt32) throws(StoreError) -> Int64 {
        let statement = try statements.statement("staged size", database) {
            """
            SELECT coalesce(sum(length(metadata) + length(secret) + 1024), 0)
            FROM staged WHERE userid = ?
            """
        }
        statement.start()
        defer { statement.end() }
        statement.bind(Int64(userID))
        return try statement.step() ? statement.integer(0) : 0
    }

    /// Removes the staged rows of a user; nil: of all users.
    package func clearStaged(userID: UInt32?) throws(StoreError) {
        let statement = try statements.statement("staged clear \(userID == nil)", database) {
            userID == nil ? "DELETE FROM staged" : "DELETE FROM staged WHERE userid = ?"
        }
        statement.start()
        if let userID { statement.bind(Int64(userID)) }
        try statement.run()
    }
}
