// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import Foundation
import Keychain
import SecretBytes
import Security
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// An application requires that an item is stored only if hardware protects the keychain.
    @Suite struct Tiers {
        private static func item(_ account: String, _ tier: StorageTier) -> NewItem {
            var item = NewItem.password(account)
            item.demandedTier = tier
            return item
        }

        private static func dictionary(_ isDemanded: Bool) -> CFDictionary {
            [
                kSecClass: kSecClassGenericPassword, kSecAttrAccount: "facade",
                kSecAttrService: "service", kSecValueData: Data([1]),
                kSecUseHardwareBackedStorage: isDemanded,
            ] as NSDictionary
        }

        private static func expectNothingIsStored(_ service: TestService) throws {
            let keychain = service.keychain
            let tier = try keychain.deviceStatus().tier
            #expect(tier == .software)
            #expect(reason { try keychain.add(item("a", .hardware)) } == .tierNotMet)
            #expect(status { try keychain.add(item("a", .hardware)) } == errSecUnimplemented)
            let calls = ItemCalls(keychain)
            #expect(unsafe calls.add(dictionary(true), nil) == errSecUnimplemented)
            #expect(reason { try keychain.find(.password(limit: nil)) } == .absent)
            // An add without that requirement stores the item; an add with it doesn't replace an
            // existing item.
            try keychain.add(item("a", .software))
            #expect(unsafe calls.add(dictionary(false), nil) == errSecSuccess)
            var next = item("a", .hardware)
            next.replacesExisting = true
            #expect(reason { try keychain.add(next) } == .tierNotMet)
            #expect(reads(service, "a") == 0)
        }

        @Test func fileKeepsNothingThatDemandsHardware() throws {
            try TestService.run { try Self.expectNothingIsStored($0) }
        }

        @Test func softwareTPMKeepsNothingThatDemandsHardware() throws {
            try TestTPM.run { tpm in
                var options = TestService.Options()
                options.deviceKey = tpm.deviceKeyArgument
                try TestService.run(options) { try Self.expectNothingIsStored($0) }
            }
        }

        /// The control: no test has a chip, so a file claims to be one.
        @Test func hardwareKeepsWhatDemandsIt() throws {
            try TemporaryDirectory.lend { directory in
                let service = try InProcessService(stateDirectory: directory, claimsHardware: true)
                defer { service.stopEnclave() }
                let client = InProcessService.Client(
                    userID: 7,
                    entitlements: Entitlements([
                        "keychain-access-groups": .list([.text("TEAM000000.test")])
                    ]))
                let keychain = try service.connect(client)
                let tier = try keychain.deviceStatus().tier
                #expect(tier == .hardware)
                try keychain.add(Self.item("a", .hardware))
                let calls = ItemCalls(keychain)
                #expect(unsafe calls.add(Self.dictionary(true), nil) == errSecSuccess)
                let found = try keychain.find(.password(limit: nil))
                #expect(found.count == 2)
            }
        }

        @Test func aDemandIsForAnAddAlone() throws {
            try TestService.run { service in
                let calls = ItemCalls(service.keychain)
                let query =
                    [
                        kSecClass: kSecClassGenericPassword, kSecUseHardwareBackedStorage: true,
                    ] as NSDictionary
                #expect(unsafe calls.copyMatching(query, nil) == errSecParam)
                #expect(calls.delete(query) == errSecParam)
                let wrong =
                    [
                        kSecClass: kSecClassGenericPassword, kSecUseHardwareBackedStorage: "tpm",
                    ] as NSDictionary
                #expect(unsafe calls.add(wrong, nil) == errSecParam)
            }
        }
    }
}
