// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import CodeIdentity
import Foundation
import Glibc
import IPC
import Keychain
import SecurityDaemon
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// The socket and the channels reach nothing of each other's.
    @Suite struct ChannelAttacks {
        private func fixtureWithItems() throws -> (
            FrontFixture, TestChannel, secret: [UInt8], KeychainConnection,
            item: PersistentReference
        ) {
            let fixture = try FrontFixture()
            let channel = try fixture.channel("/usr/bin/one")
            let secret = try channel.add(NewSecret("secret", label: "l", ["user": "a"])).reference
            let keychain = try fixture.service.connect(fixture.client)
            var item = NewItem.password("a", service: "l")
            item.returning = [.persistentReference]
            let reference = try #require(try keychain.add(item).persistentReference)
            return (fixture, channel, secret, keychain, reference)
        }

        private func reason(_ body: () throws -> Void) -> FailureReason? {
            do { try body() } catch { return (error as? KeychainError)?.reason }
            return nil
        }

        @Test func theSocketReachesNoSecretOfAChannel() throws {
            let (_, channel, secret, keychain, _) = try fixtureWithItems()
            let reference = try #require(
                PersistentReference(itemClass: .genericPassword, uuid: secret))
            #expect(reason { _ = try keychain.find(.reference(reference)) } == .absent)
            #expect(reason { try keychain.delete(.reference(reference)) } == .absent)
            var all = ItemQuery(.genericPassword)
            all.limit = nil
            all.returning = [.attributes, .data, .persistentReference]
            all.seeksGranted = true
            #expect(try keychain.find(all).count == 1)
            for group in [
                "secrets:own:path:/usr/bin/one", "secrets:shared", "secrets:portal",
                "secrets:collections", "secrets:", "secrets:family:gvfs",
            ] {
                var named = all
                named.seeksGranted = false
                named.attributes[.accessGroup] = .text(group)
                #expect(reason { _ = try keychain.find(named) } == .denied)
                #expect(reason { try keychain.delete(named) } == .denied)
                var item = NewItem.password("b")
                item.attributes[.accessGroup] = .text(group)
                #expect(reason { _ = try keychain.add(item) } == .denied)
                #expect(
                    reason { try keychain.moveItems(from: "ABCDE12345.app", to: group) } == .denied)
                #expect(
                    reason { try keychain.moveItems(from: group, to: "ABCDE12345.app") } == .denied)
                var change = ItemChanges()
                change.attributes[.accessGroup] = .text(group)
                #expect(
                    reason { try keychain.update(.password("a"), applying: change) } == .denied)
            }
            #expect(try channel.find(SecretQuery([secret])).first?.secret?.testText == "secret")
        }

        @Test func noPasscodeOpensAGroupOfAChannel() throws {
            let fixture = try FrontFixture()
            let raw = try fixture.service.connectRaw(fixture.client)
            for group in ["secrets:shared", "secrets:own:path:/usr/bin/one"] {
                let request = ClientRequest.openGroup(
                    group, sealed: [UInt8](repeating: 1, count: 80))
                #expect(raw.exchange(try request.frameBytes()).failure?.reason == .denied)
            }
        }

        @Test func aChannelReachesNoItemOfTheSocket() throws {
            let (_, channel, secret, keychain, item) = try fixtureWithItems()
            #expect(try channel.find(SecretQuery([:])).map(\.reference) == [secret])
            var query = SecretQuery([item.uuid])
            query.seeksForeign = true
            #expect(try channel.find(query).isEmpty)
            var change = SecretChange(item.uuid)
            change.label = "mine"
            #expect(try channel.call(.update(change, .fresh())).failure?.reason == .absent)
            #expect(try channel.call(.delete(item.uuid, .fresh())).failure?.reason == .absent)
            #expect(try keychain.find(.password("a")).count == 1)
        }

        @Test func theFrontsRecordsAreNoCallers() throws {
            let fixture = try FrontFixture()
            let records = try fixture.records()
            var key = try NewSecret("key", ["app_id": "org.example.App"])
            key.group = "secrets:portal"
            let portal = try records.add(key).reference
            key.group = "secrets:shared"
            (key.created, key.modified) = (1000, 2000)
            let imported = try records.add(key).reference
            let own = try records.find(SecretQuery(["app_id": "org.example.App"]))
            #expect(own.map(\.reference) == [portal])
            let found = try fixture.channel().find(SecretQuery(["app_id": "org.example.App"]))
            #expect(found.map(\.reference) == [imported])
            #expect(found.last?.attributes?.created == 1000)
            #expect(found.last?.attributes?.modified == 2000)
            key.group = "secrets:own:path:/usr/bin/one"
            #expect(try records.call(.add(key, .fresh())).failure?.reason == .denied)
            for channel in [
                try fixture.channel("/usr/bin/one"), try fixture.channel(),
                try fixture.channel(flatpak: "org.example.App"),
            ] {
                var query = SecretQuery([portal])
                query.seeksForeign = true
                #expect(try channel.find(query).isEmpty)
                #expect(try channel.call(.delete(portal, .fresh())).failure?.reason == .absent)
            }
        }

        /// Every program may write in the shared group, so nothing there is a record: neither a key of
        /// the portal nor a collection.
        @Test func whatProgramsWriteIsNoRecordOfTheFront() throws {
            let fixture = try FrontFixture()
            let records = try fixture.records()
            let planted = try fixture.channel().add(
                try NewSecret("planted", ["app_id": "org.example.App"])
            ).reference
            #expect(try records.find(SecretQuery(["app_id": "org.example.App"])).isEmpty)
            #expect(try records.find(SecretQuery([planted])).isEmpty)
            #expect(try records.call(.delete(planted, .fresh())).failure?.reason == .absent)
            var key = try NewSecret("key", ["app_id": "org.example.App"])
            key.group = "secrets:portal"
            key.replaces = true
            let made = try records.add(key)
            #expect(made.reference != planted)
            key.group = "secrets:collections"
            #expect(try records.add(key).reference != made.reference)
        }

        /// Requests that belong on the other kind of connection.
        @Test func aRequestOnTheWrongConnectionEndsIt() throws {
            let fixture = try FrontFixture()
            let elsewhere: [ClientRequest] = [
                .find(.password("a"), cursor: 0), .add(.password("a"), .fresh()),
                .delete(.password("a"), .fresh()), .deviceStatus, .identity, .challenge,
                .front(.secretService), .represent(.records), .busOwner,
                .openGroup("g", sealed: [1]), .auditPage(AuditQuery()), .check(cursor: []),
            ]
            for request in elsewhere {
                let channel = try fixture.channel("/usr/bin/one")
                #expect(try channel.exchange(request) == .closed, "\(request)")
            }
            var forged = try NewSecret("s", ["a": "1"])
            forged.group = "secrets:own:path:/usr/bin/two"
            #expect(try fixture.channel("/usr/bin/one").call(.add(forged, .fresh())) == .closed)
            forged.group = ""
            forged.created = 1
            #expect(try fixture.channel("/usr/bin/one").call(.add(forged, .fresh())) == .closed)
            let ofChannels: [ClientRequest] = [
                .secrets(.lockState(.ask)), .secrets(.find(SecretQuery(), cursor: 0)),
                .represent(.records), .represent(.process), .busOwner,
            ]
            for request in ofChannels {
                let raw = try fixture.service.connectRaw(fixture.client)
                #expect(raw.exchange(try request.frameBytes()) == .closed, "\(request)")
            }
            for request in [ClientRequest.deviceStatus, .secrets(.lockState(.ask)), .identity] {
                let front = try fixture.service.front(userID: fixture.userID)
                #expect(front.connection.exchange(try request.frameBytes()) == .closed)
            }
        }

        @Test func onlyOneDescriptorOfAProcessIsTaken() throws {
            let fixture = try FrontFixture()
            func send(_ descriptors: [Int32]) throws -> RawConnection.Answer {
                let front = try fixture.service.front(userID: fixture.userID)
                guard
                    front.connection.send(
                        try ClientRequest.represent(.process).frameBytes(), attaching: descriptors)
                else { return .closed }
                return front.connection.receive()
            }
            let pidfd = Descriptor(owning: llavero_pidfd_open(getpid()))
            #expect(try send([]) == .closed)
            #expect(try send([pidfd.rawValue, pidfd.rawValue]) == .closed)
            #expect(try send([0]) == .closed)
            let records = try fixture.service.front(userID: fixture.userID)
            #expect(
                records.connection.send(
                    try ClientRequest.represent(.records).frameBytes(),
                    attaching: [pidfd.rawValue]))
            #expect(records.connection.receive() == .closed)
            // What can't be told is nobody's.
            #expect(try send([pidfd.rawValue]).failure?.reason == .notRepresented)
        }

        @Test func aProgramThatIsNoFrontIsRefused() throws {
            let fixture = try FrontFixture()
            // Nothing is planted: the look at this process doesn't find the front's file.
            let other = try TestFront(fixture.service.socketPath)
            #expect(try other.admit().failure?.reason == .notAFront)
            // The connection stays what it was.
            #expect(
                other.connection.exchange(try ClientRequest.represent(.records).frameBytes())
                    == .closed)
        }

        @Test func whatAUserIsNotSheDoesNotRepresent() throws {
            let fixture = try FrontFixture()
            var facts = InProcessService.facts(userID: fixture.userID)
            facts.isOfUser = false
            #expect(throws: TestFailure.self) {
                _ = try fixture.service.channel(fixture.front, facts)
            }
        }
    }
}
