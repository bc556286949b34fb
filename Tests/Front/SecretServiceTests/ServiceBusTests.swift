// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SecretBytes
import SecretService
import Synchronization
import TestSupport
import Testing

/// What clients see of items, collections and sessions.
@Suite struct ServiceBusTests {
    private static let dbus = "org.freedesktop.DBus.Error."
    private static let own = "org.freedesktop.Secret.Error."

    @Test func anItemIsStoredFoundReadChangedAndDeleted() throws {
        try PrivateBus.lend { bus in
            let caller = try BusCaller(bus)
            let session = try caller.openPlain()
            let path = try caller.create(["user": "anna"], "one", session)
            #expect(path.hasPrefix(BusCaller.login + "/"))
            #expect(try caller.search(["user": "anna"]).unlocked == [path])
            #expect(try caller.search(["user": "bert"]).unlocked == [])
            #expect(try caller.secret(path, session) == "one")
            let set = try caller.error(
                path, BusCaller.itemInterface, "SetSecret", BusCaller.secret("two", session))
            #expect(set == nil)
            #expect(try caller.secret(path, session) == "two")
            let label = try caller.error(
                path, BusCaller.properties, "Set", .string(BusCaller.itemInterface),
                .string("Label"), .variant(.string("Other")))
            #expect(label == nil)
            let attributes = try caller.error(
                path, BusCaller.properties, "Set", .string(BusCaller.itemInterface),
                .string("Attributes"),
                .variant(.attributes(BusCaller.attributes(["user": "carl"]))))
            #expect(attributes == nil)
            #expect(try caller.search(["user": "anna"]).unlocked == [])
            #expect(
                try caller.search([
                    "user": "carl", "xdg:schema": "org.freedesktop.Secret.Generic",
                ]).unlocked == [path])
            #expect(try caller.error(path, BusCaller.itemInterface, "Delete") == nil)
            #expect(try caller.search([:]).unlocked == [])
            let gone = try caller.error(
                path, BusCaller.itemInterface, "GetSecret", .path(session))
            #expect(gone == Self.dbus + "UnknownMethod")
        }
    }

    @Test func replaceOverwritesTheExactSetAlone() throws {
        try PrivateBus.lend { bus in
            let caller = try BusCaller(bus)
            let session = try caller.openPlain()
            let wide = try caller.create(["a": "1", "b": "2"], "wide", session, replace: true)
            let narrow = try caller.create(["a": "1"], "narrow", session, replace: true)
            #expect(narrow != wide)
            #expect(try caller.secret(wide, session) == "wide")
            #expect(try caller.create(["a": "1"], "new", session, replace: true) == narrow)
            #expect(try caller.secret(narrow, session) == "new")
            #expect(try caller.create(["a": "1"], "twin", session) != narrow)
            let empty = try caller.create([:], "x", session, replace: true)
            #expect(try caller.create([:], "y", session, replace: true) != empty)
            #expect(try caller.secret(empty, session) == "x")
        }
    }

    /// To Swift's strings the two spellings are equal.
    @Test func attributesAreComparedByTheirBytes() throws {
        try PrivateBus.lend { bus in
            let caller = try BusCaller(bus)
            let session = try caller.openPlain()
            let composed = try caller.create(["k": "\u{E9}"], "1", session, replace: true)
            let decomposed = try caller.create(["k": "e\u{301}"], "2", session, replace: true)
            #expect(composed != decomposed)
            #expect(try caller.search(["k": "e\u{301}"]).unlocked == [decomposed])
        }
    }

    @Test func theDefaultAliasIsTheCollectionItself() throws {
        try PrivateBus.lend { bus in
            let caller = try BusCaller(bus)
            let session = try caller.openPlain()
            let alias = BusCaller.root + "/aliases/default"
            let path = try caller.create(["a": "1"], "s", session, collection: alias)
            #expect(path.hasPrefix(BusCaller.login + "/"))
            let found = try caller.call(
                alias, BusCaller.collectionInterface, "SearchItems",
                .attributes(BusCaller.attributes(["a": "1"])))
            #expect(found.readPaths() == [path])
            let label = try caller.call(
                alias, BusCaller.properties, "Get", .string(BusCaller.collectionInterface),
                .string("Label"))
            #expect(label.enter("v", "s") { label.readText() } == "Login")
            let read = try caller.call(
                BusCaller.root, BusCaller.serviceInterface, "ReadAlias", .string("default"))
            #expect(read.readText("o") == BusCaller.login)
            let unknown = try caller.call(
                BusCaller.root, BusCaller.serviceInterface, "ReadAlias", .string("other"))
            #expect(unknown.readText("o") == "/")
            // An alias that leads nowhere, and one that can't be set.
            let missing = try caller.error(
                BusCaller.root + "/aliases/other", BusCaller.collectionInterface, "Delete")
            #expect(missing == Self.dbus + "UnknownMethod")
            let set = try caller.error(
                BusCaller.root, BusCaller.serviceInterface, "SetAlias", .string("other"),
                .path(BusCaller.login))
            #expect(set == Self.dbus + "NotSupported")
            let absent = try caller.error(
                BusCaller.root, BusCaller.serviceInterface, "SetAlias", .string("default"),
                .path(BusCaller.root + "/collection/none"))
            #expect(absent == Self.own + "NoSuchObject")
        }
    }

    @Test func theSessionCollectionStaysInTheProcess() throws {
        try PrivateBus.lend { bus in
            let caller = try BusCaller(bus)
            let session = try caller.openPlain()
            let path = try caller.create(
                ["a": "1"], "s", session, collection: BusCaller.root + "/collection/session")
            #expect(try caller.secret(path, session) == "s")
            #expect(try caller.search(["a": "1"]).unlocked == [path])
            #expect(bus.store.state.withLock { $0.items.isEmpty })
            let delete = try caller.error(
                BusCaller.root + "/collection/session", BusCaller.collectionInterface, "Delete")
            #expect(delete == Self.dbus + "NotSupported")
            #expect(try caller.error(path, BusCaller.itemInterface, "Delete") == nil)
            #expect(try caller.search(["a": "1"]).unlocked == [])
        }
    }

    @Test func aCollectionIsMadeWithoutAPromptAndDeletedWithOne() throws {
        try PrivateBus.lend { bus in
            bus.store.state.withLock { $0.answer = { _, _ in true } }
            let caller = try BusCaller(bus)
            let made = try caller.call(
                BusCaller.root, BusCaller.serviceInterface, "CreateCollection",
                .properties([("org.freedesktop.Secret.Collection.Label", .string("My own"))]),
                .string(""))
            #expect(made.readText("o") == BusCaller.root + "/collection/My_20own")
            #expect(made.readText("o") == "/")
            #expect(try caller.signal(BusCaller.serviceInterface, "CollectionCreated").path != nil)
            let delete = try caller.call(
                BusCaller.root + "/collection/My_20own", BusCaller.collectionInterface, "Delete")
            let prompt = try #require(delete.readText("o"))
            #expect(
                try caller.error(prompt, BusCaller.promptInterface, "Prompt", .string("")) == nil)
            let completed = try caller.signal(BusCaller.promptInterface, "Completed")
            #expect(completed.readFlag() == false)
            let gone = try caller.error(
                BusCaller.root + "/collection/My_20own", BusCaller.properties, "GetAll",
                .string(""))
            #expect(gone == Self.dbus + "UnknownMethod")
        }
    }

    // MARK: - Failures of the store

    @Test(arguments: [
        (SecretStoreError.unreachable, "org.freedesktop.DBus.Error.NoReply"),
        (.inputOutput, "org.freedesktop.DBus.Error.IOError"),
        (.limit, "org.freedesktop.DBus.Error.LimitsExceeded"),
        (.keyGone, "org.freedesktop.DBus.Error.Failed"),
        (.denied, "org.freedesktop.DBus.Error.AccessDenied"),
        (.locked, "org.freedesktop.Secret.Error.IsLocked"),
    ])
    func aFailureIsNeverAnEmptyAnswer(_ failure: SecretStoreError, _ name: String) throws {
        try PrivateBus.lend { bus in
            let caller = try BusCaller(bus)
            let session = try caller.openPlain()
            let path = try caller.create(["a": "1"], "s", session)
            bus.store.state.withLock { $0.failure = failure }
            let attributes = BusValue.attributes(BusCaller.attributes(["a": "1"]))
            let service = BusCaller.serviceInterface
            #expect(
                try caller.error(BusCaller.root, service, "SearchItems", attributes) == name)
            #expect(
                try caller.error(
                    BusCaller.login, BusCaller.collectionInterface, "SearchItems", attributes)
                    == name)
            #expect(
                try caller.error(
                    BusCaller.root, service, "GetSecrets", .paths([path]), .path(session)) == name)
            #expect(
                try caller.error(BusCaller.root, service, "ReadAlias", .string("default")) == name)
            #expect(
                try caller.error(
                    BusCaller.root, BusCaller.properties, "GetAll", .string(service)) == name)
            #expect(
                try caller.error(path, BusCaller.itemInterface, "GetSecret", .path(session))
                    == name)
            // A client that the store has never seen.
            let other = try BusCaller(bus)
            #expect(try other.error(BusCaller.root, service, "SearchItems", attributes) == name)
        }
    }

    @Test func anItemWhoseKeyIsGoneIsFoundAndSaysSo() throws {
        try PrivateBus.lend { bus in
            let caller = try BusCaller(bus)
            let session = try caller.openPlain()
            let path = try caller.create(["a": "1"], "s", session)
            bus.store.state.withLock { state in
                for id in state.order { state.items[id]?.isKeyGone = true }
            }
            #expect(try caller.search(["a": "1"]).unlocked == [path])
            let error = try caller.error(
                path, BusCaller.itemInterface, "GetSecret", .path(session))
            #expect(error == Self.dbus + "Failed")
        }
    }

    /// libsecret loads secrets with this call alone.
    @Test func anAnswerThatWouldBeEmptyForAGoneKeyIsAnError() throws {
        try PrivateBus.lend { bus in
            let caller = try BusCaller(bus)
            let session = try caller.openPlain()
            let gone = try caller.create(["a": "1"], "s", session)
            bus.store.state.withLock { state in
                for id in state.order { state.items[id]?.isKeyGone = true }
            }
            let usable = try caller.create(["a": "2"], "t", session)
            func secrets(_ paths: [String]) throws -> ReceivedMessage {
                try caller.call(
                    BusCaller.root, BusCaller.serviceInterface, "GetSecrets", .paths(paths),
                    .path(session))
            }
            #expect(try secrets([gone]).errorName == Self.dbus + "Failed")
            let both = try secrets([gone, usable])
            let path = both.enter("a", "{o(oayays)}") {
                both.enter("e", "o(oayays)") { both.readText("o") } ?? nil
            }
            #expect(path == usable)
            #expect(try secrets([]).errorName == nil)
        }
    }

    @Test func theServiceEndsWithItsBus() throws {
        try PrivateBus.lend { bus in
            _ = try BusCaller(bus).openPlain()
            bus.killBus()
        }
    }

    @Test func aSecondServiceDoesNotTakeTheName() throws {
        try PrivateBus.lend { bus in
            let second = try SecretServiceHost(address: bus.address, store: MemoryStore()) { 0 }
            #expect(throws: BusFailure.self) { try second.run() }
            _ = try BusCaller(bus).openPlain()
        }
    }
}
