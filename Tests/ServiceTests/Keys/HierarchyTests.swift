// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Glibc
import Keychain
import SecretBytes
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// The keys above the items: which exist, when they are made, and who requests them.
    /// `Documentation/attack-list.md` explains the numbers in names of tests.
    @Suite struct Hierarchy {
        private static let passcode = "correct horse"

        // MARK: - A key for each row and write

        @Test func h01EqualSecretsOfOneClassAreSealedUnderDifferentKeys() throws {
            try TestService.run { service in
                try service.keychain.add(.password("anna", secret: "the same secret"))
                try service.keychain.add(.password("berta", secret: "the same secret"))
                let rows = try StoredRows.rows("genp", service.stateDirectory)
                #expect(rows.count == 2)
                try Self.expectNothingInCommon(rows[0], rows[1])
            }
        }

        @Test func h02EveryWriteOfARowMakesNewKeysAndNonces() throws {
            try TestService.run { service in
                try service.keychain.add(.password("anna", secret: "the same secret"))
                let writes: [ItemChanges] = [
                    .setting(secret: "the same secret"), .setting(secret: "the same secret"),
                    // The secret isn't among these changes, but is sealed again all the same.
                    .setting([.label: .text("label")]), .setting([.label: .text("label")]),
                ]
                var before = try #require(
                    try StoredRows.rows("genp", service.stateDirectory).first)
                for changes in writes {
                    try service.keychain.update(.password("anna"), applying: changes)
                    let after = try #require(
                        try StoredRows.rows("genp", service.stateDirectory).first)
                    try Self.expectNothingInCommon(before, after)
                    before = after
                }
                #expect(try one(service, "anna").secret?.testText == "the same secret")
            }
        }

        /// The two have no wrapped key, nonce or ciphertext of either half in common.
        private static func expectNothingInCommon(_ first: StoredRow, _ second: StoredRow) throws {
            for (column, parts) in [
                // STORAGE.md, "Sealed metadata" and "Sealed secrets".
                ("metadata", [1..<13, 13..<29]), ("secret", [4..<44, 44..<56, 56..<72]),
            ] {
                let one = try #require(first[column]?.bytes)
                let other = try #require(second[column]?.bytes)
                for part in parts {
                    try #require(one.count >= part.upperBound && other.count >= part.upperBound)
                    #expect(one[part] != other[part], "\(column) \(part)")
                }
                #expect(one.suffix(16) != other.suffix(16), "the tag of \(column)")
            }
        }

        // MARK: - Who asks the enclave

        @Test func h03AttributeReadsAskTheEnclaveNothing() throws {
            try TestService.run(Self.inspectable) { service in
                try Self.warmUp(service)
                let counter = try SystemCallCounter(of: service.enclave(), counting: .send)
                for _ in 0..<100 {
                    let found = try service.keychain.find(
                        .password("anna", returning: [.attributes, .persistentReference]))
                    #expect(found.first?.attributes[.account] == .text("anna"))
                }
                #expect(try counter.finish() == 0)
            }
        }

        @Test func h04SecretReadAsksTheEnclaveOnce() throws {
            try TestService.run(Self.inspectable) { service in
                try Self.warmUp(service)
                let counter = try SystemCallCounter(of: service.enclave(), counting: .send)
                for _ in 0..<100 { #expect(reads(service, "anna") == 0) }
                #expect(try counter.finish() == 100)
            }
        }

        @Test func h05StoppedEnclaveCostsSecretsAndNoAttributes() throws {
            try TestService.run { service in
                try Self.warmUp(service)
                let enclave = try service.enclave()
                kill(enclave, SIGSTOP)
                defer { kill(enclave, SIGCONT) }
                let found = try service.keychain.find(.password("anna", returning: .attributes))
                #expect(found.first?.attributes[.account] == .text("anna"))
                #expect(reads(service, "anna") == -25291)
                // As before, also after a refused request for a secret.
                let again = try service.keychain.find(.password("anna", returning: .attributes))
                #expect(again.first?.attributes[.account] == .text("anna"))
                kill(enclave, SIGCONT)
                try Waiting.until("the secret to be read") { reads(service, "anna") == 0 }
            }
        }

        private static var inspectable: TestService.Options {
            var options = TestService.Options()
            options.isInspectable = geteuid() != 0
            return options
        }

        /// Stores an item, and opens every key that reading it needs, including the audit log's.
        private static func warmUp(_ service: TestService) throws {
            try service.keychain.add(.password("anna"))
            for fields in [.data, .attributes] as [ReturnFields] {
                _ = try service.keychain.find(.password("anna", returning: fields))
            }
            try Waiting.until("the log to be written") {
                try FileScan.files(below: service.stateDirectory).contains {
                    $0.hasPrefix("audit.") && !$0.hasSuffix(".new")
                }
            }
            _ = try service.keychain.auditPage(AuditQuery())
        }

        // MARK: - When metadata keys are made

        @Test func h06FirstWriteInAClassThatIsUndoneLeavesNoStaleKey() throws {
            try TemporaryDirectory.lend { directory in
                let options = TestService.Options(.user, directory: directory)
                try TestService.run(options) { service in
                    try service.keychain.add(.password("anna", accessibility: .whenUnlocked))
                    try service.keychain.add(.password("berta", accessibility: .whenUnlocked))
                    // The first writes in three classes, each rolled back inside its transaction.
                    let duplicate = NewItem.password("anna", accessibility: .always)
                    #expect(status { try service.keychain.add(duplicate) } == -25299)
                    for accessibility in [Accessibility.afterFirstUnlock, .alwaysThisDeviceOnly] {
                        #expect(
                            status {
                                try service.keychain.update(
                                    .password("anna"),
                                    applying: .setting([
                                        .account: .text("berta"),
                                        .accessible: .text(accessibility.code),
                                    ]))
                            } == -25299)
                    }
                    for code in ["dk", "ck", "dku"] {
                        try service.keychain.add(
                            .password(
                                code, secret: "secret of \(code)",
                                accessibility: Accessibility(code: code)))
                    }
                }
                try TestService.run(options) { service in
                    for code in ["dk", "ck", "dku"] {
                        let found = try one(service, code)
                        #expect(found.secret?.testText == "secret of \(code)")
                    }
                    #expect(reads(service, "anna") == 0)
                    #expect(reads(service, "berta") == 0)
                }
            }
        }

        @Test func h07ReadWithoutItsMetadataKeyNeverMakesOne() throws {
            try Self.withoutTheMetadataKey { service in
                let before = try StoredRows.everything(service.stateDirectory)
                for _ in 0..<10 {
                    for fields in [.data, .attributes, []] as [ReturnFields] {
                        #expect(
                            status {
                                try service.keychain.find(.password("anna", returning: fields))
                            } == -25300)
                    }
                }
                #expect(reads(service, "dk") == 0)
                #expect(try StoredRows.everything(service.stateDirectory) == before)
                #expect(try Self.keyClasses(service) == [8])
            }
        }

        @Test func h08WriteWithoutTheMetadataKeyMakesANewOneAndTheOldRowStaysUnread() throws {
            try Self.withoutTheMetadataKey { service in
                try service.keychain.add(.password("new", accessibility: .whenUnlocked))
                #expect(try Self.keyClasses(service) == [6, 8])
                for _ in 0..<2 {
                    #expect(reads(service, "new") == 0)
                    #expect(reads(service, "anna") == -25300)
                }
            } afterwards: { service in
                #expect(reads(service, "new") == 0)
                #expect(reads(service, "anna") == -25300)
                #expect(try Self.keyClasses(service) == [6, 8])
                // Its name is free.
                try service.keychain.add(.password("anna", secret: "second"))
                #expect(try one(service, "anna").secret?.testText == "second")
            }
        }

        /// A service with an item of class ak, whose metadata key was deleted while it was stopped,
        /// and one of class dk; then the same after another start.
        private static func withoutTheMetadataKey(
            _ body: (TestService) throws -> Void,
            afterwards: (TestService) throws -> Void = { _ in }
        ) throws {
            try TemporaryDirectory.lend { directory in
                let options = TestService.Options(.user, directory: directory)
                try TestService.run(options) { service in
                    try service.keychain.add(.password("anna", accessibility: .whenUnlocked))
                    try service.keychain.add(.password("dk", accessibility: .always))
                    #expect(try keyClasses(service) == [6, 8])
                }
                try StoredRows.execute(
                    "DELETE FROM metadatakeys WHERE keyclass = 6", directory + "/llavero")
                try TestService.run(options, body)
                try TestService.run(options, afterwards)
            }
        }

        private static func keyClasses(_ service: TestService) throws -> [UInt8] {
            try StoredRows.metadataKeys(service.stateDirectory).map(\.keyClass).sorted()
        }

        @Test func h09AddsThatMeetALockNeverReplaceAMetadataKey() throws {
            try TestService.run { service in
                try service.keychain.add(.password("first", accessibility: .whenUnlocked))
                try service.keychain.setPasscode(SecretBytes(passcode: Self.passcode))
                let before = try StoredRows.rows("metadatakeys", service.stateDirectory)
                    .map { $0["wrapped"] }
                let other = service.connect()
                let stored = InParallel.Names()
                let refused = InParallel.Names()
                for round in 0..<10 {
                    try service.keychain.lock()
                    let refusedBefore = refused.all.count
                    let adding = InParallel.Shared()
                    adding.start("adds") {
                        // Continues until both have occurred: the lock, and an operation after it.
                        let end = ContinuousClock.now + Waiting.patience
                        for number in 0... {
                            guard ContinuousClock.now < end else {
                                throw TestFailure("no add succeeds")
                            }
                            let account = "\(round) \(number)"
                            let result = outcome {
                                try other.add(.password(account, accessibility: .whenUnlocked))
                            }
                            switch result {
                            case .success:
                                stored.append(account)
                                if number >= 5 { return }
                            case .failure(let error):
                                guard error.reason == .locked else { throw error }
                                refused.append(account)
                            }
                            usleep(5_000)
                        }
                    }
                    try Waiting.until("an add to be refused") {
                        refused.all.count > refusedBefore
                    }
                    try service.keychain.unlock(passcode: SecretBytes(passcode: Self.passcode))
                    #expect(adding.finish() == [])
                }
                let after = try StoredRows.rows("metadatakeys", service.stateDirectory)
                    .map { $0["wrapped"] }
                #expect(after == before)
                #expect(stored.all.count >= 10 && refused.all.count >= 10)
                #expect(stored.all.count + refused.all.count >= 50)
                for account in stored.all + ["first"] { #expect(reads(service, account) == 0) }
                for account in refused.all { #expect(reads(service, account) == -25300) }
            }
        }

        @Test func h10KeysOfAnotherDeviceOpenNothingAndAreLeftAsTheyAre() throws {
            try TemporaryDirectory.lend { directory in
                let names = ["one", "two"]
                for name in names {
                    let path = directory + "/" + name
                    #expect(unsafe mkdir(path, 0o700) == 0)
                    try TestService.run(.init(.user, directory: path)) { service in
                        for code in Self.codesWithoutPasscode {
                            try service.keychain.add(
                                .password(
                                    code, secret: "secret of \(name)",
                                    accessibility: Accessibility(code: code)))
                        }
                    }
                }
                let states = names.map { directory + "/" + $0 + "/llavero" }
                try StateFiles.copyDatabase(from: states[0], to: states[1])
                try Self.expectNothingOpens(directory + "/two")
                // The reverse: everything of the one device except its key.
                try StateFiles.copyDeviceKey(from: states[1], to: states[0])
                try Self.expectNothingOpens(directory + "/one")
            }
        }

        private static let codesWithoutPasscode = ["ak", "ck", "dk", "aku", "cku", "dku"]

        private static func expectNothingOpens(_ directory: String) throws {
            let state = directory + "/llavero"
            let before = try StoredRows.everything(state)
            let keybags = try StateFiles.keybags(state)
            #expect(before["genp"]?.count == codesWithoutPasscode.count && !keybags.isEmpty)
            try TestService.run(.init(.user, directory: directory)) { service in
                for code in codesWithoutPasscode {
                    #expect([-25291, -25300].contains(reads(service, code)), "\(code)")
                    let attributes = status {
                        try service.keychain.find(.password(code, returning: .attributes))
                    }
                    #expect([-25291, -25300].contains(attributes), "\(code)")
                }
            }
            #expect(try StoredRows.everything(state) == before)
            #expect(try StateFiles.keybags(state) == keybags)
        }

        @Test func h12EachOfTheSevenClassesHasAMetadataKeyOfItsOwn() throws {
            try TestService.run { service in
                try service.keychain.setPasscode(SecretBytes(passcode: Self.passcode))
                for accessibility in Accessibility.allCases {
                    try service.keychain.add(
                        .password(accessibility.code, accessibility: accessibility))
                    // The second row of a class uses the existing key.
                    try service.keychain.add(
                        .password("\(accessibility.code) 2", accessibility: accessibility))
                }
                let keys = try StoredRows.metadataKeys(service.stateDirectory)
                #expect(keys.map(\.keyClass).sorted() == [6, 7, 8, 9, 10, 11, 12])
                #expect(keys.allSatisfy { $0.generation == 1 })
                #expect(Set(keys.map(\.wrapped)).count == 7)
            }
        }
    }
}
