// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import Foundation
import Keychain
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// The processes that securityd has look into its peers, and what they go by besides signatures.
    @Suite struct Inspections {
        // MARK: - The processes

        /// An attacker stops `peerinspector`. A program that waits for it stays unidentified. The
        /// service ends the stopped process, and identifies other programs.
        /// Red team: ephemeral, user; U.
        /// Before: nothing.
        @Test(arguments: SignedWorld.modes)
        func stoppedInspectorHoldsNobodyUpForLong(_ mode: TestService.Mode) throws {
            try TestService.run(TestService.Options(mode)) { service in
                #expect(try service.connect().callerIdentity().grade == "U")
                let stopped = try service.inspectors()
                #expect(!stopped.isEmpty)
                for inspector in stopped { try service.halt(inspector) }
                // The first is closed when its time is over, and the client asks again.
                for _ in 0..<4 { _ = try? service.connect().callerIdentity() }
                #expect(try service.connect().callerIdentity().grade == "U")
                try Waiting.until("the stopped ones to be ended") {
                    !stopped.contains { ProcessEntry.runs($0) }
                }
            }
        }

        /// An attacker kills `peerinspector` again and again. The service replaces it.
        /// Red team: ephemeral, user; U.
        /// Before: nothing.
        @Test(arguments: SignedWorld.modes)
        func killedInspectorIsReplaced(_ mode: TestService.Mode) throws {
            try TestService.run(TestService.Options(mode)) { service in
                for _ in 0..<3 {
                    #expect(try service.connect().callerIdentity().grade == "U")
                    for inspector in try service.inspectors() {
                        try service.crash(inspector)
                    }
                }
                try Waiting.until("a new one") {
                    (try? service.connect().callerIdentity().grade) == "U"
                }
            }
        }

        // MARK: - Files

        /// An attacker makes a program's file larger than the limit. The service does not read it,
        /// and gives it grade U at once.
        /// Red team: ephemeral, user, system; U.
        /// Before: worked; S.
        @Test(arguments: SignedWorld.allModes)
        func programOverTheLimitIsNobodyAtOnce(_ mode: TestService.Mode) throws {
            try SignedWorld.run(mode) { world in
                let team = try SignedWorld.Team("TEAMAAAAAA")
                try world.trust(team)
                let program = try world.install(
                    team.sign(world.program(), "org.example.app"), "app")
                #expect(try world.ask(program, "whoami").first == "S")
                // What is behind the segments is in no digest: only the length speaks against it.
                #expect(unsafe truncate(program, 300 << 20) == 0)
                let lines = try world.ask(program, "whoami")
                #expect(lines.first == "U")
                #expect(lines.contains(IdentityReason.programTooLarge.text))
            }
        }

        /// Eight processes run a program of 1 GiB again and again. The service still identifies new
        /// programs whose digests it does not know.
        /// Red team: ephemeral, user, system; U.
        /// Before: worked; it reads it again and again.
        @Test(
            .enabled(if: geteuid() == 0, "only root can see how much the service reads"),
            arguments: SignedWorld.allModes)
        func hugeProgramThatIsRunAgainAndAgainKeepsNobodyWaiting(_ mode: TestService.Mode) throws {
            try SignedWorld.run(mode) { world in
                let team = try SignedWorld.Team("TEAMAAAAAA")
                try world.trust(team)
                let byteCount = 1 << 30
                let huge = try world.install(
                    Self.withNotes(
                        of: byteCount, in: team.sign(world.program(), "org.example.huge")), "huge")
                #expect(unsafe truncate(huge, byteCount) == 0)
                let before = try Self.readByteCount(world.service)
                let script = """
                    $| = 1;
                    my $count = 0;
                    while (1) {
                        utime undef, undef, $ARGV[0];
                        my $grade = `$ARGV[0] $ARGV[1] whoami`;
                        print "$1 again and again\\n" if ++$count == 3 && $grade =~ /^(\\w)/;
                    }
                    """
                let programs = try (0..<8).map { _ in
                    try world.start(
                        "/usr/bin/perl", ["-e", script, huge, world.service.socketPath])
                }
                defer { for program in programs { program.end() } }
                for program in programs { #expect(try program.readLine() == "U again and again") }
                for number in 0..<5 {
                    let path = try world.install(
                        team.sign(world.program(), "org.example.app\(number)"), "app\(number)")
                    #expect(try world.ask(path, "whoami").first == "S")
                }
                for program in programs { #expect(ProcessEntry.runs(program.pid)) }
                // On a machine with many processors nobody waits for long, whatever is read.
                #expect(try Self.readByteCount(world.service) - before < byteCount)
            }
        }

        /// A program whose notes, which are part of its digest, go to the end of a file of this length.
        private static func withNotes(of byteCount: Int, in program: [UInt8]) throws -> [UInt8] {
            func number(at place: Int, _ count: Int) -> Int {
                program[place..<place + count].reversed().reduce(0) { $0 << 8 | Int($1) }
            }
            // The places are those of elf(5): the table of segments, and the fields of one.
            let notes = try #require(
                (0..<number(at: 0x38, 2)).map { number(at: 0x20, 8) + $0 * number(at: 0x36, 2) }
                    .first { number(at: $0, 4) == 4 })
            let size = byteCount - number(at: notes + 8, 8)
            var changed = program
            for byte in 0..<8 { changed[notes + 32 + byte] = UInt8(size >> (8 * byte) & 0xFF) }
            return changed
        }

        /// How much securityd and its inspectors have read.
        private static func readByteCount(_ service: TestService) throws -> Int {
            try ([service.worker()] + service.inspectors()).reduce(0) { sum, process in
                let lines = try ProcessFile.read(process, "io").split(separator: "\n")
                let line = try #require(lines.first { $0.hasPrefix("rchar: ") })
                return sum + (try #require(Int(line.dropFirst("rchar: ".count))))
            }
        }

        /// The control of the one before: a service that reads its peers' programs in the order in
        /// which they come.
        @Test func hugeProgramKeepsThePeersOfANaiveServiceWaiting() throws {
            try SignedWorld.run { world in
                let victim = try Victim(world)
                let huge = try world.install(world.program(), "huge")
                #expect(unsafe truncate(huge, 1 << 30) == 0)
                let naive = try victim.startNaive(["read"])
                defer { naive.process.end() }
                try world.service.halt(naive.process.pid)
                let programs = try [huge, huge, victim.path].map { path in
                    let program = try world.start(path, [naive.socket, "connect", "whoami"])
                    #expect(try program.readLine() == "connected")
                    return program
                }
                defer { for program in programs { program.end() } }
                naive.process.signal(SIGCONT)
                #expect(try naive.process.readLine() == "read \(1 << 30)")
                #expect(try naive.process.readLine() == "read \(1 << 30)")
                #expect(try naive.process.readLine() != "read \(1 << 30)")
            }
        }

        // MARK: - Interpreters

        /// An interpreter of root's has another name, as Debian gives it.
        /// Red team: ephemeral, user, system; U.
        /// Before: worked; P.
        @Test(
            .enabled(if: geteuid() == 0, "only root can install a program of the system"),
            arguments: ["perl5.36-x86_64-linux-gnu", "vim.basic", "nc.openbsd", "gdb-multiarch"],
            SignedWorld.allModes)
        func interpreterUnderAnotherNameIsNobody(_ name: String, _ mode: TestService.Mode) throws {
            try Self.inSystemFolder(mode) { world, folder in
                let program = try world.install(world.program(), name, in: folder, owner: 0)
                let lines = try world.ask(program, "whoami")
                #expect(lines.first == "U")
                #expect(lines.contains(IdentityReason.sharedProgram.text))
                // The control: the same program under a name of its own.
                let plain = try world.install(world.program(), "tool", in: folder, owner: 0)
                #expect(try world.ask(plain, "whoami").first == "P")
            }
        }

        /// An unsigned program of root's has a language loaded as a library.
        /// Red team: ephemeral, user, system; U.
        /// Before: worked; P.
        @Test(
            .enabled(if: geteuid() == 0, "only root can install a program of the system"),
            arguments: SignedWorld.allModes)
        func programWithALanguageInItIsNobody(_ mode: TestService.Mode) throws {
            try Self.inSystemFolder(mode) { world, folder in
                let program = try world.install(world.program(), "tool", in: folder, owner: 0)
                let source = folder + "/library.c"
                try Data("int answer(void) { return 42; }\n".utf8).write(
                    to: URL(fileURLWithPath: source))
                var grades: [String?] = []
                for library in ["libpython3.99.so.1.0", "libother.so"] {
                    let result = try TestProcess.run(
                        "cc", ["-shared", "-fPIC", "-o", folder + "/" + library, source])
                    guard result.ending == .exit(0) else { throw TestFailure(result.errors) }
                    grades.append(
                        try world.run(
                            program, [world.service.socketPath, "whoami"],
                            environment: ["LD_PRELOAD": folder + "/" + library]
                        ).first)
                }
                // The control: another library of root's.
                #expect(grades == ["U", "P"])
            }
        }

        private static func inSystemFolder(
            _ mode: TestService.Mode, _ body: (SignedWorld, String) throws -> Void
        ) throws {
            try SignedWorld.run(mode) { world in
                let folder = "/opt/lltest-\(UUID())"
                try FileManager.default.createDirectory(
                    atPath: folder, withIntermediateDirectories: false,
                    attributes: [.posixPermissions: 0o755])
                defer { try? FileManager.default.removeItem(atPath: folder) }
                try body(world, folder)
            }
        }
    }
}
