// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import GRDB
import ItemStore
import Testing

/// A state directory that is deleted with the test.
final class StateDirectory {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "/llavero-store-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var database: String { path + "/keychain.db" }
}

private func value(_ number: UInt8) -> IndexValue {
    let bytes = [UInt8](repeating: number, count: 16)
    return unsafe bytes.withUnsafeBytes { unsafe IndexValue($0) }
}

private func item(
    _ number: UInt8, group: UInt8 = 200, service: UInt8 = 100, user: UInt32 = 1000
) -> SealedItem {
    var indexes = [IndexValue?](repeating: nil, count: 12)
    for (position, number) in [(0, number), (1, group), (2, 90), (3, number), (4, service)] {
        indexes[position] = value(number)
    }
    return SealedItem(
        table: .genericPasswords, rowID: 0, uuid: [UInt8](repeating: number, count: 16),
        userID: user, keyClass: 6, keyGeneration: 1, rowGeneration: 1, isTombstone: false,
        indexes: indexes, metadata: Data([UInt8](repeating: 3, count: 29)), secret: [4, 5])
}

private func plan(
    _ equalities: [(column: IndexColumn, value: IndexValue)] = [], groups: [UInt8] = [200],
    userID: UInt32 = 1000, wantsSecret: Bool = true
) throws -> QueryPlan {
    QueryPlan(
        table: .genericPasswords, userID: userID,
        scope: try #require(GroupScope(groups.map(value))), equalities: equalities, row: nil,
        wantsSecret: wantsSecret)
}

private func rows(_ reader: StoreReader, _ plan: QueryPlan) throws -> [SealedItem] {
    var items: [SealedItem] = []
    try reader.scan(plan, after: 0) { item in
        items.append(item)
        return true
    }
    return items
}

@Suite struct ItemStoreTests {
    @Test func rowComesBackAsItWasStored() throws {
        let directory = try StateDirectory()
        let store = try ItemStore(stateDirectory: directory.path, timestamp: "T")
        let writer = try store.makeWriter(keeper: TestRoots())
        let reader = try store.makeReader()
        let original = item(1)
        try writer.commit { (transaction) throws(StoreError) in try transaction.insert(original) }
        let found = try #require(try rows(reader, plan()).first)
        #expect(found.uuid == original.uuid)
        #expect(found.userID == 1000)
        #expect(found.keyClass == 6)
        #expect(found.indexes == original.indexes)
        #expect(found.metadata == original.metadata)
        #expect(found.secret == original.secret)
        #expect(found.rowID > 0)
    }

    @Test func rowThatIsKeptStaysAsItWasRead() throws {
        let directory = try StateDirectory()
        let store = try ItemStore(stateDirectory: directory.path, timestamp: "T")
        let writer = try store.makeWriter(keeper: TestRoots())
        let reader = try store.makeReader()
        // Longer and shorter than the one before.
        let sizes = [(40, 3), (10, 90), (0, 17), (300, 0), (29, 5)]
        let originals = zip(UInt8(1)..., sizes).map { number, size in
            var original = item(number)
            original.metadata = Data(repeating: number, count: size.0)
            original.secret = [UInt8](repeating: number, count: size.1)
            return original
        }
        try writer.commit { (transaction) throws(StoreError) in
            for original in originals { try transaction.insert(original) }
        }
        let found = try rows(reader, plan())
        #expect(found.map(\.uuid) == originals.map(\.uuid))
        #expect(found.map(\.indexes) == originals.map(\.indexes))
        #expect(found.map(\.metadata) == originals.map(\.metadata))
        #expect(found.map(\.secret) == originals.map(\.secret))
    }

    @Test func secretIsLeftOutUnlessWanted() throws {
        let directory = try StateDirectory()
        let store = try ItemStore(stateDirectory: directory.path, timestamp: "T")
        let writer = try store.makeWriter(keeper: TestRoots())
        try writer.commit { (transaction) throws(StoreError) in try transaction.insert(item(1)) }
        let found = try rows(try store.makeReader(), plan(wantsSecret: false))
        #expect(found.map(\.secret) == [[]])
    }

