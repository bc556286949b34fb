// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import GRDB
import ItemStore
import Testing

/// How the schema grows: a step is added behind those that are there, and this version refuses what a
/// later one has written. The steps here are what a version 2 could be.
@Suite struct SchemaGrowthTests {
    /// The steps of this version, and one more.
    private static var next: DatabaseMigrator {
        var migrator = Migrations.all
        migrator.registerMigration("version 2") { database in
            try database.execute(
                sql: """
                    ALTER TABLE recovered ADD COLUMN recoveredat INTEGER NOT NULL DEFAULT 0;
                    CREATE TABLE notes (uuid BLOB PRIMARY KEY, text BLOB NOT NULL) WITHOUT ROWID;
                    """)
        }
        return migrator
    }

    /// A store of version 1 with a row of `recovered`.
    private static func store() throws -> StateDirectory {
        let directory = try StateDirectory()
        let store = try ItemStore(stateDirectory: directory.path, timestamp: "T")
        try store.makeWriter(keeper: TestRoots()).checkpoint()
        try DatabaseQueue(path: directory.database).write { database in
            try database.execute(sql: "INSERT INTO recovered (uuid) VALUES (x'0102')")
        }
        return directory
    }

    @Test func thereIsOneStep() {
        #expect(Migrations.all.migrations == ["version 1"])
    }

    @Test func aStepKeepsTheRowsThatAreThere() throws {
        let directory = try Self.store()
        let queue = try DatabaseQueue(path: directory.database)
        // The steps that a store has are not done again.
        try Self.next.migrate(queue)
        try Self.next.migrate(queue)
        let steps = try queue.read { try Self.next.completedMigrations($0) }
        #expect(steps == ["version 1", "version 2"])
        let rows = try queue.read { try Row.fetchAll($0, sql: "SELECT * FROM recovered") }
        #expect(rows == [["uuid": Data([1, 2]), "recoveredat": 0]])
        let hasNotes = try queue.read { try $0.tableExists("notes") }
        #expect(hasNotes)
    }

    @Test func aStepThatFailsChangesNothing() throws {
        let directory = try Self.store()
        var migrator = Self.next
        migrator.registerMigration("version 3") { database in
            try database.execute(sql: "DELETE FROM recovered; SELECT * FROM missing")
        }
        let all = migrator
        let queue = try DatabaseQueue(path: directory.database)
        #expect(throws: DatabaseError.self) { try all.migrate(queue) }
        let steps = try queue.read { try all.completedMigrations($0) }
        #expect(steps == ["version 1", "version 2"])
        let count = try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM recovered") }
        #expect(count == 1)
    }

    @Test func aStoreOfVersion2IsRefusedUnchanged() throws {
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
