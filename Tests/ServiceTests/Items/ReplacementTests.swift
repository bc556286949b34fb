// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Keychain
import SecretBytes
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// Saving an item unless one with certain attributes exists; in that case it is changed.
    @Suite struct Replacements {
        /// A new item, and the replacement of an item with the same generic attribute.
        private static func save(
            _ service: TestService, _ account: String, _ secret: String?,
            changing changes: ItemAttributes = ItemAttributes()
        ) throws(KeychainError) {
            var filter = ItemAttributes()
            filter[.generic] = .text("g")
            var item = NewItem.password(account, secret: secret)
            item.attributes[.generic] = .text("g")
            item.attributes.accessibility = .afterFirstUnlock
            try service.keychain.save(item, orChange: ItemReplacement(of: filter, changes: changes))
        }

        private static func all(_ service: TestService) throws -> [String] {
            try service.keychain.find(.password(limit: nil, returning: [.data, .attributes])).map {
                guard case .text(let account)? = $0.attributes[.account] else { return "nameless" }
                return "\(account) \($0.secret?.testText ?? "nothing")"
            }
        }

        @Test func theOldestThatHasTheAttributesIsChanged() throws {
            try TestService.run { service in
                try service.keychain.add(.password("other"))
                try Self.save(service, "first", "1")
                #expect(try Self.all(service) == ["other secret", "first 1"])
                var second = NewItem.password("second")
                second.attributes[.generic] = .text("g")
                try service.keychain.add(second)
                var changes = ItemAttributes()
                changes[.label] = .text("changed")
                changes.accessibility = .always
                try Self.save(service, "third", "2", changing: changes)
                #expect(try Self.all(service) == ["other secret", "first 2", "second secret"])
                let found = try service.keychain.find(.password("first", returning: .attributes))
                #expect(found.first?.attributes[.label] == .text("changed"))
                #expect(found.first?.attributes.accessibility == .always)
                // Without a secret the item keeps its own; with another account it moves.
                changes[.account] = .text("renamed")
                try Self.save(service, "fourth", nil, changing: changes)
                #expect(try Self.all(service) == ["other secret", "renamed 2", "second secret"])
            }
        }

        @Test func anotherItemsNameIsADuplicateAndChangesNothing() throws {
            try TestService.run { service in
                try service.keychain.add(.password("taken"))
                try Self.save(service, "mine", "1")
                var changes = ItemAttributes()
                changes[.account] = .text("taken")
                let refusal = reason { try Self.save(service, "x", "2", changing: changes) }
                #expect(refusal == .duplicate)
                #expect(try Self.all(service) == ["taken secret", "mine 1"])
            }
        }

        /// An item that can't be opened is neither skipped nor taken for absent.
        @Test func aLockedItemIsNotAddedASecondTime() throws {
            try TestService.run { service in
                try service.keychain.setPasscode(SecretBytes(passcode: "correct horse"))
                var item = NewItem.password("old", accessibility: .whenUnlocked)
                item.attributes[.generic] = .text("g")
                try service.keychain.add(item)
                try service.keychain.lock()
                #expect(reason { try Self.save(service, "new", "2") } == .locked)
                try service.keychain.unlock(passcode: SecretBytes(passcode: "correct horse"))
                #expect(try Self.all(service) == ["old secret"])
            }
        }
    }
}
