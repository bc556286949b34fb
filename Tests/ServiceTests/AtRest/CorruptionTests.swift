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
    /// A row that can't be opened is the only loss, and is kept.
    /// `Documentation/attack-list.md` explains the numbers in names of tests.
    @Suite struct Corruption {
        /// Ways to damage the row whose number is given.
        enum Strike: String, CaseIterable, Sendable {
            case metadata, secret, primaryKey, generation

            var sql: String {
                switch self {
                case .metadata: "metadata = substr(metadata, 1, length(metadata) - 1)"
                case .secret: "secret = substr(secret, 1, length(secret) - 1)"
                case .primaryKey: "pk = x'00'"
                case .generation: "rowgeneration = 99"
                }
            }

            /// The reason in the quarantine.
            var reason: Int { self == .secret ? 2 : 1 }
        }

        /// Runs with the items a, b and c, where b's row is damaged.
        private func run(
            _ strike: Strike, _ body: (TestService, _ rowID: Int) throws -> Void
        ) throws {
            try TestService.run { service in
                for name in ["a", "b", "c"] {
                    try service.keychain.add(.password(name, secret: "secret of \(name)"))
                }
                let state = service.stateDirectory
                try StoredRows.execute("UPDATE genp SET \(strike.sql) WHERE rowid = 2", state)
                try body(service, 2)
            }
        }

        private func number(_ sql: String, _ service: TestService) throws -> Int {
            let queue = try DatabaseQueue(path: StoredRows.path(service.stateDirectory))
            return try queue.read { try Int.fetchOne($0, sql: sql) ?? -1 }
        }

        private func waitForQuarantine(_ service: TestService) throws {
            try Waiting.until("the row to be moved") {
                try number("SELECT count(*) FROM genp WHERE rowid = 2", service) == 0
            }
        }

        @Test(arguments: Strike.allCases)
        func c01CopyOfAllReturnsTheOthersAndKeepsTheRowAside(_ strike: Strike) throws {
            try run(strike) { service, rowID in
                let found = try service.keychain.find(
                    .password(service: "service", limit: nil, returning: [.data, .attributes]))
                #expect(Set(found.map { $0.secret?.testText }) == ["secret of a", "secret of c"])
                try waitForQuarantine(service)
                #expect(try number("SELECT count(*) FROM genp", service) == 2)
                #expect(try number("SELECT count(*) FROM quarantine", service) == 1)
                #expect(try number("SELECT itemrowid FROM quarantine", service) == rowID)
                #expect(try number("SELECT reason FROM quarantine", service) == strike.reason)
            }
        }

        @Test(arguments: Strike.allCases)
        func c02UpdateDoesNotFindTheRow(_ strike: Strike) throws {
            try run(strike) { service, _ in
                // A row with a damaged primary key can't even be found by that.
                #expect(
                    status {
                        try service.keychain.update(
                            .password("b", service: "service"),
                            applying: .setting([.label: .text("x")]))
                    } == -25300)
                #expect(try service.keychain.find(.password(limit: nil)).count == 2)
                try waitForQuarantine(service)
                #expect(try number("SELECT count(*) FROM quarantine", service) == 1)
            }
        }

        @Test(arguments: Strike.allCases.filter { $0 != .primaryKey })
        func c03AddTakesThePlaceAndTheNumberOfTheRow(_ strike: Strike) throws {
            try run(strike) { service, rowID in
                try service.keychain.add(.password("b", secret: "new"))
                #expect(try one(service, "b").secret?.testText == "new")
                #expect(try number("SELECT count(*) FROM genp", service) == 3)
                // A reference of twelve bytes names the row by its number.
                var query = ItemQuery(.genericPassword)
                query.rowNumber = Int64(rowID)
                query.returning = [.data]
                #expect(try service.keychain.find(query).first?.secret?.testText == "new")
                #expect(try number("SELECT itemrowid FROM quarantine", service) == rowID)
                #expect(status { try service.keychain.add(.password("b")) } == -25299)
                // The next new item gets an unused number.
                try service.keychain.add(.password("d"))
                #expect(try number("SELECT max(rowid) FROM genp", service) == 4)
            }
        }

        @Test(arguments: Strike.allCases.filter { $0 != .primaryKey })
        func c04DeleteWorksUntilTheRowHasBeenRead(_ strike: Strike) throws {
            let query = ItemQuery.password("b", service: "service")
            try run(strike) { service, _ in
                #expect(status { try service.keychain.delete(query) } == 0)
                let left = try number("SELECT count(*) FROM genp", service)
                let kept = try number("SELECT count(*) FROM quarantine", service)
                #expect(left == 2)
                #expect(kept == 0)
                #expect(status { try service.keychain.delete(query) } == -25300)
            }
            try run(strike) { service, _ in
                #expect(status { try service.keychain.find(query) } == -25300)
                try waitForQuarantine(service)
                #expect(status { try service.keychain.delete(query) } == -25300)
                #expect(try number("SELECT count(*) FROM quarantine", service) == 1)
            }
        }

        @Test func c05LockedRowsAreUntouchedByReads() throws {
            let passcode = "correct horse"
            try TestService.run(.init(.user)) { service in
                let classes: [Accessibility] = [.whenUnlocked, .afterFirstUnlock]
                for (index, accessibility) in classes.enumerated() {
                    try service.keychain.add(
                        .password("\(index)", accessibility: accessibility))
                }
                try service.keychain.setPasscode(SecretBytes(passcode: passcode))
                try service.keychain.lock()
                let before = try rows(service)
                // Locked, and then before the first unlock.
                for account in ["0", "1"] {
                    for _ in 0..<100 {
                        let found = status { try service.keychain.find(.password("0")) }
                        #expect(found == -25308)
                        if account == "1" {
                            #expect(
                                status { try service.keychain.find(.password("1")) } == -25308)
                        }
                    }
                    #expect(try rows(service) == before)
                    if account == "0" {
                        try service.crash(try service.worker())
                        _ = try service.enclave()
                    }
                }
                try service.keychain.unlock(passcode: SecretBytes(passcode: passcode))
                #expect(try service.keychain.find(.password(limit: nil)).count == 2)
            }
        }

        private func rows(_ service: TestService) throws -> [Row] {
            let queue = try DatabaseQueue(path: StoredRows.path(service.stateDirectory))
            return try queue.read {
                try Row.fetchAll($0, sql: "SELECT * FROM genp")
                    + Row.fetchAll($0, sql: "SELECT * FROM quarantine")
            }
        }

        @Test func rowsOfADestroyedKeyAreRemovedAndThoseOfAMissingOneAreNot() throws {
            let passcode = SecretBytes.init(passcode:)
            try TestService.run { service in
                try service.keychain.setPasscode(passcode("first"))
                try service.keychain.add(
                    .password("gone", accessibility: .whenPasscodeSetThisDeviceOnly))
                try service.keychain.add(.password("stays", accessibility: .afterFirstUnlock))
                try service.keychain.removePasscode(passcode("first"))
                try Waiting.until("the row to be removed") {
                    try number("SELECT count(*) FROM genp", service) == 1
                }
                #expect(
                    try number("SELECT count(*) FROM metadatakeys WHERE keyclass = 12", service)
                        == 0)
                #expect(try number("SELECT count(*) FROM quarantine", service) == 0)
                #expect(status { try service.keychain.find(.password("gone")) } == -25300)
                #expect(try one(service, "stays").secret?.testText == "secret")
                // The class can be used again with the next passcode.
                try service.keychain.setPasscode(passcode("second"))
                try service.keychain.add(
                    .password("gone", accessibility: .whenPasscodeSetThisDeviceOnly))
                #expect(try one(service, "gone").secret?.testText == "secret")
                // A key that is merely missing loses no row.
                try StoredRows.execute(
                    "DELETE FROM metadatakeys WHERE keyclass = 12", service.stateDirectory)
                try service.crash(try service.worker())
                _ = try service.enclave()
                try service.keychain.unlock(passcode: passcode("second"))
                #expect(status { try service.keychain.find(.password("gone")) } == -25300)
                #expect(try number("SELECT count(*) FROM genp", service) == 2)
            }
        }
    }
}
