// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// Many programs of the victim's user that each take a little.
    @Suite struct Crowds {
        /// Twenty-four signed programs attach descriptors whose close lingers, to the proofs on eight
        /// connections of each: more than three minutes of waiting for the threads that close them.
        /// Red team: ephemeral; closed.
        /// Before: worked; nobody is answered.
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

        /// Sixteen programs ask for a large item on 32 connections each, and read nothing.
        /// Red team: ephemeral; closed.
        /// Before: worked; 356 MiB of memory.
        @Test func unreadRepliesOfManyProgramsTakeNoMoreThanTheirBudget() throws {
            let script = """
                use IO::Socket::UNIX;
                $SIG{PIPE} = 'IGNORE';
                my $frame = pack("H*", $ARGV[1]);
                my @all = map { IO::Socket::UNIX->new(Peer => $ARGV[0]) or () } 1..32;
                syswrite $_, $frame for @all;
                $| = 1;
                print "asked\\n";
                <STDIN>;
                """
            try TestService.run { service in
                let large = String(repeating: "x", count: 1 << 20)
                for account in ["one", "two", "three"] {
                    try service.keychain.add(.password(account, secret: large))
                }
                var query = ItemQuery(.genericPassword)
                query.limit = nil
                query.returning = [.data]
                let frame = try ClientRequest.find(query, cursor: 0).frameBytes()
                let text = frame.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
                let before = try ProcessUse.residentByteCount(service.worker())
                let programs = try (0..<16).map { _ in
                    try TestProcess(
                        "/usr/bin/perl", ["-e", script, service.socketPath, text.joined()])
                }
                defer { for program in programs { program.end() } }
                for program in programs { #expect(try program.readLine() == "asked") }
                // One event thread answers after the other: all of them have been served by now.
                for _ in 0..<8 {
                    let found = try service.connect().find(.password("one", returning: [.data]))
                    #expect(found.first?.secret?.testText == large)
                }
                let after = try ProcessUse.residentByteCount(service.worker())
                #expect(after - before < 160 << 20, "\(before) \(after)")
            }
        }
    }
}
