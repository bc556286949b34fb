// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SecretService
import Synchronization
import TestSupport
import Testing

/// What clients see of locks, prompts, and of other owners' items.
@Suite struct LockingBusTests {
    private static let isLocked = "org.freedesktop.Secret.Error.IsLocked"

    private static func flag(_ message: ReceivedMessage) -> Bool? {
        message.enter("v", "b") { message.readFlag() } ?? nil
    }

    private static func lock(_ caller: BusCaller) throws -> [String] {
        let answer = try caller.call(
            BusCaller.root, BusCaller.serviceInterface, "Lock", .paths([BusCaller.login]))
        let paths = answer.readPaths()
        #expect(answer.readText("o") == "/")
        return paths
    }

    @Test func aLockedItemIsFoundAndNotAbsent() throws {
        try PrivateBus.lend { bus in
            let caller = try BusCaller(bus)
            let session = try caller.openPlain()
            let path = try caller.create(["a": "1"], "s", session)
            #expect(try Self.lock(caller) == [BusCaller.login])
            let found = try caller.search(["a": "1"])
            #expect(found.unlocked == [] && found.locked == [path])
            let item = BusCaller.itemInterface
            #expect(try caller.error(path, item, "GetSecret", .path(session)) == Self.isLocked)
            #expect(try caller.error(path, item, "Delete") == Self.isLocked)
            #expect(
                try caller.error(path, item, "SetSecret", BusCaller.secret("x", session))
                    == Self.isLocked)
            let label = try caller.error(
                path, BusCaller.properties, "Set", .string(item), .string("Label"),
                .variant(.string("x")))
            #expect(label == Self.isLocked)
            let delete = try caller.error(
                BusCaller.login, BusCaller.collectionInterface, "Delete")
            #expect(delete == Self.isLocked)
            let secrets = try caller.call(
                BusCaller.root, BusCaller.serviceInterface, "GetSecrets", .paths([path]),
                .path(session))
            #expect(secrets.enter("a", "{o(oayays)}") { secrets.peek() == nil } == true)
            let locked = try caller.call(
                path, BusCaller.properties, "Get", .string(item), .string("Locked"))
            #expect(Self.flag(locked) == true)
            // Nobody has to be asked.
            let (paths, prompt) = try caller.unlock([path, BusCaller.root + "/collection/none"])
            #expect(paths == [path] && prompt == "/")
            #expect(try caller.secret(path, session) == "s")
        }
    }

    /// go-keyring demands the path that it asked for.
    @Test func unlockAnswersWithThePathsOfTheQuestion() throws {
        try PrivateBus.lend { bus in
            let caller = try BusCaller(bus)
            let alias = BusCaller.root + "/aliases/default"
            for isLocked in [false, true] {
                if isLocked { _ = try Self.lock(caller) }
                let (paths, prompt) = try caller.unlock([alias])
                #expect(paths == [alias] && prompt == "/")
            }
        }
    }

    @Test func withoutSomebodyToAskAPromptIsDismissed() throws {
        try PrivateBus.lend { bus in
            let caller = try BusCaller(bus)
            bus.store.state.withLock { $0.needsPerson = true }
            _ = try Self.lock(caller)
            let (paths, prompt) = try caller.unlock([BusCaller.login])
            #expect(paths == [] && prompt.hasPrefix(BusCaller.root + "/prompt/"))
            let interface = BusCaller.promptInterface
            #expect(try caller.error(prompt, interface, "Prompt", .string("")) == nil)
            let completed = try caller.signal(interface, "Completed")
            #expect(completed.readFlag() == true)
            #expect(completed.enter("v", "ao") { completed.readPaths() } == [])
            let gone = try caller.error(prompt, interface, "Prompt", .string(""))
            #expect(gone == "org.freedesktop.DBus.Error.UnknownMethod")
        }
    }

    @Test func anAnsweredPromptSaysWhatItHasOpened() throws {
        try PrivateBus.lend { bus in
            let caller = try BusCaller(bus)
            let other = try BusCaller(bus)
            _ = try other.openPlain()
            bus.store.state.withLock { state in
                state.needsPerson = true
                state.answer = { _, _ in true }
            }
            _ = try Self.lock(caller)
            let (_, prompt) = try caller.unlock([BusCaller.login])
            let interface = BusCaller.promptInterface
            let foreign = try other.error(prompt, interface, "Prompt", .string(""))
            #expect(foreign == "org.freedesktop.DBus.Error.AccessDenied")
            #expect(
                try other.error(prompt, interface, "Dismiss")
                    == "org.freedesktop.DBus.Error.AccessDenied")
            #expect(try caller.error(prompt, interface, "Prompt", .string("")) == nil)
            let completed = try caller.signal(interface, "Completed")
            #expect(completed.readFlag() == false)
            #expect(completed.enter("v", "ao") { completed.readPaths() } == [BusCaller.login])
            #expect(!(try other.signalsSoFar().contains("Completed")))
        }
    }

    @Test func aPromptIsShownOnceAndEndsWhenItIsDismissed() throws {
        let cancelled = Mutex(false)
        try PrivateBus.lend { bus in
            let caller = try BusCaller(bus)
            let wait = Waiter()
            bus.store.state.withLock { state in
                state.needsPerson = true
                state.answer = { _, cancellation in
                    cancellation.onCancel { wait.open() }
                    wait.wait()
                    return !cancellation.isCancelled
                }
            }
            _ = try Self.lock(caller)
            let (_, prompt) = try caller.unlock([BusCaller.login])
            let interface = BusCaller.promptInterface
            #expect(try caller.error(prompt, interface, "Prompt", .string("")) == nil)
            #expect(
                try caller.error(prompt, interface, "Prompt", .string(""))
                    == "org.freedesktop.Secret.Error.AlreadyExists")
            // A prompt that waits makes no call wait, not even the asker's.
            let session = try caller.openPlain()
            #expect(try caller.search([:]).unlocked == [])
            #expect(!session.isEmpty)
            #expect(try caller.error(prompt, interface, "Dismiss") == nil)
            let completed = try caller.signal(interface, "Completed")
            #expect(completed.readFlag() == true)
            cancelled.withLock { $0 = true }
        }
        #expect(cancelled.withLock { $0 })
    }

    // MARK: - Owners

    @Test func aForeignItemLooksLockedAndSaysNothing() throws {
        try PrivateBus.lend { bus in
            let stored = try bus.run(
                "secret-tool", ["store", "--label=Private", "service", "mail", "user", "anna"],
                owner: "path:/usr/bin/mail", input: "secret")
            #expect(stored.ending == .exit(0))
            let caller = try BusCaller(bus)
            let session = try caller.openPlain()
            let found = try caller.search(["user": "anna"])
            #expect(found.unlocked == [])
            let path = try #require(found.locked.first)
            // What names nothing but a schema doesn't find it.
            let bySchema = try caller.search(["xdg:schema": "org.freedesktop.Secret.Generic"])
            #expect(bySchema.locked == [] && bySchema.unlocked == [])
            let items = try caller.call(
                BusCaller.login, BusCaller.properties, "Get",
                .string(BusCaller.collectionInterface), .string("Items"))
            #expect(items.enter("v", "ao") { items.readPaths() } == [])
            let item = BusCaller.itemInterface
            #expect(try caller.error(path, item, "GetSecret", .path(session)) == Self.isLocked)
            #expect(try caller.error(path, item, "Delete") == Self.isLocked)
            let label = try caller.call(
                path, BusCaller.properties, "Get", .string(item), .string("Label"))
            #expect(label.enter("v", "s") { label.readText() } == "")
            let attributes = try caller.call(
                path, BusCaller.properties, "Get", .string(item), .string("Attributes"))
            let isEmpty = attributes.enter("v", "a{ss}") {
                attributes.enter("a", "{ss}") { attributes.peek() == nil }
            }
            #expect(isEmpty == true)
            // It isn't overwritten, and unlocking it takes a person.
            #expect(
                try caller.create(
                    ["service": "mail", "user": "anna"], "mine", session, replace: true) != path)
            #expect(try caller.unlock([path]).paths == [])
            // Its owner still reads it.
            let looked = try bus.run(
                "secret-tool", ["lookup", "user", "anna"], owner: "path:/usr/bin/mail")
            #expect(looked.output == "secret")
        }
    }

    @Test func aSandboxedProgramSeesItsOwnItemsAndOneCollection() throws {
        try PrivateBus.lend { bus in
            let caller = try BusCaller(bus)
            let session = try caller.openPlain()
            _ = try caller.create(["user": "anna"], "shared", session)
            let owner = "flatpak:org.example.App"
            let looked = try bus.run("secret-tool", ["lookup", "user", "anna"], owner: owner)
            #expect(looked.ending == .exit(1) && looked.output == "")
            let stored = try bus.run(
                "secret-tool", ["store", "--label=x", "user", "anna"], owner: owner, input: "own")
            #expect(stored.ending == .exit(0))
            let own = try bus.run("secret-tool", ["lookup", "user", "anna"], owner: owner)
            #expect(own.output == "own")
            let collections = try bus.run(
                "busctl",
                [
                    "--address=\(bus.address)", "get-property", BusCaller.service, BusCaller.root,
                    BusCaller.serviceInterface, "Collections",
                ], owner: owner)
            #expect(collections.output == "ao 1 \"\(BusCaller.login)\"\n")
            let create = try bus.run(
                "busctl",
                [
                    "--address=\(bus.address)", "call", BusCaller.service, BusCaller.root,
                    BusCaller.serviceInterface, "CreateCollection", "a{sv}s", "0", "",
                ], owner: owner)
            #expect(create.errors.contains("one collection"))
            let lock = try bus.run(
                "busctl",
                [
                    "--address=\(bus.address)", "call", BusCaller.service, BusCaller.root,
                    BusCaller.serviceInterface, "Lock", "ao", "1", BusCaller.login,
                ], owner: owner)
            #expect(lock.output == "aoo 0 \"/\"\n")
            #expect(bus.store.state.withLock { !$0.isLocked })
        }
    }

    @Test func signalsGoToThoseWhoMaySeeTheObject() throws {
        try PrivateBus.lend { bus in
            let caller = try BusCaller(bus)
            let other = try BusCaller(bus)
            _ = try other.search([:])
            let session = try caller.openPlain()
            let path = try caller.create(["a": "1"], "s", session)
            for client in [caller, other] {
                let created = try client.signal(BusCaller.collectionInterface, "ItemCreated")
                #expect(created.path == BusCaller.login)
                #expect(created.readText("o") == path)
            }
            _ = try caller.call(
                path, BusCaller.properties, "Set", .string(BusCaller.itemInterface),
                .string("Label"), .variant(.string("New")))
            let changed = try other.signal(BusCaller.collectionInterface, "ItemChanged")
            #expect(changed.readText("o") == path)
            #expect(try other.signal(BusCaller.properties, "PropertiesChanged").path == path)
            // Another owner's items are no business of theirs.
            _ = try bus.run(
                "secret-tool", ["store", "--label=x", "b", "2"], owner: "path:/usr/bin/mail",
                input: "s")
            _ = try caller.call(
                path, BusCaller.itemInterface, "SetSecret", BusCaller.secret("t", session))
            #expect(try other.signalsSoFar() == [])
            _ = try caller.call(path, BusCaller.itemInterface, "Delete")
            let deleted = try other.signal(BusCaller.collectionInterface, "ItemDeleted")
            #expect(deleted.readText("o") == path)
        }
    }
}

/// Lets one thread wait for another.
final class Waiter: Sendable {
    private let isOpen = Mutex(false)

    func open() { isOpen.withLock { $0 = true } }

    func wait() { try? Waiting.until("another thread") { isOpen.withLock { $0 } } }
}
