// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport
import Testing

extension ServiceTests {
    /// The floods of ``FileServerAttacks``, kept up.
    @Suite(.enabled(if: geteuid() == 0, "only root can make the device of FUSE for others"))
    struct LongFloods {
        /// How long they go on: one round, or what `LLAVERO_FLOOD_SECONDS` says.
        private static let seconds =
            ProcessInfo.processInfo.environment["LLAVERO_FLOOD_SECONDS"].flatMap { Int($0) } ?? 0
        /// After so many rounds requests are half sent anew: the service closes those that wait long.
        private static let roundsOfHalves = 10

        /// Eight programs of a file system that stopped connect again and again, eight begin 32 requests
        /// each and send them no further, and eight ask for challenges without an end. Another program
        /// is answered on a new connection, and its passcode unlocks, each time.
        /// Red team: ephemeral; U.
        /// Before: worked; nobody is answered.
        @Test func threeFloodsThatGoOnHoldUpNobodyElse() throws {
            try SignedWorld.run { world in
                let victim = try Victim(world)
                let bare = try world.install(world.program(), "bare")
                #expect(try world.ask(victim.path, "set-passcode", "correct-horse") == ["ok"])
                let returning = try Attackers.compile("returning", into: world.directory)
                let server = try FileServer(world, [returning])
                var lasting: [TestProcess] = []
                var halves: [TestProcess] = []
                // What waits for the file system ends only with it.
                defer {
                    server.end()
                    for program in lasting + halves { program.end() }
                }
                for _ in 0..<8 {
                    lasting.append(try world.start(server.program, [world.service.socketPath]))
                }
                for program in lasting { #expect(try program.readLine() == "asking") }
                try server.halt()
                // The control: who runs another program of it waits.
                let late = try world.start(server.program, [world.service.socketPath])
                lasting.append(late)
                let challengers = try Self.flood(Flooding.challenger, world, saying: "flooding")
                lasting += challengers
                let end = ContinuousClock.now + .seconds(Self.seconds)
                var rounds = 0
                repeat {
                    if rounds % Self.roundsOfHalves == 0 {
                        for program in halves { program.end() }
                        halves = try Self.flood(Flooding.halfSender, world, saying: "sent")
                    }
                    #expect(try world.ask(bare, "whoami").first == "U")
                    #expect(try world.ask(victim.path, "lock") == ["ok"])
                    #expect(try world.ask(victim.path, "find", "bank") == ["failed -25308"])
                    #expect(try world.ask(victim.path, "unlock", "correct-horse") == ["ok"])
                    #expect(try world.ask(victim.path, "find", "bank") == [Victim.secret])
                    rounds += 1
                } while ContinuousClock.now < end
                // All of it was there to the end.
                let state = try ProcessFile.read(server.process.pid, "stat")
                #expect(state.contains(") T "))
                for program in lasting + halves { #expect(ProcessEntry.runs(program.pid)) }
                #expect(!late.hasOutput)
            }
        }

        private static func flood(
            _ script: String, _ world: SignedWorld, saying word: String
        ) throws -> [TestProcess] {
            let programs = try (0..<8).map { _ in
                try world.start("/usr/bin/perl", ["-e", script, world.service.socketPath])
            }
            for program in programs { #expect(try program.readLine() == word) }
            return programs
        }
    }
}
