// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import Keychain
import SecretBytes
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// Keys that expire, in process: the released programs' clock can't be advanced.
    /// `Documentation/attack-list.md` explains the numbers in names of tests.
    @Suite struct Inactivity {
        private static let threeDays: UInt64 = 72 * 60 * 60

        @Test func s15DeviceThatStaysLockedForThreeDaysIsAsBeforeItsFirstUnlock() throws {
            try TemporaryDirectory.lend { directory in
                let service = try InProcessService(stateDirectory: directory)
                defer { service.stopEnclave() }
                let client = InProcessService.Client(
                    userID: 7,
                    entitlements: Entitlements([
                        "keychain-access-groups": .list([.text("TEAM000000.test")])
                    ]))
                let keychain = try service.connect(client)
                for (account, accessibility) in [
                    ("ak", Accessibility.whenUnlocked), ("ck", .afterFirstUnlock),
                    ("dk", .always),
                ] {
                    try keychain.add(.password(account, accessibility: accessibility))
                }
                try service.passcode(.set, "one", client)
                try keychain.lock()
                service.clock.advance(bySeconds: Self.threeDays - 60)
                #expect(Self.attributes(keychain, "ck") == 0)
                #expect(Self.attributes(keychain, "ak") == -25308)
                service.clock.advance(bySeconds: 61)
                // No request is made meanwhile: the keys are dropped without one, in both.
                try Waiting.until("the keys to go") { Self.attributes(keychain, "ck") == -25308 }
                #expect(try keychain.deviceStatus().state == .beforeFirstUnlock)
                #expect(Self.attributes(keychain, "dk") == 0)
                try service.passcode(.unlock, "one", client)
                for account in ["ak", "ck", "dk"] {
                    #expect(Self.attributes(keychain, account) == 0)
                }
            }
        }

        /// The status of reading attributes, which need only the metadata key.
        private static func attributes(_ keychain: KeychainConnection, _ account: String) -> Int32 {
            status { try keychain.find(.password(account, returning: .attributes)) }
        }
    }
}
