// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import GRDB
import Keychain
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// A metadata key that has sealed enough is replaced by a new one; in process, with few seals a
    /// key.
    /// `Documentation/attack-list.md` explains the numbers in names of tests.
    @Suite struct KeyRollover {
        private static let sealLimit: Int64 = 4
        private static let accounts = (0..<20).map { "account \($0)" }

        @Test func itemsOfAllKeysAreReadUpdatedAndFoundAlsoAfterARestart() throws {
            try TemporaryDirectory.lend { directory in
                try Self.lend(directory, "first.sock") { keychain in
                    for account in Self.accounts { try keychain.add(.password(account)) }
                    try Self.expectAll(keychain, "secret")
                }
                let generations = try Self.generations(directory)
                #expect(generations.count >= Self.accounts.count / Int(Self.sealLimit))
                #expect(Set(generations).count == generations.count)
                try Self.lend(directory, "second.sock") { keychain in
                    try Self.expectAll(keychain, "secret")
                    for account in Self.accounts {
                        try keychain.update(
                            .password(account), applying: .setting(secret: "another"))
                    }
                    try Self.expectAll(keychain, "another")
                    // The earlier keys can still be used.
                    #expect(status { try keychain.add(.password(Self.accounts[0])) } == -25299)
                }
                // Old keys stay, because rows may need them.
                #expect(Set(try Self.generations(directory)).isSuperset(of: generations))
            }
        }

        /// The enclave may have a newer key of a class, and marks that in the class byte of sealed
        /// data. That byte is the enclave's: securityd stores it unchanged, and ignores the mark
        /// when it compares classes.
        @Test func h11ClassWithTheGenerationBitIsKeptAsItIs() throws {
            try TemporaryDirectory.lend { directory in
                let client = InProcessService.Client(
                    userID: 4711,
                    entitlements: Entitlements([
                        "keychain-access-groups": .list([.text("TEAM000000.test")])
                    ]))
                func lend(_ name: String, _ body: (KeychainConnection) throws -> Void) throws {
                    let service = try InProcessService(
                        stateDirectory: directory, name: name, marksNewerKeys: true)
                    defer { service.stopEnclave() }
                    try body(try service.connect(client))
                }
                func marks() throws -> [UInt8] {
                    try StoredRows.rows("genp", directory).map { $0["secret"]?.bytes[1] ?? 0 }
                }
                try lend("first.sock") { keychain in
                    try keychain.add(.password("a", accessibility: .always))
                    try keychain.add(.password("b", accessibility: .whenUnlocked))
                    #expect(try keychain.find(.password("a")).first?.secret?.testText == "secret")
                }
                #expect(try marks() == [8 | 0x80, 6 | 0x80])
                try lend("second.sock") { keychain in
                    for account in ["a", "b"] {
                        let found = try keychain.find(.password(account)).first
                        #expect(found?.secret?.testText == "secret")
                    }
                    try keychain.update(
                        .password("a"), applying: .setting([.label: .text("label")]))
                    #expect(try keychain.find(.password("a")).first?.secret?.testText == "secret")
                    #expect(status { try keychain.add(.password("b")) } == -25299)
                    #expect(try keychain.check().findings == [])
                }
                #expect(try marks() == [8 | 0x80, 6 | 0x80])
                // The control: without the bit it can't be opened.
                try StoredRows.execute(
                    "UPDATE genp SET secret = x'0108' || substr(secret, 3) WHERE rowid = 1",
                    directory)
                try lend("third.sock") { keychain in
                    #expect(status { try keychain.find(.password("a")) } == -25300)
                    let found = try keychain.find(.password("b"))
                    #expect(found.first?.secret?.testText == "secret")
                }
            }
        }

        private static func expectAll(_ keychain: KeychainConnection, _ secret: String) throws {
            let found = try keychain.find(
                .password(service: "service", limit: nil, returning: [.data, .attributes]))
            #expect(found.count == accounts.count)
            #expect(found.allSatisfy { $0.secret?.testText == secret })
        }

        private static func generations(_ directory: String) throws -> [Int] {
            try DatabaseQueue(path: directory + "/keychain.db").read { database in
                try Int.fetchAll(database, sql: "SELECT generation FROM metadatakeys")
            }
        }

        private static func lend(
            _ directory: String, _ name: String, _ body: (KeychainConnection) throws -> Void
        ) throws {
            let service = try InProcessService(
                stateDirectory: directory, name: name, metadataSealLimit: sealLimit)
            defer { service.stopEnclave() }
            let client = InProcessService.Client(
                userID: 7,
                entitlements: Entitlements([
                    "keychain-access-groups": .list([.text("TEAM000000.test")])
                ]))
            try body(try service.connect(client))
        }
    }
}
