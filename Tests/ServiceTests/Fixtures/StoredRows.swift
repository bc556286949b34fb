// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import GRDB
import TestSupport

/// The database of a service as another program sees it.
enum StoredRows {
    /// A metadata key as it is stored in the database.
    struct MetadataKey {
        let keyClass: UInt8
        let generation: UInt32
        let wrapped: [UInt8]
    }

    /// Every blob in the rows of generic passwords.
    static func blobs(_ stateDirectory: String) throws -> [Data] {
        try open(stateDirectory).read { database in
            try Row.fetchAll(database, sql: "SELECT * FROM genp").flatMap { row in
                row.databaseValues.compactMap { value in
                    guard case .blob(let data) = value.storage else { return nil }
                    return data
                }
            }
        }
    }

    /// The wrapped metadata keys.
    static func metadataKeys(_ stateDirectory: String) throws -> [MetadataKey] {
        try open(stateDirectory).read { database in
            try Row.fetchAll(
                database, sql: "SELECT keyclass, generation, wrapped FROM metadatakeys"
            ).map { row in
                MetadataKey(
                    keyClass: row["keyclass"], generation: row["generation"],
                    wrapped: [UInt8](row["wrapped"] as Data))
            }
        }
    }

    /// How many rows of a table are in a protection class, including tombstones.
    static func count(
        of keyClass: UInt8, in table: String = "genp", _ stateDirectory: String
    ) throws -> Int {
        try open(stateDirectory).read { database in
            try Int.fetchOne(
                database, sql: "SELECT count(*) FROM \(table) WHERE keyclass = ?",
                arguments: [keyClass]) ?? 0
        }
    }

    /// Checkpoints the write-ahead log into the database.
    static func checkpoint(_ stateDirectory: String) throws {
        try open(stateDirectory).inDatabase { database in
            _ = try database.checkpoint(.truncate)
        }
    }

    /// The offsets in the file of the pages with a table's rows, and the number of bytes of each.
    static func leafPages(
        of table: String, _ stateDirectory: String
    ) throws -> (offsets: [Int], byteCount: Int) {
        try open(stateDirectory).read { database in
            let offsets = try Int.fetchAll(
                database,
                sql: "SELECT pgoffset FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY 1",
                arguments: [table])
            let byteCount = try Int.fetchOne(database, sql: "PRAGMA page_size")
            return (offsets, byteCount ?? 0)
        }
    }

    /// Runs a statement.
    static func execute(_ sql: String, _ stateDirectory: String) throws {
        try open(stateDirectory).inDatabase { try $0.execute(sql: sql) }
    }

    private static func open(_ stateDirectory: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        // There is no power cut here, and syncing each change would take minutes.
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = OFF") }
        return try DatabaseQueue(path: path(stateDirectory), configuration: configuration)
    }

    /// The database file.
    static func path(_ stateDirectory: String) -> String { stateDirectory + "/keychain.db" }
}

// MARK: - Whole rows

/// The value of one column of one row.
enum StoredValue: Hashable {
    case null
    case integer(Int64)
    case blob([UInt8])
    case other(String)

    fileprivate init(_ value: DatabaseValue) {
        switch value.storage {
        case .null: self = .null
        case .int64(let number): self = .integer(number)
        case .blob(let data): self = .blob([UInt8](data))
        case .string(let text): self = .other(text)
        case .double(let number): self = .other("\(number)")
        }
    }

    /// The bytes of a blob; empty for anything else.
    var bytes: [UInt8] {
        guard case .blob(let bytes) = self else { return [] }
        return bytes
    }

    fileprivate var databaseValue: DatabaseValue {
        switch self {
        case .null: .null
        case .integer(let number): number.databaseValue
        case .blob(let bytes): Data(bytes).databaseValue
        case .other(let text): text.databaseValue
        }
    }
}

/// A row with all its columns.
typealias StoredRow = [String: StoredValue]

extension StoredRows {
    /// The tables of items.
    static let itemTables = ["genp", "inet", "cert", "keys"]

    /// A table's rows, in the order of their numbers or of the table's key.
    static func rows(_ table: String, _ stateDirectory: String) throws -> [StoredRow] {
        try open(stateDirectory).read { database in
            try Row.fetchAll(database, sql: "SELECT * FROM \(table) ORDER BY 1, 2").map { row in
                Dictionary(
                    uniqueKeysWithValues: row.map { ($0.0, StoredValue($0.1)) })
            }
        }
    }

    /// Stores a row and its tag in its leaf, so that the ledger doesn't detect it.
    static func putPastTheLedger(
        _ row: StoredRow, _ table: String, _ stateDirectory: String
    ) throws {
        try put(row, table, stateDirectory)
        guard case .integer(let user)? = row["userid"], case .integer(let number)? = row["rowid"],
            let place = itemTables.firstIndex(of: table),
            let tag = row["metadata"]?.bytes.suffix(16), tag.count == 16
        else { return }
        // As in STORAGE.md.
        let leaf = user << 32 | Int64(place) << 30 | number / 64
        try open(stateDirectory).inDatabase { database in
            let stored = try Data.fetchOne(
                database, sql: "SELECT tags FROM leaves WHERE number = ?", arguments: [leaf])
            var tags = [UInt8](stored ?? Data(count: 1024))
            let start = Int(number % 64) * 16
            tags.replaceSubrange(start..<start + 16, with: tag)
            try database.execute(
                sql: "INSERT OR REPLACE INTO leaves (number, tags) VALUES (?, ?)",
                arguments: [leaf, Data(tags)])
        }
    }

    /// The leaves of the ledger.
    static func leaves(_ stateDirectory: String) throws -> [StoredRow] {
        try rows("leaves", stateDirectory)
    }

    /// The contents of the tables of items and of their keys, for comparison.
    static func everything(_ stateDirectory: String) throws -> [String: [StoredRow]] {
        let tables = itemTables + ["metadatakeys", "indexkeys", "quarantine"]
        return try Dictionary(
            uniqueKeysWithValues: tables.map { ($0, try rows($0, stateDirectory)) })
    }

    /// Replaces the row with the same number, or inserts it.
    static func put(_ row: StoredRow, _ table: String, _ stateDirectory: String) throws {
        let names = row.keys.sorted()
        let marks = names.map { _ in "?" }.joined(separator: ", ")
        let values = names.map { row[$0]?.databaseValue ?? .null }
        try open(stateDirectory).inDatabase { database in
            try database.execute(
                sql: """
                    INSERT OR REPLACE INTO \(table) (\(names.joined(separator: ", "))) \
                    VALUES (\(marks))
                    """, arguments: StatementArguments(values))
        }
    }
}
