// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import ItemStore
import Testing

private func value(_ number: Int) -> IndexValue {
    var bytes = [UInt8](repeating: 0, count: 16)
    unsafe withUnsafeBytes(of: number) { unsafe bytes.replaceSubrange(0..<8, with: $0) }
    return unsafe bytes.withUnsafeBytes { unsafe IndexValue($0) }
}

/// A row whose index columns contain their position, except the primary key and the group.
private func row(
    _ table: ItemTable, _ number: Int, group: Int, isTombstone: Bool = false
) -> SealedItem {
    var indexes: [IndexValue?] = table.indexColumns.indices.map { value(1000 + $0) }
    indexes[0] = value(number)
    indexes[1] = value(group)
    var uuid = [UInt8](repeating: 0, count: 16)
    unsafe withUnsafeBytes(of: number) { unsafe uuid.replaceSubrange(0..<8, with: $0) }
    return SealedItem(
        table: table, rowID: 0, uuid: uuid, userID: 7, keyClass: 6, keyGeneration: 1,
        rowGeneration: 1, isTombstone: isTombstone, indexes: indexes,
        metadata: Data([UInt8](repeating: 3, count: 29)),
        secret: [2])
}

private func plan(
    _ table: ItemTable, groups: [Int],
    _ equalities: [(column: IndexColumn, value: IndexValue)] = [], row: QueryPlan.Row? = nil,
    wantsTombstones: Bool = false
) throws -> QueryPlan {
    QueryPlan(
        table: table, userID: 7, scope: try #require(GroupScope(groups.map(value))),
        equalities: equalities, row: row, wantsTombstones: wantsTombstones, wantsSecret: true)
}

private func numbers(
    _ reader: StoreReader, _ plan: QueryPlan, after rowID: Int64 = 0, limit: Int = .max
) throws -> [Int64] {
    var found: [Int64] = []
    try reader.scan(plan, after: rowID) { item in
        found.append(item.rowID)
        return found.count < limit
    }
    return found
}

@Suite struct QueryPlanTests {
    /// Twelve rows in groups 0 … 5, in this order twice, and one tombstone.
    private func lend(
        _ table: ItemTable, _ body: (StoreReader) throws -> Void
    ) throws {
        let directory = try StateDirectory()
        let store = try ItemStore(stateDirectory: directory.path, timestamp: "T")
        let writer = try store.makeWriter(keeper: TestRoots())
        try writer.commit { (transaction) throws(StoreError) in
            for number in 0..<12 {
                try transaction.insert(row(table, number, group: number % 6))
            }
            try transaction.insert(row(table, 12, group: 0, isTombstone: true))
        }
        try body(store.makeReader())
    }

    @Test(arguments: ItemTable.allCases)
    func rowsOfSeveralGroupsComeInTheOrderOfTheirNumbers(table: ItemTable) throws {
        try lend(table) { (reader: StoreReader) throws -> Void in
            #expect(try numbers(reader, plan(table, groups: [3])) == [4, 10])
            #expect(try numbers(reader, plan(table, groups: [3, 1])) == [2, 4, 8, 10])
            #expect(
                try numbers(reader, plan(table, groups: Array(0...5))) == Array(1...12))
            #expect(
                try numbers(reader, plan(table, groups: [5, 4, 3, 2, 1]), after: 6, limit: 2)
                    == [8, 9])
        }
    }

    @Test(arguments: ItemTable.allCases)
    func everyIndexColumnFindsAndIsScoped(table: ItemTable) throws {
        try lend(table) { (reader: StoreReader) throws -> Void in
            for (position, column) in table.indexColumns.enumerated() where position > 1 {
                let equal = [(column: column, value: value(1000 + position))]
                let other = [(column: column, value: value(999))]
                #expect(try numbers(reader, plan(table, groups: [2], equal)) == [3, 9])
                // This many groups are compared outside SQLite.
                #expect(
                    try numbers(reader, plan(table, groups: [2, 7, 8, 9, 10, 11], equal))
                        == [3, 9])
                #expect(try numbers(reader, plan(table, groups: [8], equal)).isEmpty)
                #expect(try numbers(reader, plan(table, groups: [2], other)).isEmpty)
            }
        }
    }

    @Test(arguments: ItemTable.allCases)
    func oneRowIsFoundByItsNumberInsideTheGroupsAlone(table: ItemTable) throws {
        try lend(table) { (reader: StoreReader) throws -> Void in
            #expect(try numbers(reader, plan(table, groups: [4], row: .number(5))) == [5])
            #expect(try numbers(reader, plan(table, groups: [3], row: .number(5))).isEmpty)
            #expect(try numbers(reader, plan(table, groups: [4], row: .number(99))).isEmpty)
            #expect(try numbers(reader, plan(table, groups: [4], row: .number(-1))).isEmpty)
            let uuid = row(table, 4, group: 4).uuid
            #expect(try numbers(reader, plan(table, groups: [4], row: .uuid(uuid))) == [5])
            #expect(try numbers(reader, plan(table, groups: [3], row: .uuid(uuid))).isEmpty)
        }
    }

    @Test(arguments: ItemTable.allCases)
    func tombstonesAreReadWhenTheyAreMeantAndOnlyThen(table: ItemTable) throws {
        try lend(table) { (reader: StoreReader) throws -> Void in
            #expect(
                try numbers(reader, plan(table, groups: [0], wantsTombstones: true)) == [13])
            #expect(
                try numbers(reader, plan(table, groups: [0, 1], wantsTombstones: true)) == [13])
            #expect(try numbers(reader, plan(table, groups: [0])) == [1, 7])
            #expect(
                try numbers(reader, plan(table, groups: [1], wantsTombstones: true)).isEmpty)
        }
    }
}