    @Test func rowsOfOtherGroupsAndUsersAreNotRead() throws {
        let directory = try StateDirectory()
        let store = try ItemStore(stateDirectory: directory.path, timestamp: "T")
        let writer = try store.makeWriter(keeper: TestRoots())
        let reader = try store.makeReader()
        try writer.commit { (transaction) throws(StoreError) in
            try transaction.insert(item(1, group: 200))
            try transaction.insert(item(2, group: 201))
        }
        #expect(try rows(reader, plan(groups: [200])).count == 1)
        #expect(try rows(reader, plan(groups: [200, 201])).count == 2)
        #expect(try rows(reader, plan(groups: [202])).isEmpty)
        #expect(try rows(reader, plan(userID: 1001)).isEmpty)
        #expect(try rows(reader, plan([(.account, value(1))], groups: [201])).isEmpty)
    }

    @Test func thereIsNoPlanWithoutGroups() {
        #expect(GroupScope([]) == nil)
    }

    @Test func secondRowWithThePrimaryKeyIsAConstraint() throws {
        let directory = try StateDirectory()
        let store = try ItemStore(stateDirectory: directory.path, timestamp: "T")
        let writer = try store.makeWriter(keeper: TestRoots())
        try writer.commit { (transaction) throws(StoreError) in try transaction.insert(item(1)) }
        var second = item(1)
        second.uuid = [UInt8](repeating: 9, count: 16)
        #expect(throws: StoreError.constraint) {
            try writer.commit { (transaction) throws(StoreError) in
                try transaction.insert(second)
            }
        }
    }

    @Test func failedRequestIsUndoneAndItsNeighborsStay() throws {
        struct Refusal: Error, Equatable {}
        let directory = try StateDirectory()
        let store = try ItemStore(stateDirectory: directory.path, timestamp: "T")
        let writer = try store.makeWriter(keeper: TestRoots())
        try writer.commit { (transaction) throws(StoreError) in
            try transaction.insert(item(1))
            #expect(throws: Refusal.self) {
                try transaction.isolated(
                    { () throws(Refusal) in
                        do { try transaction.insert(item(2)) } catch { throw Refusal() }
                        throw Refusal()
                    }, storeFailure: { _ in Refusal() })
            }
            try transaction.insert(item(3))
        }
        let found = try rows(try store.makeReader(), plan())
        #expect(found.map { $0.uuid[0] } == [1, 3])
    }

    @Test func scanGoesOnAfterARowAndStopsWhenTold() throws {
        let directory = try StateDirectory()
        let store = try ItemStore(stateDirectory: directory.path, timestamp: "T")
        let writer = try store.makeWriter(keeper: TestRoots())
        let reader = try store.makeReader()
        try writer.commit { (transaction) throws(StoreError) in
            for number in UInt8(1)...9 { try transaction.insert(item(number)) }
        }
        var seen: [UInt8] = []
        var last: Int64 = 0
        try reader.scan(try plan(), after: 0) { item in
            seen.append(item.uuid[0])
            last = item.rowID
            return seen.count < 4
        }
        try reader.scan(try plan(), after: last) { item in
            seen.append(item.uuid[0])
            return true
        }
        #expect(seen == Array(1...9))
    }

    @Test func quarantinedRowIsOutOfItsTableAndKept() throws {
        let directory = try StateDirectory()
        let store = try ItemStore(stateDirectory: directory.path, timestamp: "T")
        let writer = try store.makeWriter(keeper: TestRoots())
        try writer.commit { (transaction) throws(StoreError) in
            try transaction.insert(item(1))
            let found = try transaction.row(.genericPasswords, primaryKey: value(1))
            if let found { try transaction.quarantine(found, .metadata, now: 5) }
        }
        #expect(try rows(try store.makeReader(), plan()).isEmpty)
        let queue = try DatabaseQueue(path: directory.database)
        let kept = try queue.read { try Data.fetchOne($0, sql: "SELECT uuid FROM quarantine") }
        #expect(kept == Data(repeating: 1, count: 16))
    }

    @Test func quarantinedRowKeepsItsNumberItsReasonAndItsColumns() throws {
        let directory = try StateDirectory()
        let store = try ItemStore(stateDirectory: directory.path, timestamp: "T")
        try store.makeWriter(keeper: TestRoots()).commit { (transaction) throws(StoreError) in
            try transaction.insert(item(1))
            try transaction.insert(item(2))
            for reason in [QuarantineReason.secret, .keyMissing] {
                let number = reason == .secret ? 2 : 1
                let found = try transaction.row(.genericPasswords, rowID: Int64(number))
                if let found { try transaction.quarantine(found, reason, now: 5) }
            }
        }
        let reader = try store.makeReader()
        let kept = try reader.quarantined(after: 0, limit: 10)
        #expect(kept.map(\.reason) == [.secret, .keyMissing])
        #expect(kept.map(\.item.rowID) == [2, 1])
        #expect(kept.map(\.item.uuid) == [item(2).uuid, item(1).uuid])
        #expect(kept.map(\.item.indexes) == [item(2).indexes, item(1).indexes])
        #expect(kept.map(\.item.secret) == [item(2).secret, item(1).secret])
        #expect(try reader.quarantined(after: kept[0].number, limit: 10).count == 1)
        #expect(try reader.quarantineCount(userID: 1000) == 2)
        #expect(try reader.quarantineCount(userID: 1001) == 0)
    }

    /// A thousand rows at most: an attacker who damages rows repeatedly can't fill the disk.
    @Test func quarantineMakesRoomByItsOldestRowAlone() throws {
        let directory = try StateDirectory()
        let store = try ItemStore(stateDirectory: directory.path, timestamp: "T")
        let writer = try store.makeWriter(keeper: TestRoots())
        try writer.commit { (transaction) throws(StoreError) in
            // Another user's, and the oldest of all.
            try transaction.insert(item(2, user: 1001))
            let found = try transaction.row(.genericPasswords, rowID: 1)
            if let found { try transaction.quarantine(found, .metadata, now: 5) }
            for number in 0..<1001 {
                var row = item(1)
                row.secret = Array("\(number)".utf8)
                try transaction.insert(row)
                let found = try transaction.row(.genericPasswords, primaryKey: value(1))
                if let found { try transaction.quarantine(found, .metadata, now: 5) }
            }
        }
        let reader = try store.makeReader()
        #expect(try reader.quarantineCount(userID: 1000) == 1000)
        #expect(try reader.quarantineCount(userID: 1001) == 1)
        let all = try reader.quarantined(after: 0, limit: 2000)
        let kept = all.filter { $0.item.userID == 1000 }
        let secrets: [[UInt8]] = (1..<1001).map { Array("\($0)".utf8) }
        #expect(kept.map(\.item.secret) == secrets)
        #expect(kept.allSatisfy { $0.item.indexes == item(1).indexes })
    }

    /// SQLite drops a damaged frame and all after it without an error; the store reports it.
    @Test func damagedLogIsKeptAndOneThatWasCutOffIsNot() throws {
        let frameByteCount = 24 + 4096
        for damage in [nil, 100, 32 + 30, 26, -1, -2] as [Int?] {
            let directory = try StateDirectory()
            let wal = URL(fileURLWithPath: directory.database + "-wal")
            var log = Data()
            do {
                let store = try ItemStore(stateDirectory: directory.path, timestamp: "T")
                let writer = try store.makeWriter(keeper: TestRoots())
                for number in 1...5 {
                    try writer.commit { (transaction) throws(StoreError) in
                        try transaction.insert(item(UInt8(number)))
                    }
                }
                log = try Data(contentsOf: wal)
            }
            #expect(log.count > 3 * frameByteCount)
            if let damage, damage >= 0 { log[damage] ^= 1 }
            if damage == -1 { log.removeLast(10) }
            if damage == -2 { log[log.count - 5] ^= 1 }
            try log.write(to: wal)
            let store = try ItemStore(stateDirectory: directory.path, timestamp: "U")
            // An incomplete frame doesn't count; one with changed bytes may have been committed.
            let isDamaged = damage != nil && damage != -1
            let name = "keychain-damaged-U.db-wal-only"
            #expect(store.keptLog == (isDamaged ? name : nil), "\(damage ?? 0)")
            #expect(store.notice == nil)
            let copy = try? Data(
                contentsOf: URL(fileURLWithPath: directory.path + "/" + name))
            #expect(copy == (isDamaged ? log : nil))
        }
    }

    @Test func rowIsInsertedUnderTheNumberThatItHas() throws {
        let directory = try StateDirectory()
        let store = try ItemStore(stateDirectory: directory.path, timestamp: "T")
        try store.makeWriter(keeper: TestRoots()).commit { (transaction) throws(StoreError) in
            var first = item(1)
            first.rowID = 41
            try transaction.insert(first)
            try transaction.insert(item(2))
            #expect(try transaction.row(.genericPasswords, rowID: 41)?.uuid == first.uuid)
            #expect(try transaction.row(.genericPasswords, rowID: 42)?.uuid == item(2).uuid)
        }
    }

    @Test func outcomesAreFoundUntilForgottenAndByTheirUserAlone() throws {
        let directory = try StateDirectory()
        let store = try ItemStore(stateDirectory: directory.path, timestamp: "T")
        let writer = try store.makeWriter(keeper: TestRoots())
        let name = [UInt8](repeating: 5, count: 16)
        func moment(_ seconds: Int64, boot: UInt8 = 1) -> BootMoment {
            BootMoment(seconds: seconds, bootID: [UInt8](repeating: boot, count: 16))
        }
        try writer.commit { (transaction) throws(StoreError) in
            try transaction.recordOutcome(requestID: name, userID: 1, uuid: [7], now: moment(100))
            #expect(try transaction.outcome(requestID: name, userID: 1) == [7])
            #expect(try transaction.outcome(requestID: name, userID: 2) == nil)
            try transaction.forgetOutcomes(before: moment(100))
            #expect(try transaction.outcome(requestID: name, userID: 1) == [7])
            try transaction.forgetOutcomes(before: moment(101))
            #expect(try transaction.outcome(requestID: name, userID: 1) == nil)
            // Outcomes from before the machine's current start are deleted.
            try transaction.recordOutcome(requestID: name, userID: 1, uuid: [7], now: moment(100))
            try transaction.forgetOutcomes(before: moment(3, boot: 2))
            #expect(try transaction.outcome(requestID: name, userID: 1) == nil)
        }
    }

    @Test func newestMetadataKeyIsTheOneWithTheHighestGeneration() throws {
        let directory = try StateDirectory()
        let store = try ItemStore(stateDirectory: directory.path, timestamp: "T")
        let writer = try store.makeWriter(keeper: TestRoots())
        let reader = try store.makeReader()
        try writer.commit { (transaction) throws(StoreError) in
            for generation in [UInt32(1), 3, 2] {
                try transaction.insertMetadataKey(
                    userID: 1, keyClass: 6, generation: generation,
                    wrapped: [UInt8(generation)], sealsReserved: 10)
            }
            try transaction.reserveSeals(userID: 1, keyClass: 6, generation: 3, upTo: 20)
        }
        let newest = try #require(
            try reader.metadataKey(userID: 1, keyClass: 6, generation: nil))
        #expect(newest.generation == 3)
        #expect(newest.sealsReserved == 20)
        let second = try reader.metadataKey(userID: 1, keyClass: 6, generation: 2)
        #expect(second?.wrapped == [2])
        #expect(try reader.metadataKey(userID: 1, keyClass: 7, generation: nil) == nil)
        #expect(try reader.metadataKey(userID: 2, keyClass: 6, generation: nil) == nil)
    }
}

