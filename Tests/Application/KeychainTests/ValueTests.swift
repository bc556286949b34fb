// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import SecretBytes
import SecurityWire
import TestSupport
import Testing

/// A value of a program.
struct Session: KeychainCodable, Equatable {
    var token: String
    var scopes: [String: Int]
}

/// The same after a change of the program without a new shape number.
private struct SessionWithAnotherField: KeychainCodable {
    var token: String
    var issuer: String
}

/// The same after a change of the program with a new shape number.
private struct NewSession: KeychainCodable {
    static let keychainShape = 2
    var token: String
}

extension KeychainTests {
    /// Rules that both stores follow.
    @Suite struct Values {
        @Test(arguments: Conformer.allCases) func whatIsSavedIsFound(_ conformer: Conformer)
            async throws
        {
            let subject = try conformer.subject()
            let keychain = subject.keychain
            try await keychain.save("s3cret", for: "api token")
            #expect(try await keychain.value(for: "api token") == "s3cret")
            try await keychain.save("another", for: "api token")
            #expect(try await keychain.value(for: "api token") == "another")
            let bytes = ItemKey<[UInt8]>(account: "bytes")
            try await keychain.save([0, 0xFF, 0x80], for: bytes)
            #expect(try await keychain.value(for: bytes) == [0, 0xFF, 0x80])
            let data = ItemKey<Data>(account: "bytes")
            #expect(try await keychain.value(for: data) == Data([0, 0xFF, 0x80]))
            let secret = ItemKey<Secret>(account: "bytes")
            #expect(try await keychain.value(for: secret).testBytes == [0, 0xFF, 0x80])
            #expect(try await keychain.accounts().sorted() == ["api token", "bytes"])
            #expect(try keychain.blocking.value(for: "api token") == "another")
            try subject.end()
        }

