// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import KeychainVocabulary
import SecretBytes
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// Items of keychains with a password of their own.
    @Suite struct KeychainItems {
        private static func create(
            _ service: TestService, _ byte: UInt8 = 1
        ) throws -> KeychainID {
            let id = try #require(KeychainID([UInt8](repeating: byte, count: 16)))
            try service.keychain.createKeychain(
                id, path: [0x2F, byte], KeychainSettings(), password: Secret(text: "right"))
            return id
        }

        private static func item(
            _ account: String, _ secret: String, in keychain: KeychainID?
        ) -> NewItem {
            var item = NewItem.password(account, secret: secret)
            item.keychain = keychain
            return item
        }

        private static func query(
            _ account: String?, in keychain: KeychainID?, returning: ReturnFields = [.data]
        ) -> ItemQuery {
            var query = ItemQuery.password(account, returning: returning)
            query.keychain = keychain
            return query
        }

        private static func secret(
            _ service: TestService, _ account: String, in keychain: KeychainID?
        ) throws -> String? {
            let found = try service.keychain.find(query(account, in: keychain))
            return found.first?.secret.map { secret in
                unsafe secret.bytes.withUnsafeBytes {
                    unsafe String(decoding: $0, as: UTF8.self)
                }
            }
        }

        private static func refusal(_ body: () throws(KeychainError) -> Void) -> Int32 {
            do throws(KeychainError) {
                try body()
                return 0
            } catch { return error.status }
        }

        /// What a find of a secret, an add and an update answer.
        private static func statuses(
            _ service: TestService, _ changes: ItemChanges, in id: KeychainID
        ) -> [Int32] {
            let find = refusal { () throws(KeychainError) in
                _ = try service.keychain.find(query("anna", in: id))
            }
            let add = refusal { () throws(KeychainError) in
                try service.keychain.add(item("otto", "x", in: id))
            }
            let update = refusal { () throws(KeychainError) in
                try service.keychain.update(query("anna", in: id), applying: changes)
            }
            return [find, add, update]
        }

        @Test func equalItemsOfTwoKeychainsAreTwoItems() throws {
            try TestService.run { service in
                let (first, second) = (try Self.create(service), try Self.create(service, 2))
                let items: [(KeychainID?, String)] = [
                    (nil, "login"), (first, "one"), (second, "two"),
                ]
                for (keychain, secret) in items {
                    try service.keychain.add(Self.item("anna", secret, in: keychain))
                    let again = Self.refusal { () throws(KeychainError) in
                        try service.keychain.add(Self.item("anna", "x", in: keychain))
                    }
                    #expect(again == -25299)
                }
                #expect(try Self.secret(service, "anna", in: nil) == "login")
                #expect(try Self.secret(service, "anna", in: .login) == "login")
                #expect(try Self.secret(service, "anna", in: first) == "one")
                #expect(try Self.secret(service, "anna", in: second) == "two")
                var changes = ItemChanges()
                changes.secret = Secret(text: "new")
                try service.keychain.update(Self.query("anna", in: first), applying: changes)
                try service.keychain.delete(Self.query("anna", in: second))
                #expect(try Self.secret(service, "anna", in: nil) == "login")
                #expect(try Self.secret(service, "anna", in: first) == "new")
                let gone = Self.refusal { () throws(KeychainError) in
                    _ = try service.keychain.find(Self.query("anna", in: second))
                }
                #expect(gone == -25300)
                #expect(try service.keychain.check().findings.isEmpty)
            }
        }

        @Test func aLockedKeychainGivesNoSecretAndTakesNone() throws {
            try TestService.run { service in
                let id = try Self.create(service)
                try service.keychain.add(Self.item("anna", "inside", in: id))
                try service.keychain.lockKeychain(id)
                let attributes = try service.keychain.find(
                    Self.query("anna", in: id, returning: [.attributes]))
                #expect(attributes.first?.attributes[.account] == .text("anna"))
                #expect(attributes.first?.attributes.accessibility == .alwaysThisDeviceOnly)
                var comment = ItemChanges()
                comment.attributes[.comment] = .text("comment")
                let changes = comment
                #expect(Self.statuses(service, changes, in: id) == [-25308, -25308, -25308])
                try service.keychain.unlockKeychain(id, password: Secret(text: "right"))
                #expect(try Self.secret(service, "anna", in: id) == "inside")
                #expect(Self.statuses(service, changes, in: id) == [0, 0, 0])
            }
        }

        /// The lock of the device leaves it open.
        @Test func theDevicesLockIsNotTheKeychains() throws {
            try TestService.run { service in
                try service.keychain.setPasscode(SecretBytes(passcode: "1234"))
                let id = try Self.create(service)
                try service.keychain.add(Self.item("anna", "inside", in: id))
                try service.keychain.lock()
                #expect(try Self.secret(service, "anna", in: id) == "inside")
            }
        }

        @Test func itemsStayOverARestartAndGoWithTheirKeychain() throws {
            try TemporaryDirectory.lend { directory in
                let options = TestService.Options(.user, directory: directory)
                let id = try TestService.run(options) { service in
                    let id = try Self.create(service)
                    try service.keychain.add(Self.item("anna", "inside", in: id))
                    try service.keychain.add(Self.item("anna", "login", in: nil))
                    return id
                }
                try TestService.run(options) { service in
                    try service.keychain.unlockKeychain(id, password: Secret(text: "right"))
                    #expect(try Self.secret(service, "anna", in: id) == "inside")
                    try service.keychain.deleteKeychain(id)
                    let gone = Self.refusal { () throws(KeychainError) in
                        _ = try service.keychain.find(Self.query("anna", in: id))
                    }
                    #expect(gone == -25294)
                    let again = try Self.create(service)
                    let empty = Self.refusal { () throws(KeychainError) in
                        _ = try service.keychain.find(Self.query("anna", in: again))
                    }
                    #expect(empty == -25300)
                    #expect(try Self.secret(service, "anna", in: nil) == "login")
                    #expect(try service.keychain.check().findings.isEmpty)
                }
            }
        }

        @Test func whatItsPasswordDoesntProtectIsRefused() throws {
            try TestService.run { service in
                let id = try Self.create(service)
                var synchronizing = Self.item("anna", "x", in: id)
                synchronizing.attributes[.synchronizable] = .integer(1)
                let other = try #require(KeychainID([UInt8](repeating: 9, count: 16)))
                let unknown = Self.item("anna", "x", in: other)
                let wanted = [(synchronizing, Int32(-50)), (unknown, Int32(-25294))]
                for (item, status) in wanted {
                    let refused = Self.refusal { () throws(KeychainError) in
                        try service.keychain.add(item)
                    }
                    #expect(refused == status)
                }
            }
        }
    }
}
