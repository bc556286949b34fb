// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import FoundationEssentials
import GRDB
import GRDBSQLite

/// One SQLite connection with the settings that the store stands on.
enum StoreConnection {
    /// What a connection is for.
    enum Role {
        case writer
        case reader
    }

    /// How long a connection waits for another one's lock.
    static let busySeconds = 5

    /// Pages of cache, in KiB: what a point read and its index paths need, no more.
    private static let cacheKibibytes = 4096

    /// What each connection must answer after opening.
    private static let expected = [
        ("synchronous", "2"), ("journal_mode", "wal"), ("trusted_schema", "0"),
        ("cell_size_check", "1"), ("foreign_keys", "1"), ("secure_delete", "1"),
        ("temp_store", "2"),
    ]

    /// The log's index is opened for reading as well where it can't be opened for writing, once for
    /// all connections of the process, and the first write would be refused, and each one after it.
    private static func checkThatItWrites(_ queue: DatabaseQueue) throws {
        try queue.inDatabase { database in
            try database.execute(sql: "BEGIN IMMEDIATE")
            try database.execute(sql: "ROLLBACK")
        }
    }

    /// Runs `body` on a connection that gives up at once where another one is in its way.
    static func withoutWaiting(_ database: Database, _ body: () throws -> Void) rethrows {
        unsafe sqlite3_busy_timeout(database.sqliteConnection, 0)
        defer {
            unsafe sqlite3_busy_timeout(database.sqliteConnection, Int32(busySeconds * 1000))
        }
        try body()
    }

    /// Opens a connection and checks that its settings hold.
    ///
    /// GRDB sets `synchronous=NORMAL` by itself when it is asked for a WAL database, so the
    /// journal mode is set here instead, and FULL is read back.
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
            // Where SQLite can't open a file for writing, if only for a moment, it opens it for
            // reading and says so at the first write.
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
