// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import Foundation
import Keychain
import KeychainVocabulary
import SecurityDaemon
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// What callers of a front store and find.
    @Suite struct Channels {
        private func rows(
            _ channel: TestChannel, _ pairs: [String: String], foreign: Bool = true
        ) throws -> [SecretRow] {
            try channel.find(SecretQuery(pairs, foreign: foreign))
        }

        @Test func whatIsStoredIsFoundByEachOfItsPairs() throws {
            let fixture = try FrontFixture()
            let channel = try fixture.channel("/usr/bin/one")
            let pairs = ["user": "émile", "server": "example.org", "xdg:schema": "org.example"]
            let added = try channel.add(NewSecret("secret", label: "A label", pairs))
            #expect(!added.wasReplaced)
            for part in [pairs, ["user": "émile"], ["server": "example.org"], [:]] {
                let found = try rows(channel, part)
                #expect(found.map(\.reference) == [added.reference])
                let row = try #require(found.first)
                #expect(row.state == .usable && row.secret?.testText == "secret")
                let attributes = try #require(row.attributes)
                #expect(attributes.label == "A label" && attributes.fields.collection == "login")
                #expect(attributes.fields.contentType == "text/plain")
                #expect(attributes.group == "secrets:own:path:/usr/bin/one")
                #expect(attributes.fields.pairs.pairs.count == 3)
                #expect(attributes.created > 0 && attributes.created == attributes.modified)
                #expect(attributes.accessibility == .afterFirstUnlock)
            }
            #expect(try rows(channel, ["user": "emile"]).isEmpty)
            #expect(try rows(channel, ["user": "émile", "port": "1"]).isEmpty)
            #expect(try channel.find(SecretQuery(["user": "émile"], in: "other")).isEmpty)
            #expect(try channel.find(SecretQuery(["user": "émile"], in: "login")).count == 1)
            #expect(try channel.find(SecretQuery([[UInt8](repeating: 1, count: 16)])).isEmpty)
        }

        @Test func whatAnOwnerStoresIsForeignToOthers() throws {
            let fixture = try FrontFixture()
            let one = try fixture.channel("/usr/bin/one")
            let own = try one.add(NewSecret("secret", label: "l", ["user": "a"])).reference
            for other in [try fixture.channel("/usr/bin/two"), try fixture.channel()] {
                #expect(try rows(other, ["user": "a"], foreign: false).isEmpty)
                let told = try rows(other, ["user": "a"])
                #expect(told.map(\.reference) == [own] && told.map(\.state) == [.foreign])
                #expect(told.allSatisfy { $0.attributes == nil && $0.secret == nil })
                let named = try other.find(SecretQuery([own]))
                #expect(named.isEmpty)
                var query = SecretQuery([own])
                query.seeksForeign = true
                #expect(try other.find(query).map(\.state) == [.foreign])
                var change = SecretChange(own)
                change.label = "mine"
                #expect(
                    try other.call(.update(change, .fresh())).failure?.reason == .foreignSecret)
                #expect(
                    try other.call(.delete(own, .fresh())).failure?.reason == .foreignSecret)
            }
            // It is as it was.
            #expect(try rows(one, ["user": "a"]).first?.attributes?.label == "l")
        }

        @Test func whatNobodyStoresIsShared() throws {
            let fixture = try FrontFixture()
            let nobody = try fixture.channel()
            let shared = try nobody.add(NewSecret("secret", ["user": "a"])).reference
            let other = try fixture.channel("/usr/bin/two")
            #expect(try rows(other, ["user": "a"]).map(\.state) == [.usable])
            var change = SecretChange(shared)
            change.label = "new"
            #expect(try other.call(.update(change, .fresh())).failure == nil)
            #expect(try rows(nobody, ["user": "a"]).first?.attributes?.label == "new")
            #expect(try other.call(.delete(shared, .fresh())).failure == nil)
            #expect(try rows(nobody, ["user": "a"]).isEmpty)
        }

        @Test func toASandboxedProgramOthersHaveNothing() throws {
            let fixture = try FrontFixture()
            let shared = try fixture.channel().add(NewSecret("s", ["user": "a"])).reference
            let own = try fixture.channel("/usr/bin/one").add(NewSecret("s", ["user": "a"]))
                .reference
            let sandboxed = try fixture.channel(flatpak: "org.example.App")
            #expect(try rows(sandboxed, ["user": "a"]).isEmpty)
            for reference in [shared, own] {
                var query = SecretQuery([reference])
                query.seeksForeign = true
                #expect(try sandboxed.find(query).isEmpty)
                #expect(
                    try sandboxed.call(.delete(reference, .fresh())).failure?.reason == .absent)
                #expect(
                    try sandboxed.call(.update(SecretChange(reference), .fresh())).failure?.reason
                        == .absent)
            }
            _ = try sandboxed.add(NewSecret("its own", ["user": "a"]))
            #expect(try rows(sandboxed, ["user": "a"]).map { $0.secret?.testText } == ["its own"])
            // Another channel of the same Flatpak.
            let again = try fixture.channel(flatpak: "org.example.App")
            #expect(try rows(again, ["user": "a"]).count == 1)
            let other = try fixture.channel(flatpak: "org.example.Other")
            #expect(try rows(other, ["user": "a"]).isEmpty)
            #expect(
                try sandboxed.call(.lockState(.lock)).failure?.reason == .invalidRequest)
        }

        @Test func aSearchForASchemaDoesNotTellOfOthers() throws {
            let fixture = try FrontFixture()
            _ = try fixture.channel("/usr/bin/one").add(
                NewSecret("s", ["user": "a", "xdg:schema": "org.example"]))
            let other = try fixture.channel("/usr/bin/two")
            #expect(try rows(other, ["xdg:schema": "org.example"]).isEmpty)
            #expect(try rows(other, [:]).isEmpty)
            #expect(try rows(other, ["xdg:schema": "org.example", "user": "a"]).count == 1)
        }

        @Test func familiesShareTheirSchemas() throws {
            let fixture = try FrontFixture()
            let one = try fixture.channel("/usr/bin/pinentry-gtk-2")
            let two = try fixture.channel("/usr/bin/pinentry-qt")
            let pairs = ["xdg:schema": "org.gnupg.Passphrase", "keygrip": "k"]
            _ = try one.add(NewSecret("s", pairs))
            let found = try #require(try rows(two, pairs).first)
            #expect(found.attributes?.group == "secrets:family:pinentry")
            #expect(try rows(fixture.channel("/usr/bin/other"), pairs).map(\.state) == [.foreign])
            // What isn't of the schema is each one's own.
            _ = try one.add(NewSecret("s", ["keygrip": "other"]))
            #expect(try rows(two, ["keygrip": "other"]).map(\.state) == [.foreign])
        }

        @Test func withoutIsolationEveryProgramWithoutASandboxReachesAll() throws {
            let directory = try TemporaryDirectory.ofThisProcess() + "/open"
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            let service = try InProcessService(stateDirectory: directory)
            let user: UInt32 = 80_000
            let front = try service.front(userID: user)
            let one = try service.channel(front, path: "/usr/bin/one", userID: user)
            _ = try one.add(NewSecret("s", ["user": "a"]))
            func policy(_ text: String) throws {
                try Data(text.utf8).write(
                    to: URL(fileURLWithPath: directory + "/secret-service.conf"))
            }
            // A file that breaks a rule is left out.
            for text in ["isolation off\nisolation off", "isolation of"] {
                try policy(text)
                let two = try service.channel(front, path: "/usr/bin/two", userID: user)
                #expect(try rows(two, ["user": "a"]).map(\.state) == [.foreign])
            }
            try policy("isolation off")
            let two = try service.channel(front, path: "/usr/bin/two", userID: user)
            let found = try #require(try rows(two, ["user": "a"]).first)
            #expect(found.state == .usable)
            _ = try two.exchange(.watch)
            var change = SecretChange(found.reference)
            change.label = "new"
            #expect(try two.call(.update(change, .fresh())).failure == nil)
            guard case .changes(let changes, _)? = two.connection.receive().reply else {
                throw TestFailure("No news.")
            }
            #expect(changes.map(\.kind) == [.updated])
            var facts = InProcessService.facts(userID: user)
            facts.flatpak = "org.example.App"
            let sandboxed = try service.channel(front, facts)
            #expect(try rows(sandboxed.channel, ["user": "a"]).isEmpty)
            #expect(sandboxed.representation.isIsolationOff)
        }

        // MARK: - Replacing

        @Test func anExactSetIsReplaced() throws {
            let fixture = try FrontFixture()
            let channel = try fixture.channel("/usr/bin/one")
            func store(
                _ secret: String, _ pairs: [String: String], in collection: String = "login"
            ) throws -> (reference: [UInt8], wasReplaced: Bool) {
                var new = try NewSecret(secret, label: secret, in: collection, pairs)
                new.replaces = true
                return try channel.add(new)
            }
            let first = try store("one", ["a": "1", "b": "2"])
            let created = try rows(channel, ["b": "2"]).first?.attributes?.created
            let second = try store("two", ["a": "1", "b": "2"])
            #expect(second.reference == first.reference && second.wasReplaced)
            let row = try #require(try rows(channel, ["b": "2"]).first)
            #expect(row.secret?.testText == "two" && row.attributes?.label == "two")
            #expect(row.attributes?.created == created)
            // Neither a part, nor more, nor another collection.
            #expect(try !store("three", ["a": "1"]).wasReplaced)
            #expect(try !store("four", ["a": "1", "b": "2", "c": "3"]).wasReplaced)
            #expect(try !store("five", ["a": "1", "b": "2"], in: "other").wasReplaced)
            #expect(try rows(channel, ["a": "1"]).count == 4)
            // Without pairs, an item is always added.
            #expect(try !store("six", [:]).wasReplaced)
            #expect(try !store("seven", [:]).wasReplaced)
        }

        @Test func anOwnItemIsReplacedBeforeASharedOneAndNoForeignOne() throws {
            let fixture = try FrontFixture()
            let pairs = ["user": "a"]
            let foreign = try fixture.channel("/usr/bin/two").add(NewSecret("foreign", pairs))
            let shared = try fixture.channel().add(NewSecret("shared", pairs))
            let channel = try fixture.channel("/usr/bin/one")
            var new = try NewSecret("new", pairs)
            new.replaces = true
            #expect(try channel.add(new).reference == shared.reference)
            new.replaces = false
            let own = try channel.add(new)
            #expect(!own.wasReplaced)
            new.replaces = true
            #expect(try channel.add(new).reference == own.reference)
            let kept = try fixture.channel("/usr/bin/two").find(SecretQuery([foreign.reference]))
            #expect(kept.first?.secret?.testText == "foreign")
        }

        // MARK: - Changing

        @Test func eachPartCanBeChangedByItself() throws {
            let fixture = try FrontFixture()
            let channel = try fixture.channel("/usr/bin/one")
            let item = try channel.add(NewSecret("secret", label: "l", ["a": "1"])).reference
            func change(_ body: (inout SecretChange) throws -> Void) throws -> SecretRow {
                var change = SecretChange(item)
                try body(&change)
                #expect(try channel.call(.update(change, .fresh())).failure == nil)
                return try #require(try channel.find(SecretQuery([item])).first)
            }
            var row = try change { $0.pairs = try SecretPairs([.init("b", "2")]) }
            #expect(row.attributes?.label == "l" && row.secret?.testText == "secret")
            #expect(try rows(channel, ["a": "1"]).isEmpty)
            #expect(try rows(channel, ["b": "2"]).count == 1)
            row = try change { $0.secret = .init(text: "other") }
            #expect(row.secret?.testText == "other")
            row = try change { $0.collection = "work" }
            #expect(try channel.find(SecretQuery([:], in: "login")).isEmpty)
            #expect(try channel.find(SecretQuery(["b": "2"], in: "work")).count == 1)
            row = try change { $0.contentType = "" }
            #expect(row.attributes?.fields.contentType == "")
            row = try change { $0.pairs = SecretPairs() }
            #expect(row.attributes?.fields.pairs.isEmpty == true && row.secret?.testText == "other")
        }

        @Test func aCollectionIsDeletedAsFarAsItIsReached() throws {
            let fixture = try FrontFixture()
            let (one, two) = (
                try fixture.channel("/usr/bin/one"), try fixture.channel("/usr/bin/two")
            )
            for number in 0..<70 { _ = try one.add(NewSecret("s", in: "c", ["n": "\(number)"])) }
            _ = try one.add(NewSecret("s", in: "d"))
            _ = try two.add(NewSecret("s", in: "c"))
            guard
                case .secrets(.deletedCollection(70))? = try one.call(
                    .deleteCollection("c", .fresh())
                ).reply
            else {
                Issue.record("not 70")
                return
            }
            #expect(try one.find(SecretQuery([:], in: "c")).isEmpty)
            #expect(try one.find(SecretQuery([:], in: "d")).count == 1)
            #expect(try two.find(SecretQuery([:], in: "c")).count == 1)
        }

        @Test func aRepeatedWriteIsDoneOnce() throws {
            let fixture = try FrontFixture()
            let channel = try fixture.channel("/usr/bin/one")
            var write = WriteIdentity.fresh()
            let new = try NewSecret("s", ["a": "1"])
            guard case .secrets(.added(let first, _, _))? = try channel.call(.add(new, write)).reply
            else {
                Issue.record("not added")
                return
            }
            write.isRepeated = true
            guard
                case .secrets(.added(let second, _, nil))? = try channel.call(.add(new, write))
                    .reply
            else {
                Issue.record("not repeated")
                return
            }
            #expect(first == second)
            #expect(try rows(channel, ["a": "1"]).count == 1)
            guard
                case .revoked(true)? = try channel.exchange(
                    .revoke(requestID: write.requestID)
                ).reply
            else {
                Issue.record("not known")
                return
            }
        }

        // MARK: - Limits

        @Test func aSecretHasAsManyPairsAsItMay() throws {
            let fixture = try FrontFixture()
            let channel = try fixture.channel("/usr/bin/one")
            var pairs: [String: String] = [:]
            for number in 0..<SecretPairs.countLimit { pairs["name \(number)"] = "\(number)" }
            _ = try channel.add(NewSecret("s", pairs))
            #expect(try rows(channel, ["name 63": "63"]).count == 1)
            #expect(try rows(channel, pairs).count == 1)
        }

        @Test func aPageEndsAndTheNextGoesOn() throws {
            let fixture = try FrontFixture()
            let channel = try fixture.channel("/usr/bin/one")
            let long = String(repeating: "s", count: 400_000)
            var references: [[UInt8]] = []
            for number in 0..<6 {
                references.append(
                    try channel.add(NewSecret(long, ["n": "\(number)", "all": "x"])).reference)
            }
            #expect(try rows(channel, ["all": "x"]).map(\.reference) == references)
            let named = try channel.find(SecretQuery(references.reversed()))
            #expect(named.map(\.reference) == references)
            #expect(named.allSatisfy { $0.secret?.bytes.byteCount == 400_000 })
            var some = try SecretQuery(["all": "x"])
            some.limit = 2
            #expect(try channel.find(some).map(\.reference) == Array(references[..<2]))
        }

        @Test func aUserHasAsManyChannelsAsAUserCanHave() throws {
            let door = FrontDoor(
                directory: "/", policyPath: "/nonexistent", isOfMachine: false, report: { _ in })
            var seats = (0..<FrontDoor.channelLimit).map { _ in door.takeSeat(of: 1) }
            #expect(seats.allSatisfy { $0 != nil })
            #expect(door.takeSeat(of: 1) == nil)
            #expect(door.takeSeat(of: 2) != nil)
            seats.removeLast()
            #expect(door.takeSeat(of: 1) != nil)
        }
    }
}
