// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import SecretBytes
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// Programs of the same user that use as many resources as possible, beside an honest one.
    @Suite struct Budgets {
        private static func start(
            _ script: String, _ service: TestService, count: Int
        ) throws -> [TestProcess] {
            try (0..<count).map { _ in
                try TestProcess("/usr/bin/perl", ["-e", script, service.socketPath])
            }
        }

        /// A user takes all file descriptors from their own service. That is allowed, since a user
        /// may also end it. The service sleeps until descriptors are free again.
        /// Red team: user; waits.
        /// Before: worked; it spins.
        @Test(arguments: SignedWorld.modes)
        func aServiceWithoutDescriptorsSleepsAndGoesOn(_ mode: TestService.Mode) throws {
            try TestService.run(TestService.Options(mode)) { service in
                try service.keychain.add(.password("anna", secret: "saved"))
                let worker = try service.worker()
                let limits = try TestProcess.run(
                    "prlimit",
                    ["--pid", "\(worker)", "--nofile", "-o", "SOFT,HARD", "--noheadings"])
                let before = limits.output.split(separator: " ").map {
                    $0.trimmingCharacters(in: .whitespacesAndNewlines)
                }
                try #require(before.count == 2, "\(limits)")
                func limit(_ soft: String) throws {
                    let result = try TestProcess.run(
                        "prlimit", ["--pid", "\(worker)", "--nofile=\(soft):\(before[1])"])
                    #expect(result.ending == .exit(0), "\(result.errors)")
                }
                try limit("3")
                let waiting = try (0..<4).map { _ in
                    try TestProcess(
                        "/usr/bin/perl", ["-e", Flooding.asker, service.socketPath])
                }
                defer { for program in waiting { program.end() } }
                for program in waiting { #expect(try program.readLine() == "asked") }
                // Ticks of a hundredth of a second, of two threads that could spin for two seconds.
                let ticks = try ProcessEntry.processorTicks(worker)
                usleep(2_000_000)
                #expect(try ProcessEntry.processorTicks(worker) - ticks < 100)
                try limit(before[0])
                let found = try service.keychain.find(.password("anna"))
                #expect(found.first?.secret?.testText == "saved")
            }
        }

        /// Processes of one user open as many connections as they can. The service keeps room for
        /// another user.
        /// Red team: ephemeral, user, another user; U.
        /// Before: worked; all connections.
        @Test(
            .enabled(if: geteuid() == 0, "only root can be another user that is served"),
            arguments: SignedWorld.modes)
        func oneUsersConnectionsLeaveRoomForAnother(_ mode: TestService.Mode) throws {
            try Self.runWithFewDescriptors(mode) { service, _ in
                let programs = try (0..<8).map { _ in
                    try TestProcess(
                        Binaries.launcher(),
                        [
                            "--unprivileged", "--", "/usr/bin/perl", "-e", Flooding.keeper,
                            service.socketPath,
                        ])
                }
                defer { for program in programs { program.end() } }
                var count = 0
                for program in programs {
                    count += Int(try program.readLine().dropFirst("open ".count)) ?? 0
                }
                #expect(Self.ofOneUser.contains(count), "\(count)")
                let kept = try Self.keptByRoot(service)
                #expect(Self.ofOneUser.contains(kept), "\(kept)")
            }
        }

        /// Four programs pass descriptors whose close lingers, on 150 connections each, and close the
        /// connections. The service keeps descriptors for another user's program.
        /// Red team: ephemeral, user, another user; closed.
        /// Before: worked; nobody is answered.
        @Test(
            .enabled(if: geteuid() == 0, "only root can be another user that is served"),
            arguments: SignedWorld.modes)
        func connectionsThatCloseSlowlyLeaveRoomForAnother(_ mode: TestService.Mode) throws {
            try Self.runWithFewDescriptors(mode) { service, directory in
                let attacker = try Attackers.compile("lingering", into: directory)
                let programs = try (0..<4).map { _ in
                    try TestProcess(
                        Binaries.launcher(),
                        ["--unprivileged", "--", attacker, service.socketPath, "150", "flood"])
                }
                defer { for program in programs { program.end() } }
                for program in programs {
                    #expect(try program.readLine() == "lingers")
                    #expect(try program.readLine() == "passed")
                }
                let kept = try Self.keptByRoot(service)
                #expect(Self.ofOneUser.contains(kept), "\(kept)")
                let count = try ProcessUse.descriptorCount(service.worker())
                #expect(count < Self.fewDescriptors, "\(count)")
            }
        }

        private static let fewDescriptors = 406
        /// Each of two event threads has 26 connections ((406 - 64) / 13), half of them for one user.
        /// How the system distributes connections to the threads isn't known.
        private static let ofOneUser = 13...26

        /// Runs a service of an unprivileged user that may have few descriptors.
        private static func runWithFewDescriptors(
            _ mode: TestService.Mode, _ body: (TestService, String) throws -> Void
        ) throws {
            try TemporaryDirectory.lend(owner: TestService.unprivilegedUser) { directory in
                let securityd = try Binaries.copyDaemons(to: directory)
                let program = directory + "/with-few-descriptors"
                let line = "exec prlimit --nofile=\(fewDescriptors) \(securityd) \"$@\""
                try Data("#!/bin/sh\n\(line)\n".utf8).write(to: URL(fileURLWithPath: program))
                guard unsafe chmod(program, 0o755) == 0 else { throw TestFailure(program) }
                var options = TestService.Options(mode)
                options.isUnprivileged = true
                options.program = program
                try TestService.run(options) { try body($0, directory) }
            }
        }

        /// How many of 32 connections a program of root's keeps.
        private static func keptByRoot(_ service: TestService) throws -> Int {
            let program = try TestProcess(
                "/usr/bin/perl", ["-e", Flooding.keeper, service.socketPath])
            defer { program.end() }
            return Int(try program.readLine().dropFirst("open ".count)) ?? 0
        }

        /// Eight programs send only half of their requests. The service gives them no more memory
        /// than their budget, and answers another program.
        /// Red team: ephemeral, user; U.
        /// Before: worked; 2.2 GiB of memory.
        @Test(arguments: SignedWorld.modes)
        func halfSentRequestsOfEightProgramsTakeNoMoreThanTheirBudget(_ mode: TestService.Mode)
            throws
        {
            try TestService.run(TestService.Options(mode)) { service in
                let programs = try Self.start(Flooding.halfSender, service, count: 8)
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

        /// Four programs flood the service with requests for passcode challenges. The owner can
        /// still unlock.
        /// Red team: ephemeral, user; U.
        /// Before: worked; the right passcode is refused.
        @Test(arguments: SignedWorld.modes)
        func floodOfChallengesKeepsNobodyFromUnlocking(_ mode: TestService.Mode) throws {
            try TestService.run(TestService.Options(mode)) { service in
                let passcode = SecretBytes(passcode: "correct horse")
                try service.keychain.setPasscode(passcode)
                let programs = try Self.start(Flooding.challenger, service, count: 4)
                defer { for program in programs { program.end() } }
                for program in programs { #expect(try program.readLine() == "flooding") }
                for _ in 0..<7 {
                    try service.keychain.lock()
                    try service.keychain.unlock(passcode: SecretBytes(passcode: "correct horse"))
                }
                for program in programs { #expect(ProcessEntry.runs(program.pid)) }
            }
        }

        /// Sixteen programs flood the service with passcodes, more than one user may have waiting.
        /// The owner's program has none waiting, so its passcode gets a place.
        /// Red team: ephemeral, user; U.
        /// Before: worked; the right passcode is refused.
        @Test(arguments: SignedWorld.modes)
        func floodOfPasscodesKeepsNobodyFromUnlocking(_ mode: TestService.Mode) throws {
            try TestService.run(TestService.Options(mode)) { service in
                let passcode = SecretBytes(passcode: "correct horse")
                try service.keychain.setPasscode(passcode)
                let programs = try Self.start(Flooding.guesser, service, count: 16)
                defer { for program in programs { program.end() } }
                for program in programs { #expect(try program.readLine() == "flooding") }
                for _ in 0..<7 {
                    try service.keychain.lock()
                    try service.keychain.unlock(passcode: SecretBytes(passcode: "correct horse"))
                }
                for program in programs { #expect(ProcessEntry.runs(program.pid)) }
            }
        }

        // MARK: - The same against a service without budgets

        private static func runNaive(_ body: (TestProcess, String) throws -> Void) throws {
            try TemporaryDirectory.lend { directory in
                let socket = directory + "/naive.sock"
                let naive = try TestProcess(Binaries.testApplication(), [socket, "crowd"])
                defer { naive.end() }
                #expect(try naive.readLine() == "listening")
                try body(naive, socket)
            }
        }

        private static func start(_ script: String, _ socket: String) throws -> TestProcess {
            try TestProcess("/usr/bin/perl", ["-e", script, socket])
        }

        @Test func halfSentRequestsTakeTheMemoryOfANaiveService() throws {
            try Self.runNaive { naive, socket in
                let programs = try (0..<8).map { _ in try Self.start(Flooding.halfSender, socket) }
                defer { for program in programs { program.end() } }
                for program in programs { #expect(try program.readLine() == "sent") }
                try Waiting.until("what was sent to be in memory") {
                    try ProcessUse.residentByteCount(naive.pid) > 1 << 30
                }
            }
        }

        @Test func floodOfChallengesMakesTheNonceOfANaiveServiceStale() throws {
            try Self.runNaive { _, socket in
                func outcome(_ flood: () throws -> Void) throws -> String {
                    let honest = try Self.start(Flooding.honestChallenged, socket)
                    defer { honest.end() }
                    #expect(try honest.readLine() == "asked")
                    try flood()
                    honest.write("\n")
                    return try honest.readLine()
                }
                #expect(try outcome {} == "ok")
                var programs: [TestProcess] = []
                defer { for program in programs { program.end() } }
                let flooded = try outcome {
                    programs = try (0..<4).map { _ in try Self.start(Flooding.challenger, socket) }
                    for program in programs { #expect(try program.readLine() == "flooding") }
                }
                #expect(flooded == "stale")
            }
        }

        @Test func floodOfPasscodesGoesFirstAtANaiveService() throws {
            try Self.runNaive { _, socket in
                func othersFirst() throws -> Int? {
                    let honest = try Self.start(Flooding.honestWriter, socket)
                    defer { honest.end() }
                    return Int(try honest.readLine().dropFirst("after ".count))
                }
                #expect(try othersFirst() == 0)
                let programs = try (0..<16).map { _ in try Self.start(Flooding.guesser, socket) }
                defer { for program in programs { program.end() } }
                for program in programs { #expect(try program.readLine() == "flooding") }
                let count = try #require(try othersFirst())
                #expect(count > 100)
            }
        }

        @Test func whoHasAStaleChallengeMayTryAgain() throws {
            try TestService.run { service in
                // The enclave's key file exists.
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
