// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import GRDB
import ItemStore
import Testing

/// Rows and keys of several keychains of one user.
@Suite struct KeychainRowTests {
    private static let user: UInt32 = 1000
    private static let keychain: UInt32 = 0x7FFF_FFFE

    private static func value(_ number: UInt8) -> IndexValue {
        unsafe [UInt8](repeating: number, count: 16).withUnsafeBytes { unsafe IndexValue($0) }
    }

    private static func item(
        _ table: ItemTable, _ number: UInt8, _ keychain: UInt32, secret: [UInt8] = [4, 5]
    ) -> SealedItem {
        let indexes = table.indexColumns.map { column -> IndexValue? in
            switch column {
            case .primaryKey: value(number)
            case .accessGroup: value(200)
            default: value(90)
            }
        }
        return SealedItem(
            table: table, rowID: 0, uuid: [UInt8](repeating: number, count: 16), userID: user,
            keychain: keychain, keyClass: 11, keyGeneration: 1, rowGeneration: 1,
            isTombstone: false, indexes: indexes,
            metadata: Data([UInt8](repeating: number, count: 40)), secret: secret)
    }

    private static func plan(
        _ table: ItemTable, _ keychain: UInt32, _ row: QueryPlan.Row? = nil,
        groups: Int = 1
    ) throws -> QueryPlan {
        let scope = (0..<groups).map { value(200 + UInt8($0)) }
        return QueryPlan(
            table: table, userID: user, keychain: keychain,
            scope: try #require(GroupScope(scope)), equalities: [], row: row, wantsSecret: true)
    }

    private static func numbers(_ reader: StoreReader, _ plan: QueryPlan) throws -> [UInt8] {
        var numbers: [UInt8] = []
        try reader.scan(plan, after: 0) { item in
            numbers.append(item.uuid[0])
            return true
        }
        return numbers
    }

    /// A store with a row of login, and one of another keychain, in each table.
    private static func store() throws -> (StateDirectory, StoreWriter, StoreReader) {
        let directory = try StateDirectory()
        let store = try ItemStore(stateDirectory: directory.path, timestamp: "T")
        let writer = try store.makeWriter(keeper: TestRoots())
        try writer.commit { (transaction) throws(StoreError) in
            for table in ItemTable.allCases {
                try transaction.insert(item(table, 1, KeychainNumber.login))
                try transaction.insert(item(table, 2, keychain))
            }
        }
        return (directory, writer, try store.makeReader())
    }

    @Test(arguments: ItemTable.allCases)
    func aPlanReadsOneKeychain(table: ItemTable) throws {
        let (_, _, reader) = try Self.store()
        for groups in [1, 3, 6] {
            #expect(try Self.numbers(reader, Self.plan(table, 0, groups: groups)) == [1])
            #expect(
                try Self.numbers(reader, Self.plan(table, Self.keychain, groups: groups)) == [2])
            #expect(try Self.numbers(reader, Self.plan(table, 7, groups: groups)) == [])
        }
    }

    /// Neither a row's UUID nor its number leads into another keychain.
    @Test(arguments: ItemTable.allCases)
    func aNamedRowIsFoundInItsKeychainAlone(table: ItemTable) throws {
        let (_, _, reader) = try Self.store()
        let row = try #require(try reader.allRows(table, after: 0, limit: 10).last)
        #expect(row.keychain == Self.keychain)
        for name in [QueryPlan.Row.uuid(row.uuid), .number(row.rowID)] {
            #expect(try Self.numbers(reader, Self.plan(table, Self.keychain, name)) == [2])
            #expect(try Self.numbers(reader, Self.plan(table, 0, name)) == [])
        }
    }

    @Test func aRowKeepsItsKeychainWhenItIsWrittenAgain() throws {
        let (_, writer, reader) = try Self.store()
        try writer.commit { (transaction) throws(StoreError) in
            for row in try transaction.rows(
                .keys, userID: Self.user, keychain: Self.keychain, after: 0, limit: 5)
            {
                var next = row
                next.rowGeneration = 2
                next.keychain = 5
                try transaction.replace(row, with: next)
            }
        }
        let rows = try reader.allRows(.keys, after: 0, limit: 10)
        #expect(rows.map(\.rowGeneration) == [1, 2])
        #expect(rows.map(\.keychain) == [0, Self.keychain])
    }

