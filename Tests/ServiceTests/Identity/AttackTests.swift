// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import CodeSigning
import Foundation
import TestSupport
import Testing

extension ServiceTests {
    /// Attackers of the victim's own user, against the service and against a check of the path of
    /// the connected process's program, which they get past: that is the control.
    /// `Documentation/attack-list.md` explains the numbers in names of tests.
    @Suite struct Attacks {
        private static let secret = Victim.secret

        private static func hasSecret(_ lines: [String]) -> Bool {
            lines.contains { $0.contains(secret) }
        }

        // MARK: - Code in the victim

        /// An attacker loads a library into the victim with `LD_PRELOAD` or `LD_AUDIT`. The
        /// victim's program loses its identity.
        /// Red team: ephemeral, user; U.
        /// Before: stopped; U.
        @Test(arguments: ["LD_PRELOAD", "LD_AUDIT"], SignedWorld.modes)
        func t03PreloadedLibraryTakesTheIdentityAway(_ variable: String, _ mode: TestService.Mode)
            throws
        {
            try SignedWorld.run(mode) { world in
                let victim = try Victim(world)
                let library = try Self.compile(
                    """
                    #include <string.h>
                    #include <stdio.h>
                    #include <stdlib.h>
                    #include <unistd.h>
                    #include <sys/socket.h>
                    #include <sys/un.h>
                    unsigned la_version(unsigned version) { return version; }
                    __attribute__((constructor)) static void steal(void) {
                        const char *path = getenv("STEAL_FROM");
                        if (!path) return;
                        struct sockaddr_un name = {.sun_family = AF_UNIX};
                        strncpy(name.sun_path, path, sizeof name.sun_path - 1);
                        int s = socket(AF_UNIX, SOCK_STREAM, 0);
                        char answer[64] = {0};
                        if (connect(s, (struct sockaddr *)&name, sizeof name) == 0) {
                            send(s, "x", 1, 0);
                            recv(s, answer, sizeof answer - 1, 0);
                        }
                        printf("stolen %s\\n", answer);
                        fflush(stdout);
                    }
                    """, in: world.directory)
                let naive = try victim.startNaive()
                defer { naive.process.end() }
                let preload = [variable: library]
                // The control: the attack works where the path is all that is asked for.
                let stolen = try world.run(
                    victim.path, ["build"],
                    environment: preload.merging(["STEAL_FROM": naive.socket]) { $1 })
                #expect(stolen.contains("stolen \(Self.secret)"), "\(stolen)")
                let words = [world.service.socketPath, "find", "bank"]
                #expect(
                    try world.run(victim.path, words, environment: preload) == ["failed -25300"])
                let seen = try world.run(
                    victim.path, [world.service.socketPath, "whoami"], environment: preload)
                #expect(seen.first == "U")
                #expect(seen.contains(IdentityReason.foreignLibrary.text))
                #expect(try world.ask(victim.path, "find", "bank") == [Self.secret])
            }
        }

        /// An attacker debugs the victim while it connects, so that it does what the debugger
        /// wants.
        /// Red team: ephemeral, user; U.
        /// Before: stopped; U.
        @Test(arguments: SignedWorld.modes)
        func programThatIsDebuggedWhileItConnectsIsNobody(_ mode: TestService.Mode) throws {
            try SignedWorld.run(mode) { world in
                let victim = try Victim(world)
                let naive = try victim.startNaive()
                defer { naive.process.end() }
                let traced = ["--unprivileged", "--traced"]
                let stolen = try world.run(
                    victim.path, [naive.socket, "lend", "bank"], flags: traced)
                #expect(Self.hasSecret(stolen))
                let words = [world.service.socketPath, "serve"]
                let lines = try world.run(
                    victim.path, words, flags: traced, input: "whoami\nfind bank\n")
                #expect(lines.first == "U")
                #expect(lines.contains(IdentityReason.traced.text))
                #expect(lines.last == "failed -25300")
                #expect(try world.ask(victim.path, "find", "bank") == [Self.secret])
            }
        }

        /// A program of the same user debugs the victim after the victim has connected, and finds the
        /// secret in its memory. The kernel allows it.
        /// Red team: ephemeral, user; S.
        /// Before: worked; S.
        @Test(arguments: SignedWorld.modes)
        func programThatIsDebuggedAfterItConnectedIsNotStopped(_ mode: TestService.Mode) throws {
            try SignedWorld.run(mode) { world in
                let victim = try Victim(world)
                let debugger = try Attackers.compile("debugger", into: world.directory)
                let running = try world.start(victim.path, [world.service.socketPath, "serve"])
                defer { running.end() }
                func debug() throws -> [String] {
                    try world.run(debugger, ["\(running.pid)", Self.secret])
                }
                running.write("whoami\n")
                #expect(try running.readLine() == "S")
                #expect(try running.readLine() == Victim.group)
                // The control: it has nothing yet.
                #expect(try debug() == ["nothing"])
                running.write("find bank\n")
                #expect(try running.readLine() == Self.secret)
                #expect(try debug() == ["found"])
                running.write("find bank\n")
                #expect(try running.readLine() == Self.secret)
            }
        }

