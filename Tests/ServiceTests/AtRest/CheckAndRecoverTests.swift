// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import GRDB
import Keychain
import SecretBytes
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// A check finds faults and changes nothing; a recovery restores the rows that can still be
    /// opened.
    @Suite struct Maintenance {
        private static let passcode = "correct horse"

        // MARK: - Check

        @Test func soundStoreGivesNoFinding() throws {
            try TestService.run { service in
                #expect(try service.keychain.check().findings == [])
                let count = try Self.fill(service)
                let report = try service.keychain.check()
                #expect(report.findings == [])
                #expect(report.counts.examined == UInt64(count))
                #expect(report.counts.sound == UInt64(count))
                #expect(report.counts.locked == 0)
            }
        }

        /// Damage, as SQL, and the check's finding.
        struct Plant: Sendable, CustomTestStringConvertible {
            let sql: String
            let kinds: [MaintenanceFinding.Kind]
            var testDescription: String { sql }

            init(_ sql: String, _ kinds: MaintenanceFinding.Kind...) {
                self.sql = sql
                self.kinds = kinds
            }
        }

        private static let plants = [
            Plant("UPDATE genp SET metadata = metadata || x'00' WHERE rowid = 2", .metadata),
            Plant("UPDATE genp SET secret = substr(secret, 1, 70) WHERE rowid = 2", .secret),
            Plant(
                """
                UPDATE genp SET secret = (SELECT secret FROM genp WHERE rowid = 1) WHERE rowid = 2
                """, .secret),
            Plant("UPDATE genp SET labl = randomblob(16) WHERE rowid = 2", .metadata),
            Plant("UPDATE genp SET pk = randomblob(16) WHERE rowid = 2", .metadata),
            Plant("UPDATE genp SET agrp = x'00' WHERE rowid = 2", .metadata),
            Plant("UPDATE genp SET rowgeneration = 9 WHERE rowid = 2", .metadata),
            Plant("UPDATE genp SET rowgeneration = -9 WHERE rowid = 2", .fields),
            Plant("UPDATE genp SET tombstone = 1 WHERE rowid = 2", .metadata),
            Plant("UPDATE genp SET uuid = x'0102' WHERE rowid = 2", .fields),
            Plant("UPDATE genp SET keyclass = 99 WHERE rowid = 2", .fields),
            Plant("UPDATE genp SET keyclass = 10 WHERE rowid = 2", .metadata),
            Plant("UPDATE genp SET keyclass = 12 WHERE rowid = 2", .keyMissing),
            Plant("UPDATE genp SET keygeneration = 7 WHERE rowid = 2", .keyMissing),
            Plant(
                "UPDATE genp SET userid = 4711 WHERE rowid = 2", .foreignUser, .missingRow),
            Plant("UPDATE cert SET metadata = x'01' WHERE rowid = 1", .metadata),
            Plant("UPDATE genp SET metadata = x'02' || substr(metadata, 2)", .newerFormat),
            Plant(
                "UPDATE metadatakeys SET wrapped = randomblob(60) WHERE keyclass = 8",
                .keyMissing, .metadataKey),
            Plant("DELETE FROM metadatakeys WHERE keyclass = 8", .keyMissing),
            Plant("UPDATE indexkeys SET wrapped = randomblob(60)", .indexKey),
            Plant("DELETE FROM indexkeys", .indexKey),
        ]

        @Test func checkFindsEachPlantedDamageAndChangesNothing() throws {
            try TestService.run { service in
                _ = try Self.fill(service)
                let tables = ["genp", "inet", "cert", "keys", "metadatakeys", "indexkeys"]
                for table in tables {
                    try StoredRows.execute(
                        "CREATE TABLE sound_\(table) AS SELECT * FROM \(table)",
                        service.stateDirectory)
                }
                for plant in Self.plants {
                    try StoredRows.execute(plant.sql, service.stateDirectory)
                    let before = try Self.dump(service)
                    let report = try service.keychain.check()
                    #expect(
                        Set(report.findings.map(\.kind)) == Set(plant.kinds), "\(plant.sql)")
                    #expect(try Self.dump(service) == before, "\(plant.sql)")
                    for table in tables {
                        try StoredRows.execute(
                            """
                            DELETE FROM \(table); INSERT INTO \(table) SELECT * FROM sound_\(table)
                            """, service.stateDirectory)
                    }
                }
                #expect(try service.keychain.check().findings == [])
            }
        }

        @Test func checkFindsADamagedIndexPageAndWhatIsKept() throws {
            try TestService.run { service in
                _ = try Self.fill(service)
                try StoredRows.checkpoint(service.stateDirectory)
                try Self.overwriteRoot(of: "genp_labl", service.stateDirectory)
                try StoredRows.execute(
                    """
                    INSERT INTO quarantine (source, uuid, userid, keyclass, keygeneration,
                        rowgeneration, tombstone, indexes, metadata, secret, quarantinedat,
                        itemrowid, reason)
                    SELECT 'genp', randomblob(16), userid, keyclass, 1, 1, 0, x'', x'', x'', 0,
                        1, 1
                    FROM genp LIMIT 3
                    """, service.stateDirectory)
                let name = "keychain-damaged-20260102T030405Z.db"
                try Data([1, 2, 3]).write(
                    to: URL(fileURLWithPath: service.stateDirectory + "/" + name))
                let report = try service.keychain.check()
                let kinds = Set(report.findings.map(\.kind))
                #expect(kinds == [.pages, .quarantined, .keptFile])
                #expect(report.findings.first { $0.kind == .quarantined }?.number == 3)
                #expect(report.findings.first { $0.kind == .keptFile }?.place == name)
                #expect(report.findings.filter(\.isDamage).allSatisfy { $0.kind == .pages })
            }
        }

        @Test func lockedRowsAreCountedAndNotJudged() throws {
            try TestService.run { service in
                for (account, accessibility) in [
                    ("a", Accessibility.whenUnlocked), ("b", .afterFirstUnlock), ("c", .always),
                ] {
                    try service.keychain.add(.password(account, accessibility: accessibility))
                }
                try service.keychain.setPasscode(SecretBytes(passcode: Self.passcode))
                try service.keychain.lock()
                // Faults of a locked row can't be detected, if its tag is unchanged.
                try StoredRows.execute(
                    """
                    UPDATE genp SET metadata = substr(metadata, 1, 20) || zeroblob(8) || substr(metadata, 29)
                    WHERE rowid = 1
                    """, service.stateDirectory)
                let locked = try service.keychain.check()
                #expect(locked.findings == [])
                #expect(locked.counts.locked == 1)
                #expect(locked.counts.sound == 2)
                try service.keychain.unlock(passcode: SecretBytes(passcode: Self.passcode))
                let unlocked = try service.keychain.check()
                #expect(unlocked.findings.map(\.kind) == [.metadata])
                #expect(unlocked.counts.locked == 0)
            }
        }

        @Test func madeUpCursorIsRefusedOrLeadsToTheCallersOwnRows() throws {
            try TestService.run { service in
                _ = try Self.fill(service)
                let connection = try RawConnection(service.socketPath)
                var generator = SeededGenerator(seed: 12)
                for _ in 0..<300 {
                    let count = Int.random(in: 1...128, using: &generator)
                    var cursor = Limits.bytes(
                        count, seed: Int.random(in: 0...9999, using: &generator))
                    if Bool.random(using: &generator) { cursor[0] %= 5 }
                    let requests: [ClientRequest] = [
                        .check(cursor: cursor), .recover(cursor: cursor),
                    ]
                    for request in requests {
                        let answer = connection.exchange(try request.frameBytes())
                        if let failure = answer.failure {
                            #expect(failure.reason == .invalidRequest)
                        }
                    }
                }
                #expect(try service.keychain.check().findings == [])
            }
        }

        // MARK: - Recover

        @Test func rowOfTheQuarantineThatOpensAgainIsBroughtBack() throws {
            try TestService.run { service in
                let state = service.stateDirectory
                for account in ["a", "b", "c"] {
                    try service.keychain.add(.password(account, secret: "secret of \(account)"))
                }
                let reference = try Self.reference(service, "b")
                for account in ["b", "c"] {
                    try StoredRows.execute(
                        "UPDATE genp SET metadata = metadata || x'00' WHERE rowid = "
                            + (account == "b" ? "2" : "3"), state)
                    #expect(status { try service.keychain.find(.password(account)) } == -25300)
                }
                try Waiting.until("the rows to be moved") {
                    try Self.number("SELECT count(*) FROM quarantine", state) == 2
                }
                // Neither can be opened; then one of them can.
                let first = try service.keychain.recover()
                #expect(first.findings.map(\.kind) == [.metadata, .metadata])
                #expect(first.counts.restored == 0)
                try StoredRows.execute(
                    """
                    UPDATE quarantine SET metadata = substr(metadata, 1, length(metadata) - 1)
                    WHERE itemrowid = 2
                    """, state)
                let second = try service.keychain.recover()
                #expect(second.counts.restored == 1)
                #expect(Set(second.findings.map(\.kind)) == [.restored, .metadata])
                #expect(try one(service, "b").secret?.testText == "secret of b")
                #expect(try Self.reference(service, "b") == reference)
                #expect(try Self.number("SELECT count(*) FROM quarantine", state) == 1)
                #expect(try Self.number("SELECT count(*) FROM genp WHERE rowid = 2", state) == 1)
                let third = try service.keychain.recover()
                #expect(third.findings.map(\.kind) == [.metadata])
                #expect(third.counts.restored == 0)
                #expect(try service.keychain.check().findings.map(\.kind) == [.quarantined])
            }
        }

        /// Every item of a kept file is restored once; a new item with its name stays.
        @Test func itemsOfAKeptFileComeBackOnce() throws {
            try TemporaryDirectory.lend { directory in
                let options = TestService.Options(.user, directory: directory)
                let state = directory + "/llavero"
                let count = 150
                try TestService.run(options) { service in
                    for number in 0..<count {
                        try service.keychain.add(.password("\(number)", secret: "old \(number)"))
                    }
                    _ = try Self.fill(service)
                    try StoredRows.checkpoint(state)
                }
                try Self.overwriteRoot(of: "genp_labl", state)
                try Data().write(to: URL(fileURLWithPath: state + "/keychain.db-iscorrupt"))
                try TestService.run(options) { service in
                    // Once it replies, it has examined the file.
                    _ = try service.keychain.deviceStatus()
                    let kept = try Self.keptFile(state)
                    let before = try Data(contentsOf: URL(fileURLWithPath: kept))
                    try service.keychain.add(.password("7", secret: "new 7"))
                    let report = try service.keychain.recover()
                    #expect(report.findings.count { $0.kind == .restored } == count - 1 + 9)
                    #expect(report.counts.restored == UInt64(count - 1 + 9))
                    #expect(
                        report.findings.filter { $0.kind != .restored }.map(\.kind) == [.nameTaken])
                    for number in 0..<count {
                        let text = number == 7 ? "new 7" : "old \(number)"
                        #expect(try one(service, "\(number)").secret?.testText == text)
                    }
                    #expect(try service.keychain.check().findings.map(\.kind) == [.keptFile])
                    // Nothing is restored twice, not even an item that was deleted meanwhile.
                    try service.keychain.delete(.password("8"))
                    try service.keychain.update(.password("9"), applying: .setting(secret: "newer"))
                    let again = try service.keychain.recover()
                    #expect(again.counts.restored == 0)
                    #expect(again.findings.map(\.kind) == [.nameTaken])
                    #expect(status { try service.keychain.find(.password("8")) } == -25300)
                    #expect(try one(service, "9").secret?.testText == "newer")
                    #expect(try Data(contentsOf: URL(fileURLWithPath: kept)) == before)
                }
            }
        }

        /// An unreadable table page loses the rows on it.
        @Test func unreadablePageCostsItsRowsAlone() throws {
            try TemporaryDirectory.lend { directory in
                let options = TestService.Options(.user, directory: directory)
                let state = directory + "/llavero"
                let count = 200
                try TestService.run(options) { service in
                    for number in 0..<count {
                        try service.keychain.add(.password("\(number)", secret: "old \(number)"))
                    }
                    try StoredRows.checkpoint(state)
                }
                try Self.overwriteLeaf(of: "genp", withRow: 100, state)
                try Data().write(to: URL(fileURLWithPath: state + "/keychain.db-iscorrupt"))
                try TestService.run(options) { service in
                    _ = try service.keychain.deviceStatus()
                    _ = try Self.keptFile(state)
                    let report = try service.keychain.recover()
                    #expect(Set(report.findings.map(\.kind)) == [.restored, .unreadableFile])
                    let lost = count - Int(report.counts.restored)
                    // A page has 4096 bytes, a row more than 200.
                    #expect((1...20).contains(lost), "\(lost)")
                    #expect(try service.keychain.find(.password(limit: nil)).count == count - lost)
                }
            }
        }

        @Test func lockedRowsComeBackOnceTheyAreUnlocked() throws {
            try TemporaryDirectory.lend { directory in
                let options = TestService.Options(.user, directory: directory)
                let state = directory + "/llavero"
                try TestService.run(options) { service in
                    try service.keychain.add(.password("a", accessibility: .whenUnlocked))
                    try service.keychain.add(.password("b", accessibility: .always))
                    try service.keychain.setPasscode(SecretBytes(passcode: Self.passcode))
                    try StoredRows.checkpoint(state)
                }
                try Self.overwriteRoot(of: "genp_labl", state)
                try Data().write(to: URL(fileURLWithPath: state + "/keychain.db-iscorrupt"))
                try TestService.run(options) { service in
                    // Only the owner may ask for it.
                    #expect(status { try service.keychain.recover() } == -25293)
                    try service.keychain.unlock(passcode: SecretBytes(passcode: Self.passcode))
                    try service.keychain.lock()
                    let locked = try service.keychain.recover()
                    #expect(locked.counts.restored == 1)
                    #expect(locked.counts.locked == 1)
                    #expect(try one(service, "b").secret?.testText == "secret")
                    try service.keychain.unlock(passcode: SecretBytes(passcode: Self.passcode))
                    let unlocked = try service.keychain.recover()
                    #expect(unlocked.counts.restored == 1)
                    #expect(unlocked.counts.present == 1)
                    #expect(unlocked.counts.locked == 0)
                    #expect(try one(service, "a").secret?.testText == "secret")
                }
            }
        }

        // MARK: - Indexes

        /// An index with a missing entry hides an existing item; it is rebuilt from its table.
        @Test func anIndexThatDoesNotFitItsTableIsBuiltAnew() throws {
            try TemporaryDirectory.lend { directory in
                let options = TestService.Options(.user, directory: directory)
                let state = directory + "/llavero"
                try TestService.run(options) { service in
                    for number in 0..<20 { try service.keychain.add(.password("\(number)")) }
                    try StoredRows.checkpoint(state)
                }
                try Self.damageEntry(of: "genp_acct", row: 7, state)
                try TestService.run(options) { service in
                    let hidden = (0..<20).filter { reads(service, "\($0)") == -25300 }
                    #expect(hidden == [6])
                    let damage = try service.keychain.check().findings
                    #expect(Set(damage.map(\.kind)) == [.pages])
                    let report = try service.keychain.recover()
                    #expect(
                        report.findings == [MaintenanceFinding(.reindexed, place: "genp_acct")])
                    for number in 0..<20 {
                        #expect(try one(service, "\(number)").secret?.testText == "secret")
                    }
                    #expect(try service.keychain.check().findings == [])
                    #expect(try service.keychain.recover().findings == [])
                }
            }
        }

        /// Changes the entry of a row in an index.
        private static func damageEntry(
            of index: String, row rowID: Int, _ state: String
        ) throws {
            let value = try DatabaseQueue(path: StoredRows.path(state)).read {
                try Data.fetchOne($0, sql: "SELECT acct FROM genp WHERE rowid = \(rowID)")
            }
            let page = try number(
                "SELECT rootpage FROM sqlite_master WHERE name = '\(index)'", state)
            let url = URL(fileURLWithPath: StoredRows.path(state))
            var file = try Data(contentsOf: url)
            let range = (page - 1) * pageByteCount..<page * pageByteCount
            let entry = try #require(value)
            let place = try #require(file.range(of: entry, in: range))
            file[place.lowerBound + 15] ^= 1
            try file.write(to: url)
        }

        // MARK: - Helpers

        /// Stores items of every class and protection class, including changed and deleted ones.
        /// - Returns: The number of rows now, including tombstones.
        private static func fill(_ service: TestService) throws -> Int {
            let keychain = service.keychain
            for accessibility in Accessibility.allCases
            where accessibility != .whenPasscodeSetThisDeviceOnly {
                try keychain.add(
                    .password("item \(accessibility.code)", accessibility: accessibility))
            }
            for itemClass in [ItemClass.internetPassword, .certificate] {
                var item = NewItem(itemClass)
                item.attributes[.label] = .text("label")
                item.secret = Secret(text: "secret")
                try keychain.add(item)
            }
            var item = NewItem.password("deleted")
            item.attributes[.synchronizable] = .integer(1)
            try keychain.add(item)
            var query = ItemQuery.password("deleted")
            query.synchronizable = .any
            try keychain.delete(query)
            try keychain.update(
                .password("item ak"), applying: .setting([.label: .text("other")]))
            return 9
        }

        private static func reference(
            _ service: TestService, _ account: String
        ) throws -> PersistentReference? {
            try service.keychain.find(.password(account, returning: [.persistentReference]))
                .first?.persistentReference
        }

        static func number(_ sql: String, _ state: String) throws -> Int {
            try DatabaseQueue(path: StoredRows.path(state)).read {
                try Int.fetchOne($0, sql: sql) ?? -1
            }
        }

        private static func dump(_ service: TestService) throws -> [Row] {
            let tables = [
                "genp", "inet", "cert", "keys", "metadatakeys", "indexkeys", "quarantine",
                "recovered",
            ]
            return try DatabaseQueue(path: StoredRows.path(service.stateDirectory)).read {
                database in
                try tables.flatMap { try Row.fetchAll(database, sql: "SELECT * FROM \($0)") }
            }
        }

        /// The path of the only kept file.
        private static func keptFile(_ state: String) throws -> String {
            let names = try FileManager.default.contentsOfDirectory(atPath: state).filter {
                $0.hasPrefix("keychain-damaged-") && $0.hasSuffix(".db")
            }
            try #require(names.count == 1)
            return state + "/" + names[0]
        }

        private static let pageByteCount = 4096

        /// Makes an index unreadable.
        private static func overwriteRoot(of index: String, _ state: String) throws {
            let page = try number(
                "SELECT rootpage FROM sqlite_master WHERE name = '\(index)'", state)
            try overwrite(page, state)
        }

        /// Makes the page with a row unreadable.
        private static func overwriteLeaf(
            of table: String, withRow rowID: Int, _ state: String
        ) throws {
            let metadata = try DatabaseQueue(path: StoredRows.path(state)).read {
                try Data.fetchOne(
                    $0, sql: "SELECT metadata FROM \(table) WHERE rowid = \(rowID)")
            }
            let file = try Data(contentsOf: URL(fileURLWithPath: StoredRows.path(state)))
            let place = try #require(metadata.flatMap { file.firstRange(of: $0) })
            try overwrite(place.lowerBound / pageByteCount + 1, state)
        }

        private static func overwrite(_ page: Int, _ state: String) throws {
            let file = try FileHandle(
                forWritingTo: URL(fileURLWithPath: StoredRows.path(state)))
            try file.seek(toOffset: UInt64((page - 1) * pageByteCount))
            try file.write(contentsOf: Data(repeating: 0xA5, count: pageByteCount))
            try file.close()
        }
    }
}
