// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import SecretBytes
import SecretService
import Synchronization
import TestSupport
import Testing

/// Calls that no client should make, and clients that wait, leave, or never stop.
@Suite struct BadInputBusTests {
    private static let dbus = "org.freedesktop.DBus.Error."
    private static let noSession = "org.freedesktop.Secret.Error.NoSession"

    @Test func wrongCallsAreErrorsAndTheServiceGoesOn() throws {
        try PrivateBus.lend { bus in
            let caller = try BusCaller(bus)
            let root = BusCaller.root
            let service = BusCaller.serviceInterface
            let arguments = Self.dbus + "InvalidArgs"
            let method = Self.dbus + "UnknownMethod"
            #expect(try caller.error(root, service, "OpenSession") == arguments)
            #expect(try caller.error(root, service, "SearchItems", .string("x")) == arguments)
            #expect(try caller.error(root, service, "Nothing") == method)
            #expect(try caller.error(root, "org.example.Other", "Lock", .paths([])) == method)
            #expect(try caller.error(root, BusCaller.itemInterface, "Delete") == method)
            #expect(try caller.error(root + "/x", service, "Lock", .paths([])) == method)
            for path in ["/collection/none", "/collection/login/0", "/session/s9", "/prompt/p9"] {
                #expect(
                    try caller.error(
                        root + path, BusCaller.properties, "GetAll", .string("")) == method
                        || path == "/prompt/p9")
            }
            #expect(
                try caller.error(
                    root + "/prompt/p9", BusCaller.promptInterface, "Prompt", .string(""))
                    == method)
            #expect(
                try caller.error(
                    root, service, "OpenSession", .string("rot13"), .variant(.string("")))
                    == Self.dbus + "NotSupported")
            #expect(
                try caller.error(
                    root, service, "OpenSession", .string("plain"), .variant(.flag(true)))
                    == arguments)
            #expect(
                try caller.error(
                    root, BusCaller.properties, "Get", .string(service), .string("Other"))
                    == arguments)
            #expect(
                try caller.error(
                    root, BusCaller.properties, "Set", .string(service), .string("Collections"),
                    .variant(.paths([]))) == arguments)
            #expect(
                try caller.error(
                    root, BusCaller.properties, "Get", .string("org.example.Other"),
                    .string("Collections")) == arguments)
            #expect(try caller.search([:]).unlocked == [])
        }
    }

    @Test func peerKeysOutsideTheGroupAreRefused() throws {
        try PrivateBus.lend { bus in
            let caller = try BusCaller(bus)
            let keys: [[UInt8]] = [
                [], [0], [1], [UInt8](repeating: 0xFF, count: 128),
                [UInt8](repeating: 7, count: 4096),
            ]
            for key in keys {
                let error = try caller.error(
                    BusCaller.root, BusCaller.serviceInterface, "OpenSession",
                    .string(SecretSession.encryptedName), .variant(.bytes(key)))
                #expect(error == Self.dbus + "InvalidArgs")
            }
        }
    }

    @Test func sixtyFourAttributesAreStoredAndSixtyFiveAreNot() throws {
        try PrivateBus.lend { bus in
            let caller = try BusCaller(bus)
            let session = try caller.openPlain()
            func attributes(_ count: Int, _ bytes: Int) -> SecretAttributes {
                var pairs = (0..<count).map { index in
                    SecretAttributes.Pair(name: Array("n\(100 + index)".utf8), value: [])
                }
                let rest = bytes - pairs.reduce(0) { $0 + $1.name.count }
                if rest > 0 {
                    pairs[0] = SecretAttributes.Pair(
                        name: pairs[0].name, value: [UInt8](repeating: 0x61, count: rest))
                }
                return SecretAttributes(pairs)
            }
            let limit = Self.dbus + "LimitsExceeded"
            let schema = 10 + 30
            // The schema is one more.
            let cases: [(SecretAttributes, String?)] = [
                (attributes(63, 0), nil), (attributes(64, 0), limit), (attributes(65, 0), limit),
                (attributes(2, 65_536 - schema), nil), (attributes(2, 65_537 - schema), limit),
                (attributes(2, 65_537), limit),
            ]
            for (attributes, expected) in cases {
                let answer = try caller.answer(
                    try caller.sendCreate(attributes, "s", session))
                #expect(answer.errorName == expected, "\(attributes.pairs.count)")
            }
            let search = try caller.error(
                BusCaller.root, BusCaller.serviceInterface, "SearchItems",
                .attributes(attributes(65, 0)))
            #expect(search == limit)
        }
    }

    @Test func aSecretMayHaveOneMiB() throws {
        try PrivateBus.lend { bus in
            let caller = try BusCaller(bus)
            let session = try caller.openPlain()
            let limit = SecretSession.secretByteCountLimit
            for (count, expected) in [
                (limit, nil), (limit + 1, Self.dbus + "LimitsExceeded"),
                (32 << 20, Self.dbus + "LimitsExceeded"),
            ] {
                let text = String(repeating: "x", count: count)
                let answer = try caller.answer(
                    try caller.sendCreate(BusCaller.attributes(["a": "1"]), text, session))
                #expect(answer.errorName == expected, "\(count)")
            }
        }
    }

    @Test func aCallMayName16384Objects() throws {
        try PrivateBus.lend { bus in
            let caller = try BusCaller(bus)
            let unknown = BusCaller.root + "/collection/none"
            for (count, expected) in [(16_384, nil), (16_385, Self.dbus + "LimitsExceeded")] {
                let error = try caller.error(
                    BusCaller.root, BusCaller.serviceInterface, "Unlock",
                    .paths([String](repeating: unknown, count: count)))
                #expect(error == expected, "\(count)")
            }
        }
    }

    @Test func aDictionaryOfPropertiesHasLimits() throws {
        try PrivateBus.lend { bus in
            let caller = try BusCaller(bus)
            let limit = Self.dbus + "LimitsExceeded"
            let text = 16_384
            func create(_ properties: [(name: String, value: BusValue)]) throws -> String? {
                try caller.error(
                    BusCaller.root, BusCaller.serviceInterface, "CreateCollection",
                    .properties(properties), .string("other"))
            }
            func numbers(_ count: Int) -> [(name: String, value: BusValue)] {
                (0..<count).map { ("org.example.N\($0)", .number(1)) }
            }
            func long(_ count: Int) -> String { String(repeating: "x", count: count) }
            // The alias is refused when all the rest is right.
            let accepted = Self.dbus + "NotSupported"
            #expect(try create(numbers(64)) == accepted)
            #expect(try create(numbers(65)) == limit)
            #expect(try create([("org.example.Text", .string(long(text)))]) == accepted)
            #expect(try create([("org.example.Text", .string(long(text + 1)))]) == limit)
            #expect(try create([("org.example.Paths", .paths([]))]) == Self.dbus + "InvalidArgs")
            for (count, expected) in [(text, nil), (text + 1, limit)] {
                let error = try caller.error(
                    BusCaller.root, BusCaller.serviceInterface, "ReadAlias", .string(long(count)))
                #expect(error == expected)
            }
        }
    }

    /// The bytes other than letters and digits as gnome-keyring has them; a number if that is taken.
    @Test func aCollectionsPathFollowsFromItsLabel() {
        #expect(CollectionID.derived(from: "My own") { _ in false } == "My_20own")
        #expect(CollectionID.derived(from: "\u{E9}_/") { _ in false } == "_c3_a9_5f_2f")
        #expect(CollectionID.derived(from: "") { _ in false } == "collection")
        #expect(CollectionID.derived(from: "a") { ["a", "a_2"].contains($0) } == "a_3")
        let long = CollectionID.derived(from: String(repeating: "/", count: 1000)) { _ in false }
        #expect(long.utf8.count <= CollectionID.byteCountLimit - 20)
    }

    @Test func aSessionIsItsClientsAlone() throws {
        try PrivateBus.lend { bus in
            let caller = try BusCaller(bus)
            let other = try BusCaller(bus)
            let session = try caller.openPlain()
            let path = try caller.create(["a": "1"], "s", session)
            let item = BusCaller.itemInterface
            #expect(try other.error(path, item, "GetSecret", .path(session)) == Self.noSession)
            #expect(
                try other.error(session, BusCaller.sessionInterface, "Close") == Self.noSession)
            #expect(
                try other.error(
                    BusCaller.root, BusCaller.serviceInterface, "GetSecrets", .paths([path]),
                    .path(session)) == Self.noSession)
            #expect(try caller.secret(path, session) == "s")
            #expect(try caller.error(session, BusCaller.sessionInterface, "Close") == nil)
            #expect(try caller.error(path, item, "GetSecret", .path(session)) == Self.noSession)
            #expect(
                try caller.error(path, item, "GetSecret", .path("/")) == Self.noSession)
        }
    }

    @Test func aClientMayHave256SessionsAndOthersGetTheirs() throws {
        try PrivateBus.lend { bus in
            let caller = try BusCaller(bus)
            var cookies: [UInt64] = []
            for _ in 0..<10_000 {
                cookies.append(
                    try caller.send(
                        BusCaller.root, BusCaller.serviceInterface, "OpenSession",
                        .string("plain"), .variant(.string(""))))
            }
            let other = try BusCaller(bus)
            #expect(!(try other.openPlain().isEmpty))
            var opened: [String] = []
            for cookie in cookies {
                let answer = try caller.answer(cookie)
                if answer.isError {
                    #expect(answer.errorName == Self.dbus + "LimitsExceeded")
                } else {
                    answer.skip()
                    opened.append(answer.readText("o") ?? "")
                }
            }
            #expect(opened.count == 256)
            // A closed one makes room.
            #expect(
                try caller.error(opened[0], BusCaller.sessionInterface, "Close") == nil)
            #expect(!(try caller.openPlain().isEmpty))
        }
    }

    @Test func aClientMayHave64Prompts() throws {
        try PrivateBus.lend { bus in
            let caller = try BusCaller(bus)
            bus.store.state.withLock { state in
                state.needsPerson = true
                state.isLocked = true
            }
            var prompts: [String] = []
            for _ in 0..<64 { prompts.append(try caller.unlock([BusCaller.login]).prompt) }
            #expect(Set(prompts).count == 64)
            let error = try caller.error(
                BusCaller.root, BusCaller.serviceInterface, "Unlock", .paths([BusCaller.login]))
            #expect(error == Self.dbus + "LimitsExceeded")
            #expect(try caller.error(prompts[0], BusCaller.promptInterface, "Dismiss") == nil)
            #expect(try caller.unlock([BusCaller.login]).prompt != "/")
        }
    }

    // MARK: - Nobody is held up

    @Test func aSlowWriteHoldsUpItsOwnClientAlone() throws {
        try PrivateBus.lend { bus in
            let slow = try BusCaller(bus)
            let session = try slow.openPlain()
            let gate = Waiter()
            let entered = Waiter()
            bus.store.state.withLock { state in
                state.beforeWrite = {
                    entered.open()
                    gate.wait()
                }
            }
            let write = try slow.sendCreate(BusCaller.attributes(["a": "1"]), "s", session)
            entered.wait()
            // The write waits until the others have their answers.
            for _ in 0..<8 {
                let other = try BusCaller(bus)
                #expect(!(try other.openPlain().isEmpty))
                #expect(try other.search(["a": "1"]).unlocked == [])
            }
            gate.open()
            #expect(!(try slow.answer(write).isError))
        }
    }

    /// The bus keeps what a client doesn't read.
    @Test func aClientThatDoesNotReadHoldsUpNobody() throws {
        try PrivateBus.lend { bus in
            let stalled = try BusCaller(bus)
            let session = try stalled.openPlain()
            let path = try stalled.create(
                ["a": "1"], String(repeating: "x", count: 1 << 20), session)
            // More than what waits in the service for the bus.
            for _ in 0..<100 {
                _ = try stalled.send(path, BusCaller.itemInterface, "GetSecret", .path(session))
            }
            let other = try BusCaller(bus)
            #expect(try other.search(["a": "1"]).unlocked == [path])
        }
    }

    @Test func nothingStaysOfAClientThatLeaves() throws {
        try PrivateBus.lend { bus in
            func leave() throws {
                let caller = try BusCaller(bus)
                let session = try caller.openPlain()
                _ = try caller.create(["a": "1"], "s", session)
                bus.store.state.withLock { $0.isLocked = true }
                _ = try caller.unlock([BusCaller.login])
            }
            try leave()
            try Waiting.until("the end of the client's channel") {
                bus.store.state.withLock { $0.closed == $0.represented && $0.watchers.isEmpty }
            }
        }
    }

    /// Sends calls that bring descriptors, and that wait behind calls that create items.
    private static let waitingProgram = """
        import os, sys
        from jeepney import DBusAddress, new_method_call
        from jeepney.bus_messages import message_bus
        from jeepney.io.blocking import open_dbus_connection
        bus = open_dbus_connection(bus='SESSION', enable_fds=True)
        bus.send_and_get_reply(message_bus.RequestName('org.freedesktop.portal.Desktop'))
        def address(path, interface):
            return DBusAddress(path, 'org.freedesktop.secrets', interface)
        root = '/org/freedesktop/secrets'
        answer = bus.send_and_get_reply(new_method_call(
            address(root, 'org.freedesktop.Secret.Service'), 'OpenSession', 'sv',
            ('plain', ('s', ''))))
        session = answer.body[1]
        def create():
            bus.send(new_method_call(
                address(root + '/collection/login', 'org.freedesktop.Secret.Collection'),
                'CreateItem', 'a{sv}(oayays)b',
                ({}, (session, b'', b'secret', 'text/plain'), False)))
        def bring(name):
            with open(name, 'wb', buffering=0) as file:
                bus.send(new_method_call(
                    address('/org/freedesktop/portal/desktop', 'org.freedesktop.impl.portal.Secret'),
                    'RetrieveSecret', 'osha{sv}', ('/a/' + name[-1], 'org.example.App', file, {})))
        def arrived():
            bus.send_and_get_reply(new_method_call(
                address(root, 'org.freedesktop.DBus.Peer'), 'Ping'))
            print('arrived', flush=True)
            sys.stdin.readline()
        create()
        arrived()
        create()
        bring(sys.argv[1])
        arrived()
        bring(sys.argv[2])
        arrived()
        """

    @Test func theMessagesOfAClientThatLeavesAreLetGoOf() throws {
        try TemporaryDirectory.lend { folder in
            let names = [folder + "/taken", folder + "/left"]
            let pipes = try names.map { name in
                guard unsafe mkfifo(name, 0o600) == 0 else { throw TestFailure("No pipe.") }
                return unsafe open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
            }
            defer { for pipe in pipes { close(pipe) } }
            func waitForEnd(_ index: Int) throws {
                try Waiting.until("the end of the pipe “\(names[index])”") {
                    var entry = pollfd(fd: pipes[index], events: 0, revents: 0)
                    return unsafe poll(&entry, 1, 0) == 1 && entry.revents & Int16(POLLHUP) != 0
                }
            }
            try PrivateBus.lend { bus in
                let gates = [Waiter(), Waiter()]
                let entered = [Waiter(), Waiter()]
                defer { for gate in gates { gate.open() } }
                let count = Mutex(0)
                bus.store.state.withLock { state in
                    state.beforeWrite = {
                        let number = count.withLock { count in
                            defer { count += 1 }
                            return count
                        }
                        guard number < 2 else { return }
                        entered[number].open()
                        gates[number].wait()
                    }
                }
                let program = try TestProcess(
                    "/usr/bin/python3", ["-c", Self.waitingProgram] + names, bus.options())
                func step() throws { #expect(try program.readLine() == "arrived") }
                try step()
                entered[0].wait()
                program.write("\n")
                try step()
                // The thread of the client takes the second item and the first descriptor together.
                gates[0].open()
                entered[1].wait()
                program.write("\n")
                try step()
                program.end()
                // The calls that still wait go with the client, and the others in their turn.
                try waitForEnd(1)
                gates[1].open()
                try waitForEnd(0)
            }
        }
    }
}
