// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Enclave
import EnclaveWire
import Foundation
import KeychainVocabulary
import Testing

/// Keychains as another implementation made them from the formats' description
/// (Tests/Vectors/enclave-files/generate-keychains). They must stay readable.
@Suite struct KeychainVectorTests {
    private static let user = EnclaveFixture.user
    private static let second: UInt32 = 0x7000_0001

    private static func vectors() throws -> [String: [UInt8]] {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Vectors/enclave-files/keychains.json")
        let all = try JSONDecoder().decode([String: Data].self, from: Data(contentsOf: path))
        return all.mapValues { [UInt8]($0) }
    }

    private static func fixture(
        list: String = "keychains"
    ) throws -> (fixture: EnclaveFixture, vectors: [String: [UInt8]]) {
        let vectors = try vectors()
        let fixture = EnclaveFixture()
        let keybag: [UInt8] = try #require(vectors["keybag"])
        for record in [StateRecord.keybag(user: user), .keybagCopy(user: user)] {
            fixture.state.records[record] = keybag
        }
        let keychains: [UInt8] = try #require(vectors[list])
        for record in [StateRecord.keychains(user: user), .keychainsCopy(user: user)] {
            fixture.state.records[record] = keychains
        }
        return (fixture, vectors)
    }

    @Test func theListIsRead() throws {
        let (fixture, _) = try Self.fixture()
        let settings = [
            KeychainSettings(locksOnSleep: true, usesInterval: false, intervalSeconds: 300),
            KeychainSettings(
                locksOnSleep: false, usesInterval: true, intervalSeconds: KeychainSettings.never),
        ].compactMap { $0 }
        let expected = zip(
            [(UInt32(5), UInt8(0xA5)), (Self.second, UInt8(0xB1))], settings
        ).map {
            ListedKeychain(
                number: $0.0, uuid: [UInt8](repeating: $0.1, count: 16), settings: $1,
                isUnlocked: false)
        }
        #expect(fixture.keychain(.list) == .keychains(expected))
    }

    @Test func passwordsOpenSecrets() throws {
        let (fixture, vectors) = try Self.fixture()
        for (number, name, uuid, password) in [
            (UInt32(5), "secret of 5", UInt8(0xA5), "first"),
            (Self.second, "secret of 0x70000001", 0xB1, ""),
        ] {
            let sealed = Outcome.bytes(try #require(vectors[name]))
            let uuid = [UInt8](repeating: uuid, count: 16)
            #expect(fixture.openInKeychain(sealed) == .failure(.keychainLocked))
            #expect(fixture.unlock(number, "wrong", uuid: uuid) == .failure(.wrongPasscode))
            #expect(fixture.unlock(number, password, uuid: uuid) == .done)
            #expect(fixture.openInKeychain(sealed) == .bytes([UInt8]("secret".utf8)))
        }
    }

    @Test func aTableKeyOpensWithoutAPassword() throws {
        let (fixture, vectors) = try Self.fixture()
        let name = TableKeyName(purpose: .metadata, protectionClass: .dku, generation: 4)
        let wrapped = try #require(vectors["table key of 5"])
        #expect(
            fixture.keychain(.openTableKey(number: 5, name, wrapped: wrapped))
                == .bytes([UInt8](repeating: 0x33, count: 32)))
    }

    @Test func aNewerListIsRefusedAndKept() throws {
        let (fixture, vectors) = try Self.fixture(list: "newer keychains")
        #expect(fixture.keychain(.list) == .failure(.stateNotWritten))
        #expect(fixture.create() == .failure(.stateNotWritten))
        #expect(
            fixture.state.records[.keychains(user: Self.user)] == vectors["newer keychains"])
    }
}
