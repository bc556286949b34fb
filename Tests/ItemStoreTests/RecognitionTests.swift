// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import GRDB
import ItemStore
import Testing

/// What tells how a database is to be read, bit for bit: a store with a damaged one opens, or is kept
/// aside and a new one begun. None keeps the service from its work.
@Suite struct RecognitionTests {
    /// The two bytes of the head that say which SQLite may write it, and which may read it.
    private static let versions = [18, 19]
    private static let pageByteCount = 4096

    @Test func noDamagedBitOfTheVersionsStopsTheStore() throws {
        let bytes = try Self.emptyStore()
        try Self.expectStores(with: bytes, damagedAt: Self.versions)
    }

    /// In SQLite's own list of tables: its name, its text, and the number of its page.
    @Test func noDamagedBitOfTheEntryOfTheMigrationsStopsTheStore() throws {
        let bytes = try Self.emptyStore()
        let entry = try #require(bytes.firstRange(of: Data("tablegrdb_migrations".utf8)))
        try Self.expectStores(
            with: bytes, damagedAt: Array(entry.lowerBound - 12..<entry.upperBound + 90))
    }

    /// Which migrations were done: the list's page, its head and its cells.
    @Test func noDamagedBitOfTheListOfMigrationsStopsTheStore() throws {
        let bytes = try Self.emptyStore()
        let page = try #require(bytes.firstRange(of: Data("1 items and keys".utf8))).lowerBound
        let start = page - page % Self.pageByteCount
        let end = start + Self.pageByteCount
        let cells = try #require(bytes[start..<end].firstRange(of: Data("5 ledger".utf8)))
        try Self.expectStores(
            with: bytes, damagedAt: Array(start..<start + 24) + Array(cells.lowerBound - 4..<end))
    }

    @Test func storeWithoutAMigrationThatItsTablesShowIsKeptAside() throws {
        for name in ["1 items and keys", "3 recovering", "5 ledger"] {
            let directory = try StateDirectory()
            try Self.emptyStore().write(to: URL(fileURLWithPath: directory.database))
            try DatabaseQueue(path: directory.database).inDatabase { database in
                try database.execute(
                    sql: "DELETE FROM grdb_migrations WHERE identifier = ?", arguments: [name])
            }
            let store = try ItemStore(stateDirectory: directory.path, timestamp: "T")
            #expect(store.notice == .keptAside("keychain-damaged-T.db"), "\(name)")
        }
    }

    // MARK: - Helpers

    private static func emptyStore() throws -> Data {
        let directory = try StateDirectory()
        let store = try ItemStore(stateDirectory: directory.path, timestamp: "T")
        try store.makeWriter(keeper: TestRoots()).checkpoint()
        return try Data(contentsOf: URL(fileURLWithPath: directory.database))
    }

    private static func expectStores(with bytes: Data, damagedAt offsets: [Int]) throws {
        var keptAside = 0
        for offset in offsets {
            for bit in 0..<8 {
                let directory = try StateDirectory()
                var damaged = bytes
                damaged[offset] ^= 1 << UInt8(bit)
                try damaged.write(to: URL(fileURLWithPath: directory.database))
                do {
                    let store = try ItemStore(stateDirectory: directory.path, timestamp: "T")
                    if store.notice != nil { keptAside += 1 }
                } catch { Issue.record("bit \(bit) of byte \(offset): \(error)") }
            }
        }
        #expect(keptAside > 0)
    }
}
