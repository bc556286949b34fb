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
    /// Keychains with a password of their own, as a client makes, unlocks and deletes them.
    @Suite struct KeychainOperations {
        private static let path = [UInt8]("/tmp/job \"1\".keychain-db".utf8)

        private static func id(_ byte: UInt8) throws -> KeychainID {
            try #require(KeychainID([UInt8](repeating: byte, count: 16)))
        }

        private static func secret(_ text: String) -> Secret {
            Secret(text: text)
        }

        private static func create(
            _ service: TestService, _ byte: UInt8 = 1, path: [UInt8] = path,
            _ password: String = "right"
        ) throws -> KeychainID {
            let id = try id(byte)
            try service.keychain.createKeychain(
                id, path: path, KeychainSettings(), password: secret(password))
            return id
        }

        private static func states(_ service: TestService) throws -> [KeychainID: Bool] {
            let listing = try service.keychain.keychains()
            return Dictionary(
                uniqueKeysWithValues: listing.keychains.map { ($0.id, $0.isUnlocked) })
        }

        private static func refusal(_ body: () throws(KeychainError) -> Void) -> Int32 {
            do throws(KeychainError) {
                try body()
                return 0
            } catch { return error.status }
        }

        @Test func aPasswordUnlocksItAndAWrongOneDoesnt() throws {
            try TestService.run { service in
                #expect(try Self.states(service) == [:])
                let id = try Self.create(service)
                #expect(try Self.states(service) == [id: true])
                try service.keychain.lockKeychain(id)
                #expect(try Self.states(service) == [id: false])
                let wrong = Self.refusal { () throws(KeychainError) in
                    try service.keychain.unlockKeychain(id, password: Self.secret("wrong"))
                }
                #expect(wrong == -25293)
                #expect(try Self.states(service) == [id: false])
                try service.keychain.unlockKeychain(id, password: Self.secret("right"))
                #expect(try Self.states(service) == [id: true])
                #expect(try service.keychain.deviceStatus().failedAttempts == 0)
                let entry = try #require(try service.keychain.keychains().keychains.first)
                #expect(entry.path == Self.path)
                #expect(entry.settings == KeychainSettings())
            }
        }

        @Test func anotherPasswordReplacesTheFirst() throws {
            try TestService.run { service in
                let id = try Self.create(service)
                try service.keychain.changeKeychainPassword(
                    id, from: Self.secret("right"), to: Self.secret(""))
                try service.keychain.lockKeychain(nil)
                let old = Self.refusal { () throws(KeychainError) in
                    try service.keychain.unlockKeychain(id, password: Self.secret("right"))
                }
                #expect(old == -25293)
                try service.keychain.unlockKeychain(id, password: Self.secret(""))
            }
        }

        @Test func aPathIsTakenOnce() throws {
            try TestService.run { service in
                let id = try Self.create(service)
                let second = try Self.id(2)
                let taken = Self.refusal { () throws(KeychainError) in
                    try service.keychain.createKeychain(
                        second, path: Self.path, KeychainSettings(), password: Self.secret("x"))
                }
                #expect(taken == -25296)
                #expect(try Self.states(service) == [id: true])
                _ = try Self.create(service, 3, path: [0x2F, 0xFF, 0x0A])
                #expect(try Self.states(service).count == 2)
            }
        }

        @Test func aDeletedOneIsGone() throws {
            try TestService.run { service in
                let id = try Self.create(service)
                try service.keychain.setSearchList([id, .login])
                try service.keychain.setDefaultKeychain(id)
                var listing = try service.keychain.keychains()
                #expect(listing.searchList == [id, .login])
                #expect(listing.defaultKeychain == id)
                try service.keychain.deleteKeychain(id)
                listing = try service.keychain.keychains()
                #expect(listing.keychains == [])
                #expect(listing.searchList == [.login])
                #expect(listing.defaultKeychain == .login)
                let gone = Self.refusal { () throws(KeychainError) in
                    try service.keychain.unlockKeychain(id, password: Self.secret("right"))
                }
                #expect(gone == -25294)
                // Its path is free.
                _ = try Self.create(service, 2)
            }
        }

        @Test func aRestartKeepsAndLocksThem() throws {
            try TemporaryDirectory.lend { directory in
                let options = TestService.Options(.user, directory: directory)
                let settings = try #require(
                    KeychainSettings(
                        locksOnSleep: false, usesInterval: true, intervalSeconds: 21_600))
                let id = try TestService.run(options) { service in
                    let id = try Self.create(service)
                    try service.keychain.configureKeychain(id, settings)
                    try service.keychain.setSearchList([.login, id])
                    return id
                }
                try TestService.run(options) { service in
                    let listing = try service.keychain.keychains()
                    #expect(listing.keychains.map(\.id) == [id])
                    #expect(listing.keychains.map(\.settings) == [settings])
                    #expect(listing.keychains.map(\.isUnlocked) == [false])
                    #expect(listing.searchList == [.login, id])
                    let locked = Self.refusal { () throws(KeychainError) in
                        try service.keychain.configureKeychain(id, KeychainSettings())
                    }
                    #expect(locked == -25308)
                    try service.keychain.unlockKeychain(id, password: Self.secret("right"))
                    #expect(try service.keychain.check().findings.isEmpty)
                }
            }
        }

        /// The list of keychains was put back to an older one: the keychains are there and locked, and
        /// login goes on.
        @Test func aRefusedListIsToldAndHoldsUpNothingElse() throws {
            try TemporaryDirectory.lend { directory in
                let options = TestService.Options(.user, directory: directory)
                let enclave = directory + "/llavero/enclave/"
                let files = ["keychains.\(getuid())", "keychains.\(getuid()).2"].map {
                    URL(fileURLWithPath: enclave + $0)
                }
                let (id, old) = try TestService.run(options) { service in
                    let id = try Self.create(service)
                    try service.keychain.add(.password("before"))
                    let old = try files.map { try Data(contentsOf: $0) }
                    try service.keychain.changeKeychainPassword(
                        id, from: Self.secret("right"), to: Self.secret("other"))
                    return (id, old)
                }
                for (file, bytes) in zip(files, old) { try bytes.write(to: file) }
                try TestService.run(options) { service in
                    #expect(try Self.states(service) == [id: false])
                    #expect(reads(service, "before") == 0)
                    try service.keychain.add(.password("after"))
                    #expect(try service.keychain.check().findings.isEmpty)
                    for password in ["right", "other"] {
                        let refused = Self.refusal { () throws(KeychainError) in
                            try service.keychain.unlockKeychain(
                                id, password: Self.secret(password))
                        }
                        #expect(refused == -25291)
                    }
                    let second = try Self.id(2)
                    let refusals = [
                        Self.refusal { () throws(KeychainError) in
                            try service.keychain.deleteKeychain(id)
                        },
                        Self.refusal { () throws(KeychainError) in
                            try service.keychain.createKeychain(
                                second, path: [0x2F, 0x78], KeychainSettings(),
                                password: Self.secret("x"))
                        },
                    ]
                    #expect(refusals == [-25291, -25291])
                    #expect(try Self.states(service) == [id: false])
                }
            }
        }

        /// Items of programs are in login, whatever is made beside it.
        @Test func itemsOfLoginStay() throws {
            try TestService.run { service in
                try service.keychain.add(.password("before"))
                let id = try Self.create(service)
                try service.keychain.add(.password("after"))
                try service.keychain.setDefaultKeychain(id)
                try service.keychain.deleteKeychain(id)
                #expect(reads(service, "before") == 0)
                #expect(reads(service, "after") == 0)
            }
        }

        /// The records of keychains are nobody's items.
        @Test func noRequestForItemsReachesTheirRecords() throws {
            try TestService.run { service in
                _ = try Self.create(service)
                var query = ItemQuery(.genericPassword)
                query.attributes[.service] = .text("keychain")
                let all = Self.refusal { () throws(KeychainError) in
                    _ = try service.keychain.find(query)
                }
                #expect(all == -25300)
                query.attributes[.accessGroup] = .text("keychains:user")
                let named = Self.refusal { () throws(KeychainError) in
                    _ = try service.keychain.find(query)
                }
                #expect(named == -34018)
                let deleted = Self.refusal { () throws(KeychainError) in
                    _ = try service.keychain.delete(query)
                }
                #expect(deleted == -34018)
                #expect(try Self.states(service).count == 1)
            }
        }
    }
}
