// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import SecretBytes
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// Stores that the daemons of earlier commits wrote (Tests/Vectors/stores) stay usable.
    /// `Documentation/attack-list.md` explains the numbers in names of tests.
    @Suite struct Upgrades {
        /// A store of an earlier commit.
        struct Store: Sendable, CustomTestStringConvertible {
            let commit: String
            let count: Int
            /// Rows whose index is computed differently now.
            let rewrittenCount: Int
            var testDescription: String { commit }
        }

        private static let first = Store(commit: "5164de1", count: 200, rewrittenCount: 99)
        private static let stores = [
            first, Store(commit: "65f5d23", count: 40, rewrittenCount: 0),
            Store(commit: "bf1c9bd", count: 40, rewrittenCount: 0),
        ]
        private static let passcode = "correct horse"
        /// Item N has class N modulo 4; only dk can be read before the first unlock.
        private static let classCount = 4
        private static let alwaysReadable = 2

        @Test(arguments: stores)
        func storeOfAnEarlierCommitIsReadAndWrittenAlsoLocked(_ store: Store) throws {
            try Self.lend(store) { options, state in
                try TestService.run(options) { service in
                    for number in 0..<store.count {
                        let isReadable = number % Self.classCount == Self.alwaysReadable
                        #expect(Self.reads(service, number) == (isReadable ? 0 : -25308))
                    }
                    try service.keychain.add(.password("locked", accessibility: .always))
                    try service.keychain.update(
                        Self.query(2), applying: .setting([.label: .text("changed")]))
                    try Self.unlock(service)
                    try Self.expectItems(service, store, except: [])
                    try Self.waitForTheEnd(state)
                    try Self.expectItems(service, store, except: [])
                    #expect(try service.keychain.check().findings == [])
                    try service.keychain.delete(Self.query(4))
                    try service.keychain.update(Self.query(5), applying: .setting(secret: "new 5"))
                    #expect(status { try service.keychain.add(Self.item(6)) } == -25299)
                }
                try TestService.run(options) { service in
                    try Self.unlock(service)
                    try Self.expectItems(service, store, except: [4, 5])
                    #expect(Self.reads(service, 4) == -25300)
                    #expect(
                        try service.keychain.find(Self.query(5)).first?.secret?.testText == "new 5")
                    #expect(try one(service, "locked").secret?.testText == "secret")
                    #expect(try service.keychain.check().findings == [])
                }
            }
        }

        @Test func c09UpgradeWaitsWhileLockedAndCompletesAfterTheUnlock() throws {
            try Self.lend(Self.first) { options, state in
                let before = try StoredRows.rows("genp", state)
                try TestService.run(options) { service in
                    _ = try service.keychain.deviceStatus()
                    // It has begun once it has recorded the index key's keybag; the first row is
                    // locked.
                    try Self.waitUntilBegun(state)
                    for _ in 0..<20 { #expect(Self.reads(service, 0) == -25308) }
                    #expect(try StoredRows.rows("genp", state) == before)
                    #expect(try Self.position(state) == [0])
                    try Self.unlock(service)
                    try Self.waitForTheEnd(state)
                    let after = try StoredRows.rows("genp", state)
                    #expect(after.map { $0["uuid"] } == before.map { $0["uuid"] })
                    #expect(after.map { $0["rowid"] } == before.map { $0["rowid"] })
                    let changed = zip(before, after).count { $0 != $1 }
                    #expect(changed == Self.first.rewrittenCount)
                    #expect(after.count { $0["rowgeneration"] == .integer(2) } == changed)
                    try Self.expectItems(service, Self.first, except: [])
                    // An attribute that was indexed as a fraction is found by its number now.
                    var query = ItemQuery.password(service: "fixture", limit: nil)
                    query.attributes[.creator] = .integer(6)
                    let found = try service.keychain.find(query)
                    #expect(found.map { $0.secret?.testText } == ["secret 6"])
                    #expect(try StoredRows.rows("quarantine", state).isEmpty)
                }
            }
        }

        @Test func c10UpgradeMeetsABadRowAndKeepsTheOthers() throws {
            try Self.lend(Self.first) { options, state in
                try StoredRows.execute(
                    "UPDATE genp SET metadata = metadata || x'00' WHERE rowid = 101", state)
                try TestService.run(options) { service in
                    try Self.unlock(service)
                    try Self.waitForTheEnd(state)
                    let rows = try StoredRows.rows("genp", state)
                    #expect(rows.count == 199)
                    #expect(rows.allSatisfy { $0["tombstone"] == .integer(0) })
                    let aside = try StoredRows.rows("quarantine", state)
                    #expect(aside.map { $0["itemrowid"] } == [.integer(101)])
                    #expect(Self.reads(service, 100) == -25300)
                    try Self.expectItems(service, Self.first, except: [100])
                    #expect(try service.keychain.check().findings.map(\.kind) == [.quarantined])
                }
            }
        }

        @Test func c09UpgradeThatIsKilledGoesOnAndLosesNothing() throws {
            try Self.lend(Self.first) { options, state in
                try TestService.run(options) { service in
                    for round in 0..<4 {
                        try Self.unlock(service)
                        if round % 2 == 0 {
                            usleep(UInt32.random(in: 0..<8_000))
                        } else {
                            // After some rows, however slow the machine is.
                            let before = try Self.position(state)
                            try Waiting.until("the upgrade to go on") {
                                try Self.isOver(state) || Self.position(state) != before
                            }
                        }
                        try service.crash(try service.worker())
                    }
                    try Self.unlock(service)
                    try Self.waitForTheEnd(state)
                    try Self.expectItems(service, Self.first, except: [])
                    let rows = try StoredRows.rows("genp", state)
                    let rewritten = rows.count { $0["rowgeneration"] == .integer(2) }
                    #expect(rewritten == Self.first.rewrittenCount)
                }
            }
        }

        @Test func finishedUpgradeLooksAtNoRowAgain() throws {
            try Self.lend(Self.first) { options, state in
                try TestService.run(options) { service in
                    try Self.unlock(service)
                    try Self.waitForTheEnd(state)
                }
                let after = try StoredRows.everything(state)
                try TestService.run(options) { service in
                    try Self.unlock(service)
                    try Self.expectItems(service, Self.first, except: [])
                }
                #expect(try StoredRows.everything(state) == after)
            }
        }

        // MARK: - Whole stores

        /// Stores with an item of each class of item in each protection class, a tombstone, a row in
        /// the quarantine and an escrow record (Scripts/make-store-fixture).
        private static let wholeStores = [Store(commit: "5ec74ec", count: 28, rewrittenCount: 0)]

        @Test(arguments: wholeStores)
        func allThatAStoreHoldsGoesOn(_ store: Store) throws {
            try Self.lend(store) { options, state in
                try TestService.run(options) { service in
                    for (itemClass, code) in Self.kinds {
                        let isReadable = code.hasPrefix("dk")
                        #expect(
                            status { try Self.expectItem(service, itemClass, code) }
                                == (isReadable ? 0 : -25308), "\(itemClass) \(code)")
                    }
                    try Self.unlock(service)
                    try Self.waitForTheEnd(state)
                    for (itemClass, code) in Self.kinds {
                        try Self.expectItem(service, itemClass, code)
                    }
                    #expect(try service.keychain.deviceStatus().hasEscrow)
                    let tombstones = try StoredRows.rows("genp", state).filter {
                        $0["tombstone"] == .integer(1)
                    }
                    #expect(tombstones.count == 1)
                    #expect(try service.keychain.check().findings.map(\.kind) == [.quarantined])
                    for (itemClass, code) in Self.kinds {
                        try service.keychain.update(
                            Self.query(itemClass, code), applying: .setting(secret: "changed"))
                    }
                }
                try TestService.run(options) { service in
                    try Self.unlock(service)
                    for (itemClass, code) in Self.kinds {
                        let found = try service.keychain.find(Self.query(itemClass, code)).first
                        #expect(found?.secret?.testText == "changed", "\(itemClass) \(code)")
                        try service.keychain.delete(Self.query(itemClass, code))
                    }
                    #expect(try service.keychain.check().findings.map(\.kind) == [.quarantined])
                }
            }
        }

        private static let kinds: [(ItemClass, String)] = {
            let stored: [ItemClass] = [.genericPassword, .internetPassword, .certificate, .key]
            return stored.flatMap { itemClass in
                Accessibility.allCases.map { (itemClass, $0.code) }
            }
        }()

        private static func name(_ itemClass: ItemClass, _ code: String) -> String {
            itemClass.rawValue + " " + code
        }

        private static func query(_ itemClass: ItemClass, _ code: String) -> ItemQuery {
            var query = ItemQuery(itemClass)
            query.attributes[.label] = .text(name(itemClass, code))
            query.returning = [.data, .attributes]
            return query
        }

        private static func expectItem(
            _ service: TestService, _ itemClass: ItemClass, _ code: String
        ) throws {
            let found = try service.keychain.find(query(itemClass, code))
            #expect(found.count == 1, "\(itemClass) \(code)")
            #expect(found.first?.secret?.testText == "secret of \(name(itemClass, code))")
            #expect(found.first?.attributes.accessibility?.code == code)
        }

        // MARK: - Helpers

        private static func item(_ number: Int) -> NewItem {
            .password("account \(number)", service: "fixture")
        }

        private static func query(_ number: Int) -> ItemQuery {
            .password(
                "account \(number)", service: "fixture", returning: [.data, .attributes])
        }

        private static func reads(_ service: TestService, _ number: Int) -> Int32 {
            status {
                let found = try service.keychain.find(query(number)).first
                #expect(found?.secret?.testText == "secret \(number)")
            }
        }

        private static func unlock(_ service: TestService) throws {
            try service.keychain.unlock(passcode: SecretBytes(passcode: passcode))
        }

        private static func expectItems(
            _ service: TestService, _ store: Store, except gone: Set<Int>
        ) throws {
            for number in 0..<store.count where !gone.contains(number) {
                let found = try #require(try service.keychain.find(query(number)).first)
                #expect(found.secret?.testText == "secret \(number)")
                if number != 2 {
                    #expect(found.attributes[.label] == .text("label \(number)"))
                }
                let creator: AttributeValue? = number % 2 == 0 ? .integer(Int64(number)) : nil
                #expect(
                    number % 2 == 1 || found.attributes[.creator] == creator
                        || found.attributes[.creator] == .real(Double(number)))
            }
        }

        private static func position(_ state: String) throws -> [Int64] {
            try StoredRows.rows("upgrades", state).compactMap { row in
                guard row["source"] == .other("genp"), case .integer(let last)? = row["lastrowid"]
                else { return nil }
                return last
            }
        }

        private static func waitUntilBegun(_ state: String) throws {
            try Waiting.until("the upgrade to begin") {
                let keys = try StoredRows.rows("indexkeys", state)
                return keys.allSatisfy { ($0["keybaguuid"]?.bytes.count ?? 0) == 16 }
            }
        }

        private static func waitForTheEnd(_ state: String) throws {
            try Waiting.until("the upgrade to end") { try isOver(state) }
        }

        private static func isOver(_ state: String) throws -> Bool {
            try StoredRows.rows("upgrades", state).allSatisfy {
                $0["lastrowid"] == $0["endrowid"]
            }
        }

        /// Unpacks a store. It belongs to user 0: another user's daemons wouldn't serve it.
        private static func lend(
            _ store: Store, _ body: (TestService.Options, _ state: String) throws -> Void
        ) throws {
            guard geteuid() == 0 else {
                Issue.record("The stores are root's.")
                return
            }
            try TemporaryDirectory.lend { directory in
                let state = directory + "/llavero"
                #expect(unsafe mkdir(state, 0o700) == 0)
                let archive = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                    .appendingPathComponent("../../Vectors/stores/\(store.commit).tar.gz")
                let unpacking = Process()
                unpacking.executableURL = URL(fileURLWithPath: "/usr/bin/tar")
                unpacking.arguments = ["-xzf", archive.path, "-C", state, "--no-same-owner"]
                try unpacking.run()
                unpacking.waitUntilExit()
                try #require(unpacking.terminationStatus == 0)
                try body(TestService.Options(.user, directory: directory), state)
            }
        }
    }
}
