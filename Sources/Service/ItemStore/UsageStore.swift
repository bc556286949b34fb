// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import FoundationEssentials
import GRDB
import Glibc
import Synchronization

/// A row's UUID, to look up its usage by.
package struct UsageKey: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    /// Nil when it isn't 16 bytes.
    package init?(_ uuid: [UInt8]) {
        guard uuid.count == 16 else { return nil }
        (high, low) = unsafe uuid.withUnsafeBytes { bytes in
            unsafe (
                bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self),
                bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
            )
        }
    }

    /// The 16 bytes.
    package var bytes: [UInt8] {
        [high, low].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> ($0 * 8)) } }
    }
}

/// What there is to write down of a row.
package enum UsageChange: Equatable, Sendable {
    /// Its secret was read then: seconds since 2001-01-01 00:00:00 UTC.
    case used(Double)
    /// It is gone.
    case deleted
}

/// The database of usage times (STORAGE.md, "Usage times"): a convenience, so nothing that goes
/// wrong here is anybody's error. A database that is damaged or another's is begun anew.
package final class UsageStore: Sendable {
    private let path: String
    /// The connection that writes; nil before the first writing, and when there is none to be had.
    private let writer = Mutex<DatabaseQueue?>(nil)
    /// Counts how often the database was opened or removed, so that readers follow; 0 is never.
    private let beginning = Atomic<Int>(0)
    /// Counts writings: a reader that couldn't open the database tries again after one.
    private let writings = Atomic<Int>(0)

    private static let fileName = "usage.db"
    private static let applicationID: Int64 = 0x4C4C_5655
    private static let version: Int64 = 1
    /// Rows that each writing compares with the items.
    private static let sweptRowCount = 256

    /// Names the database in a state directory.
    package init(stateDirectory: String) { path = stateDirectory + "/" + Self.fileName }

    /// Opens the database, or begins one; before, readers read nothing. Looking through a large one
    /// takes time that a service which starts doesn't have, so this is for a thread of its own.
    package func prepare() {
        writer.withLock { queue in if queue == nil { queue = open() } }
    }

    /// Opens the database, and lets readers know.
    private func open() -> DatabaseQueue? {
        guard let queue = Self.open(path) else { return nil }
        beginning.add(1, ordering: .acquiringAndReleasing)
        return queue
    }

    /// A way to read for one thread.
    package func makeReader() -> UsageReader { UsageReader(self) }

    fileprivate var beginningNumber: Int { beginning.load(ordering: .acquiring) }
    fileprivate var writingNumber: Int { writings.load(ordering: .acquiring) }

    // MARK: - Writing

    /// Writes changes in one transaction; does without a sync.
    /// - Parameters:
    ///   - changes: The newest of each row.
    ///   - sweep: Tells whether there still is an item of a UUID; a few rows are asked after, and
    ///     removed if there is none. Nil when it can't be told.
    /// - Returns: Whether they are written; nothing of them is otherwise.
    package func write(
        _ changes: [UsageKey: UsageChange], sweep: (([UInt8]) -> Bool?)? = nil
    ) -> Bool {
        writer.withLock { queue in
            if !Self.exists(path) { begin(&queue) }
            for _ in 0..<2 {
                if queue == nil { queue = open() }
                guard let database = queue else { return false }
                do {
                    try database.inTransaction { database in
                        try Self.apply(changes, database)
                        if let sweep { try Self.sweep(database, sweep) }
                        return .commit
                    }
                    writings.add(1, ordering: .acquiringAndReleasing)
                    return true
                } catch {
                    guard StoreError(error).isDamage else { return false }
                    begin(&queue)
                }
            }
            return false
        }
    }

    /// Lets go of a database that is damaged or gone.
    private func begin(_ queue: inout DatabaseQueue?) {
        queue = nil
        Self.remove(path)
        beginning.add(1, ordering: .acquiringAndReleasing)
    }

    private static func apply(
        _ changes: [UsageKey: UsageChange], _ database: Database
    ) throws {
        let upsert = try database.cachedStatement(
            sql: """
                INSERT INTO usage (uuid, lastused) VALUES (?, ?)
                ON CONFLICT (uuid) DO UPDATE SET lastused = max(lastused, excluded.lastused)
                """)
        let delete = try database.cachedStatement(sql: "DELETE FROM usage WHERE uuid = ?")
        for (key, change) in changes {
            let uuid = Data(key.bytes)
            switch change {
            case .used(let seconds): try upsert.execute(arguments: [uuid, seconds])
            case .deleted: try delete.execute(arguments: [uuid])
            }
        }
    }

    /// Looks at the rows after the one that was looked at last; the place is kept in the database.
    private static func sweep(
        _ database: Database, _ hasItem: ([UInt8]) -> Bool?
    ) throws {
        let place = try Data.fetchOne(database, sql: "SELECT uuid FROM sweep") ?? Data()
        let uuids = try Data.fetchAll(
            database, sql: "SELECT uuid FROM usage WHERE uuid > ? ORDER BY uuid LIMIT ?",
            arguments: [place, sweptRowCount])
        for uuid in uuids where hasItem([UInt8](uuid)) == false {
            try database.execute(sql: "DELETE FROM usage WHERE uuid = ?", arguments: [uuid])
        }
        let next = uuids.count < sweptRowCount ? Data() : uuids.last ?? Data()
        try database.execute(sql: "UPDATE sweep SET uuid = ?", arguments: [next])
    }

    // MARK: - Opening

    /// Opens the database; removes one that isn't sound, ours and of this version.
    private static func open(_ path: String) -> DatabaseQueue? {
        for _ in 0..<2 {
            // Made here, so that it is the user's alone from the first moment.
            let file = unsafe Glibc.open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard file >= 0 else { return nil }
            close(file)
            do {
                let queue = try DatabaseQueue(path: path, configuration: configuration())
                let isOurs = try queue.inDatabase { database in
                    try Int64.fetchOne(database, sql: "PRAGMA application_id") == applicationID
                        && Int64.fetchOne(database, sql: "PRAGMA user_version") == version
                        && String.fetchOne(database, sql: "PRAGMA quick_check(1)") == "ok"
                }
                if isOurs { return queue }
                let isEmpty = try queue.inDatabase { database in
                    try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") == 0
                }
                if isEmpty {
                    try queue.inDatabase { try makeSchema($0) }
                    return queue
                }
                try queue.close()
            } catch {
                guard StoreError(error).isDamage else { return nil }
            }
            remove(path)
        }
        return nil
    }

    /// A transaction that is left open where a statement fails would end the process.
    private static func makeSchema(_ database: Database) throws {
        try database.inTransaction(.immediate) {
            try database.execute(
                sql: """
                    CREATE TABLE usage (uuid BLOB PRIMARY KEY NOT NULL, lastused REAL NOT NULL)
                        WITHOUT ROWID;
                    CREATE TABLE sweep (uuid BLOB NOT NULL);
                    INSERT INTO sweep (uuid) VALUES (x'');
                    PRAGMA application_id = \(applicationID);
                    PRAGMA user_version = \(version);
                    """)
            return .commit
        }
    }

    fileprivate static func configuration(isReader: Bool = false) -> Configuration {
        var configuration = Configuration()
        configuration.readonly = isReader
        configuration.busyMode = .timeout(1)
        configuration.label = "llavero.usage"
        configuration.prepareDatabase { database in
            if !isReader { try database.execute(sql: "PRAGMA journal_mode = WAL") }
            try database.execute(
                sql: """
                    PRAGMA synchronous = NORMAL;
                    PRAGMA trusted_schema = OFF;
                    PRAGMA cell_size_check = ON;
                    PRAGMA secure_delete = ON;
                    PRAGMA cache_size = -512;
                    """)
        }
        return configuration
    }

    private static func remove(_ path: String) {
        for suffix in ["", "-wal", "-shm", "-journal"] { unsafe unlink(path + suffix) }
    }

    private static func exists(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0
    }

    fileprivate func openForReading() -> DatabaseQueue? {
        try? DatabaseQueue(path: path, configuration: Self.configuration(isReader: true))
    }
}

