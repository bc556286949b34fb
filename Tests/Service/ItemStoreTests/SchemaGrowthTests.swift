// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import GRDB
import ItemStore
import Testing

/// How the schema grows: a step is added behind those that are there, and this version refuses what a
/// later one has written. The step `version 5` here is what a next one could be.
@Suite struct SchemaGrowthTests {
    /// The steps of this version, and one more.
    private static var next: DatabaseMigrator {
        var migrator = Migrations.all
        migrator.registerMigration("version 5") { database in
            try database.execute(
                sql: """
                    ALTER TABLE recovered ADD COLUMN recoveredat INTEGER NOT NULL DEFAULT 0;
                    CREATE TABLE notes (uuid BLOB PRIMARY KEY, text BLOB NOT NULL) WITHOUT ROWID;
                    """)
        }
        return migrator
    }

    /// A store of this version with a row of `recovered`.
    private static func store() throws -> StateDirectory {
        let directory = try StateDirectory()
        let store = try ItemStore(stateDirectory: directory.path, timestamp: "T")
        try store.makeWriter(keeper: TestRoots()).checkpoint()
        try DatabaseQueue(path: directory.database).write { database in
            try database.execute(sql: "INSERT INTO recovered (uuid) VALUES (x'0102')")
        }
        return directory
    }

    @Test func thereAreThreeSteps() {
        #expect(Migrations.all.migrations == ["version 1", "version 2", "version 3", "version 4"])
    }

    /// A store of version 1 with a row in each table of items, and one in the quarantine.
    private static func storeOfVersion1() throws -> StateDirectory {
        let directory = try StateDirectory()
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
        let queue = try DatabaseQueue(path: directory.database, configuration: configuration)
        try Migrations.all.migrate(queue, upTo: "version 1")
        try queue.write { database in
            for table in ItemTable.allCases {
                let indexes = table.indexColumns.map(\.rawValue).joined(separator: ", ")
                let values = table.indexColumns.map { _ in "randomblob(16)" }
                    .joined(separator: ", ")
                try database.execute(
                    sql: """
                        INSERT INTO \(table.rawValue)
                            (uuid, userid, keyclass, keygeneration, rowgeneration, tombstone,
                            \(indexes), metadata, secret)
                        VALUES (randomblob(16), 1000, 9, 1, 1, 0, \(values), zeroblob(40), x'05')
                        """)
            }
            try database.execute(
                sql: """
                    INSERT INTO quarantine (source, uuid, userid, keyclass, keygeneration,
                        rowgeneration, tombstone, indexes, metadata, secret, quarantinedat,
                        itemrowid, reason)
                    VALUES ('genp', randomblob(16), 1000, 9, 1, 1, 0, zeroblob(192), x'01', x'02',
                        0, 77, 1)
                    """)
        }
        return directory
    }

    @Test func rowsOfVersion1AreInLogin() throws {
        let directory = try Self.storeOfVersion1()
        let before = try Self.items(directory, "version 1")
        let store = try ItemStore(stateDirectory: directory.path, timestamp: "T")
        #expect(store.notice == nil)
        let reader = try store.makeReader()
        for table in ItemTable.allCases {
            let rows = try reader.allRows(table, after: 0, limit: 10)
            #expect(rows.map(\.keychain) == [KeychainNumber.login])
            #expect(rows.map(\.secret) == [[5]])
        }
        let quarantined = try reader.quarantined(after: 0, limit: 10)
        #expect(quarantined.map(\.item.keychain) == [KeychainNumber.login])
        #expect(quarantined.map(\.item.rowID) == [77])
        // The rows aren't written again.
        #expect(try Self.items(directory, "version 4") == before)
    }

    /// The columns of version 1 of all rows.
    private static func items(_ directory: StateDirectory, _ version: String) throws -> [Row] {
        let queue = try DatabaseQueue(path: directory.database)
        let last = try queue.read { try Migrations.all.completedMigrations($0).last }
        #expect(last == version)
        return try queue.read { database in
            try Row.fetchAll(
                database, sql: "SELECT rowid, uuid, pk, metadata, secret FROM genp")
        }
    }

    @Test func aKeptFileOfVersion1IsRead() throws {
        let directory = try Self.storeOfVersion1()
        let kept = directory.path + "/keychain-damaged-T.db"
        try FileManager.default.moveItem(atPath: directory.database, toPath: kept)
        for suffix in ["-wal", "-shm"] {
            let log = directory.database + suffix
            guard FileManager.default.fileExists(atPath: log) else { continue }
            try FileManager.default.moveItem(atPath: log, toPath: kept + suffix)
        }
        let store = try ItemStore(stateDirectory: directory.path, timestamp: "T2")
        let file = try store.openKeptFile("keychain-damaged-T.db")
        for table in ItemTable.allCases {
            let part = file.rows(table, after: 0, limit: 10)
            #expect(part.rows.map(\.keychain) == [KeychainNumber.login])
            #expect(part.rows.map(\.secret) == [[5]])
            #expect(!part.hasGaps)
            #expect(part.isLast)
        }
    }

    @Test func aStepKeepsTheRowsThatAreThere() throws {
        let directory = try Self.store()
        let queue = try DatabaseQueue(path: directory.database)
        // The steps that a store has are not done again.
        try Self.next.migrate(queue)
        try Self.next.migrate(queue)
        let steps = try queue.read { try Self.next.completedMigrations($0) }
        #expect(steps == ["version 1", "version 2", "version 3", "version 4", "version 5"])
        let rows = try queue.read { try Row.fetchAll($0, sql: "SELECT * FROM recovered") }
        #expect(rows == [["uuid": Data([1, 2]), "recoveredat": 0]])
        let hasNotes = try queue.read { try $0.tableExists("notes") }
        #expect(hasNotes)
    }

    @Test func aStepThatFailsChangesNothing() throws {
        let directory = try Self.store()
        var migrator = Self.next
        migrator.registerMigration("version 6") { database in
            try database.execute(sql: "DELETE FROM recovered; SELECT * FROM missing")
        }
        let all = migrator
        let queue = try DatabaseQueue(path: directory.database)
        #expect(throws: DatabaseError.self) { try all.migrate(queue) }
        let steps = try queue.read { try all.completedMigrations($0) }
        #expect(steps == ["version 1", "version 2", "version 3", "version 4", "version 5"])
        let count = try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM recovered") }
        #expect(count == 1)
    }

    @Test func aStoreOfANewerVersionIsRefusedUnchanged() throws {
        let directory = try Self.store()
        do {
            let queue = try DatabaseQueue(path: directory.database)
            try Self.next.migrate(queue)
            try queue.inDatabase { _ = try $0.checkpoint(.truncate) }
        }
        let before = try Data(contentsOf: URL(fileURLWithPath: directory.database))
        #expect(throws: StoreError.newerVersion) {
            _ = try ItemStore(stateDirectory: directory.path, timestamp: "T")
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: directory.database)) == before)
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(!names.contains { $0.hasPrefix("keychain-damaged") })
    }
}
