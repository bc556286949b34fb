// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Keychain
import SecurityWire
import Testing

extension KeychainTests {
    /// Values that demand a person.
    @Suite struct Persons {
        private static let key = ItemKey<String>(account: "pin", requiring: .userPresence)

        /// A test keychain of an unlocked device with a value that demands a person.
        private static func made() async throws -> (TestKeychain, Keychain) {
            let store = TestKeychain()
            store.deviceState = .unlocked
            let keychain = Keychain(service: "com.example.test", in: store)
            try await keychain.save("1111", for: key)
            return (store, keychain)
        }

        /// Where nobody may be asked, both stores say the same.
        @Test(arguments: Conformer.allCases) func withoutAPersonTheValueStaysClosed(
            _ conformer: Conformer
        ) async throws {
            let subject = try conformer.subject()
            try subject.setPasscode()
            let keychain = subject.keychain
            try await keychain.save("1111", for: Self.key)
            let context = AccessContext()
            context.mayAsk = false
            #expect(
                await reason { () throws(KeychainError) in
                    try await keychain.value(for: Self.key, in: context)
                } == .personNeeded)
            #expect(
                await reason { () throws(KeychainError) in
                    try await keychain.save("2222", for: Self.key, in: context)
                } == .personNeeded)
            #expect(
                await reason { () throws(KeychainError) in
                    try await keychain.authenticate(reason: "why", in: context)
                } == .personNeeded)
            context.invalidate()
            context.mayAsk = true
            #expect(
                await reason { () throws(KeychainError) in
                    try await keychain.value(for: Self.key, in: context)
                } == .accessRefused)
            // It can be deleted, and a value without a person isn't concerned.
            try await keychain.save("open", for: "open")
            #expect(try await keychain.value(for: "open") == "open")
            try await keychain.delete(Self.key)
            try subject.end()
        }

        @Test func yesIsAskedOnceForEachContext() async throws {
            let (store, keychain) = try await Self.made()
            let context = AccessContext()
            context.purpose = "to pay"
            #expect(try await keychain.value(for: Self.key, in: context) == "1111")
            #expect(try await keychain.value(for: Self.key, in: context) == "1111")
            #expect(try keychain.blocking.value(for: Self.key, in: context) == "1111")
            #expect(store.questions == ["to pay"])
            try await keychain.save("2222", for: Self.key, in: context)
            #expect(store.questions.count == 1)
            #expect(try await keychain.value(for: Self.key) == "2222")
            #expect(try await keychain.value(for: Self.key) == "2222")
            #expect(store.questions.count == 3)
            store.deviceState = .locked
            store.deviceState = .unlocked
            #expect(try await keychain.value(for: Self.key, in: context) == "2222")
            #expect(store.questions.count == 4)
        }

        @Test(arguments: [
            (TestPerson.no, FailureReason.personCanceled), (.later, .personNeeded),
            (.never, .wrongPasscode),
        ]) func theOthersGetNothing(_ person: TestPerson, _ expected: FailureReason) async throws {
            let (store, keychain) = try await Self.made()
            store.person = person
            #expect(
                await reason { () throws(KeychainError) in
                    try await keychain.value(for: Self.key)
                } == expected)
            #expect(
                await reason { () throws(KeychainError) in
                    try await keychain.save("2222", for: Self.key)
                } == expected)
            #expect(
                await reason { () throws(KeychainError) in
                    try await keychain.authenticate(reason: "why")
                } == expected)
            store.person = .yes
            #expect(try await keychain.value(for: Self.key) == "1111")
        }

        @Test func withoutAPasscodeNothingCanBeProven() async throws {
            let store = TestKeychain()
            let keychain = Keychain(service: "com.example.test", in: store)
            try await keychain.save("1111", for: Self.key)
            #expect(
                await reason { () throws(KeychainError) in
                    try await keychain.value(for: Self.key)
                } == .accessRefused)
            #expect(store.questions == [])
        }

        @Test func aPropertyAsksInItsContext() async throws {
            let (store, keychain) = try await Self.made()
            let context = AccessContext()
            let pin = keychain.item(
                "pin", as: String.self, requiring: .userPresence, in: context)
            #expect(pin.wrappedValue == nil)
            #expect(try await pin.load() == "1111")
            try await pin.save("2222")
            #expect(pin.wrappedValue == "2222")
            #expect(store.questions.count == 1)
            context.invalidate()
            #expect(
                await reason { () throws(KeychainError) in _ = try await pin.load() }
                    == .accessRefused)
        }
    }
}
