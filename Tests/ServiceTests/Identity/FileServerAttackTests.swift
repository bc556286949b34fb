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
        /// Red team: ephemeral, user, system; U.
        /// Before: worked; S, with the secret.
        @Test(arguments: SignedWorld.allModes)
        func programThatItsUserServesIsNobody(_ mode: TestService.Mode) throws {
            try SignedWorld.run(mode) { world in
                let victim = try Victim(world)
                // What runs is the attacker's own program; what the service is shown is the victim's.
                var program = try world.program(build: "7")
                let size = try Data(contentsOf: URL(fileURLWithPath: victim.path)).count
                program += [UInt8](repeating: 0, count: size - program.count)
                let own = try world.install(program, "own")
                let server = try FileServer(world, [own, victim.path])
                defer { server.end() }
                let naive = try victim.startNaive(["believe", Victim.teamName])
                defer { naive.process.end() }
                // It is the attacker's before.
                let refused = try world.run(server.program, [naive.socket, "lend", "bank"])
                #expect(refused.first == "got 6: denied")
                let words = [
                    [naive.socket, "lend", "bank"], [world.service.socketPath, "serve"],
                ]
                let programs = try words.map { words in
                    try world.start(server.program, ["pause"] + words)
                }
                defer { for program in programs { program.end() } }
                for program in programs { #expect(try program.readLine() == "paused") }
                server.process.write("\n")
                #expect(try server.process.readLine() == "changed")
                // The control.
                programs[0].write("\n")
                #expect(try programs[0].readLine().contains(Victim.secret))
                programs[1].write("\nwhoami\nfind bank\n")
                programs[1].closeInput()
                let lines = try programs[1].readAll().split(separator: "\n").map(String.init)
                #expect(lines.first == "U", "\(lines)")
                #expect(lines.contains(IdentityReason.unprovenFile.text))
                #expect(lines.last == "failed -25300")
            }
        }

        /// Eight programs connect from a file system that stops before the service looks. The
        /// service still answers other programs.
        /// Red team: ephemeral, user, system; U.
        /// Before: worked; nobody is answered.
        @Test(arguments: SignedWorld.allModes)
        func stoppedFileSystemHoldsUpNobodyElse(_ mode: TestService.Mode) throws {
            try SignedWorld.run(mode) { world in
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

        /// The control of the one before: a service that opens its peers' files where it waits for
        /// messages.
        @Test func stoppedFileSystemHoldsUpANaiveService() throws {
            try SignedWorld.run { world in
                let victim = try Victim(world)
                let server = try FileServer(world, [victim.path])
                let naive = try victim.startNaive(["believe", Victim.teamName])
                try world.service.halt(naive.process.pid)
                let program = try world.start(
                    server.program, [naive.socket, "connect", "whoami"])
                defer {
                    server.end()
                    for process in [program, naive.process] { process.end() }
                }
                #expect(try program.readLine() == "connected")
                try Self.waitUntilAsking(program)
                try server.halt()
                naive.process.signal(SIGCONT)
                try Waiting.until("the service to wait for the file system") {
                    try ProcessFile.read(naive.process.pid, "stack").contains("fuse_")
                }
                let honest = try world.start(victim.path, [naive.socket, "lend", "bank"])
                defer { honest.end() }
                try Self.waitUntilAsking(honest)
                #expect(!honest.hasOutput)
                server.process.signal(SIGCONT)
                #expect(try honest.readLine().contains(Victim.secret))
            }
        }

        /// Waits until a program has asked and waits for its answer.
        private static func waitUntilAsking(_ program: TestProcess) throws {
            try Waiting.until("the program to wait for its answer") {
                try ProcessFile.read(program.pid, "stack").contains("poll")
            }
        }

        /// The file is another one the next time, with the same number, length and times: nothing of
        /// it was remembered, and nothing else is taken for it.
        /// Red team: ephemeral, user; U.
        /// Before: worked; S.
        @Test(arguments: SignedWorld.modes)
        func programThatItsUserExchangesIsNobodyBothTimes(_ mode: TestService.Mode) throws {
            try SignedWorld.run(mode) { world in
                let victim = try Victim(world)
                let other = try world.install(
                    victim.team.sign(world.program(build: "2"), "org.example.bank"), "other")
                let server = try FileServer(world, [victim.path, other])
                defer { server.end() }
                #expect(
                    try world.run(server.program, ["build"]) == [
                        "llavero test application, build 1"
                    ])
                let first = try world.ask(server.program, "whoami")
                #expect(first.first == "U", "\(first)")
                server.process.write("\n")
                #expect(try server.process.readLine() == "changed")
                // The control: it is another program, at the same place.
                #expect(
                    try world.run(server.program, ["build"]) == [
                        "llavero test application, build 2"
                    ])
                let second = try world.ask(server.program, "whoami")
                #expect(second.first == "U", "\(second)")
                #expect(try world.ask(victim.path, "whoami").first == "S")
            }
        }

        /// A setuid helper mounts the attacker's file system as root in the service's namespaces.
        /// Its files claim to belong to root.
        /// Red team: ephemeral, user; U.
        /// Before: worked; S, with the secret.
        @Test(arguments: SignedWorld.modes)
        func libraryOfRootsOnAFileSystemOfTheUsersTakesTheIdentityAway(_ mode: TestService.Mode)
            throws
        {
            try SignedWorld.run(mode) { world in
                let victim = try Victim(world)
                let library = try Attackers.compile(
                    "library", into: world.directory, ["-shared", "-fPIC"])
                let folder = "/opt/lltest-\(UUID())"
                try FileManager.default.createDirectory(
                    atPath: folder, withIntermediateDirectories: false,
                    attributes: [.posixPermissions: 0o755])
                defer { try? FileManager.default.removeItem(atPath: folder) }
                let server = try FileServer(world, [library], mountedByRootIn: folder)
                defer { server.end() }
                let owner = ["-c", "%u", server.place + "/program"]
                #expect(try world.run("/usr/bin/stat", owner) == ["0"])
                func attack(_ socket: String, _ how: String) throws -> [String] {
                    try world.run(
                        victim.path, ["build"],
                        environment: [
                            "LD_PRELOAD": server.place + "/program",
                            "ATTACK_PROGRAM": victim.path, "ATTACK_SOCKET": socket,
                            "ATTACK_HOW": how, "ATTACK_WAY": "plain",
                        ])
                }
                // The control: a service that believes that the library is root's.
                let naive = try victim.startNaive(["look", victim.path, Victim.teamName])
                defer { naive.process.end() }
                #expect(try attack(naive.socket, "naive") == ["stolen \(Victim.secret)"])
                let lines = try attack(world.service.socketPath, "ask")
                #expect(lines.contains("grade U"), "\(lines)")
                #expect(lines.last == "refused")
            }
        }

        /// Eight processes hold their memory lock while they wait for a file system, so a reader of
        /// their mappings waits, too. The service still answers other programs.
        /// Red team: ephemeral, user; closed.
        /// Before: worked; nobody is answered.
        @Test(arguments: SignedWorld.modes)
        func processesThatHoldTheirMemoryLockHoldUpNobodyElse(_ mode: TestService.Mode) throws {
            try SignedWorld.run(mode) { world in
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

        /// A signed program attaches a file of a file system that stopped to its proofs, so that the service
        /// has copies. Then it ends all inspectors: a process that is started has copies of its parent's
        /// files, and closes them. The service still identifies other programs.
        /// Red team: ephemeral, user; closed.
        /// Before: worked; a thread that answers waits for it.
        @Test(arguments: SignedWorld.modes)
        func filesOfAStoppedFileSystemInProofsHoldUpNobodyElse(_ mode: TestService.Mode) throws {
            try SignedWorld.run(mode) { world in
                let victim = try Victim(world)
                let bare = try world.install(world.program(), "bare")
                let plain = try Attackers.compile("heldproof", into: world.directory)
                let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: plain)))
                let attacker = try world.install(
                    victim.team.sign(bytes, "org.example.attacker"), "attacker")
                let server = try FileServer(world, [victim.path])
                var programs: [TestProcess] = []
                // What waits for the file system ends only with it.
                defer {
                    server.end()
                    for program in programs { program.end() }
                }
                for _ in 0..<4 {
                    let words = [world.service.socketPath, "8", server.program]
                    programs.append(try world.start(attacker, words))
                }
                for program in programs { #expect(try program.readLine() == "demanded") }
                try server.halt()
                for program in programs { program.write("\n") }
                for program in programs {
                    // The control: a child that closes its copy waits.
                    #expect(try program.readLine() == "waits")
                    #expect(try program.readLine() == "passed")
                }
                let worker = try world.service.worker()
                try Waiting.until("the service to have the file") {
                    try Self.count(of: "/program", in: worker) > 0
                }
                for _ in 0..<3 {
                    for inspector in try world.service.inspectors() {
                        try world.service.crash(inspector)
                    }
                    #expect(try world.ask(bare, "whoami").first == "U")
                    #expect(try world.ask(victim.path, "find", "bank") == [Victim.secret])
                }
            }
        }

        /// How many of a process's open files have a name that ends so.
        private static func count(of ending: String, in process: Int32) throws -> Int {
            let files = FileManager.default
            let folder = "/proc/\(process)/fd/"
            return try files.contentsOfDirectory(atPath: folder).count { name in
                let target = try? files.destinationOfSymbolicLink(atPath: folder + name)
                return target?.hasSuffix(ending) == true
            }
        }

        /// Eight programs each use a file system that stops, send half requests, or flood the
        /// service with challenges. The service still answers another program, and its passcode
        /// unlocks.
        /// Red team: ephemeral, user, system; U.
        /// Before: worked; nobody is answered.
        @Test(arguments: SignedWorld.allModes)
        func threeFloodsAtOnceHoldUpNobodyElse(_ mode: TestService.Mode) throws {
            try SignedWorld.run(mode) { world in
                let victim = try Victim(world)
                try victim.setPasscode("correct-horse")
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
