// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import GRDB
import ItemStore
import Testing

/// The database of usage times. Source: STORAGE.md, "Usage times".
@Suite struct UsageStoreTests {
    private let directory: String
    private var path: String { directory + "/usage.db" }

    init() throws {
        directory = NSTemporaryDirectory() + "/lltest-usage-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
    }

    private func key(_ number: Int) throws -> UsageKey {
        try #require(UsageKey((0..<16).map { UInt8(truncatingIfNeeded: number >> ($0 % 4 * 8)) }))
    }

    private func used(_ numbers: some Sequence<Int>, at seconds: Double) throws
        -> [UsageKey: UsageChange]
    {
        try Dictionary(uniqueKeysWithValues: numbers.map { (try key($0), .used(seconds)) })
    }

    private func count() throws -> Int {
        try DatabaseQueue(path: path).inDatabase {
            try Int.fetchOne($0, sql: "SELECT count(*) FROM usage") ?? 0
        }
    }

    @Test func aTimeComesBackAlsoAfterReopening() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let store = UsageStore(stateDirectory: directory)
        let reader = store.makeReader()
        #expect(reader.lastUsed(try key(1)) == nil)
        #expect(store.write(try used([1, 2], at: 5.5)))
        #expect(reader.lastUsed(try key(1)) == 5.5)
        #expect(store.write(try used([1], at: 9)))
        let reopened = UsageStore(stateDirectory: directory)
        #expect(reopened.makeReader().lastUsed(try key(1)) == nil)
        reopened.prepare()
        let again = reopened.makeReader()
        #expect(again.lastUsed(try key(1)) == 9)
        #expect(again.lastUsed(try key(2)) == 5.5)
        #expect(again.lastUsed(try key(3)) == nil)
    }

    /// The first page that the schema needs is missing: a statement fails in the middle.
    @Test func anEmptyDatabaseThatIsDamagedIsBegunAnew() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try DatabaseQueue(path: path).inDatabase { database in
            try database.execute(sql: "CREATE TABLE t (a); DROP TABLE t")
        }
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        // The first trunk page of the freelist, and the number of free pages.
        bytes.replaceSubrange(32..<40, with: [0, 0, 3, 231, 0, 0, 0, 1])
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let store = UsageStore(stateDirectory: directory)
        #expect(store.write(try used([1], at: 5)))
        #expect(store.makeReader().lastUsed(try key(1)) == 5)
    }

    @Test func aTimeDoesNotGoBack() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let store = UsageStore(stateDirectory: directory)
        #expect(store.write(try used([1], at: 9)))
        #expect(store.write(try used([1], at: 5)))
        #expect(store.makeReader().lastUsed(try key(1)) == 9)
    }

    @Test func theRowOfADeletedItemGoes() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let store = UsageStore(stateDirectory: directory)
        #expect(store.write(try used([1, 2], at: 9)))
        #expect(store.write([try key(1): .deleted, try key(7): .deleted]))
        #expect(store.makeReader().lastUsed(try key(1)) == nil)
        #expect(store.makeReader().lastUsed(try key(2)) == 9)
        #expect(try count() == 1)
    }

    @Test func rowsWithoutAnItemGoBitByBit() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let store = UsageStore(stateDirectory: directory)
        #expect(store.write(try used(1...1000, at: 9)))
        let kept = try key(500)
        for _ in 0..<5 {
            #expect(store.write([:], sweep: { UsageKey($0) == kept }))
        }
        #expect(try count() == 1)
        #expect(store.makeReader().lastUsed(kept) == 9)
        // Rows whose state is unknown stay.
        #expect(store.write([:], sweep: { _ in nil }))
        #expect(try count() == 1)
    }

    @Test func theFileIsTheUsersAlone() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        UsageStore(stateDirectory: directory).prepare()
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    /// Files that may be at the database's path.
    enum Damage: CaseIterable {
        case garbage, empty, otherProgram, otherVersion, zeroedPage, half
    }

    @Test(arguments: Damage.allCases)
    func aDamagedDatabaseIsBegunAnew(damage: Damage) throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        // Its connection is closed before the file is touched.
        do {
            let store = UsageStore(stateDirectory: directory)
            #expect(store.write(try used(1...3000, at: 9)))
        }
        try DatabaseQueue(path: path).inDatabase { database in
            switch damage {
            case .otherProgram: try database.execute(sql: "PRAGMA application_id = 7")
            case .otherVersion: try database.execute(sql: "PRAGMA user_version = 2")
            case .garbage, .empty, .zeroedPage, .half: break
            }
            _ = try? database.checkpoint(.truncate)
        }
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(bytes.count > 5 * 4096)
        switch damage {
        case .garbage: bytes = Data((0..<9999).map { UInt8(truncatingIfNeeded: $0 * 7) })
        case .empty: bytes = Data()
        case .otherProgram, .otherVersion: break
        case .zeroedPage: bytes.replaceSubrange(4096..<8192, with: Data(count: 4096))
        case .half: bytes.removeLast(bytes.count / 2)
        }
        for suffix in ["-wal", "-shm"] { unsafe unlink(path + suffix) }
        try bytes.write(to: URL(fileURLWithPath: path))
        let anew = UsageStore(stateDirectory: directory)
        anew.prepare()
        let reader = anew.makeReader()
        #expect(reader.lastUsed(try key(7)) == nil)
        #expect(anew.write(try used([7], at: 11)))
        #expect(reader.lastUsed(try key(7)) == 11)
        #expect(reader.lastUsed(try key(8)) == nil)
    }

    @Test func aDatabaseThatIsRemovedMeanwhileIsBegunAnew() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let store = UsageStore(stateDirectory: directory)
        let reader = store.makeReader()
        #expect(store.write(try used([1], at: 9)))
        #expect(reader.lastUsed(try key(1)) == 9)
        for suffix in ["", "-wal", "-shm"] { unsafe unlink(path + suffix) }
        #expect(store.write(try used([2], at: 10)))
        #expect(reader.lastUsed(try key(2)) == 10)
        #expect(reader.lastUsed(try key(1)) == nil)
    }

    @Test func withoutADirectoryNothingIsKnownAndNothingFails() throws {
        try FileManager.default.removeItem(atPath: directory)
        let store = UsageStore(stateDirectory: directory)
        #expect(!store.write(try used([1], at: 9)))
        #expect(store.makeReader().lastUsed(try key(1)) == nil)
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        #expect(store.write(try used([1], at: 9)))
        #expect(store.makeReader().lastUsed(try key(1)) == 9)
    }
}
