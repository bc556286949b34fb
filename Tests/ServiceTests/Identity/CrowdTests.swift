// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport
import Testing

extension ServiceTests {
    /// Many programs of the victim's user that each take a little.
    @Suite struct Crowds {
        /// Twenty-four signed programs attach descriptors whose close lingers, to the proofs on eight
        /// connections of each: more than three minutes of waiting for the threads that close them.
        /// Red team: ephemeral; closed.
        @Test func lingeringDescriptorsOfManyProgramsHoldUpNobodysProof() throws {
            try SignedWorld.run { world in
                let victim = try Victim(world)
                let plain = try Attackers.compile("lingering", into: world.directory)
                let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: plain)))
                let attacker = try world.install(
                    victim.team.sign(bytes, "org.example.attacker"), "attacker")
                var programs: [TestProcess] = []
                defer { for program in programs { program.end() } }
                for _ in 0..<24 {
                    let words = [world.service.socketPath, "8", "proof"]
                    programs.append(try world.start(attacker, words))
                }
                for program in programs {
                    #expect(try program.readLine() == "lingers")
                    #expect(try program.readLine() == "passed")
                }
                for _ in 0..<5 {
                    #expect(try world.ask(victim.path, "find", "bank") == [Victim.secret])
                }
            }
        }
    }
}
