// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import FoundationEssentials
import GRDB

/// A damaged database in quarantine, read as far as SQLite can. Nothing writes to it.
package final class KeptFile {
    private let queue: DatabaseQueue
    private let statements = StatementCache()
    /// The highest row number that was ever assigned, by table; 0 if unknown.
    private var highest: [ItemTable: Int64] = [:]
    /// Whether its tables are those that the migrations made.
    private let hasItsSchema: Bool

    /// The suffix of a log that was kept without its database.
    static let logAloneSuffix = ".db-wal-only"

    /// Whether its rows say which keychain they are in: it is of version 2 or later.
    private let hasKeychains: Bool
    /// Whether its rows can have tags: it is of version 4 or later.
    private let hasTags: Bool

    /// After an unreadable place, this many row numbers are tried one by one before the steps grow.
    private static let closeSearch = 512

    /// Opens a kept file.
    /// - Throws: ``StoreError`` when SQLite can't read it at all.
    fileprivate init(_ path: String) throws(StoreError) {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(1)
        configuration.label = "llavero.kept"
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;")
        }
        do {
            queue = try DatabaseQueue(path: path, configuration: configuration)
            let program = try queue.inDatabase { database in
                try Int.fetchOne(database, sql: "PRAGMA application_id")
            }
            guard program == FirstSchema.applicationID else { throw StoreError.damaged }
            let hasItsSchema = try? queue.inDatabase { try Recognition.hasItsSchema($0) }
            self.hasItsSchema = hasItsSchema ?? false
            hasKeychains = Self.hasColumn("keychain", queue)
            hasTags = Self.hasColumn("tagdigest", queue)
        } catch { throw error as? StoreError ?? StoreError(error) }
    }

    /// Whether the file's version has a column; true where that can't be read.
    private static func hasColumn(_ name: String, _ queue: DatabaseQueue) -> Bool {
        let count = try? queue.inDatabase { database in
            try Int.fetchOne(
                database,
                sql: "SELECT count(*) FROM pragma_table_info('genp') WHERE name = ?",
                arguments: [name])
        }
        return count != 0
    }

    /// The readable part of a table.
    package struct Part {
        /// The rows, in the order of their numbers.
        package var rows: [SealedItem] = []
        /// Whether there may be more.
        package var isLast = false
        /// Whether something couldn't be read.
        package var hasGaps = false
    }

    /// The next rows of a table; unreadable rows are left out.
    /// - Parameters:
    ///   - table: The table.
    ///   - rowID: The row after which to continue.
    ///   - limit: How many at most.
    /// - Returns: The rows, and whether there may be more.
    package func rows(_ table: ItemTable, after rowID: Int64, limit: Int) -> Part {
        var part = Part()
        do throws(StoreError) {
            part.rows = try scan(table, after: rowID, limit: limit)
            part.isLast = part.rows.count < limit
            part.hasGaps = !hasItsSchema
            return part
        } catch {
            // The list of tables doesn't have it.
            if case .other(1) = error {
                part.isLast = true
                part.hasGaps = true
                return part
            }
        }
        part.hasGaps = true
        let last = highestNumber(table)
        var position = rowID
        var misses = 0
        while part.rows.count < limit {
            do throws(StoreError) {
                guard let row = try scan(table, after: position, limit: 1).first else {
                    part.isLast = true
                    return part
                }
                part.rows.append(row)
                position = row.rowID
                misses = 0
            } catch {
                misses += 1
                let step = misses <= Self.closeSearch ? 1 : Int64(1) << min(misses / 64, 40)
                guard position <= last - step else {
                    part.isLast = true
                    return part
                }
                position += step
            }
        }
        return part
    }

    /// The wrapped metadata keys of a user, as far as they can be read.
    package func tableKeys(userID: UInt32) -> [StoredTableKey] {
        let keys = try? queue.unsafeReentrantRead { database in
            try TableScan.metadataKeys(userID: userID, database, statements)
                + (hasKeychains ? KeychainKeyRows.all(userID: userID, database, statements) : [])
        }
        return keys ?? []
    }

    private func scan(
        _ table: ItemTable, after rowID: Int64, limit: Int
    ) throws(StoreError) -> [SealedItem] {
        do {
            return try queue.unsafeReentrantRead { database in
                try TableScan.rows(
                    table, after: rowID, limit: limit, hasKeychains: hasKeychains,
                    hasTags: hasTags, database, statements)
            }
        } catch { throw error as? StoreError ?? StoreError(error) }
    }

    private func highestNumber(_ table: ItemTable) -> Int64 {
        if let known = highest[table] { return known }
        let found = try? queue.unsafeReentrantRead { database in
            try Int64.fetchOne(
                database, sql: "SELECT seq FROM sqlite_sequence WHERE name = ?",
                arguments: [table.rawValue])
        }
        // Without the list the search ends after some thousand numbers.
        let number = found ?? Self.unlistedHighest
        highest[table] = number
        return number
    }

    private static let unlistedHighest: Int64 = 1 << 20
}

extension ItemStore {
    /// The names of kept damaged databases, and of kept damaged logs, the newest first.
    package func keptFiles() -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: stateDirectory)) ?? []
        return names.filter { name in
            name.hasPrefix(Self.keptPrefix)
                && (name.hasSuffix(".db") || name.hasSuffix(KeptFile.logAloneSuffix))
        }.sorted(by: >)
    }

    /// Opens a kept file by its name.
    /// - Throws: ``StoreError`` when SQLite can't read it at all.
    package func openKeptFile(_ name: String) throws(StoreError) -> KeptFile {
        try KeptFile(stateDirectory + "/" + name)
    }

    /// The prefix of a kept file's name.
    static let keptPrefix = "keychain-damaged-"
}

// The list of restored rows, so that no row is restored twice: an item that was deleted after its
// restoration stays deleted.
extension StoreTransaction {
    /// Records that a row was restored.
    package func noteRecovered(uuid: [UInt8]) throws(StoreError) {
        let statement = try statements.statement("recovered insert", database) {
            "INSERT OR IGNORE INTO recovered (uuid) VALUES (?)"
        }
        statement.start()
        statement.bind(uuid)
        try statement.run()
    }

    /// Whether a row was restored before, and hasn't been moved to the quarantine since.
    package func wasRecovered(uuid: [UInt8]) throws(StoreError) -> Bool {
        let statement = try statements.statement("recovered find", database) {
            """
            SELECT 1 FROM recovered WHERE uuid = ?1
            AND NOT EXISTS (SELECT 1 FROM quarantine WHERE uuid = ?1)
            """
        }
        statement.start()
        defer { statement.end() }
        statement.bind(uuid)
        return try statement.step()
    }
}
