// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import GRDB

/// Why a row is in the quarantine. Raw values are stored: only ever added.
package enum QuarantineReason: UInt8, Sendable {
    /// A number that this version doesn't know.
    case unknown = 0
    /// Its metadata can't be opened.
    case metadata = 1
    /// Its metadata can be opened, but its secret can't.
    case secret = 2
    /// The key of its metadata is missing, and another item has its name now.
    case keyMissing = 3
    /// It isn't the last committed row: an older state of it, or one that was never committed.
    case notCurrent = 4
}

/// A row in the quarantine.
package struct QuarantinedItem: Sendable {
    /// The row's number in the quarantine.
    package let number: Int64
    /// The row with all its columns, and its number in its table.
    package let item: SealedItem
    /// Why it was moved there.
    package let reason: QuarantineReason
}

extension StoreTransaction {
    /// The maximum number of rows in the quarantine.
    private static let quarantineCapacity = 1000

    /// Moves a row that can't be opened to the quarantine; the oldest rows there are deleted if it
    /// is full. `now` is in seconds since 1970.
    package func quarantine(
        _ item: SealedItem, _ reason: QuarantineReason, now: Int64
    ) throws(StoreError) {
        let insert = try statements.statement("quarantine insert", database) {
            """
            INSERT INTO quarantine (source, uuid, userid, keyclass, keygeneration, rowgeneration,
                tombstone, indexes, metadata, secret, quarantinedat, itemrowid, reason,
                keychain, tagdigest)
            VALUES ('\(item.table.rawValue)', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        }
        insert.start()
        insert.bind(item.uuid)
        insert.bind(Int64(item.userID))
        insert.bind(Int64(item.keyClass))
        insert.bind(Int64(item.keyGeneration))
        insert.bind(Int64(item.rowGeneration))
        insert.bind(item.isTombstone ? 1 : 0)
        insert.bind(IndexValue.bytes(item.indexes))
        insert.bind(item.metadata)
        insert.bind(item.secret)
        insert.bind(now)
        insert.bind(item.rowID)
        insert.bind(Int64(reason.rawValue))
        insert.bind(Int64(item.keychain))
        insert.bind(item.tagDigest)
        try insert.run()
        try delete(item)
        let trim = try statements.statement("quarantine trim", database) {
            """
            DELETE FROM quarantine WHERE userid = ? AND rowid <=
                (SELECT rowid FROM quarantine WHERE userid = ?
                ORDER BY rowid DESC LIMIT 1 OFFSET \(Self.quarantineCapacity))
            """
        }
        trim.start()
        trim.bind(Int64(item.userID))
        trim.bind(Int64(item.userID))
        try trim.run()
    }

    /// Removes a row from the quarantine.
    package func removeFromQuarantine(_ number: Int64) throws(StoreError) {
        let statement = try statements.statement("quarantine delete", database) {
            "DELETE FROM quarantine WHERE rowid = ?"
        }
        statement.start()
        statement.bind(number)
        try statement.run()
    }
}

extension StoreReader {
    /// The next rows of the quarantine, oldest first.
    /// - Parameters:
    ///   - number: The number after which to continue.
    ///   - limit: How many at most.
    /// - Returns: The rows; a row of an unknown table is left out.
    /// - Throws: ``StoreError`` when they can't be read.
    package func quarantined(
        after number: Int64, limit: Int
    ) throws(StoreError) -> [QuarantinedItem] {
        try borrow { (database) throws(StoreError) in
            let statement = try statements.statement("quarantine page", database) {
                """
                SELECT rowid, source, uuid, userid, keyclass, keygeneration, rowgeneration,
                    tombstone, indexes, metadata, secret, itemrowid, reason, keychain, tagdigest
                FROM quarantine WHERE rowid > ? ORDER BY rowid LIMIT ?
                """
            }
            statement.start()
            defer { statement.end() }
            statement.bind(number)
            statement.bind(Int64(limit))
            var rows: [QuarantinedItem] = []
            while try statement.step() {
                let source = String(decoding: statement.bytes(1), as: UTF8.self)
                guard let table = ItemTable(rawValue: source) else { continue }
                var item = SealedItem(
                    table: table, rowID: statement.integer(11), uuid: statement.bytes(2),
                    userID: UInt32(exactly: statement.integer(3)) ?? 0,
                    keychain: UInt32(exactly: statement.integer(13)) ?? .max,
                    keyClass: UInt8(exactly: statement.integer(4)) ?? 0,
                    keyGeneration: UInt32(exactly: statement.integer(5)) ?? 0,
                    rowGeneration: UInt32(exactly: statement.integer(6)) ?? 0,
                    isTombstone: statement.integer(7) != 0,
                    indexes: IndexValue.values(statement.bytes(8), of: table),
                    metadata: statement.data(9), secret: statement.bytes(10))
                item.tagDigest = statement.indexValue(14)
                let reason = UInt8(exactly: statement.integer(12))
                rows.append(
                    QuarantinedItem(
                        number: statement.integer(0), item: item,
                        reason: reason.flatMap { QuarantineReason(rawValue: $0) } ?? .unknown))
            }
            return rows
        }
    }

    /// The number of rows of a user in the quarantine.
    package func quarantineCount(userID: UInt32) throws(StoreError) -> Int64 {
        try borrow { (database) throws(StoreError) in
            let statement = try statements.statement("quarantine count", database) {
                "SELECT count(*) FROM quarantine WHERE userid = ?"
            }
            statement.start()
            defer { statement.end() }
            statement.bind(Int64(userID))
            return try statement.step() ? statement.integer(0) : 0
        }
    }
}