/// One thread's way to read usage times; it opens the database when it is first asked.
package final class UsageReader {
    private let store: UsageStore
    private var queue: DatabaseQueue?
    private var beginning = 0
    /// The number of writings when the database was looked for last; nil before.
    private var lastLook: Int?

    fileprivate init(_ store: UsageStore) { self.store = store }

    /// When a row's secret was last read, as far as it is written down.
    /// - Returns: Seconds since 2001-01-01 00:00:00 UTC; nil also when it can't be told.
    package func lastUsed(_ key: UsageKey) -> Double? {
        let number = store.beginningNumber
        guard number > 0 else { return nil }
        let writings = store.writingNumber
        if beginning != number || (queue == nil && lastLook != writings) {
            queue = store.openForReading()
            beginning = number
            lastLook = writings
        }
        guard let queue else { return nil }
        do {
            return try queue.unsafeReentrantRead { database in
                let statement = try database.cachedStatement(
                    sql: "SELECT lastused FROM usage WHERE uuid = ?")
                return try Double.fetchOne(statement, arguments: [Data(key.bytes)])
            }
        } catch {
            self.queue = nil
            return nil
        }
    }
}

extension StoreReader {
    /// Whether any table has a row of this UUID, of whatever user and group.
    package func hasItem(uuid: [UInt8]) throws(StoreError) -> Bool {
        try borrow { (database) throws(StoreError) in
            for table in ItemTable.allCases {
                let statement = try statements.statement("uuid \(table.rawValue)", database) {
                    "SELECT 1 FROM \(table.rawValue) WHERE uuid = ?"
                }
                statement.start()
                defer { statement.end() }
                statement.bind(uuid)
                if try statement.step() { return true }
            }
            return false
        }
    }
}
