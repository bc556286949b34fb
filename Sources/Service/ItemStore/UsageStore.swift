// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import FoundationEssentials
import GRDB
import Glibc
import Synchronization

/// A row's UUID, as the key of its usage.
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
        var bytes: [UInt8] = []
        bytes.append(littleEndian: high)
        bytes.append(littleEndian: low)
        return bytes
    }
}

/// The change of a row's usage.
package enum UsageChange: Equatable, Sendable {
    /// Its secret was read at this time: seconds since 2001-01-01 00:00:00 UTC.
    case used(Double)
    /// The row was deleted.
    case deleted
}

/// The database of usage times (STORAGE.md, "Usage times"). It is a convenience, so its failures
/// never fail a request. A damaged or foreign database is replaced by a new one.
package final class UsageStore: Sendable {
    private let path: String
    /// The connection that writes; nil before the first write, and when it can't be opened.
    private let writer = Mutex<DatabaseQueue?>(nil)
    /// Counts how often the database was opened or removed, so that readers reopen it; 0 means
    /// never.
    private let beginning = Atomic<Int>(0)
    /// Counts writes: a reader that couldn't open the database tries again after one.
    private let writings = Atomic<Int>(0)

    private static let fileName = "usage.db"
    private static let applicationID: Int64 = 0x4C4C_5655
    private static let version: Int64 = 1
    /// How many rows each write compares with the items.
    private static let sweptRowCount = 256

    /// Names the database in a state directory.
    package init(stateDirectory: String) { path = stateDirectory + "/" + Self.fileName }

    /// Opens the database, or makes one; until then, readers read nothing. Checking a large one
    /// takes too long for the service's start, so a separate thread calls this.
    package func prepare() {
        writer.withLock { queue in if queue == nil { queue = open() } }
    }

    /// Opens the database, and notifies readers.
    private func open() -> DatabaseQueue? {
        guard let queue = Self.open(path) else { return nil }
        beginning.add(1, ordering: .acquiringAndReleasing)
        return queue
    }

    /// A reader for one thread.
    package func makeReader() -> UsageReader { UsageReader(self) }

    fileprivate var beginningNumber: Int { beginning.load(ordering: .acquiring) }
    fileprivate var writingNumber: Int { writings.load(ordering: .acquiring) }

    // MARK: - Writing

    /// Writes changes in one transaction, without a sync.
    /// - Parameters:
    ///   - changes: The newest of each row.
    ///   - sweep: Whether an item with a UUID still exists. It is called for a few rows, which are
    ///     deleted if there is none. Nil when that is unknown.
    /// - Returns: Whether they were written; otherwise none of them was.
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

    /// Closes a database that is damaged or was removed.
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

    /// Checks the rows after the last checked one; the database stores the position.
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

    /// Opens the database; removes it if it is damaged, not ours or of another version.
    private static func open(_ path: String) -> DatabaseQueue? {
        for _ in 0..<2 {
            // Created here, so that only the user can access it from the start.
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

    /// If a statement fails, an open transaction would end the process.
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

/// One thread's reader of usage times; it opens the database at the first request.
package final class UsageReader {
    private let store: UsageStore
    private var queue: DatabaseQueue?
    private var beginning = 0
    /// The number of writes when the reader last tried to open the database; nil before.
    private var lastLook: Int?

    fileprivate init(_ store: UsageStore) { self.store = store }

    /// When a row's secret was last read, according to the database.
    /// - Returns: Seconds since 2001-01-01 00:00:00 UTC; nil also when it is unknown.
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
    /// Whether any table has a row with this UUID, of any user and group.
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
