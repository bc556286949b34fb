// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SecurityDaemon
import SecurityWire
import Testing

/// A user's search list and default keychain.
@Suite struct KeychainPreferencesTests {
    private static func id(_ byte: UInt8) throws -> KeychainID {
        try #require(KeychainID([UInt8](repeating: byte, count: 16)))
    }

    @Test func aUserBeginsWithLoginAlone() {
        #expect(KeychainPreferences().searchList == [.login])
        #expect(KeychainPreferences().defaultKeychain == .login)
    }

    @Test func theyComeBackAsTheyWereStored() throws {
        var preferences = KeychainPreferences()
        #expect(KeychainPreferences(preferences.attributes) == preferences)
        preferences.searchList = [try Self.id(2), .login, try Self.id(1)]
        preferences.defaultKeychain = try Self.id(2)
        #expect(KeychainPreferences(preferences.attributes) == preferences)
        preferences.searchList = []
        preferences.defaultKeychain = nil
        #expect(KeychainPreferences(preferences.attributes) == preferences)
    }

    @Test func damagedContentIsNone() throws {
        var preferences = KeychainPreferences()
        preferences.searchList = [.login, try Self.id(1)]
        guard case .data(let content)? = preferences.attributes[.generic] else {
            Issue.record("no content")
            return
        }
        func read(_ content: [UInt8]) -> KeychainPreferences? {
            var attributes = preferences.attributes
            attributes[.generic] = .data(content)
            return KeychainPreferences(attributes)
        }
        for count in 0..<content.count { #expect(read(Array(content.prefix(count))) == nil) }
        #expect(read(content + [0]) == nil)
        #expect(read([2] + content.dropFirst()) == nil)
    }

    @Test func aDeletedKeychainLeavesThem() throws {
        let (first, second) = (try Self.id(1), try Self.id(2))
        var preferences = KeychainPreferences()
        preferences.searchList = [first, .login, second]
        preferences.defaultKeychain = first
        let without = preferences.without(first)
        #expect(without.searchList == [.login, second])
        #expect(without.defaultKeychain == .login)
        #expect(preferences.without(second).defaultKeychain == first)
    }

    /// Neither item is taken for the other.
    @Test func recordsAndPreferencesDiffer() throws {
        let record = try #require(
            KeychainRecord(
                number: 1, uuid: [UInt8](1...16), path: [UInt8]("/user".utf8), group: "g"))
        #expect(KeychainPreferences(record.attributes) == nil)
        #expect(KeychainRecord(KeychainPreferences().attributes) == nil)
    }
}
