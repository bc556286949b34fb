// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import GRDB
import ItemStore
import Testing

/// Rows with tags.
@Suite struct TagRowTests {
    private static let user: UInt32 = 1000

    private static func value(_ number: Int) -> IndexValue {
        let bytes = (0..<16).map { UInt8(truncatingIfNeeded: number >> ($0 % 4 * 8)) }
        return unsafe bytes.withUnsafeBytes { unsafe IndexValue($0) }
    }

    private static func item(
        _ number: Int, tags: [Int]?, user: UInt32 = user
    ) -> SealedItem {
        let indexes = ItemTable.genericPasswords.indexColumns.map { column -> IndexValue? in
            column == .primaryKey ? value(100_000 + number) : value(7)
        }
        let uuid = (0..<16).map { UInt8(truncatingIfNeeded: number >> ($0 % 4 * 8)) }
        var item = SealedItem(
            table: .genericPasswords, rowID: 0, uuid: uuid, userID: user, keyClass: 7,
            keyGeneration: 1, rowGeneration: 1, isTombstone: false, indexes: indexes,
            metadata: Data([UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 40)),
            secret: [1, 2])
        item.newTags = tags.map { $0.map { value($0) } } ?? []
        item.tagDigest = tags.map { value(500 + $0.reduce(0, +)) }
        return item
    }

    private static func store(
        _ items: [SealedItem]
    ) throws -> (StateDirectory, StoreWriter, StoreReader) {
        let directory = try StateDirectory()
        let store = try ItemStore(stateDirectory: directory.path, timestamp: "T")
        let writer = try store.makeWriter(keeper: TestRoots())
        try writer.commit { (transaction) throws(StoreError) in
            for item in items { try transaction.insert(item) }
        }
        return (directory, writer, try store.makeReader())
    }

    private static func found(
        _ reader: StoreReader, _ tags: [Int], user: UInt32 = user, after rowID: Int64 = 0
    ) throws -> [Int64] {
        let plan = try #require(
            TagPlan(userID: user, tags: tags.map { value($0) }, wantsSecret: true))
        var rows: [Int64] = []
        try reader.scan(plan, after: rowID) { item in
            rows.append(item.rowID)
            return true
        }
        return rows
    }

    private static func tagCount(_ directory: StateDirectory) throws -> Int? {
        try DatabaseQueue(path: directory.database).read {
            try Int.fetchOne($0, sql: "SELECT count(*) FROM secrettags")
        }
    }

    @Test func thereIsNoPlanWithoutATag() {
        #expect(TagPlan(userID: 1, tags: [], wantsSecret: false) == nil)
    }

    @Test func rowsHaveAllTagsOfAPlan() throws {
        let (_, _, reader) = try Self.store([
            Self.item(1, tags: [1, 2]), Self.item(2, tags: [1, 3]), Self.item(3, tags: [2, 1, 3]),
            Self.item(4, tags: nil), Self.item(5, tags: [1], user: 7),
        ])
        #expect(try Self.found(reader, [1]) == [1, 2, 3])
        #expect(try Self.found(reader, [1, 2]) == [1, 3])
        #expect(try Self.found(reader, [3, 2, 1]) == [3])
        #expect(try Self.found(reader, [1, 4]) == [])
        #expect(try Self.found(reader, [1], user: 7) == [5])
        #expect(try Self.found(reader, [1], after: 1) == [2, 3])
        #expect(try Self.found(reader, [1, 2], after: 3) == [])
    }

    @Test func theRarestTagIsFoundAmongMany() throws {
        // One tag of all, one of some, and one of a single row far behind.
        let (_, _, reader) = try Self.store(
            (1...600).map { number in
                Self.item(
                    number, tags: [1] + (number % 5 == 0 ? [2] : []) + (number == 595 ? [3] : []))
            })
        #expect(try Self.found(reader, [1, 2, 3]) == [595])
        #expect(try Self.found(reader, [1, 2]).count == 120)
        #expect(try Self.found(reader, [2, 1], after: 590) == [595, 600])
    }

    @Test func tagsGoWithTheirRow() throws {
        let (directory, writer, reader) = try Self.store([
            Self.item(1, tags: [1, 2]), Self.item(2, tags: [1]), Self.item(3, tags: [1]),
        ])
        try writer.commit { (transaction) throws(StoreError) in
            guard let row = try transaction.row(.genericPasswords, rowID: 1),
                let other = try transaction.row(.genericPasswords, rowID: 2),
                let third = try transaction.row(.genericPasswords, rowID: 3)
            else { return }
            try transaction.delete(row)
            try transaction.quarantine(other, .metadata, now: 1)
            var next = third
            next.newTags = [Self.value(9)]
            next.tagDigest = Self.value(509)
            try transaction.replace(third, with: next)
        }
        #expect(try Self.found(reader, [1]) == [])
        #expect(try Self.found(reader, [9]) == [3])
        #expect(try Self.tagCount(directory) == 1)
        #expect(try reader.tags(ofRow: 3) == [Self.value(9)])
        let kept = try #require(try reader.quarantined(after: 0, limit: 5).first)
        #expect(kept.item.tagDigest == Self.value(501))
    }

    @Test func aRowThatIsWrittenAgainKeepsItsTags() throws {
        let (_, writer, reader) = try Self.store([Self.item(1, tags: [1, 2])])
        try writer.commit { (transaction) throws(StoreError) in
            guard let row = try transaction.row(.genericPasswords, rowID: 1) else { return }
            var next = row
            next.rowGeneration = 2
            try transaction.replace(row, with: next)
        }
        #expect(try Self.found(reader, [1, 2]) == [1])
        #expect(
            try reader.secretRow(
                uuid: Self.item(1, tags: []).uuid, userID: Self.user,
                wantsSecret: true)?.secret == [1, 2])
    }

    @Test func onlyRowsWithTagsAreSecrets() throws {
        let (_, _, reader) = try Self.store([Self.item(1, tags: nil), Self.item(2, tags: [])])
        func row(_ number: Int, user: UInt32 = Self.user) throws -> SealedItem? {
            try reader.secretRow(
                uuid: Self.item(number, tags: nil).uuid, userID: user, wantsSecret: false)
        }
        #expect(try row(1) == nil)
        #expect(try row(2)?.rowID == 2)
        #expect(try row(2, user: 7) == nil)
    }

    @Test func theDigestIsReadPageByPage() throws {
        let (directory, writer, _) = try Self.store([
            Self.item(1, tags: [1]), Self.item(2, tags: nil),
        ])
        try writer.checkpoint()
        let kept = "keychain-damaged-T.db"
        try FileManager.default.copyItem(
            atPath: directory.database, toPath: directory.path + "/" + kept)
        let store = try ItemStore(stateDirectory: directory.path, timestamp: "T")
        let file = try #require(store.salvageKeptFile(kept))
        let rows = file.rows(afterPage: 0, limit: 1000).rows.joined()
            .filter { $0.table == .genericPasswords }
        #expect(rows.contains { $0.rowID == 1 && $0.tagDigest == Self.value(501) })
        #expect(rows.contains { $0.rowID == 2 && $0.tagDigest == nil })
        let opened = try store.openKeptFile(kept).rows(.genericPasswords, after: 0, limit: 5)
        #expect(opened.rows.map(\.tagDigest) == [Self.value(501), nil])
    }
}
