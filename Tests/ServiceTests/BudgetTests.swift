// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import SecretBytes
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// Programs of the same user that take what they can get, beside an honest one.
    @Suite struct Budgets {
        /// Opens 32 connections, begins a request of 16 MiB on each, sends 6 MiB of it, and waits.
        private static let halfSender = """
            use IO::Socket::UNIX;
            $SIG{PIPE} = 'IGNORE';
            my @all;
            my $piece = "\\0" x 65536;
            for (1..32) {
                my $s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or next;
                push @all, $s;
                syswrite $s, pack("VVvvV", 0, 16777216, 1, 1, 1);
                for (1..96) { defined syswrite($s, $piece) or last; }
            }
            $| = 1;
            print "sent\\n";
            <STDIN>;
            """

        /// Asks for challenges on eight connections, one after the other, until its input ends.
        private static let challenger = """
            use IO::Socket::UNIX;
            $SIG{PIPE} = 'IGNORE';
            my @all = map { IO::Socket::UNIX->new(Peer => $ARGV[0]) or die } 1..8;
            $| = 1;
            my $count = 0;
            while (1) {
                for my $s (@all) {
                    syswrite $s, pack("VVvvV", 0, 0, 1, 6, 1) or die;
                }
                for my $s (@all) { sysread $s, my $b, 4096 or die; }
                print "flooding\\n" if ++$count == 10;
            }
            """

        /// Sends letters that don't open on 16 connections, each as soon as the one before is
        /// answered, until its input ends.
        private static let guesser = """
            use IO::Socket::UNIX;
            use IO::Select;
            $SIG{PIPE} = 'IGNORE';
            my @all = map { IO::Socket::UNIX->new(Peer => $ARGV[0]) or die } 1..16;
            $| = 1;
            my $body = "\\x08\\x02\\x12\\x40" . ("x" x 64);
            my $frame = pack("VVvvV", length $body, 0, 1, 7, 1) . $body;
            syswrite $_, $frame or die for @all;
            my $select = IO::Select->new(@all);
            my $count = 0;
            while (1) {
                for my $s ($select->can_read) {
                    sysread $s, my $b, 4096 or die;
                    syswrite $s, $frame or die;
                    print "flooding\\n" if ++$count == 100;
                }
            }
            """

        private static func start(
            _ script: String, _ service: TestService, count: Int
        ) throws -> [TestProcess] {
            try (0..<count).map { _ in
                try TestProcess("/usr/bin/perl", ["-e", script, service.socketPath])
            }
        }

        /// Red team: ephemeral, user; U.
        @Test func halfSentRequestsOfEightProgramsTakeNoMoreThanTheirBudget() throws {
            try TestService.run { service in
                let programs = try Self.start(Self.halfSender, service, count: 8)
                defer { for program in programs { program.end() } }
                let large = String(repeating: "x", count: 1 << 20)
                try service.keychain.add(.password("large", secret: large))
                for program in programs { #expect(try program.readLine() == "sent") }
                let byteCount = try ProcessUse.residentByteCount(service.worker())
                #expect(byteCount < 400 << 20, "\(byteCount)")
                let found = try service.connect().find(.password("large", returning: [.data]))
                #expect(found.first?.secret?.testText == large)
            }
        }

        /// Red team: ephemeral, user; U.
        @Test func floodOfChallengesKeepsNobodyFromUnlocking() throws {
            try TestService.run { service in
                let passcode = SecretBytes(passcode: "correct horse")
                try service.keychain.setPasscode(passcode)
                let programs = try Self.start(Self.challenger, service, count: 4)
                defer { for program in programs { program.end() } }
                for program in programs { #expect(try program.readLine() == "flooding") }
                for _ in 0..<7 {
                    try service.keychain.lock()
                    try service.keychain.unlock(passcode: SecretBytes(passcode: "correct horse"))
                }
                for program in programs { #expect(ProcessEntry.runs(program.pid)) }
            }
        }

        /// More letters wait than one user may have waiting; who has none there gets a place.
        /// Red team: ephemeral, user; U.
        @Test func floodOfPasscodesKeepsNobodyFromUnlocking() throws {
            try TestService.run { service in
                let passcode = SecretBytes(passcode: "correct horse")
                try service.keychain.setPasscode(passcode)
                let programs = try Self.start(Self.guesser, service, count: 16)
                defer { for program in programs { program.end() } }
                for program in programs { #expect(try program.readLine() == "flooding") }
                for _ in 0..<7 {
                    try service.keychain.lock()
                    try service.keychain.unlock(passcode: SecretBytes(passcode: "correct horse"))
                }
                for program in programs { #expect(ProcessEntry.runs(program.pid)) }
            }
        }

        @Test func whoHasAStaleChallengeMayTryAgain() throws {
            try TestService.run { service in
                // The enclave's key is there.
                #expect(try service.keychain.deviceStatus().state == .noPasscode)
                let connection = try RawConnection(service.socketPath)
                let sealed = try PasscodeLetter.seal(
                    1, "correct horse", nonce: [UInt8](repeating: 7, count: 32),
                    userID: geteuid(), stateDirectory: service.stateDirectory)
                let request = ClientRequest.passcode(operation: 1, sealed: sealed)
                let answer = connection.exchange(try request.frameBytes())
                #expect(answer.failure == Failure(-25291, .busy))
                #expect(try service.keychain.deviceStatus().state == .noPasscode)
            }
        }
    }
}