        @Test(arguments: Conformer.allCases) func emptyIsAValueAndAbsentIsNone(
            _ conformer: Conformer
        ) async throws {
            let subject = try conformer.subject()
            let keychain = subject.keychain
            #expect(
                await reason { () throws(KeychainError) in
                    try await keychain.value(for: "empty")
                } == .absent)
            #expect(try await keychain.valueIfPresent(for: "empty") == nil)
            #expect(try await keychain.accounts() == [])
            try await keychain.save("", for: "empty")
            #expect(try await keychain.valueIfPresent(for: "empty") == "")
            try await keychain.delete("empty" as ItemKey<String>)
            #expect(try await keychain.valueIfPresent(for: "empty") == nil)
            #expect(
                await reason { () throws(KeychainError) in
                    try await keychain.delete("empty" as ItemKey<String>)
                } == .absent)
            try subject.end()
        }

        @Test(arguments: Conformer.allCases) func addRefusesWhatIsThere(_ conformer: Conformer)
            async throws
        {
            let subject = try conformer.subject()
            let keychain = subject.keychain
            try await keychain.add("one", for: "once")
            #expect(
                await reason { () throws(KeychainError) in
                    try await keychain.add("two", for: "once")
                } == .duplicate)
            #expect(try await keychain.value(for: "once") == "one")
            // Another service, another item.
            let other = Keychain(service: "com.example.other", in: subject.store)
            try await other.add("two", for: "once")
            #expect(try await keychain.value(for: "once") == "one")
            try subject.end()
        }

        @Test(arguments: Conformer.allCases) func synchronizableValuesAreTheirOwn(
            _ conformer: Conformer
        ) async throws {
            let subject = try conformer.subject()
            let keychain = subject.keychain
            let here = ItemKey<String>(account: "both")
            let everywhere = ItemKey<String>(account: "both", isSynchronizable: true)
            try await keychain.save("here", for: here)
            try await keychain.save("everywhere", for: everywhere)
            #expect(try await keychain.value(for: here) == "here")
            #expect(try await keychain.value(for: everywhere) == "everywhere")
            #expect(try await keychain.accounts() == ["both", "both"])
            try subject.end()
        }

        @Test(arguments: Conformer.allCases) func anotherAccessibilityIsNoObstacle(
            _ conformer: Conformer
        ) async throws {
            let subject = try conformer.subject()
            let keychain = subject.keychain
            try await keychain.save(
                "1", for: ItemKey(account: "item", accessibility: .whenUnlocked))
            try await keychain.save("2", for: ItemKey(account: "item", accessibility: .always))
            #expect(try await keychain.value(for: "item") == "2")
            var query = ItemQuery.password("item", limit: nil, returning: [.attributes])
            query.attributes[.service] = .text(keychain.service)
            let found = try await subject.store.find(query, within: nil)
            #expect(found.map(\.attributes.accessibility) == [.always])
            try subject.end()
        }

        @Test(arguments: Conformer.allCases) func aMebibyteFitsAndNotAByteMore(
            _ conformer: Conformer
        ) async throws {
            let subject = try conformer.subject()
            let keychain = subject.keychain
            let key = ItemKey<[UInt8]>(account: "large")
            let value = (0..<1_048_576).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            try await keychain.save(value, for: key)
            #expect(try await keychain.value(for: key) == value)
            let longer = value + [1]
            #expect(
                await reason { () throws(KeychainError) in
                    try await keychain.save(longer, for: key)
                } == .tooLarge)
            #expect(try await keychain.value(for: key).count == 1_048_576)
            try subject.end()
        }

        @Test(arguments: Conformer.allCases) func aGroupThatIsNotHeldIsDenied(
            _ conformer: Conformer
        ) async throws {
            let subject = try conformer.subject()
            let keychain = Keychain(
                service: "com.example.test", accessGroup: "ABCDE12345.foreign", in: subject.store)
            #expect(
                await reason { () throws(KeychainError) in
                    try await keychain.save("1", for: "item")
                } == .denied)
            #expect(
                await reason { () throws(KeychainError) in
                    try await keychain.value(for: "item")
                } == .denied)
            #expect(
                await reason { () throws(KeychainError) in
                    try await keychain.lease(
                        on: "item" as ItemKey<String>, for: .seconds(1), waiting: .zero)
                } == .denied)
            try subject.end()
        }

        // MARK: - States

        @Test(arguments: Conformer.allCases) func ofTwoReplacementsOneSucceeds(
            _ conformer: Conformer
        ) async throws {
            let subject = try conformer.subject()
            let keychain = subject.keychain
            try await keychain.save("0", for: "item")
            let seen: Stored<String> = try await keychain.stored(for: "item")
            let next = try await keychain.replace(seen, with: "1", for: "item")
            #expect(next.generation != seen.generation)
            #expect(
                await reason { () throws(KeychainError) in
                    try await keychain.replace(seen, with: "2", for: "item")
                } == .generationChanged)
            #expect(try await keychain.value(for: "item") == "1")
            let last = try keychain.blocking.replace(next, with: "3", for: "item")
            #expect(
                try await keychain.stored(for: "item" as ItemKey<String>).generation
                    == last.generation)
            try subject.end()
        }

        @Test(arguments: Conformer.allCases) func everyConcurrentUpdateCounts(
            _ conformer: Conformer
        ) async throws {
            let subject = try conformer.subject()
            let keychain = subject.keychain
            let key = ItemKey<String>(account: "counter")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        for _ in 0..<5 {
                            try await keychain.update(key) { (old) throws(KeychainError) in
                                String((old.flatMap { Int($0) } ?? 0) + 1)
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await keychain.value(for: key) == "40")
            try subject.end()
        }

        // MARK: - Types

        @Test(arguments: Conformer.allCases) func codableValuesComeBack(_ conformer: Conformer)
            async throws
        {
            let subject = try conformer.subject()
            let keychain = subject.keychain
            let key = ItemKey<Session>(account: "session")
            let session = Session(token: "t\u{1F511}", scopes: ["read": 1, "write": 2])
            try await keychain.save(session, for: key)
            #expect(try await keychain.value(for: key) == session)
            // To other programs it is a line of text and JSON.
            let text = try await keychain.value(for: "session")
            #expect(text.hasPrefix("llavero-value 1 1\n{"))
            try subject.end()
        }

        @Test(arguments: Conformer.allCases) func aChangedShapeIsSaidAndNothingIsLost(
            _ conformer: Conformer
        ) async throws {
            let subject = try conformer.subject()
            let keychain = subject.keychain
            let session = Session(token: "s3cret", scopes: ["private@example.com": 1])
            try await keychain.save(session, for: ItemKey<Session>(account: "session"))
            let before = try await keychain.value(for: ItemKey<[UInt8]>(account: "session"))
            var details: [String] = []
            do throws(KeychainError) {
                _ = try await keychain.value(for: ItemKey<NewSession>(account: "session"))
            } catch {
                #expect(error.reason == .undecodable)
                details.append(error.detail ?? "")
            }
            do throws(KeychainError) {
                _ = try await keychain.value(
                    for: ItemKey<SessionWithAnotherField>(account: "session"))
            } catch {
                #expect(error.reason == .undecodable)
                details.append(error.detail ?? "")
            }
            #expect(
                details == [
                    "The stored value has shape 1, the type 2.",
                    "There is no value at issuer.",
                ])
            // A change must not overwrite it.
            #expect(
                await reason { () throws(KeychainError) in
                    try await keychain.update(ItemKey<NewSession>(account: "session")) {
                        (_) throws(KeychainError) in NewSession(token: "new")
                    }
                } == .undecodable)
            #expect(try await keychain.value(for: ItemKey<[UInt8]>(account: "session")) == before)
            // The old type still reads it, and the converted value can be saved.
            let old = try await keychain.value(for: ItemKey<Session>(account: "session"))
            try await keychain.save(
                NewSession(token: old.token), for: ItemKey<NewSession>(account: "session"))
            #expect(
                try await keychain.value(for: ItemKey<NewSession>(account: "session")).token
                    == "s3cret")
            try subject.end()
        }

        @Test(arguments: Conformer.allCases) func whatIsNoValueIsUndecodable(
            _ conformer: Conformer
        ) async throws {
            let subject = try conformer.subject()
            let keychain = subject.keychain
            let bytes = ItemKey<[UInt8]>(account: "item")
            let wrong: [[UInt8]] = [
                [0xFF, 0xFE], [0xC3], [0xED, 0xA0, 0x80], Array("abc\u{0}".utf8) + [0x80],
            ]
            for value in wrong {
                try await keychain.save(value, for: bytes)
                #expect(
                    await reason { () throws(KeychainError) in
                        try await keychain.value(for: "item")
                    } == .undecodable)
                #expect(try await keychain.value(for: bytes) == value)
            }
            let none = [
                "", "\n", "text", "llavero-value 1 1", "llavero-value 2 1\n{}",
                "llavero-value 1 1\n", "llavero-value 1 1\n{\"token\":1}",
                "llavero-value x y\n{}", "llavero-value 1 99999999999999999999\n{}",
            ]
            for value in none {
                try await keychain.save(value, for: "item")
                #expect(
                    await reason { () throws(KeychainError) in
                        try await keychain.value(for: ItemKey<Session>(account: "item"))
                    } == .undecodable)
                #expect(try await keychain.value(for: "item") == value)
            }
            try subject.end()
        }

        @Test func nothingOfAValueIsInAnError() async throws {
            let keychain = MemorySubject().keychain
            let text =
                "llavero-value 1 1\n"
                + #"{"token":"s3cret","scopes":{"private@example.com":"s3cret"}}"#
            try await keychain.save(text, for: "item")
            do throws(KeychainError) {
                _ = try await keychain.value(for: ItemKey<Session>(account: "item"))
                Issue.record("it was decoded")
            } catch {
                #expect(error.detail == "There is no Int at scopes.….")
                #expect(!"\(error)".contains("s3cret"))
                #expect(!"\(error)".contains("private"))
            }
        }

        @Test(arguments: Conformer.allCases) func aPropertyShowsWhatWasLoaded(
            _ conformer: Conformer
        ) async throws {
            let subject = try conformer.subject()
            @KeychainItem("token", in: subject.keychain) var token: String?
            #expect(try await $token.load() == nil)
            try await $token.save("one")
            #expect(token == "one")
            try await subject.keychain.save("two", for: "token")
            #expect(token == "one")
            try await $token.load()
            #expect(token == "two")
            try await $token.delete()
            #expect(token == nil)
            try await $token.delete()
            try subject.end()
        }
    }
}
