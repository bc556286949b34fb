// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport
import Testing

extension ServiceTests {
    /// The keys with which files are sealed, and the processes that may seal them.
    @Suite struct SealedFileOwners {
        private static let shared = "TEAM000001.shared"
        private static let absent = "failed -25300"

        /// Two applications of one team that share a group.
        private static func run(
            _ body: (SignedWorld, _ victim: String, _ sibling: String) throws -> Void
        )
            throws
        {
            try SignedWorld.run { world in
                let team = try SignedWorld.Team("TEAM000001")
                try world.trust(team)
                let programs = try ["victim", "sibling"].map { name in
                    try world.install(
                        team.sign(
                            world.program(), "com.example." + name,
                            groups: ["TEAM000001." + name, shared]), name)
                }
                try body(world, programs[0], programs[1])
            }
        }

        /// A program of the victim's team plants a key in a group that both share, so that it could
        /// read the victim's next sealed file.
        /// Red team: ephemeral; refused.
        /// Before: worked; the file opens.
        @Test func aKeyPlantedInASharedGroupSealsNoFile() throws {
            try Self.run { (world, victim, sibling) throws in
                let file = world.directory + "/file"
                #expect(try world.ask(sibling, "prepare-key", Self.shared) == ["ok"])
                #expect(try world.ask(victim, "seal", file, "secret") == ["ok"])
                #expect(try world.ask(sibling, "unseal", file, Self.shared) == [Self.absent])
                #expect(try world.ask(sibling, "unseal", file) == [Self.absent])
                #expect(try world.ask(victim, "unseal", file) == ["secret"])
            }
        }

        /// A program of the victim's team seals a file under a key in the shared group, and gives it
        /// out for one of the victim's own.
        /// Red team: ephemeral; refused.
        /// Before: worked; the file opens as the victim's own.
        @Test func aFileUnderAPlantedKeyDoesNotOpenAsOnesOwn() throws {
            try Self.run { (world, victim, sibling) throws in
                let file = world.directory + "/file"
                #expect(try world.ask(sibling, "seal", file, "forged", Self.shared) == ["ok"])
                #expect(try world.ask(victim, "unseal", file) == [Self.absent])
            }
        }

        @Test func aSharedGroupsFilesOpenWhereItIsNamed() throws {
            try Self.run { (world, victim, sibling) throws in
                let file = world.directory + "/file"
                #expect(try world.ask(victim, "seal", file, "for both", Self.shared) == ["ok"])
                #expect(try world.ask(sibling, "unseal", file, Self.shared) == ["for both"])
                #expect(try world.ask(victim, "unseal", file, Self.shared) == ["for both"])
            }
        }

        /// A forked child goes on writing its parent's sealed stream. It would seal another chunk with
        /// a nonce that the parent uses, too.
        /// Red team: ephemeral; refused.
        /// Before: worked; the child seals.
        @Test func aForkedChildWritesAndReadsNoFileOfItsParents() throws {
            try TemporaryDirectory.lend { directory in
                try TestService.run { service in
                    let result = try TestProcess.run(
                        Binaries.testApplication(), [service.socketPath, "seal-fork", directory],
                        within: .seconds(120))
                    let lines = result.output.split(separator: "\n").map(String.init)
                    #expect(
                        lines == [
                            "write: otherProcess", "write more: otherProcess",
                            "finish: otherProcess", "read: otherProcess", "stream: otherProcess",
                            "open: done", "async write: otherProcess",
                            "async finish: otherProcess", "async read: otherProcess",
                            "parent: whole",
                        ])
                    #expect(result.ending == .exit(0), "\(result.errors)")
                }
            }
        }
    }
}
