// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import IPC
import TestSupport
import Testing

extension ServiceTests {
    /// What a daemon that was taken over, or hangs, can do to the service.
    @Suite(.enabled(if: geteuid() == 0, "only root can start the system service"))
    struct SystemTakeovers {
        private static let anna = SystemWorld.anna

        /// An intruder in securityd leaves a process behind, which goes on after the next start.
        /// Red team: system; refused.
        /// Before: nothing.
        @Test func nothingOfSecuritydsUserOutlivesIt() throws {
            try SystemWorld.run { world in
                #expect(try world.ask(Self.anna, "add", "bank", "MANGO") == "ok")
                let left = try world.start(SystemWorld.securityd, ["sleep", "1000"])
                defer { left.end() }
                // The control: processes of other users stay, and root's.
                let other = try world.start(Self.anna, ["sleep", "1000"])
                defer { other.end() }
                let roots = try TestProcess("sleep", ["1000"])
                defer { roots.end() }
                try Waiting.until("the processes to run") {
                    [left, other, roots].allSatisfy {
                        ProcessEntry(running: $0.pid)?.words.first == "sleep"
                    }
                }
                try world.crash("securityd")
                #expect(try left.wait() == .signal(SIGKILL))
                #expect(ProcessEntry.runs(other.pid) && ProcessEntry.runs(roots.pid))
                #expect(try world.ask(Self.anna, "find", "bank") == "MANGO")
            }
        }

        /// The same, and the process stops all that its user may stop, so also what would kill it.
        /// Red team: system; refused.
        /// Before: nothing.
        @Test func processThatStopsTheKillerIsKilled() throws {
            try SystemWorld.run { world in
                #expect(try world.ask(Self.anna, "add", "bank", "MANGO") == "ok")
                let enclave = try world.daemon("enclaved")
                let script = """
                    import os, signal
                    print("stopping", flush=True)
                    while True:
                        try: os.kill(-1, signal.SIGSTOP)
                        except ProcessLookupError: pass
                    """
                let attacker = try world.start(
                    SystemWorld.securityd, ["/usr/bin/python3", "-c", script])
                defer { attacker.end() }
                #expect(try attacker.readLine() == "stopping")
                kill(try world.daemon("securityd"), SIGKILL)
                #expect(try attacker.wait() == .signal(SIGKILL))
                try Waiting.until("the service to answer") {
                    try world.ask(Self.anna, "find", "bank") == "MANGO"
                }
                #expect(try world.daemon("enclaved") == enclave)
            }
        }

        /// A daemon that hangs doesn't hang the service.
        @Test func silentDaemonIsKilledAfterItsTime() throws {
            try SystemWorld.run { world in
                #expect(try world.ask(Self.anna, "add", "bank", "MANGO") == "ok")
                try world.setPasscode("horse", of: Self.anna)
                let enclave = try world.daemon("enclaved")
                let silent = try world.daemon("securityd")
                kill(silent, SIGSTOP)
                // It has 60 seconds for an answer to a ping, one of which comes every 5.
                try Waiting.until("it to be killed", within: .seconds(90)) {
                    !ProcessEntry.runs(silent)
                }
                #expect(world.messages.contains("securityd doesn't answer and is killed."))
                try Waiting.until("the service to answer") {
                    try world.ask(Self.anna, "find", "bank") == "MANGO"
                }
                #expect(try world.daemon("enclaved") == enclave)
            }
        }

        /// If the process that starts inspectors ends, another one takes its place. Nobody is locked.
        @Test func deathOfTheStarterOfInspectorsLocksNobody() throws {
            try SystemWorld.run { world in
                #expect(try world.ask(Self.anna, "add", "bank", "MANGO") == "ok")
                try world.setPasscode("horse", of: Self.anna)
                let enclave = try world.daemon("enclaved")
                let guardian = try world.daemon("peerinspector")
                func starter(after last: Int32) throws -> Int32 {
                    try Waiting.value("a starter of inspectors") {
                        ProcessEntry.all().first { $0.parent == guardian && $0.pid != last }?.pid
                    }
                }
                var last: Int32 = 0
                for _ in 0..<3 {
                    let now = try starter(after: last)
                    let inspectors = ProcessEntry.all().filter { $0.parent == now }
                    kill(now, SIGKILL)
                    for inspector in inspectors { kill(inspector.pid, SIGKILL) }
                    last = now
                    _ = try starter(after: last)
                    try Waiting.until("the service to answer") {
                        try world.ask(Self.anna, "find", "bank") == "MANGO"
                    }
                }
                #expect(ProcessEntry.runs(world.process.pid))
                #expect(try world.daemon("enclaved") == enclave)
                #expect(try world.daemon("peerinspector") == guardian)
            }
        }

        /// An intruder in securityd asks for inspectors and never reads an answer.
        /// Red team: system; refused.
        /// Before: nothing.
        @Test func starterOfInspectorsWaitsForNobody() throws {
            try TemporaryDirectory.lend { directory in
                let (control, theirs) = try ControlSocket.pair()
                var options = TestProcess.Options()
                options.descriptors = [theirs]
                let starter = try TestProcess(
                    Binaries.path("peerinspector"), ["--state", directory, "--starter"], options)
                defer { starter.end() }
                close(theirs)
                func answersPing() throws {
                    control.send(.ping)
                    try Waiting.until("an answer", within: .seconds(10)) {
                        control.receive() == .message(.ping, [])
                    }
                }
                try answersPing()
                var ends: [Int32] = [-1, -1]
                #expect(unsafe socketpair(AF_UNIX, 5, 0, &ends) == 0)
                control.send(.connections, [ends[1]])
                close(ends[1])
                // The message of its version, then wishes: a kind, and a number of four bytes.
                var hello: [UInt8] = [4, 2, 0, 0, 0]
                #expect(unsafe send(ends[0], &hello, 5, 0) == 5)
                var wish: [UInt8] = [1, 0, 0, 0, 0]
                for _ in 0..<5_000 {
                    let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
                    if unsafe send(ends[0], &wish, 5, flags) < 0 {
                        guard errno == EAGAIN else { break }
                        usleep(1000)
                    }
                }
                try answersPing()
                // It has let go of who doesn't read, and ended what it had started.
                close(ends[0])
                control.send(.renew)
                try answersPing()
            }
        }

        /// An upgrade starts the new securityd beside a starter of another version.
        @Test func daemonsOfTwoVersionsEndTheServiceForAFreshStart() throws {
            try SystemWorld.prepare { root in
                let program = root + "/bin/peerinspector"
                try FileManager.default.removeItem(atPath: program)
                // A starter that answers with version 99.
                let script = """
                    #!/usr/bin/python3 -I
                    import array, os, socket
                    control = socket.socket(fileno=3)
                    control.setblocking(True)
                    while True:
                        data, extra, _, _ = control.recvmsg(2, 1024)
                        if not data: break
                        if data == b"\\x01": control.send(data)
                        if data == b"\\x03":
                            numbers = array.array("i")
                            numbers.frombytes(extra[0][2])
                            client = socket.socket(fileno=numbers[0])
                            if client.recv(5) == bytes([4, 2, 0, 0, 0]):
                                client.send(bytes([4, 99, 0, 0, 0]))
                    """
                try Data(script.utf8).write(to: URL(fileURLWithPath: program))
                #expect(unsafe chmod(program, 0o755) == 0)
                let service = try TestProcess(root + "/bin/securityd", SystemUsers.words(root))
                defer { service.end() }
                #expect(try service.wait() == .exit(76))
                #expect(service.errorText.contains("The daemons are of different versions."))
            }
        }
    }
}
