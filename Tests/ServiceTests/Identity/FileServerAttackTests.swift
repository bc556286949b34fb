// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import Foundation
import TestSupport
import Testing

extension ServiceTests {
    /// Attackers of the victim's own user whose programs lie on a file system that they serve
    /// themselves (FUSE).
    @Suite(.enabled(if: geteuid() == 0, "only root can make the device of FUSE for others"))
    struct FileServerAttacks {
        /// An attacker serves the program's file, and can show the service another file than the
        /// processor.
        /// Red team: ephemeral, user; U.
        @Test func programThatItsUserServesIsNobody() throws {
            try SignedWorld.run { world in
                let victim = try Victim(world)
                let server = try FileServer(world, [victim.path])
                defer { server.end() }
                let lines = try world.run(
                    server.program, [world.service.socketPath, "serve"],
                    input: "whoami\nfind bank\n")
                #expect(lines.first == "U", "\(lines)")
                #expect(lines.contains(IdentityReason.unprovenFile.text))
                #expect(lines.last == "failed -25300")
            }
        }

        /// Eight programs connect from a file system that stops before the service looks. The
        /// service still answers other programs.
        /// Red team: ephemeral, user; U.
        @Test func stoppedFileSystemHoldsUpNobodyElse() throws {
            try SignedWorld.run { world in
                let victim = try Victim(world)
                let bare = try world.install(world.program(), "bare")
                let server = try FileServer(world, [victim.path])
                let service = try world.service.worker()
                try world.service.halt(service)
                defer { kill(service, SIGCONT) }
                var programs: [TestProcess] = []
                // What waits for the file system ends only with it.
                defer {
                    server.end()
                    for program in programs { program.end() }
                }
                for _ in 0..<8 {
                    let program = try world.start(
                        server.program, [world.service.socketPath, "connect", "whoami"])
                    programs.append(program)
                    #expect(try program.readLine() == "connected")
                }
                try server.halt()
                kill(service, SIGCONT)
                // A new connection of another program, and one of a program that is more than others.
                for _ in 0..<3 {
                    #expect(try world.ask(bare, "whoami").first == "U")
                    #expect(try world.ask(victim.path, "find", "bank") == [Victim.secret])
                }
                let state = try ProcessFile.read(server.process.pid, "stat")
                #expect(state.contains(") T "))
            }
        }