    @Test func theQuarantineKnowsTheKeychain() throws {
        let (_, writer, reader) = try Self.store()
        try writer.commit { (transaction) throws(StoreError) in
            for table in ItemTable.allCases {
                guard let row = try transaction.row(table, primaryKey: Self.value(2)) else {
                    continue
                }
                try transaction.quarantine(row, .metadata, now: 5)
            }
        }
        let kept = try reader.quarantined(after: 0, limit: 10)
        #expect(kept.map(\.item.keychain) == [UInt32](repeating: Self.keychain, count: 4))
        try writer.commit { (transaction) throws(StoreError) in
            try transaction.clearQuarantine(userID: Self.user, keychain: 7)
        }
        #expect(try reader.quarantineCount(userID: Self.user) == 4)
        try writer.commit { (transaction) throws(StoreError) in
            try transaction.clearQuarantine(userID: Self.user, keychain: Self.keychain)
        }
        #expect(try reader.quarantineCount(userID: Self.user) == 0)
    }

    /// SQLite has a negative number, or one of more than 32 bits, for another program's row.
    @Test func aNumberThatNoKeychainHasIsNoKeychain() throws {
        let (directory, _, reader) = try Self.store()
        try DatabaseQueue(path: directory.database).write { database in
            try database.execute(sql: "UPDATE genp SET keychain = -1 WHERE keychain = 0")
        }
        let rows = try reader.allRows(.genericPasswords, after: 0, limit: 10)
        #expect(rows.map(\.keychain) == [.max, Self.keychain])
        #expect(try Self.numbers(reader, Self.plan(.genericPasswords, 0)) == [])
    }

    // MARK: - Keys

    private static func key(
        _ keychain: UInt32, _ keyClass: UInt8?, _ generation: UInt32
    ) -> StoredTableKey {
        StoredTableKey(
            userID: user, keychain: keychain, keyClass: keyClass, generation: generation,
            wrapped: [UInt8](repeating: UInt8(generation), count: 60))
    }

    private static func storeWithKeys() throws -> (StateDirectory, StoreWriter, StoreReader) {
        let (directory, writer, reader) = try store()
        try writer.commit { (transaction) throws(StoreError) in
            try transaction.insertMetadataKey(
                userID: user, keyClass: 11, generation: 1,
                wrapped: [UInt8](repeating: 9, count: 60), sealsReserved: 1)
            for generation in UInt32(1)...2 {
                try transaction.insertKeychainKey(
                    key(keychain, 11, generation), sealsReserved: 10)
                try transaction.insertKeychainKey(key(keychain, nil, generation), sealsReserved: 0)
            }
            try transaction.insertKeychainKey(key(5, 11, 7), sealsReserved: 10)
        }
        return (directory, writer, reader)
    }

