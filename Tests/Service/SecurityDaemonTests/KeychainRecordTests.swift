// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import KeychainVocabulary
import SecurityDaemon
import SecurityWire
import Testing

/// What the database says of a keychain, and what a start makes of what a crash has left.
@Suite struct KeychainRecordTests {
    private static let uuid = [UInt8](1...16)

    private static func record(
        _ state: KeychainRecord.State = .live, path: [UInt8] = [UInt8]("/tmp/a b\n\"'".utf8),
        number: UInt32 = 0x7FFF_FFFF, group: String = "unsigned.1000"
    ) throws -> KeychainRecord {
        try #require(
            KeychainRecord(number: number, uuid: uuid, path: path, group: group, state: state))
    }

    @Test(arguments: [KeychainRecord.State.creating, .live, .deleting])
    func itComesBackAsItWasStored(state: KeychainRecord.State) throws {
        for path in [[UInt8]("/a".utf8), [0x2F, 0xFF, 0xFE, 0x0A], [0x2F] + Array(1...255)] {
            let record = try Self.record(state, path: path)
            #expect(KeychainRecord(record.attributes) == record)
        }
    }

    @Test func whatIsNoKeychainIsntMade() throws {
        let path = [UInt8]("/a".utf8)
        let longest = [0x2F] + [UInt8](repeating: 0x61, count: 4095)
        #expect(KeychainRecord(number: 0, uuid: Self.uuid, path: path, group: "g") == nil)
        #expect(KeychainRecord(number: 1, uuid: [1], path: path, group: "g") == nil)
        #expect(KeychainRecord(number: 1, uuid: Self.uuid, path: [], group: "g") == nil)
        #expect(
            KeychainRecord(number: 1, uuid: Self.uuid, path: [UInt8]("a".utf8), group: "g") == nil)
        #expect(
            KeychainRecord(number: 1, uuid: Self.uuid, path: [0x2F, 0, 0x61], group: "g") == nil)
        #expect(KeychainRecord(number: 1, uuid: Self.uuid, path: longest, group: "g") != nil)
        #expect(
            KeychainRecord(number: 1, uuid: Self.uuid, path: longest + [0x61], group: "g") == nil)
    }

    @Test func anotherItemIsNoRecord() throws {
        let attributes = try Self.record().attributes
        for attribute in [Attribute.service, .account, .generic] {
            var other = attributes
            other[attribute] = .data([1, 2, 3])
            #expect(KeychainRecord(other) == nil, "\(attribute)")
            other[attribute] = nil
            #expect(KeychainRecord(other) == nil, "\(attribute)")
        }
    }

    /// A byte of the content more or less, and each flipped one, is another record or none.
    @Test func damagedContentIsNoticedOrAnotherRecord() throws {
        let record = try Self.record()
        guard case .data(let content)? = record.attributes[.generic] else {
            Issue.record("no content")
            return
        }
        func read(_ content: [UInt8]) -> KeychainRecord? {
            var attributes = record.attributes
            attributes[.generic] = .data(content)
            return KeychainRecord(attributes)
        }
        #expect(read(content) == record)
        for count in 0..<content.count { #expect(read(Array(content.prefix(count))) == nil) }
        #expect(read(content + [0]) == nil)
        for index in content.indices {
            var flipped = content
            flipped[index] ^= 0x80
            #expect(read(flipped) != record, "\(index)")
        }
        // A newer version, and a state that this one doesn't know.
        for (index, value) in [(0, UInt8(2)), (1, 0), (1, 4)] {
            var other = content
            other[index] = value
            #expect(read(other) == nil)
        }
    }

    @Test func thePathIsInThePrimaryKeyAndTheStateIsnt() throws {
        let record = try Self.record(.creating)
        var live = record
        live.state = .live
        #expect(record.attributes[.account] == live.attributes[.account])
        #expect(record.attributes[.service] == live.attributes[.service])
        #expect(record.attributes[.generic] != live.attributes[.generic])
    }

    // MARK: - After a crash

    private static func listed(_ number: UInt32, _ uuid: [UInt8] = uuid) -> ListedKeychain {
        ListedKeychain(
            number: number, uuid: uuid, settings: KeychainSettings(), isUnlocked: false)
    }

    @Test func aStartGoesOnOrForgets() throws {
        let number: UInt32 = 9
        let others = [Self.listed(8), Self.listed(number, [UInt8](repeating: 0, count: 16))]
        let all = others + [Self.listed(number)]
        func repair(
            _ state: KeychainRecord.State, _ keychains: [ListedKeychain]
        ) throws -> KeychainRepair {
            KeychainRepair(try Self.record(state, number: number), keychains)
        }
        #expect(try repair(.creating, all) == .finishCreation)
        #expect(try repair(.creating, others) == .forgetCreation)
        #expect(try repair(.creating, []) == .forgetCreation)
        #expect(try repair(.deleting, all) == .finishDeletion)
        #expect(try repair(.deleting, others) == .finishDeletion)
        // A keychain whose keys are missing isn't deleted: its list may come back.
        #expect(try repair(.live, []) == .none)
        #expect(try repair(.live, all) == .none)
    }
}
