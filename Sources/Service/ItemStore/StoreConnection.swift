// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import FoundationEssentials
import GRDB
import GRDBSQLite

/// One SQLite connection with the settings that the store relies on.
enum StoreConnection {
    /// The purpose of a connection.
    enum Role {
        case writer
        case reader
    }

    /// How long a connection waits for another one's lock.
    static let busySeconds = 5

    /// Size of the cache in KiB: just enough for a point read and its index paths.
    private static let cacheKibibytes = 4096

    /// The settings that each connection must report after opening.
    private static let expected = [
        ("synchronous", "2"), ("journal_mode", "wal"), ("trusted_schema", "0"),
        ("cell_size_check", "1"), ("foreign_keys", "1"), ("secure_delete", "1"),
        ("temp_store", "2"),
    ]

    /// If the log's index can't be opened for writing, SQLite opens it read-only, once for all
    /// connections of the process. Then it would refuse the first write and every later one.
    private static func checkThatItWrites(_ queue: DatabaseQueue) throws {
        try queue.inDatabase { database in
            try database.execute(sql: "BEGIN IMMEDIATE")
            try database.execute(sql: "ROLLBACK")
        }
    }

    /// Runs `body` on a connection that fails at once if another connection holds a lock.
    static func withoutWaiting(_ database: Database, _ body: () throws -> Void) rethrows {
        unsafe sqlite3_busy_timeout(database.sqliteConnection, 0)
        defer {
            unsafe sqlite3_busy_timeout(database.sqliteConnection, Int32(busySeconds * 1000))
        }
        try body()
    }

    /// Opens a connection and checks its settings.
    ///
    /// For a WAL database GRDB itself sets `synchronous=NORMAL`, so this code sets the journal
    /// mode, and then checks that `synchronous` is FULL.
    static func open(_ path: String, _ role: Role) throws(StoreError) -> DatabaseQueue {
        var configuration = Configuration()
        configuration.readonly = role == .reader
        configuration.busyMode = .timeout(TimeInterval(busySeconds))
        configuration.label = "llavero.store"
        configuration.prepareDatabase { database in
            if role == .writer {
                try database.execute(
                    sql: "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;")
            }
            try database.execute(
                sql: """
                    PRAGMA synchronous = FULL;
                    PRAGMA trusted_schema = OFF;
                    PRAGMA cell_size_check = ON;
                    PRAGMA secure_delete = ON;
                    PRAGMA temp_store = MEMORY;
                    PRAGMA cache_size = -\(cacheKibibytes);
                    """)
        }
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            let holds = try queue.inDatabase { database in
                try expected.allSatisfy { setting, value in
                    let found = try String.fetchOne(database, sql: "PRAGMA \(setting)")
                    return found == value
                }
            }
            guard holds else { throw StoreError.settingLost }
            // If SQLite can't open a file for writing, even briefly, it opens it read-only, and
            // reports that only at the first write.
            let isReadOnly = queue.inDatabase { database in
                unsafe sqlite3_db_readonly(database.sqliteConnection, "main") != 0
            }
            guard role == .reader || !isReadOnly else { throw StoreError.readOnly }
            if role == .writer { try checkThatItWrites(queue) }
            return queue
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(error)
        }
    }
}