        /// An attacker exchanges a served file for another one with the same number, length and
        /// times. The service remembered nothing about the first file.
        /// Red team: ephemeral, user; U.
        @Test func programThatItsUserExchangesIsNobodyBothTimes() throws {
            try SignedWorld.run { world in
                let victim = try Victim(world)
                let other = try world.install(
                    victim.team.sign(world.program(build: "2"), "org.example.bank"), "other")
                let server = try FileServer(world, [victim.path, other])
                defer { server.end() }
                #expect(
                    try world.run(server.program, ["build"]) == [
                        "llavero test application, build 1"
                    ])
                #expect(try world.ask(server.program, "whoami").first == "U")
                server.process.write("\n")
                #expect(try server.process.readLine() == "changed")
                // The control: it is another program, at the same place.
                #expect(
                    try world.run(server.program, ["build"]) == [
                        "llavero test application, build 2"
                    ])
                #expect(try world.ask(server.program, "whoami").first == "U")
                #expect(try world.ask(victim.path, "whoami").first == "S")
            }
        }

        /// A setuid helper mounts the attacker's file system as root in the service's namespaces.
        /// Its files claim to belong to root.
        /// Red team: ephemeral, user; U.
        @Test func libraryOfRootsOnAFileSystemOfTheUsersTakesTheIdentityAway() throws {
            try SignedWorld.run { world in
                let victim = try Victim(world)
                let library = world.directory + "/library.so"
                let source = world.directory + "/library.c"
                try Data("int answer(void) { return 42; }\n".utf8).write(
                    to: URL(fileURLWithPath: source))
                let result = try TestProcess.run("cc", ["-shared", "-fPIC", "-o", library, source])
                guard result.ending == .exit(0) else { throw TestFailure(result.errors) }
                let folder = "/opt/lltest-\(UUID())"
                try FileManager.default.createDirectory(
                    atPath: folder, withIntermediateDirectories: false,
                    attributes: [.posixPermissions: 0o755])
                defer { try? FileManager.default.removeItem(atPath: folder) }
                let server = try FileServer(world, [library], mountedByRootIn: folder)
                defer { server.end() }
                let owner = ["-c", "%u", server.place + "/program"]
                #expect(try world.run("/usr/bin/stat", owner) == ["0"])
                let words = [world.service.socketPath, "whoami"]
                let lines = try world.run(
                    victim.path, words, environment: ["LD_PRELOAD": server.place + "/program"])
                #expect(lines.first == "U", "\(lines)")
            }
        }

        /// Eight processes hold their memory lock while they wait for a file system, so a reader of
        /// their mappings waits, too. The service still answers other programs.
        /// Red team: ephemeral, user; closed.
        @Test func processesThatHoldTheirMemoryLockHoldUpNobodyElse() throws {
            try SignedWorld.run { world in
                let victim = try Victim(world)
                let library = try Attackers.compile(
                    "library", into: world.directory, ["-shared", "-fPIC", "-Wl,-z,now"])
                try Attackers.giveAway(library)
                let bare = try world.install(world.program(), "bare")
                let servers = try (0..<8).map { number in
                    try FileServer(world, [bare], holds: true, name: "place\(number)")
                }
                var programs: [TestProcess] = []
                // What waits for a file system ends only with it.
                defer {
                    for server in servers { server.end() }
                    for program in programs { program.end() }
                }
                for server in servers {
                    programs.append(
                        try world.start(
                            victim.path, ["build"],
                            environment: [
                                "LD_PRELOAD": library, "ATTACK_PROGRAM": victim.path,
                                "ATTACK_SOCKET": world.service.socketPath, "ATTACK_HOW": "ask",
                                "ATTACK_WAY": "lock", "ATTACK_FILE": server.program,
                            ]))
                }
                for program in programs { #expect(try program.readLine() == "locked") }
                for _ in 0..<3 {
                    #expect(try world.ask(bare, "whoami").first == "U")
                    #expect(try world.ask(victim.path, "find", "bank") == [Victim.secret])
                }
                // The control: their lock is held.
                for program in programs {
                    let reader = try TestProcess.run(
                        "timeout",
                        ["-s", "KILL", "0.2", "cat", "/proc/\(program.pid)/smaps_rollup"])
                    #expect(reader.ending == .signal(SIGKILL))
                }
                // The first of them have been given up by now, or are soon.
                for program in programs.prefix(2) { #expect(try program.readLine() == "closed") }
            }
        }

        /// Eight programs each use a file system that stops, send half requests, or flood the
        /// service with challenges. The service still answers another program, and its passcode
        /// unlocks.
        /// Red team: ephemeral, user; U.
        @Test func threeFloodsAtOnceHoldUpNobodyElse() throws {
            try SignedWorld.run { world in
                let victim = try Victim(world)
                #expect(try world.ask(victim.path, "set-passcode", "correct-horse") == ["ok"])
                let server = try FileServer(world, [victim.path])
                let service = try world.service.worker()
                try world.service.halt(service)
                defer { kill(service, SIGCONT) }
                var programs: [TestProcess] = []
                defer {
                    server.end()
                    for program in programs { program.end() }
                }
                for _ in 0..<8 {
                    let program = try world.start(
                        server.program, [world.service.socketPath, "connect", "whoami"])
                    programs.append(program)
                    #expect(try program.readLine() == "connected")
                }
                try server.halt()
                kill(service, SIGCONT)
                for script in [Flooding.halfSender, Flooding.challenger] {
                    for _ in 0..<8 {
                        let program = try world.start(
                            "/usr/bin/perl", ["-e", script, world.service.socketPath])
                        programs.append(program)
                    }
                }
                for program in programs.dropFirst(8) {
                    #expect(["sent", "flooding"].contains(try program.readLine()))
                }
                for _ in 0..<3 {
                    #expect(try world.ask(victim.path, "lock") == ["ok"])
                    #expect(try world.ask(victim.path, "find", "bank") == ["failed -25308"])
                    #expect(try world.ask(victim.path, "unlock", "correct-horse") == ["ok"])
                    #expect(try world.ask(victim.path, "find", "bank") == [Victim.secret])
                }
                let state = try ProcessFile.read(server.process.pid, "stat")
                #expect(state.contains(") T "))
                for program in programs { #expect(ProcessEntry.runs(program.pid)) }
            }
        }
    }
}
