// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Keychain
import SecurityWire
import TestSupport
import Testing

extension KeychainTests {
    /// Values that can't be read, and the reasons.
    @Suite struct Locking {
        private static let whenUnlocked = ItemKey<String>(
            account: "u", accessibility: .whenUnlocked)
        private static let afterFirst = ItemKey<String>(
            account: "f", accessibility: .afterFirstUnlock)
        private static let always = ItemKey<String>(account: "a", accessibility: .always)

        @Test(arguments: Conformer.allCases) func lockedIsNeverAbsent(_ conformer: Conformer)
            async throws
        {
            let subject = try conformer.subject()
            let keychain = subject.keychain
            try subject.setPasscode()
            let all = [Self.whenUnlocked, Self.afterFirst, Self.always]
            for key in all { try await keychain.save("value", for: key) }
            func reasons() async -> [FailureReason?] {
                var reasons: [FailureReason?] = []
                for key in all {
                    reasons.append(
                        await reason { () throws(KeychainError) in
                            try await keychain.value(for: key)
                        })
                }
                return reasons
            }
            #expect(await reasons() == [nil, nil, nil])
            try subject.lock()
            #expect(await reasons() == [.locked, nil, nil])
            #expect(
                await reason { () throws(KeychainError) in
                    try await keychain.save("new", for: Self.whenUnlocked)
                } == .locked)
            #expect(
                await reason { () throws(KeychainError) in
                    try await keychain.valueIfPresent(for: Self.whenUnlocked)
                } == .locked)
            try await keychain.save("new", for: Self.afterFirst)
            try subject.logOut()
            #expect(await reasons() == [.locked, .locked, nil])
            try subject.unlock()
            #expect(await reasons() == [nil, nil, nil])
            #expect(try await keychain.value(for: Self.whenUnlocked) == "value")
            #expect(try await keychain.value(for: Self.afterFirst) == "new")
            // An absent item is absent in every state.
            try subject.lock()
            #expect(
                await reason { () throws(KeychainError) in
                    try await keychain.value(for: "none")
                } == .absent)
            try subject.end()
        }

        @Test(arguments: Conformer.allCases) func aClassThatNeedsAPasscodeHasNoKeyWithoutOne(
            _ conformer: Conformer
        ) async throws {
            let subject = try conformer.subject()
            let keychain = subject.keychain
            let key = ItemKey<String>(account: "p", accessibility: .whenPasscodeSetThisDeviceOnly)
            #expect(
                await reason { () throws(KeychainError) in
                    try await keychain.save("value", for: key)
                } == .keyGone)
            try subject.setPasscode()
            try await keychain.save("value", for: key)
            #expect(try await keychain.value(for: key) == "value")
            try subject.end()
        }

        @Test(arguments: Conformer.allCases) func waitingEndsWithTheUnlock(
            _ conformer: Conformer
        ) async throws {
            let subject = try conformer.subject()
            let keychain = subject.keychain
            try subject.setPasscode()
            try subject.logOut()
            #expect(
                await reason { () throws(KeychainError) in
                    try await keychain.waitUntilAvailable(deadline: .milliseconds(100))
                } == .locked)
            let waiting = Task {
                try await keychain.waitUntilAvailable(.whenUnlocked, deadline: .seconds(60))
                return try await keychain.valueIfPresent(for: "none")
            }
            try subject.unlock()
            #expect(try await waiting.value == nil)
            // Now the call doesn't wait.
            try await keychain.waitUntilAvailable(.whenUnlocked, deadline: .zero)
            try subject.lock()
            let cancelled = Task { () -> FailureReason? in
                await reason { () throws(KeychainError) in
                    try await keychain.waitUntilAvailable(.whenUnlocked, deadline: .seconds(60))
                }
            }
            cancelled.cancel()
            #expect(await cancelled.value == .cancelled)
            try subject.end()
        }

        @Test func withoutAServiceEverythingIsUnreachable() async throws {
            let location = ServiceLocation(socketPath: "/tmp/llavero-no-such-service.sock")
            let keychain = Keychain(service: "s", in: KeychainService(location: location))
            #expect(
                await reason { () throws(KeychainError) in
                    try await keychain.value(for: "item")
                } == .unreachable)
            #expect(
                await reason { () throws(KeychainError) in
                    try await keychain.save("value", for: "item")
                } == .unreachable)
            #expect(
                await reason { () throws(KeychainError) in
                    _ = try await keychain.changes()
                } == .unreachable)
            #expect(
                await reason { () throws(KeychainError) in
                    try await keychain.lease(
                        on: "item" as ItemKey<String>, for: .seconds(1), waiting: .zero)
                } == .unreachable)
            #expect(
                await reason { () throws(KeychainError) in
                    try await keychain.waitUntilAvailable(deadline: .milliseconds(100))
                } == .unreachable)
        }

        @Test func aTestKeychainIsPutOutOfReachAndLosesKeys() async throws {
            let memory = TestKeychain()
            let keychain = Keychain(service: "s", in: memory)
            try await keychain.save("value", for: Self.whenUnlocked)
            try await keychain.save("value", for: Self.always)
            memory.isReachable = false
            #expect(
                await reason { () throws(KeychainError) in
                    try await keychain.value(for: Self.always)
                } == .unreachable)
            memory.isReachable = true
            memory.destroyKeys(of: .whenUnlocked)
            #expect(
                await reason { () throws(KeychainError) in
                    try await keychain.value(for: Self.whenUnlocked)
                } == .keyGone)
            #expect(try await keychain.value(for: Self.always) == "value")
            try await keychain.save("new", for: Self.whenUnlocked)
            #expect(try await keychain.value(for: Self.whenUnlocked) == "new")
        }
    }
}