    @Test func eachKeychainHasItsKeys() throws {
        let (_, writer, reader) = try Self.storeWithKeys()
        func newest(_ keychain: UInt32) throws -> UInt32? {
            try reader.metadataKey(
                userID: Self.user, keychain: keychain, keyClass: 11, generation: nil)?.generation
        }
        #expect(try newest(Self.keychain) == 2)
        #expect(try newest(5) == 7)
        #expect(try newest(0) == 1)
        #expect(try newest(6) == nil)
        let first = try reader.metadataKey(
            userID: Self.user, keychain: Self.keychain, keyClass: 11, generation: 1)
        #expect(first?.wrapped == [UInt8](repeating: 1, count: 60))
        #expect(try reader.indexKey(userID: Self.user, keychain: Self.keychain)?.generation == 2)
        #expect(try reader.indexKey(userID: Self.user, keychain: 5) == nil)
        // Class 0 is no class of metadata keys of login.
        #expect(try reader.indexKey(userID: Self.user, keychain: 0) == nil)
        try writer.commit { (transaction) throws(StoreError) in
            try transaction.reserveSeals(
                userID: Self.user, keychain: Self.keychain, keyClass: 11, generation: 2, upTo: 50)
        }
        let reserved = try reader.metadataKey(
            userID: Self.user, keychain: Self.keychain, keyClass: 11, generation: nil)
        #expect(reserved?.sealsReserved == 50)
        #expect(
            try reader.metadataKey(
                userID: Self.user, keychain: 5, keyClass: 11, generation: nil)?.sealsReserved
                == 10)
    }

    @Test func aKeyIsAddedOnce() throws {
        let (_, writer, _) = try Self.storeWithKeys()
        #expect(throws: StoreError.constraint) {
            try writer.commit { (transaction) throws(StoreError) in
                try transaction.insertKeychainKey(Self.key(5, 11, 7), sealsReserved: 0)
            }
        }
    }

    @Test func aDeletedKeychainLeavesTheOthersAlone() throws {
        let (_, writer, reader) = try Self.storeWithKeys()
        try writer.commit { (transaction) throws(StoreError) in
            try transaction.deleteKeychainKeys(userID: Self.user, keychain: Self.keychain)
            for table in ItemTable.allCases {
                for row in try transaction.rows(
                    table, userID: Self.user, keychain: Self.keychain, after: 0, limit: 10)
                {
                    try transaction.delete(row)
                }
            }
        }
        #expect(
            try reader.tableKeys(userID: Self.user).map(\.keychain) == [0, 5])
        for table in ItemTable.allCases {
            #expect(try reader.allRows(table, after: 0, limit: 10).map(\.keychain) == [0])
        }
        let missing = try reader.missingRows(userID: Self.user, after: nil, limit: 100)
        #expect(missing.rows.isEmpty)
    }

    @Test func keysHaveCopiesThatNameTheirKeychain() throws {
        let (directory, writer, _) = try Self.storeWithKeys()
        try writer.checkpoint()
        // The next start adds the copies that are missing.
        for _ in 0..<2 {
            let store = try ItemStore(stateDirectory: directory.path, timestamp: "T")
            let copies = store.keyCopies
            #expect(copies.copies(userID: Self.user).count == 6)
            #expect(
                copies.newestGeneration(
                    userID: Self.user, keychain: Self.keychain, keyClass: 11) == 2)
            #expect(copies.newestGeneration(userID: Self.user, keychain: 5, keyClass: 11) == 7)
            #expect(copies.newestGeneration(userID: Self.user, keyClass: 11) == 1)
            #expect(
                copies.indexKeys(userID: Self.user, keychain: Self.keychain).map(\.generation)
                    == [2, 1])
            #expect(copies.indexKeys(userID: Self.user).isEmpty)
            let reader = try store.makeReader()
            #expect(copies.missingCount(of: try reader.tableKeys(userID: Self.user)) == 0)
        }
    }

    @Test func aLostKeyComesBackFromItsCopy() throws {
        let (directory, writer, _) = try Self.storeWithKeys()
        try writer.checkpoint()
        let store = try ItemStore(stateDirectory: directory.path, timestamp: "T")
        let copies = store.keyCopies.copies(userID: Self.user)
        try writer.commit { (transaction) throws(StoreError) in
            try transaction.deleteKeychainKeys(userID: Self.user, keychain: Self.keychain)
            for copy in copies where copy.keychain == Self.keychain {
                try transaction.putBack(copy)
            }
            try transaction.rewriteMetadataKeys()
        }
        let reader = try store.makeReader()
        let keys = try reader.tableKeys(userID: Self.user)
        #expect(keys.count(where: { $0.keychain == Self.keychain }) == 4)
        let newest = try reader.metadataKey(
            userID: Self.user, keychain: Self.keychain, keyClass: 11, generation: nil)
        // How often it sealed isn't known any more: it seals nothing.
        #expect((newest?.sealsReserved ?? 0) > 1 << 31)
        #expect(try reader.indexKey(userID: Self.user, keychain: Self.keychain)?.generation == 2)
    }

    // MARK: - Without SQLite

    @Test func aRowIsReadPageByPage() throws {
        let (directory, writer, _) = try Self.store()
        try writer.checkpoint()
        let kept = "keychain-damaged-T.db"
        try FileManager.default.copyItem(
            atPath: directory.database, toPath: directory.path + "/" + kept)
        let store = try ItemStore(stateDirectory: directory.path, timestamp: "T")
        let file = try #require(store.salvageKeptFile(kept))
        let rows = file.rows(afterPage: 0, limit: 1000).rows.joined()
        for table in ItemTable.allCases {
            let found = rows.filter { $0.table == table && $0.indexes.first == Self.value(2) }
            #expect(found.contains { $0.keychain == Self.keychain && $0.secret == [4, 5] })
            let ofLogin = rows.filter { $0.table == table && $0.indexes.first == Self.value(1) }
            #expect(ofLogin.contains { $0.keychain == KeychainNumber.login })
        }
    }
}
