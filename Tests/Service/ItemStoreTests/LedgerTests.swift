// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import GRDB
import ItemStore
import Testing

private func value(_ number: Int) -> IndexValue {
    var bytes = [UInt8](repeating: 0, count: 16)
    for place in 0..<4 { bytes[place] = UInt8(truncatingIfNeeded: number >> (8 * place)) }
    return unsafe bytes.withUnsafeBytes { unsafe IndexValue($0) }
}

private func item(_ number: Int, userID: UInt32 = 1000, tag: UInt8 = 7) -> SealedItem {
    var indexes = [IndexValue?](repeating: value(number), count: 12)
    indexes[1] = value(-1)
    let uuid = unsafe value(number).withBytes { unsafe [UInt8]($0) }
    return SealedItem(
        table: .genericPasswords, rowID: 0, uuid: uuid, userID: userID, keyClass: 6,
        keyGeneration: 1, rowGeneration: 1, isTombstone: false, indexes: indexes,
        metadata: Data([UInt8](repeating: tag, count: 29)), secret: [4])
}

/// A store with rows 1 to 200 of one user.
private final class Ledger {
    let directory: StateDirectory
    let store: ItemStore
    let roots = TestRoots()
    let writer: StoreWriter

    init() throws {
        directory = try StateDirectory()
        store = try ItemStore(stateDirectory: directory.path, timestamp: "T")
        writer = try store.makeWriter(keeper: roots)
        try writer.commit { (transaction) throws(StoreError) in
            for number in 1...200 { try transaction.insert(item(number)) }
        }
    }

    /// The numbers of the rows that a reader accepts.
    func believed() throws -> [Int64] {
        try store.makeReader().allRows(.genericPasswords, after: 0, limit: 1000)
            .filter(\.isCurrent).map(\.rowID)
    }

    func execute(_ sql: String) throws {
        try DatabaseQueue(path: directory.database).write { try $0.execute(sql: sql) }
    }
}

@Suite struct LedgerTests {
    @Test func everyCommittedRowIsBelieved() throws {
        let ledger = try Ledger()
        #expect(try ledger.believed() == Array(1...200))
        #expect(ledger.roots.committed == 200)
    }

    @Test func rowsThatShareALeafCostOneCallForEachTransaction() throws {
        let ledger = try Ledger()
        // Rows 1 to 200 are in leaves 0 to 3.
        #expect(ledger.roots.calls == 4)
    }

    @Test func olderStateOfARowIsNotBelieved() throws {
        let ledger = try Ledger()
        try ledger.writer.commit { (transaction) throws(StoreError) in
            guard var row = try transaction.row(.genericPasswords, rowID: 70) else { return }
            let old = row
            row.metadata = Data([UInt8](repeating: 9, count: 29))
            try transaction.replace(old, with: row)
        }
        #expect(try ledger.believed().count == 200)
        try ledger.execute(
            "UPDATE genp SET metadata = (SELECT metadata FROM genp WHERE rowid = 1) WHERE rowid = 70"
        )
        #expect(try ledger.believed() == Array(1...200).filter { $0 != 70 })
        try ledger.writer.commit { (transaction) throws(StoreError) in
            #expect(try transaction.row(.genericPasswords, rowID: 70)?.isCurrent == false)
            #expect(try transaction.row(.genericPasswords, rowID: 71)?.isCurrent == true)
        }
    }

    @Test func rowThatWasDeletedIsNotBelievedWhenItComesBack() throws {
        let ledger = try Ledger()
        try ledger.execute("CREATE TABLE old AS SELECT * FROM genp WHERE rowid = 5")
        try ledger.writer.commit { (transaction) throws(StoreError) in
            guard let row = try transaction.row(.genericPasswords, rowID: 5) else { return }
            try transaction.delete(row)
        }
        #expect(ledger.roots.committed == 199)
        try ledger.execute("INSERT INTO genp SELECT * FROM old; DROP TABLE old")
        #expect(try ledger.believed() == Array(1...200).filter { $0 != 5 })
    }

    @Test func undonePartLeavesTheLedgerAsItWas() throws {
        let ledger = try Ledger()
        struct Undone: Error {}
        try ledger.writer.commit { (transaction) throws(StoreError) in
            try transaction.insert(item(201))
            let undone: Void? = try? transaction.isolated(
                { () throws(Undone) in
                    try? transaction.insert(item(202))
                    throw Undone()
                }, storeFailure: { _ in Undone() })
            #expect(undone == nil)
            try transaction.insert(item(203))
        }
        #expect(ledger.roots.committed == 202)
        #expect(try ledger.believed().count == 202)
    }

    @Test func undoneTransactionLeavesTheLedgerAsItWas() throws {
        let ledger = try Ledger()
        try ledger.writer.commit { (transaction) throws(StoreError) in
            try transaction.insert(item(201))
            transaction.undo()
        }
        #expect(ledger.roots.committed == 200)
        #expect(try ledger.believed() == Array(1...200))
    }

    @Test func nothingIsWrittenWhileTheRootIsNotKept() throws {
        let ledger = try Ledger()
        ledger.roots.isKept = false
        #expect(throws: StoreError.rootNotKept) {
            try ledger.writer.commit { (transaction) throws(StoreError) in
                try transaction.insert(item(201))
            }
        }
        ledger.roots.isKept = true
        #expect(try ledger.believed() == Array(1...200))
    }

    @Test func usersHaveLeavesOfTheirOwn() throws {
        let ledger = try Ledger()
        try ledger.writer.commit { (transaction) throws(StoreError) in
            try transaction.insert(item(201, userID: .max))
        }
        var users: [UInt32: Int] = [:]
        try ledger.writer.commit { (transaction) throws(StoreError) in
            for userID in [UInt32(0), 1000, .max] {
                try transaction.forEachLeaf(userID: userID) { number, _ in
                    #expect(number.userID == userID)
                    users[userID, default: 0] += 1
                }
            }
        }
        #expect(users == [1000: 4, .max: 1])
    }

    @Test func ledgerMadeAgainOfTheRowsIsTheSame() throws {
        let ledger = try Ledger()
        var before: [LeafNumber: Leaf] = [:]
        var after: [LeafNumber: Leaf] = [:]
        try ledger.writer.commit { (transaction) throws(StoreError) in
            try transaction.forEachLeaf(userID: 1000) { before[$0] = $1 }
            try transaction.rebuildLedger(userID: 1000)
            try transaction.forEachLeaf(userID: 1000) { after[$0] = $1 }
        }
        #expect(before.count == 4)
        #expect(before == after)
    }

    @Test func rowNumberThatNoStoreGivesOutIsRefused() throws {
        let ledger = try Ledger()
        var huge = item(201)
        huge.rowID = 1 << 36
        #expect(throws: StoreError.rootNotKept) {
            try ledger.writer.commit { (transaction) throws(StoreError) in
                try transaction.insert(huge)
            }
        }
        try ledger.execute("UPDATE genp SET rowid = 4611686018427387904 WHERE rowid = 3")
        #expect(try ledger.believed().count == 199)
    }
}