@Suite struct StoreOpeningTests {
    @Test func everyLookupUsesAnIndex() throws {
        let directory = try StateDirectory()
        let store = try ItemStore(stateDirectory: directory.path, timestamp: "T")
        let reader = try store.makeReader()
        // The statement names its index: if SQLite couldn't use it, this would fail.
        for columns: [IndexColumn] in [
            [], [.service], [.account], [.service, .account], [.label], [.label, .synchronizable],
            [.comment], [.primaryKey],
        ] {
            _ = try rows(reader, plan(columns.map { ($0, value(1)) }))
        }
    }

    @Test func garbageIsKeptAsideAndANewStoreBegun() throws {
        let directory = try StateDirectory()
        let garbage = Data((0..<8192).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try garbage.write(to: URL(fileURLWithPath: directory.database))
        let store = try ItemStore(stateDirectory: directory.path, timestamp: "20260102T030405Z")
        #expect(store.notice == .keptAside("keychain-damaged-20260102T030405Z.db"))
        let kept = directory.path + "/keychain-damaged-20260102T030405Z.db"
        #expect(FileManager.default.contents(atPath: kept) == garbage)
        _ = try store.makeWriter(keeper: TestRoots())
    }

    @Test func emptyFileIsKeptAsideToo() throws {
        let directory = try StateDirectory()
        try Data().write(to: URL(fileURLWithPath: directory.database))
        let store = try ItemStore(stateDirectory: directory.path, timestamp: "T")
        #expect(store.notice == .keptAside("keychain-damaged-T.db"))
    }

    @Test func twoDamagedFilesOfOneMomentAreBothKept() throws {
        let directory = try StateDirectory()
        for _ in 0..<2 {
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: directory.database + suffix)
            }
            try Data([1, 2, 3]).write(to: URL(fileURLWithPath: directory.database))
            _ = try ItemStore(stateDirectory: directory.path, timestamp: "T")
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(names.contains("keychain-damaged-T.db"))
        #expect(names.contains("keychain-damaged-T-2.db"))
    }

