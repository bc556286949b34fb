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
    /// An attacker changes the files while the service is stopped. Each attack is on the released
    /// daemons; the named ones with each device key, the others with a file.
    /// `Documentation/attack-list.md` explains the numbers in names of tests.
    @Suite struct Integrity {
        private static let passcode = "correct horse"

        private func passcode(_ text: String = passcode) -> SecretBytes {
            SecretBytes(passcode: text)
        }

        /// Runs a service twice on one directory: with the items a, b and c, then after an attack.
        private func attack(
            on deviceKey: TestedDeviceKey = .file,
            _ strike: (_ state: String) throws -> Void, _ look: (TestService) throws -> Void
        ) throws {
            try attack(on: deviceKey, { _ in }, strike, look)
        }

        private func attack(
            on deviceKey: TestedDeviceKey = .file,
            _ prepare: (TestService) throws -> Void,
            _ strike: (_ state: String) throws -> Void,
            _ look: (TestService) throws -> Void
        ) throws {
            try store(on: deviceKey) { directory, options in
                try TestService.run(options) { service in
                    for name in ["a", "b", "c"] {
                        try service.keychain.add(.password(name, secret: "secret of \(name)"))
                    }
                    try prepare(service)
                }
                try strike(directory + "/llavero")
                try TestService.run(options, look)
            }
        }

        private func store(
            on deviceKey: TestedDeviceKey,
            _ body: (_ directory: String, TestService.Options) throws -> Void
        ) throws {
            try deviceKey.lend { argument in
                try TemporaryDirectory.lend { directory in
                    var options = TestService.Options(.user, directory: directory)
                    options.deviceKey = argument
                    try body(directory, options)
                }
            }
        }

        private func secret(_ account: String, _ service: TestService) throws -> String? {
            let query = ItemQuery.password(
                account, service: "service", returning: [.data])
            return try service.keychain.find(query).first?.secret?.testText
        }

        private func expect(_ account: String, _ text: String, _ service: TestService) throws {
            #expect(try secret(account, service) == text)
        }

        private func expectNoFindings(_ service: TestService) throws {
            #expect(try service.keychain.check().findings == [])
        }

        private func expectCount(_ count: Int, _ service: TestService) throws {
            #expect(try service.keychain.find(.password(limit: nil)).count == count)
        }

        private func number(_ sql: String, _ service: TestService) throws -> Int {
            let queue = try DatabaseQueue(path: StoredRows.path(service.stateDirectory))
            return try queue.read { try Int.fetchOne($0, sql: sql) ?? -1 }
        }

        private func reason(_ body: () throws -> Void) -> FailureReason? {
            do {
                try body()
                return nil
            } catch { return (error as? KeychainError)?.reason }
        }

        // MARK: - Rows

        @Test func untouchedFilesAreBelieved() throws {
            try attack { _ in
            } _: { service in
                for name in ["a", "b", "c"] {
                    try expect(name, "secret of \(name)", service)
                }
                try expectNoFindings(service)
                #expect(!service.messages.contains("critical"))
            }
        }

        @Test(arguments: TestedDeviceKey.allCases)
        func f02SwappedRowsAreBothRefused(_ deviceKey: TestedDeviceKey) throws {
            try attack(on: deviceKey) { state in
                var rows = try StoredRows.rows("genp", state)
                try #require(rows.count == 3)
                let numbers = (rows[0]["rowid"], rows[1]["rowid"])
                rows[0]["rowid"] = numbers.1
                rows[1]["rowid"] = numbers.0
                try StoredRows.execute("DELETE FROM genp WHERE rowid IN (1, 2)", state)
                for row in rows.prefix(2) { try StoredRows.put(row, "genp", state) }
            } _: { service in
                #expect(status { try secret("a", service) } == -25300)
                #expect(status { try secret("b", service) } == -25300)
                try expect("c", "secret of c", service)
            }
        }

        @Test(arguments: TestedDeviceKey.allCases)
        func f07AnOlderStateOfARowIsRefused(_ deviceKey: TestedDeviceKey) throws {
            var old: StoredRow = [:]
            try attack(on: deviceKey) { service in
                old = try #require(
                    try StoredRows.rows("genp", service.stateDirectory).first)
                try service.keychain.update(
                    .password("a", service: "service"),
                    applying: .setting([:], secret: "newer"))
            } _: { state in
                try StoredRows.put(old, "genp", state)
            } _: { service in
                #expect(reason { _ = try secret("a", service) } == .keyGone)
                #expect(status { try service.keychain.find(.password("a")) } == -25300)
                try expect("b", "secret of b", service)
                try Waiting.until("the row to be moved") {
                    try number("SELECT reason FROM quarantine", service) == 4
                }
                // Its name is free again.
                try service.keychain.add(.password("a", secret: "newest"))
                try expect("a", "newest", service)
            }
        }

        @Test(arguments: TestedDeviceKey.allCases)
        func aDeletedItemThatIsPutBackIsRefused(_ deviceKey: TestedDeviceKey) throws {
            var old: StoredRow = [:]
            try attack(on: deviceKey) { service in
                old = try #require(
                    try StoredRows.rows("genp", service.stateDirectory).first)
                try service.keychain.delete(.password("a", service: "service"))
            } _: { state in
                try StoredRows.put(old, "genp", state)
            } _: { service in
                #expect(status { try secret("a", service) } == -25300)
                try expectCount(2, service)
            }
        }

        @Test(arguments: TestedDeviceKey.allCases)
        func aRowThatIsTakenAwayIsMissed(_ deviceKey: TestedDeviceKey) throws {
            try attack(on: deviceKey) { state in
                try StoredRows.execute("DELETE FROM genp WHERE rowid = 2", state)
            } _: { service in
                #expect(status { try secret("b", service) } == -25300)
                let findings = try service.keychain.check().findings
                #expect(findings.map(\.kind) == [.missingRow])
                #expect(findings.first?.number == 2)
                // No client reads it, but it is detected all the same.
                try Waiting.until("the missing row to be noticed") {
                    service.messages.contains("items are missing that nobody deleted")
                }
            }
        }

        @Test(
            arguments: ["keyclass = 8", "userid = 4", "tombstone = 1", "rowgeneration = 2"],
            TestedDeviceKey.allCases)
        func f05AChangedClearColumnIsRefused(
            _ change: String, _ deviceKey: TestedDeviceKey
        ) throws {
            try attack(on: deviceKey) { state in
                try StoredRows.execute("UPDATE genp SET \(change) WHERE rowid = 2", state)
            } _: { service in
                #expect(status { try secret("b", service) } == -25300)
                try expect("a", "secret of a", service)
            }
        }

        @Test(arguments: TestedDeviceKey.allCases)
        func f06AChangedIndexColumnIsRefused(_ deviceKey: TestedDeviceKey) throws {
            try attack(on: deviceKey) { state in
                try StoredRows.execute(
                    "UPDATE genp SET acct = (SELECT acct FROM genp WHERE rowid = 1) WHERE rowid = 2",
                    state)
            } _: { service in
                #expect(status { try secret("b", service) } == -25300)
                try expect("a", "secret of a", service)
            }
        }

        // MARK: - The ledger

        @Test(arguments: TestedDeviceKey.allCases)
        func aRowPutBackWithItsLeafIsRefusedWithAllOthers(_ deviceKey: TestedDeviceKey) throws {
            var row: StoredRow = [:]
            var leaf: StoredRow = [:]
            try attack(on: deviceKey) { service in
                row = try #require(try StoredRows.rows("genp", service.stateDirectory).first)
                leaf = try #require(try StoredRows.leaves(service.stateDirectory).first)
                try service.keychain.update(
                    .password("a", service: "service"),
                    applying: .setting([:], secret: "newer"))
            } _: { state in
                try StoredRows.put(row, "genp", state)
                try StoredRows.put(leaf, "leaves", state)
            } _: { service in
                #expect(reason { _ = try secret("a", service) } == .rolledBack)
                #expect(status { try secret("b", service) } == -25291)
            }
        }

        @Test func aDamagedLeafCostsNothing() throws {
            try attack { state in
                try StoredRows.execute("UPDATE leaves SET tags = randomblob(1024)", state)
            } _: { service in
                for name in ["a", "b", "c"] {
                    try expect(name, "secret of \(name)", service)
                }
                #expect(service.messages.contains("the ledger of rows was damaged"))
                try expectNoFindings(service)
            }
        }

        @Test func withoutItsRootNothingIsAnswered() throws {
            try attack { state in
                try StoredRows.execute("DELETE FROM roots", state)
            } _: { service in
                #expect(reason { _ = try secret("a", service) } == .rolledBack)
                #expect(reason { try service.keychain.add(.password("d")) } == .rolledBack)
                let findings = try service.keychain.check().findings
                #expect(findings.map(\.kind).contains(.root))
            }
        }

        @Test func aRootWithAnotherNumberIsRefused() throws {
            try attack { state in
                try StoredRows.execute("UPDATE roots SET number = number + 1000", state)
            } _: { service in
                #expect(reason { _ = try secret("a", service) } == .rolledBack)
            }
        }

        // MARK: - Whole files

        /// Copies the database while the service is stopped, and restores the copy later.
        private func rollBack(
            on deviceKey: TestedDeviceKey, _ look: (TestService) throws -> Void
        ) throws {
            try store(on: deviceKey) { directory, options in
                let state = directory + "/llavero"
                let copy = directory + "/copy"
                try TestService.run(options) { service in
                    try service.keychain.add(.password("a", secret: "old"))
                    try service.keychain.setPasscode(passcode())
                }
                try FileManager.default.copyItem(atPath: state, toPath: copy)
                try TestService.run(options) { service in
                    try service.keychain.unlock(passcode: passcode())
                    try service.keychain.update(
                        .password("a", service: "service"),
                        applying: .setting([:], secret: "new"))
                    try service.keychain.add(.password("b", secret: "new"))
                    // From here on the enclave has recorded both.
                    try service.keychain.lock()
                    try Waiting.until("the commits to be remembered") {
                        FileManager.default.contents(
                            atPath: service.stateDirectory + "/enclave/anchor.\(geteuid())")
                            != FileManager.default.contents(
                                atPath: copy + "/enclave/anchor.\(geteuid())")
                    }
                }
                try StateFiles.copyDatabase(from: copy, to: state)
                try TestService.run(options) { service in
                    try service.keychain.unlock(passcode: passcode())
                    try look(service)
                }
            }
        }

        @Test(arguments: TestedDeviceKey.allCases)
        func f08ARestoredDatabaseIsRefusedUntilItIsAccepted(_ deviceKey: TestedDeviceKey) throws {
            try rollBack(on: deviceKey) { service in
                for _ in 0..<3 {
                    #expect(reason { _ = try secret("a", service) } == .rolledBack)
                }
                #expect(status { try service.keychain.find(.password(limit: nil)) } == -25291)
                #expect(status { try service.keychain.add(.password("d")) } == -25291)
                #expect(
                    status { try service.keychain.delete(.password("a", service: "service")) }
                        == -25291)
                let line = "the keychain isn't the one that was written last"
                #expect(service.messages.components(separatedBy: line).count == 2)

                #expect(
                    reason { try service.keychain.acceptRollback(passcode: passcode("no")) }
                        == .wrongPasscode)
                #expect(
                    reason { try service.keychain.acceptRollback(passcode: passcode("")) }
                        == .invalidRequest)
                #expect(reason { _ = try secret("a", service) } == .rolledBack)

                try service.keychain.acceptRollback(passcode: passcode())
                try expect("a", "old", service)
                #expect(status { try secret("b", service) } == -25300)
                try service.keychain.add(.password("d", secret: "later"))
                try expectNoFindings(service)
            }
        }

        @Test(arguments: TestedDeviceKey.allCases)
        func aLogThatIsTakenAwayIsARollback(_ deviceKey: TestedDeviceKey) throws {
            try store(on: deviceKey) { directory, options in
                let state = directory + "/llavero"
                let copy = directory + "/without log"
                try TestService.run(options) { service in
                    try service.keychain.add(.password("a", secret: "old"))
                    try StoredRows.checkpoint(service.stateDirectory)
                    for number in 0..<40 { try service.keychain.add(.password("\(number)")) }
                    // Only the database file: the last commits are in the log.
                    try FileManager.default.copyItem(
                        atPath: StoredRows.path(state), toPath: copy)
                }
                try FileManager.default.removeItem(atPath: StoredRows.path(state))
                try FileManager.default.moveItem(atPath: copy, toPath: StoredRows.path(state))
                for suffix in ["-wal", "-shm"] {
                    try? FileManager.default.removeItem(atPath: StoredRows.path(state) + suffix)
                }
                try TestService.run(options) { service in
                    #expect(reason { _ = try secret("a", service) } == .rolledBack)
                }
            }
        }

        /// After a power cut the log is truncated in the middle: whole commits are missing at its
        /// end.
        @Test func aLogThatIsCutShortIsARollback() throws {
            try TemporaryDirectory.lend { directory in
                let whole = directory + "/whole"
                let cut = directory + "/cut"
                try TestService.run { service in
                    try service.keychain.add(.password("a", secret: "old"))
                    try StoredRows.checkpoint(service.stateDirectory)
                    for number in 0..<100 { try service.keychain.add(.password("\(number)")) }
                    for path in [whole, cut] {
                        try StateFiles.copyRunning(
                            service.stateDirectory, to: path + "/llavero")
                    }
                }
                let log = URL(fileURLWithPath: StoredRows.path(cut + "/llavero") + "-wal")
                let bytes = try Data(contentsOf: log)
                try #require(bytes.count > 100_000)
                try bytes.prefix(bytes.count * 3 / 10).write(to: log)
                // The control: the whole log is accepted.
                try TestService.run(TestService.Options(.user, directory: whole)) { service in
                    try expect("a", "old", service)
                }
                try TestService.run(TestService.Options(.user, directory: cut)) { service in
                    #expect(reason { _ = try secret("a", service) } == .rolledBack)
                }
            }
        }

        @Test(arguments: TestedDeviceKey.allCases)
        func splicedRowsOfAnotherStoreAreRefused(_ deviceKey: TestedDeviceKey) throws {
            var foreign: StoredRow = [:]
            try TestService.run { other in
                try other.keychain.add(.password("x", secret: "foreign"))
                foreign = try #require(
                    try StoredRows.rows("genp", other.stateDirectory).first)
            }
            foreign["rowid"] = .integer(9)
            try attack(on: deviceKey) { state in
                try StoredRows.put(foreign, "genp", state)
            } _: { service in
                #expect(status { try secret("x", service) } == -25300)
                try expectCount(3, service)
            }
        }

        @Test func anotherStoresDatabaseIsRefused() throws {
            try TemporaryDirectory.lend { directory in
                let others = TestService.Options(.user, directory: directory)
                _ = try TestService.run(others) { service in
                    try service.keychain.add(.password("x", secret: "foreign"))
                }
                try attack { state in
                    try StateFiles.copyDatabase(from: directory + "/llavero", to: state)
                } _: { service in
                    #expect(status { try secret("x", service) } == -25291)
                    #expect(status { try service.keychain.add(.password("y")) } == -25291)
                }
            }
        }

        /// This isn't claimed with a file as the device key: nothing on the disk distinguishes a
        /// whole directory from an earlier copy.
        @Test func aWholeDirectoryThatIsPutBackIsNotNoticedWithAFile() throws {
            try TemporaryDirectory.lend { directory in
                let options = TestService.Options(.user, directory: directory)
                let state = directory + "/llavero"
                let copy = directory + "/copy"
                _ = try TestService.run(options) { service in
                    try service.keychain.add(.password("a", secret: "old"))
                }
                try FileManager.default.copyItem(atPath: state, toPath: copy)
                _ = try TestService.run(options) { service in
                    try service.keychain.update(
                        .password("a", service: "service"),
                        applying: .setting([:], secret: "new"))
                }
                try FileManager.default.removeItem(atPath: state)
                try FileManager.default.moveItem(atPath: copy, toPath: state)
                try TestService.run(options) { service in
                    try expect("a", "old", service)
                }
            }
        }

        // MARK: - Keybags

        @Test func s12AnOldKeybagThatIsPutBackDoesNotOpen() throws {
            try TemporaryDirectory.lend { directory in
                let options = TestService.Options(.user, directory: directory)
                let state = directory + "/llavero"
                var old: [String: Data] = [:]
                try TestService.run(options) { service in
                    try service.keychain.setPasscode(passcode("old"))
                    old = try StateFiles.keybags(service.stateDirectory)
                    try service.keychain.changePasscode(from: passcode("old"), to: passcode("new"))
                }
                #expect(old.count == 2)
                for (name, bytes) in old {
                    try bytes.write(to: URL(fileURLWithPath: state + "/enclave/" + name))
                }
                try TestService.run(options) { service in
                    for text in ["old", "new"] {
                        #expect(
                            status { try service.keychain.unlock(passcode: passcode(text)) }
                                == -25291)
                    }
                    #expect(service.messages.contains("an older keybag was put in the place"))
                }
            }
        }

        @Test func aDamagedAnchorAsksForTheOwner() throws {
            try attack { service in
                try service.keychain.setPasscode(passcode())
                try service.keychain.lock()
                try Waiting.until("the commits to be remembered") {
                    FileManager.default.fileExists(
                        atPath: service.stateDirectory + "/enclave/anchor.\(geteuid())")
                }
            } _: { state in
                let path = state + "/enclave/anchor.\(geteuid())"
                try Data(repeating: 7, count: 1024).write(to: URL(fileURLWithPath: path))
            } _: { service in
                try service.keychain.unlock(passcode: passcode())
                #expect(reason { _ = try secret("a", service) } == .rolledBack)
                try service.keychain.acceptRollback(passcode: passcode())
                try expect("a", "secret of a", service)
            }
        }

        @Test func withoutAPasscodeItsUserAccepts() throws {
            try attack { state in
                try StoredRows.execute("DELETE FROM roots", state)
            } _: { service in
                #expect(reason { _ = try secret("a", service) } == .rolledBack)
                try service.keychain.acceptRollback(passcode: passcode(""))
                try expect("a", "secret of a", service)
            }
        }
    }
}
