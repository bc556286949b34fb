// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import GRDB
import ItemStore
import Testing

/// Flips each bit that determines how a database is read. A store with such damage opens, or the
/// file is kept and a new one made. No flip stops the service.
@Suite struct RecognitionTests {
    /// The two bytes of the header that say which version of SQLite may write it, and which may
    /// read it.
    private static let versions = [18, 19]
    private static let pageByteCount = 4096

    @Test func noDamagedBitOfTheVersionsStopsTheStore() throws {
        let bytes = try Self.emptyStore()
        try Self.expectStores(with: bytes, damagedAt: Self.versions.flatMap(Self.eachBit))
    }

    /// In SQLite's own list of tables: its name, its text, and the number of its page.
    @Test func noDamagedBitOfTheEntryOfTheMigrationsStopsTheStore() throws {
        let bytes = try Self.emptyStore()
        let names = "tablegrdb_migrationsgrdb_migrations"
        let entry = try #require(bytes.firstRange(of: Data(names.utf8)))
        let places = (entry.lowerBound - 12..<entry.upperBound + 75).map(Self.oneBit)
        // After the names is the number of the page.
        try Self.expectStores(with: bytes, damagedAt: places + Self.eachBit(entry.upperBound))
    }

    /// The completed migrations: the list's page, its header and its cell.
    @Test func noDamagedBitOfTheListOfMigrationsStopsTheStore() throws {
        let bytes = try Self.emptyStore()
        let cell = try #require(bytes.firstRange(of: Data("version 1".utf8))).lowerBound
        let start = cell - cell % Self.pageByteCount
        let end = start + Self.pageByteCount
        let places = (Array(start + 8..<start + 24) + Array(cell - 4..<end)).map(Self.oneBit)
        try Self.expectStores(
            with: bytes, damagedAt: (start..<start + 8).flatMap(Self.eachBit) + places)
    }

    @Test func storeWithoutAMigrationThatItsTablesShowIsKeptAside() throws {
        let directory = try StateDirectory()
        try Self.emptyStore().write(to: URL(fileURLWithPath: directory.database))
        try DatabaseQueue(path: directory.database).inDatabase { database in
            try database.execute(sql: "DELETE FROM grdb_migrations")
        }
        let store = try ItemStore(stateDirectory: directory.path, timestamp: "T")
        #expect(store.notice == .keptAside("keychain-damaged-T.db"))
    }

    // MARK: - Helpers

    private static func emptyStore() throws -> Data {
        let directory = try StateDirectory()
        let store = try ItemStore(stateDirectory: directory.path, timestamp: "T")
        try store.makeWriter(keeper: TestRoots()).checkpoint()
        return try Data(contentsOf: URL(fileURLWithPath: directory.database))
    }

    private struct Place {
        let offset: Int
        let bit: Int
    }

    private static func eachBit(_ offset: Int) -> [Place] {
        (0..<8).map { Place(offset: offset, bit: $0) }
    }

    private static func oneBit(_ offset: Int) -> Place { Place(offset: offset, bit: offset % 8) }

    private static func expectStores(with bytes: Data, damagedAt places: [Place]) throws {
        var keptAside = 0
        for place in places {
            let directory = try StateDirectory()
            var damaged = bytes
            damaged[place.offset] ^= 1 << UInt8(place.bit)
            try damaged.write(to: URL(fileURLWithPath: directory.database))
            do {
                let store = try ItemStore(stateDirectory: directory.path, timestamp: "T")
                if store.notice != nil { keptAside += 1 }
            } catch { Issue.record("bit \(place.bit) of byte \(place.offset): \(error)") }
        }
        #expect(keptAside > 0)
    }
}
