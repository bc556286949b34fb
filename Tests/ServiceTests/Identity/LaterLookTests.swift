// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import Foundation
import TestSupport
import Testing

extension ServiceTests {
    /// What the service does about a program that it has looked into before.
    @Suite struct LaterLooks {
        /// A program that was judged takes foreign code in, and first puts itself out of its user's reach.
        /// Red team: ephemeral; closed.
        /// Before: worked; S, with the secret.
        @Test func programThatHidesAndThenLoadsCodeIsClosedAtTheNextLook() throws {
            try SignedWorld.run { world in
                let victim = try Victim(world)
                let library = try Attackers.compile(
                    "library", into: world.directory, ["-shared", "-fPIC"])
                try Attackers.giveAway(library)
                let plain = try Attackers.compile("hider", into: world.directory)
                let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: plain)))
                let hider = try world.install(
                    victim.team.sign(bytes, "org.example.bank"), "hider")
                let found = "found \(Victim.secret)"
                let attacker = try world.start(hider, [world.service.socketPath, library])
                defer { attacker.end() }
                let honest = try world.start(hider, [world.service.socketPath, "stay"])
                defer { honest.end() }
                #expect(try attacker.readLine() == found)
                #expect(try honest.readLine() == found)
                attacker.write("\n")
                #expect(try attacker.readLine() == "loaded")
                // The control: what was loaded can use the connection until then.
                attacker.write("\n")
                #expect(try attacker.readLine() == found)
                sleep(11)
                attacker.write("\n")
                let late = try attacker.readLine()
                #expect(late == "closed")
                // The other control: time alone closes nothing.
                honest.write("\n")
                #expect(try honest.readLine() == found)
            }
        }

        /// The start of its mappings, which a look reads first, doesn't tell where its code is.
        @Test func programBelowALongPathIsKnown() throws {
            try SignedWorld.run { world in
                let victim = try Victim(world)
                var folder = world.directory
                for letter in ["a", "b"] {
                    folder += "/" + String(repeating: letter, count: 240)
                    try FileManager.default.createDirectory(
                        atPath: folder, withIntermediateDirectories: false,
                        attributes: [.posixPermissions: 0o755])
                }
                let bank = [UInt8](try Data(contentsOf: URL(fileURLWithPath: victim.path)))
                let program = try world.install(bank, "bank", in: folder)
                #expect(try world.ask(program, "find", "bank") == [Victim.secret])
            }
        }

        /// A long program whose code was changed is nobody. For a while its file isn't read again, though
        /// its times change: here it couldn't be, since others may write it now.
        /// Red team: ephemeral; U.
        /// Before: not tried.
        @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
        func longFileThatWasReadInVainIsNotReadAgainAtOnce() throws {
            try SignedWorld.run { world in
                let team = try SignedWorld.Team("TEAMAAAAAA")
                try world.trust(team)
                var program = try team.sign(world.program(), "org.example.app")
                let mark = Array("application, build 1".utf8)
                program[try #require(program.firstRange(of: mark)).upperBound - 1] =
                    UInt8(ascii: "7")
                func install(_ name: String) throws -> String {
                    let path = try world.install(program, name)
                    // What is behind the segments is in no digest.
                    guard unsafe truncate(path, 40 << 20) == 0 else { throw TestFailure(path) }
                    return path
                }
                func makeUnreadable(_ path: String) throws {
                    guard unsafe chown(path, 65_531, 65_531) == 0, unsafe chmod(path, 0o757) == 0
                    else { throw TestFailure(path) }
                }
                let read = try install("read")
                let unread = try install("unread")
                let before = try world.ask(read, "whoami")
                #expect(before.first == "U")
                #expect(before.contains(SignatureProblem.codeChanged.rawValue))
                try makeUnreadable(read)
                #expect(try world.ask(read, "whoami") == before)
                // The control: of a file that wasn't read before no digest can be had.
                try makeUnreadable(unread)
                let other = try world.ask(unread, "whoami")
                #expect(other.first?.hasPrefix("failed") == true, "\(other)")
            }
        }
    }
}