        private static func compile(_ source: String, in directory: String) throws -> String {
            let file = directory + "/library.c"
            let library = directory + "/library.so"
            try Data(source.utf8).write(to: URL(fileURLWithPath: file))
            let result = try TestProcess.run(
                "cc", ["-shared", "-fPIC", "-o", library, file])
            guard result.ending == .exit(0) else { throw TestFailure(result.errors) }
            // Root's library would be the system's.
            if geteuid() == 0,
                unsafe chown(
                    library, TestService.unprivilegedUser, TestService.unprivilegedUser) != 0
            {
                throw TestFailure("\(library) can't be given away.")
            }
            return library
        }

        // MARK: - The connection

        /// An attacker passes descriptors whose last close takes days: with a request, behind one,
        /// with the proof, or with a byte out of band. The service still answers other programs.
        /// Red team: ephemeral, user, system; closed.
        /// Before: worked; nobody is answered.
        @Test(arguments: ["request", "behind", "proof", "urgent"], SignedWorld.allModes)
        func descriptorsThatLingerHoldUpNobodyElse(_ place: String, _ mode: TestService.Mode) throws
        {
            try SignedWorld.run(mode) { world in
                let victim = try Victim(world)
                let bare = try world.install(world.program(), "bare")
                let plain = try Attackers.compile("lingering", into: world.directory)
                let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: plain)))
                let attacker = try world.install(
                    victim.team.sign(bytes, "org.example.attacker"), "attacker")
                var programs: [TestProcess] = []
                defer { for program in programs { program.end() } }
                for _ in 0..<4 {
                    let words = [world.service.socketPath, "4", place]
                    programs.append(try world.start(attacker, words))
                }
                for program in programs {
                    #expect(try program.readLine() == "lingers")
                    #expect(try program.readLine() == "passed")
                }
                for _ in 0..<3 {
                    #expect(try world.ask(bare, "whoami").first == "U")
                    #expect(try world.ask(victim.path, "find", "bank") == [Victim.secret])
                }
            }
        }

        /// An attacker connects, leaves the socket to a child process, and calls `exec` on the
        /// victim's program. The service asks for a proof first, and the child cannot give it.
        /// Red team: ephemeral, user, system; closed.
        /// Before: stopped; closed.
        @Test(arguments: SignedWorld.allModes)
        func t02SocketLeftBehindByExecGivesNothing(_ mode: TestService.Mode) throws {
            try SignedWorld.run(mode) { world in
                let victim = try Victim(world)
                let attacker = try world.install(world.program(), "attacker")
                let naive = try victim.startNaive()
                defer { naive.process.end() }
                let stolen = try Self.leave(
                    attacker, naive.socket, victim, holding: naive.process.pid)
                // Nobody below root sees which program a protected process runs.
                #expect(Self.hasSecret(stolen) != victim.isProtected)
                let worker = try world.service.worker()
                let lines = try Self.leave(
                    attacker, world.service.socketPath, victim, holding: worker)
                #expect(lines.contains("done"))
                #expect(!Self.hasSecret(lines), "\(lines)")
                guard !victim.isProtected else { return }
                // It was inspected as the victim: what stopped it is the proof.
                #expect(lines.first?.hasPrefix("got 50:") == true, "\(lines)")
                #expect(lines.dropFirst().first == "got 0: ")
                #expect(try world.ask(victim.path, "find", "bank") == [Self.secret])
            }
        }

        /// Runs the attack with the service held, so that it asks after the `exec`.
        private static func leave(
            _ attacker: String, _ socket: String, _ victim: Victim, holding service: Int32
        ) throws -> [String] {
            kill(service, SIGSTOP)
            defer { kill(service, SIGCONT) }
            let process = try victim.world.start(
                attacker, [socket, "leave", "bank", victim.path])
            try Waiting.until("the attacker to become the victim") {
                let program = try? FileManager.default.destinationOfSymbolicLink(
                    atPath: "/proc/\(process.pid)/exe")
                return program == victim.path
            }
            kill(service, SIGCONT)
            var lines: [String] = []
            if socket == victim.world.service.socketPath {
                while lines.last != "done" { lines.append(try process.readLine()) }
            } else {
                lines.append(try process.readLine())
            }
            process.end()
            return lines
        }

        /// The victim's program lends its connection to another process.
        /// Red team: ephemeral, user, system; closed.
        /// Before: stopped; closed.
        @Test(arguments: SignedWorld.allModes)
        func aConnectionThatIsLentToASiblingGivesNothing(_ mode: TestService.Mode) throws {
            try SignedWorld.run(mode) { world in
                let victim = try Victim(world)
                let lines = try world.ask(victim.path, "lend", "bank")
                #expect(lines.count == 2)
                // The control: on the same connection the application itself got it.
                #expect(lines.first?.contains(Self.secret) == true)
                #expect(lines.last == "got 0: ")
            }
        }

        /// An attacker connects, leaves the socket to a child, and exits. The victim's program gets
        /// the attacker's process number before the service looks.
        /// Red team: ephemeral, user, system; closed.
        /// Before: stopped; closed.
        @Test(
            .enabled(if: geteuid() == 0, "only root can choose a process's number"),
            arguments: SignedWorld.allModes)
        func t02ProcessNumberThatIsUsedAgainGivesNothing(_ mode: TestService.Mode) throws {
            try SignedWorld.run(mode) { world in
                let victim = try Victim(world)
                let attacker = try world.install(world.program(), "attacker")
                let naive = try victim.startNaive()
                defer { naive.process.end() }
                let stolen = try Self.abandon(
                    attacker, naive.socket, victim, holding: naive.process.pid)
                #expect(Self.hasSecret(stolen) != victim.isProtected)
                let lines = try Self.abandon(
                    attacker, world.service.socketPath, victim,
                    holding: world.service.worker())
                #expect(lines.first == "got 0: ", "\(lines)")
                #expect(try world.ask(victim.path, "find", "bank") == [Self.secret])
            }
        }

        /// Runs the attack with the service held until the victim has the attacker's number. Another
        /// program of the machine may take that number first and keep it; then a new attacker tries.
        private static func abandon(
            _ attacker: String, _ socket: String, _ victim: Victim, holding service: Int32
        ) throws -> [String] {
            for _ in 0..<20 {
                if let lines = try abandonOnce(attacker, socket, victim, holding: service) {
                    return lines
                }
            }
            Issue.record("another program always took the number")
            return []
        }

        /// - Returns: What the attacker got; nil when another program took the number.
        private static func abandonOnce(
            _ attacker: String, _ socket: String, _ victim: Victim, holding service: Int32
        ) throws -> [String]? {
            kill(service, SIGSTOP)
            defer { kill(service, SIGCONT) }
            let process = try victim.world.start(attacker, [socket, "abandon", "bank"])
            _ = try process.wait()
            var reused: TestProcess?
            for _ in 0..<50 where reused == nil {
                try Data("\(process.pid - 1)".utf8).write(
                    to: URL(fileURLWithPath: "/proc/sys/kernel/ns_last_pid"))
                let candidate = try victim.world.start(victim.path, ["wait"])
                if candidate.pid == process.pid { reused = candidate } else { candidate.end() }
            }
            defer { reused?.end() }
            if let reused {
                try Waiting.until("the victim to run") {
                    let program = try? FileManager.default.destinationOfSymbolicLink(
                        atPath: "/proc/\(reused.pid)/exe")
                    return program == victim.path
                }
            }
            kill(service, SIGCONT)
            var lines: [String] = []
            while lines.last != "done" { lines.append(try process.readLine()) }
            return reused == nil ? nil : lines
        }

        // MARK: - Files

        /// An attacker replaces the file of the victim's program. The new program has another
        /// identity; a program that already runs keeps its own.
        /// Red team: ephemeral, user; U.
        /// Before: stopped; U.
        @Test(arguments: SignedWorld.modes)
        func t03ReplacedProgramIsAnotherOne(_ mode: TestService.Mode) throws {
            try SignedWorld.run(mode) { world in
                let victim = try Victim(world)
                let naive = try victim.startNaive()
                defer { naive.process.end() }
                // A running program stays what it was when its file is replaced under it.
                let running = try world.start(victim.path, [world.service.socketPath, "serve"])
                running.write("find bank\n")
                #expect(try running.readLine() == Self.secret)
                _ = try world.install(world.program(), "bank")
                running.write("find bank\n")
                #expect(try running.readLine() == Self.secret)
                #expect(try world.ask(victim.path, "find", "bank") == ["failed -25300"])
                let stolen = try world.run(victim.path, [naive.socket, "lend", "bank"])
                #expect(Self.hasSecret(stolen))
            }
        }

        /// An attacker patches one byte of a signed program.
        /// Red team: ephemeral, user, system; U.
        /// Before: stopped; U.
        @Test(arguments: SignedWorld.allModes)
        func aPatchedProgramIsNobody(_ mode: TestService.Mode) throws {
            try SignedWorld.run(mode) { world in
                let victim = try Victim(world)
                var program = [UInt8](
                    try Data(contentsOf: URL(fileURLWithPath: victim.path)))
                let mark = Array("application, build 1".utf8)
                let place = try #require(program.firstRange(of: mark)).upperBound - 1
                program[place] = UInt8(ascii: "7")
                let patched = try world.install(program, "patched")
                #expect(try world.ask(patched, "find", "bank") == ["failed -25300"])
                #expect(
                    try world.ask(patched, "whoami").contains(
                        SignatureProblem.codeChanged.rawValue))
            }
        }

        /// An attacker makes links to a program of root's, copies it, and mounts a copy over its
        /// path. Only the program itself has the group of its path.
        /// Red team: ephemeral, user, system; P of its own path, or U.
        /// Before: stopped; P of its own path, or U.
        @Test(
            .enabled(if: geteuid() == 0, "only root can install a program of the system"),
            arguments: SignedWorld.allModes)
        func linksAndLookAlikesOfASystemProgramHaveItsGroupOnlyIfTheyAreIt(_ mode: TestService.Mode)
            throws
        {
            try SignedWorld.run(mode) { world in
                let folder = "/opt/lltest-\(UUID())"
                try FileManager.default.createDirectory(
                    atPath: folder, withIntermediateDirectories: false,
                    attributes: [.posixPermissions: 0o755])
                defer { try? FileManager.default.removeItem(atPath: folder) }
                let program = try world.install(
                    world.program(), "tool", in: folder, owner: 0)
                #expect(
                    try world.ask(program, "whoami").prefix(2) == ["P", "path:\(program)"])
                #expect(try world.ask(program, "add", "tool", Self.secret) == ["ok"])

                let symbolic = world.directory + "/symbolic"
                try FileManager.default.createSymbolicLink(
                    atPath: symbolic, withDestinationPath: program)
                #expect(try world.ask(symbolic, "find", "tool") == [Self.secret])
                let hard = "/opt/lltest-hard-\(UUID())"
                #expect(unsafe link(program, hard) == 0)
                defer { unsafe unlink(hard) }
                #expect(try world.ask(hard, "whoami").first == "P")
                #expect(try world.ask(hard, "find", "tool") == ["failed -25300"])
                let copy = try world.install(world.program(), "tool")
                #expect(try world.ask(copy, "find", "tool") == ["failed -25300"])
                try Self.bindOver(program, copy, world)
                // An upgrade is the same program.
                _ = try world.install(world.program(build: "2"), "tool", in: folder, owner: 0)
                #expect(try world.ask(program, "find", "tool") == [Self.secret])
                // In a directory that others can write, or one of another's, it is nobody.
                #expect(unsafe chmod(folder, 0o777) == 0)
                #expect(try world.ask(program, "whoami").first == "U")
            }
        }

        /// In a namespace of his own the attacker puts his program at the path.
        private static func bindOver(
            _ program: String, _ copy: String, _ world: SignedWorld
        ) throws {
            let script = """
                mount --bind \(copy) \(program) && \(program) "$0" whoami \
                && \(program) "$0" find tool
                """
            let lines = try world.run(
                "/usr/bin/unshare", ["-Urm", "sh", "-c", script, world.service.socketPath])
            guard world.systemFolder == nil else {
                // There root is nobody, and a client asks no service of nobody's.
                #expect(lines == ["failed -25291"])
                return
            }
            #expect(lines.first == "U", "\(lines)")
            #expect(lines.last == "failed -25300")
        }

        // MARK: - The service's own files

        /// A program of the same user writes its own root certificate into the list of trusted teams,
        /// under the victim's team identifier. The list is the user's.
        /// Red team: ephemeral, user; S.
        /// Before: worked; S.
        @Test(arguments: SignedWorld.modes)
        func userWhoReplacesTheTrustedTeamsIsNotStopped(_ mode: TestService.Mode) throws {
            try SignedWorld.run(mode) { world in
                _ = try Victim(world)
                let forger = try SignedWorld.Team(Victim.teamName)
                let forged = try world.install(
                    forger.sign(world.program(), "org.example.bank"), "forged")
                #expect(try world.ask(forged, "find", "bank") == ["failed -25300"])
                try Self.forgeTrust(forger, world, in: world.service.stateDirectory)
                #expect(try world.ask(forged, "find", "bank") == [Self.secret])
            }
        }

        /// A program of the same user copies the keychain with its device key, which is in a file, and
        /// starts a service of its own on the copy. Without a passcode everything opens.
        /// Red team: user; S.
        /// Before: worked; S.
        @Test func userWhoCopiesTheDeviceKeyIsNotStopped() throws {
            try SignedWorld.run(.user) { world in
                _ = try Victim(world)
                let forger = try SignedWorld.Team(Victim.teamName)
                let forged = try world.install(
                    forger.sign(world.program(), "org.example.bank"), "forged")
                let copy = world.directory + "/copy"
                try FileManager.default.createDirectory(
                    atPath: copy, withIntermediateDirectories: false)
                try Attackers.giveAway(copy)
                let said = try world.run(
                    "/bin/cp", ["-r", "-p", world.service.stateDirectory, copy + "/llavero"])
                #expect(said == [])
                try Self.forgeTrust(forger, world, in: copy + "/llavero")
                var options = TestService.Options(.user, directory: copy)
                options.isUnprivileged = true
                try TestService.run(options) { service in
                    let found = try world.run(forged, [service.socketPath, "find", "bank"])
                    #expect(found == [Self.secret])
                }
                // The user's own service gives it nothing.
                #expect(try world.ask(forged, "find", "bank") == ["failed -25300"])
            }
        }

        /// Has a program of the user's put a list of trusted teams in the place of another one.
        private static func forgeTrust(
            _ team: SignedWorld.Team, _ world: SignedWorld, in directory: String
        ) throws {
            var teams = TrustedTeams()
            try teams.add(team.authority.rootDocument)
            let list = try world.install(teams.encoded, "teams")
            let said = try world.run(
                "/bin/sh",
                [
                    "-c", #"umask 022; cp --remove-destination "$0" "$1" && chmod 644 "$1""#, list,
                    directory + "/trusted-teams",
                ])
            #expect(said == [])
        }

        // MARK: - Who runs

        /// An attacker runs a script with root's interpreter. The interpreter has no group of its
        /// own.
        /// Red team: ephemeral, user, system; U.
        /// Before: stopped; U.
        @Test(arguments: SignedWorld.allModes)
        func t03InterpreterIsNobody(_ mode: TestService.Mode) throws {
            try SignedWorld.run(mode) { world in
                let script = """
                    use IO::Socket::UNIX;
                    my $s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or die;
                    syswrite $s, pack("VVvvV", 0, 0, 1, 16, 1);
                    sysread $s, my $b, 4096;
                    print unpack("x16 a*", $b), "\\n";
                    """
                let lines = try world.run(
                    "/usr/bin/perl", ["-e", script, world.service.socketPath])
                #expect(
                    lines.joined().contains("unsigned.\(TestService.unprivilegedUser)"),
                    "\(lines)")
                #expect(!lines.joined().contains("path:"))
            }
        }

        /// An attacker signs a program with a self-made team that has the victim's name, and with a
        /// trusted team that asks for every group.
        /// Red team: ephemeral, user, system; S of its own team, or U.
        /// Before: stopped; S of its own team, or U.
        @Test(arguments: SignedWorld.allModes)
        func aForgedIdentifierAndAForeignProfileGiveNothing(_ mode: TestService.Mode) throws {
            try SignedWorld.run(mode) { world in
                let victim = try Victim(world)
                // A root of the attacker's own, in the victim's name.
                let selfMade = try SignedWorld.Team("VICTIM0001")
                let forged = try world.install(
                    selfMade.sign(world.program(), "org.example.bank"), "forged")
                #expect(try world.ask(forged, "find", "bank") == ["failed -25300"])
                #expect(
                    try world.ask(forged, "whoami").contains(
                        SignatureProblem.rootNotTrusted.rawValue))
                // A trusted team that asks for every group that it can think of.
                let other = try SignedWorld.Team("ATTACKER01")
                try world.trust(other)
                let groups = [
                    "VICTIM0001.org.example.bank", "*", "path:\(victim.path)", "VICTIM0001.*",
                ]
                let greedy = try world.install(
                    other.sign(world.program(), "org.example.bank", groups: groups), "greedy")
                #expect(
                    try world.ask(greedy, "whoami") == ["S", "ATTACKER01.org.example.bank"])
                for group in groups {
                    #expect(
                        try world.ask(greedy, "find", "bank", group) == ["failed -34018"])
                }
                #expect(try world.ask(greedy, "find", "bank") == ["failed -25300"])
            }
        }
    }
}