    @Test func soundStoreWithADamageMarkIsKeptInPlace() throws {
        let directory = try StateDirectory()
        let first = try ItemStore(stateDirectory: directory.path, timestamp: "T")
        try first.makeWriter(keeper: TestRoots()).commit { (transaction) throws(StoreError) in
            try transaction.insert(item(1))
        }
        first.markDamaged()
        let second = try ItemStore(stateDirectory: directory.path, timestamp: "T")
        #expect(second.notice == nil)
        #expect(try rows(second.makeReader(), plan()).count == 1)
        #expect(!FileManager.default.fileExists(atPath: directory.database + "-iscorrupt"))
    }

    @Test func newerDatabaseIsRefusedAndUntouched() throws {
        let directory = try StateDirectory()
        _ = try ItemStore(stateDirectory: directory.path, timestamp: "T")
        do {
            let queue = try DatabaseQueue(path: directory.database)
            try queue.write {
                try $0.execute(
                    sql: "INSERT INTO grdb_migrations (identifier) VALUES ('version 99')")
            }
        }
        #expect(throws: StoreError.newerVersion) {
            _ = try ItemStore(stateDirectory: directory.path, timestamp: "T")
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(!names.contains { $0.hasPrefix("keychain-damaged") })
    }

    @Test func anotherProgramsDatabaseIsKeptAside() throws {
        let directory = try StateDirectory()
        do {
            let queue = try DatabaseQueue(path: directory.database)
            try queue.write { try $0.execute(sql: "CREATE TABLE genp (x)") }
        }
        let store = try ItemStore(stateDirectory: directory.path, timestamp: "T")
        #expect(store.notice == .keptAside("keychain-damaged-T.db"))
    }

    @Test func databaseFileIsPrivate() throws {
        let directory = try StateDirectory()
        _ = try ItemStore(stateDirectory: directory.path, timestamp: "T")
        let attributes = try FileManager.default.attributesOfItem(atPath: directory.database)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    }
}
