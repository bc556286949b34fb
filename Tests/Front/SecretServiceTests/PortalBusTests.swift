// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SecretService
import Synchronization
import TestSupport
import Testing

/// The portal's backend, asked by a program that says it is the portal's frontend.
@Suite struct PortalBusTests {
    private static let frontend = "path:/usr/libexec/xdg-desktop-portal"

    /// Owns a name, if it is told to, and asks for the keys of applications: prints a line for each.
    private static let program = """
        import os, sys
        from jeepney import DBusAddress, HeaderFields, MessageType, new_method_call
        from jeepney.bus_messages import message_bus
        from jeepney.io.blocking import open_dbus_connection
        bus = open_dbus_connection(bus='SESSION', enable_fds=True)
        if sys.argv[1]:
            bus.send_and_get_reply(message_bus.RequestName(sys.argv[1]))
        backend = DBusAddress(
            '/org/freedesktop/portal/desktop', 'org.freedesktop.impl.portal.desktop.llavero',
            'org.freedesktop.impl.portal.Secret')
        for number, application in enumerate(sys.argv[2:]):
            reading, writing = os.pipe()
            handle = '/org/freedesktop/portal/desktop/request/r%d' % number
            answer = bus.send_and_get_reply(new_method_call(
                backend, 'RetrieveSecret', 'osha{sv}', (handle, application, writing, {})))
            os.close(writing)
            if answer.header.message_type == MessageType.error:
                print(answer.header.fields[HeaderFields.error_name])
            else:
                print(answer.body[0], os.read(reading, 100).hex())
        """

    private static func ask(
        _ bus: PrivateBus, name: String = "org.freedesktop.portal.Desktop",
        owner: String = frontend, _ applications: [String], program: String = program
    ) throws -> [Substring] {
        let result = try bus.run(
            "/usr/bin/python3", ["-c", program, name] + applications, owner: owner)
        #expect(result.ending == .exit(0), "\(result.errors)")
        return result.output.split(separator: "\n")
    }

    @Test func anApplicationHasOneKeyOf64Bytes() throws {
        try PrivateBus.lend { bus in
            let lines = try Self.ask(
                bus, ["org.example.One", "org.example.Two", "org.example.One"])
            try #require(lines.count == 3)
            #expect(lines.allSatisfy { $0.hasPrefix("0 ") && $0.utf8.count == 2 + 128 })
            #expect(lines[0] == lines[2] && lines[0] != lines[1])
            let again = try Self.ask(bus, ["org.example.One"])
            #expect(again == [lines[0]])
        }
    }

    /// A key goes into a pipe that has room for it.
    @Test func aFileAndAFullPipeGetNoKey() throws {
        let fullPipe = """
            import os
            def full_pipe():
                reading, writing = os.pipe()
                os.set_blocking(writing, False)
                try:
                    while True: os.write(writing, bytes(4096))
                except BlockingIOError:
                    os.set_blocking(writing, True)
                return reading, writing

            """
        let files = "[os.open('/dev/null', os.O_RDWR) for _ in range(2)]"
        for program in [
            Self.program.replacing("os.pipe()", with: files),
            fullPipe + Self.program.replacing("os.pipe()", with: "full_pipe()"),
        ] {
            try PrivateBus.lend { bus in
                let lines = try Self.ask(bus, ["org.example.One"], program: program)
                #expect(lines.count == 1 && lines.first?.hasPrefix("2 ") == true)
            }
        }
    }

    @Test func anApplicationMayHaveFourRequests() throws {
        // It waits for the answer to the fifth alone.
        let program = Self.program.replacing(
            "    answer =",
            with: "    call = bus.send_and_get_reply if number == 4 else bus.send\n    answer ="
        ).replacing("bus.send_and_get_reply(new", with: "call(new")
            .replacing("    os.close", with: "    if number < 4: continue\n    os.close")
        try PrivateBus.lend { bus in
            let gate = Waiter()
            defer { gate.open() }
            bus.store.state.withLock { state in
                state.isLocked = true
                state.answer = { _, _ in
                    gate.wait()
                    return false
                }
            }
            let applications = [String](repeating: "org.example.One", count: 5)
            let lines = try Self.ask(bus, applications, program: program)
            #expect(lines == ["org.freedesktop.DBus.Error.LimitsExceeded"])
        }
    }

    @Test func withoutThePortalsNameTheServiceGoesOn() throws {
        try PrivateBus.lend { bus in
            let second = try SecretServiceHost(
                address: bus.address, name: "org.example.Other", store: MemoryStore(),
                portal: MemoryStore()
            ) { 0 }
            var isReady = false
            try second.run {
                isReady = true
                second.stop()
            }
            #expect(isReady)
        }
    }

    @Test func onlyTheFrontendGetsKeys() throws {
        try PrivateBus.lend { bus in
            let denied = Substring("org.freedesktop.DBus.Error.AccessDenied")
            // Without the name, and with the name but another program.
            let nameless = try Self.ask(bus, name: "", ["org.example.One"])
            #expect(nameless == [denied])
            let other = try Self.ask(bus, owner: "path:/usr/bin/other", ["org.example.One"])
            #expect(other == [denied])
            #expect(bus.store.state.withLock { $0.portalKeys.isEmpty })
        }
    }

    @Test func aHostProgramAndALockedKeychainGetNoKey() throws {
        try PrivateBus.lend { bus in
            let host = try Self.ask(bus, [""])
            #expect(host == ["2 "])
            bus.store.state.withLock { $0.isLocked = true }
            let locked = try Self.ask(bus, ["org.example.One"])
            #expect(locked == ["2 "])
            #expect(bus.store.state.withLock { $0.portalKeys.isEmpty })
            bus.store.state.withLock { $0.answer = { _, _ in true } }
            let opened = try Self.ask(bus, ["org.example.One"])
            #expect(opened.first?.hasPrefix("0 ") == true)
            bus.store.state.withLock { $0.failure = .unreachable }
            let unreachable = Substring("org.freedesktop.DBus.Error.NoReply")
            let failed = try Self.ask(bus, ["org.example.One"])
            #expect(failed == [unreachable])
        }
    }
}
