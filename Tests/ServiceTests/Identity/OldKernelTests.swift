// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import Foundation
import TestSupport
import Testing

extension ServiceTests {
    /// Attackers of the victim's own user where the kernel has neither `SO_PEERPIDFD` (Linux 6.5) nor
    /// `PAGEMAP_SCAN` (Linux 6.7): a filter answers these calls as Linux 6.1 does. The part `kernel` of
    /// the campaign runs them on that kernel.
    @Suite struct OldKernel {
        private static let found = "found \(Victim.secret)"

        private static func run(_ body: (SignedWorld) throws -> Void) throws {
            try TestService.$isOnOldKernel.withValue(true) {
                try SignedWorld.run { world in
                    #expect(try hasFilter(world.service.worker()))
                    try body(world)
                }
            }
        }

        private static func hasFilter(_ process: Int32) throws -> Bool {
            try ProcessFile.read(process, "status").contains("Seccomp:\t2")
        }

        @Test func filterAnswersAsAnOldKernel() throws {
            try TemporaryDirectory.lend { directory in
                let program = try Attackers.compile("kernelanswers", into: directory)
                let result = try TestProcess.run(
                    Binaries.launcher(), ["--old-kernel", "--", program])
                #expect(result.output == "SO_PEERPIDFD ENOPROTOOPT\nPAGEMAP_SCAN ENOTTY\n")
            }
        }

        /// Without `SO_PEERPIDFD` the service opens the process that has the number now, and so finds
        /// the victim. Its demand for a proof is answered by the attacker's child.
        /// Red team: ephemeral (without SO_PEERPIDFD); closed.
        /// Before: stopped; closed.
        @Test(.enabled(if: geteuid() == 0, "only root can choose a process's number"))
        func processNumberThatIsUsedAgainGivesNothingWithoutADescriptor() throws {
            try Self.run { world in
                let victim = try Victim(world)
                let attacker = try Attackers.compile("abandoned", into: world.directory)
                let naive = try victim.startNaive()
                defer { naive.process.end() }
                let control = try Self.abandon(
                    [attacker, naive.socket, "naive"], victim, holding: naive.process.pid)
                #expect(control == ["stolen \(Victim.secret)", "done"])
                let lines = try Self.abandon(
                    [attacker, world.service.socketPath, "ask"], victim,
                    holding: world.service.worker())
                // A proof is demanded of what is more than any program: it was taken for the victim.
                #expect(lines == ["demanded", "closed", "done"])
                #expect(try world.ask(victim.path, "find", "bank") == [Victim.secret])
            }
        }

        /// Runs the attack with the service held until the victim has the attacker's number.
        private static func abandon(
            _ words: [String], _ victim: Victim, holding service: Int32
        ) throws -> [String] {
            let world = victim.world
            try world.service.halt(service)
            defer { kill(service, SIGCONT) }
            let process = try world.start(words[0], Array(words.dropFirst()))
            _ = try process.wait()
            var reused: TestProcess?
            for _ in 0..<200 where reused == nil {
                try Data("\(process.pid - 1)".utf8).write(
                    to: URL(fileURLWithPath: "/proc/sys/kernel/ns_last_pid"))
                let candidate = try world.start(victim.path, ["wait"])
                if candidate.pid == process.pid { reused = candidate } else { candidate.end() }
            }
            let running = try #require(reused, "another process always came first")
            defer { running.end() }
            try Waiting.until("the victim to run") {
                let program = try? FileManager.default.destinationOfSymbolicLink(
                    atPath: "/proc/\(running.pid)/exe")
                return program == victim.path
            }
            kill(service, SIGCONT)
            var lines: [String] = []
            while lines.last != "done" { lines.append(try process.readLine()) }
            return lines
        }

        /// A library that runs from pages of its own, and puts the bytes of a library of the victim's
        /// team into its file: without `PAGEMAP_SCAN`, `pagemap` is read page by page.
        /// Red team: ephemeral (without PAGEMAP_SCAN); U.
        /// Before: worked; S, with the secret.
        @Test func libraryThatOverwritesItsFileIsSeenPageByPage() throws {
            try Self.run { world in
                let victim = try Victim(world)
                let signed = try Attackers.signedLibrary(world, victim)
                let library = try Attackers.compile(
                    "library", into: world.directory, ["-shared", "-fPIC"])
                try Attackers.giveAway(library)
                let lines = try world.run(
                    victim.path, ["build"],
                    environment: [
                        "LD_PRELOAD": library, "ATTACK_PROGRAM": victim.path,
                        "ATTACK_SOCKET": world.service.socketPath, "ATTACK_HOW": "ask",
                        "ATTACK_WAY": "copy", "ATTACK_FILE": library, "ATTACK_BYTES": signed,
                    ])
                #expect(lines.first == "grade U", "\(lines)")
                #expect(lines.contains("reason \(IdentityReason.copiedCode.text)"))
                #expect(!lines.contains(Self.found))
                // The control: its file is the team's library now, and that one costs nothing.
                for file in [library, signed] {
                    let honest = try world.run(
                        victim.path, [world.service.socketPath, "whoami"],
                        environment: ["LD_PRELOAD": file])
                    #expect(honest.first == "S", "\(honest)")
                }
            }
        }
    }
}
