// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import Foundation
import Keychain
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// Secrets that can't be used now, and who is told of changes.
    @Suite struct SecretStates {
        private func isLocked(_ channel: TestChannel, _ action: SecretLockAction) throws -> Bool? {
            guard
                case .secrets(.lockState(let isLocked))? = try channel.call(.lockState(action))
                    .reply
            else { return nil }
            return isLocked
        }

        @Test func aClientsLockClosesTheSecretsAlone() throws {
            let fixture = try FrontFixture()
            let (one, two) = (
                try fixture.channel("/usr/bin/one"), try fixture.channel("/usr/bin/two")
            )
            let item = try one.add(NewSecret("s", ["a": "1"])).reference
            let keychain = try fixture.service.connect(fixture.client)
            try keychain.add(.password("a"))
            #expect(try isLocked(one, .ask) == false)
            #expect(try isLocked(two, .lock) == true)
            #expect(try isLocked(one, .ask) == true)
            let row = try #require(try one.find(SecretQuery(["a": "1"])).first)
            #expect(row.reference == item && row.state == .lockedByClient)
            #expect(row.attributes == nil && row.secret == nil)
            #expect(try one.find(SecretQuery([item])).map(\.state) == [.lockedByClient])
            let calls: [SecretCall] = [
                .add(try NewSecret("s", ["b": "1"]), .fresh()), .delete(item, .fresh()),
                .update(SecretChange(item), .fresh()), .deleteCollection("login", .fresh()),
            ]
            for call in calls {
                #expect(try one.call(call).failure?.reason == .secretsLocked)
            }
            // It is no lock of the device.
            #expect(try keychain.find(.password("a")).count == 1)
            // Without a passcode nothing is asked.
            #expect(try isLocked(one, .unlock) == false)
            #expect(try one.find(SecretQuery(["a": "1"])).first?.secret?.testText == "s")
        }

        @Test func withAPasscodeAnUnlockAsksThePerson() throws {
            let fixture = try FrontFixture()
            let channel = try fixture.channel("/usr/bin/one")
            _ = try channel.add(NewSecret("s"))
            try fixture.service.passcode(.set, "correct horse", fixture.client)
            #expect(try isLocked(channel, .lock) == true)
            // There is no agent.
            #expect(try channel.call(.lockState(.unlock)).failure?.reason == .personNeeded)
            #expect(try isLocked(channel, .ask) == true)
        }

        @Test func aLockedItemIsFoundByItsTagsAndNeverAbsent() throws {
            let fixture = try FrontFixture()
            let channel = try fixture.channel("/usr/bin/one")
            try fixture.service.passcode(.set, "correct horse", fixture.client)
            var new = try NewSecret("s", label: "l", ["a": "1", "b": "2"])
            new.accessibility = .whenUnlocked
            new.replaces = true
            let locked = try channel.add(new).reference
            let open = try channel.add(NewSecret("s", ["a": "1"])).reference
            let keychain = try fixture.service.connect(fixture.client)
            try keychain.lock()
            let rows = try channel.find(SecretQuery(["a": "1"]))
            #expect(rows.map(\.reference) == [locked, open])
            #expect(rows.map(\.state) == [.locked, .usable])
            #expect(rows.first?.attributes == nil && rows.first?.secret == nil)
            #expect(try channel.find(SecretQuery(["b": "2"])).map(\.state) == [.locked])
            #expect(try channel.find(SecretQuery(["b": "3"])).isEmpty)
            #expect(try channel.call(.add(new, .fresh())).failure?.reason == .locked)
            #expect(try channel.call(.delete(locked, .fresh())).failure?.reason == .locked)
            var change = SecretChange(locked)
            change.label = "x"
            #expect(try channel.call(.update(change, .fresh())).failure?.reason == .locked)
            let other = try fixture.channel("/usr/bin/two")
            #expect(
                try other.find(SecretQuery(["b": "2"], foreign: true)).map(\.state) == [.foreign])
            try fixture.service.passcode(.unlock, "correct horse", fixture.client)
            #expect(try channel.find(SecretQuery(["b": "2"])).map(\.state) == [.usable])
        }

        // MARK: - Watching

        private func news(_ channel: TestChannel) throws -> ReceivedReply? {
            channel.connection.receive().reply
        }

        @Test func changesOfOneChannelReachTheOthers() throws {
            let fixture = try FrontFixture()
            let (one, again, two) = (
                try fixture.channel("/usr/bin/one"), try fixture.channel("/usr/bin/one"),
                try fixture.channel("/usr/bin/two")
            )
            for channel in [again, two] {
                guard case .changes([], missedSome: false)? = try channel.exchange(.watch).reply
                else { throw TestFailure("It doesn't watch.") }
            }
            let item = try one.add(NewSecret("s", ["a": "1"])).reference
            guard case .changes(let changes, missedSome: false)? = try news(again) else {
                throw TestFailure("No news.")
            }
            #expect(changes.map(\.kind) == [.added] && changes.map(\.reference.uuid) == [item])
            // A channel that watches goes on with requests.
            #expect(try again.find(SecretQuery(["a": "1"])).count == 1)
            // What others own is no news; what is shared is.
            let shared = try fixture.channel().add(NewSecret("s", ["a": "1"])).reference
            guard case .changes(let told, missedSome: false)? = try news(two) else {
                throw TestFailure("No news.")
            }
            #expect(told.map(\.reference.uuid) == [shared])
        }

        @Test func aClientsLockIsNewsToAllChannelsOfTheUser() throws {
            let fixture = try FrontFixture()
            let (one, two) = (
                try fixture.channel("/usr/bin/one"), try fixture.channel("/usr/bin/two")
            )
            _ = try one.exchange(.watch)
            #expect(try isLocked(two, .lock) == true)
            guard case .secrets(.lockState(isLocked: true))? = try news(one) else {
                throw TestFailure("No news.")
            }
            #expect(try isLocked(two, .unlock) == false)
            guard case .secrets(.lockState(isLocked: false))? = try news(one) else {
                throw TestFailure("No news.")
            }
        }

        // MARK: - The audit log

        @Test func theLogNamesOwnerAndFront() throws {
            let fixture = try FrontFixture()
            let channel = try fixture.channel("/usr/bin/one")
            let item = try channel.add(NewSecret("s", ["a": "1"])).reference
            _ = try channel.find(SecretQuery(["a": "1"]))
            _ = try isLocked(channel, .lock)
            let keychain = try fixture.service.connect(fixture.client)
            let records = try keychain.auditLog().records
            #expect(records.contains { $0.event == .front && $0.status == 0 })
            let ofItem = records.filter { $0.items.contains(item) }
            #expect(ofItem.map(\.event) == [.add, .read])
            #expect(ofItem.last?.includesSecrets == true)
            for record in ofItem {
                #expect(record.accessGroup == "secrets:own:path:/usr/bin/one")
                #expect(record.application.hasSuffix(" through secret-service"))
                #expect(record.itemClass == .genericPassword)
            }
            #expect(records.contains { $0.event == .lockSecrets })
        }
    }
}
