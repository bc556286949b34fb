// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// Each call by which the released daemons change a file fails once.
    @Suite struct WriteSteps {
        /// How many runs each test makes; the long form (`make campaign`) sets LLAVERO_FAULT_STEPS to
        /// 0, which is every step.
        private static let runCount = 8

        @Test func whatIsAcknowledgedSurvivesACallThatFails() throws {
            for (name, error) in [("ENOSPC", ENOSPC), ("EIO", EIO), ("EINTR", EINTR)] {
                try Self.forEachStep(Self.runCount / 2) { step in
                    try Self.run("fail \(step) \(error)", "\(name) at step \(step)")
                }
            }
        }

        @Test func whatIsAcknowledgedSurvivesAWriteThatIsCutShort() throws {
            try Self.forEachStep(Self.runCount) { try Self.run("short \($0)", "half of \($0)") }
        }

        @Test func whatIsAcknowledgedSurvivesAKillAtAStep() throws {
            try Self.forEachStep(Self.runCount) { try Self.run("kill \($0)", "kill at \($0)") }
        }

        @Test func aFullDiskCostsNothingAndOnceThereIsRoomTheServiceGoesOn() throws {
            try Self.forEachStep(Self.runCount / 2) {
                try Self.run("full \($0)", "full from \($0)")
            }
        }

        @Test func callsThatChangeFilesAreHeldUpAndCounted() throws {
            try Self.lend { service, _ in
                try service.strike("none")
                try service.keychain.add(.password("anna"))
                let names = try service.fileCallNames()
                #expect(names.contains("pwrite64"))
                #expect(names.contains { $0 == "fdatasync" || $0 == "fsync" })
                try service.strike("full 1")
                #expect(status { try service.keychain.add(.password("berta")) } != 0)
                #expect(try service.fileCalls().struck > 0)
                try service.strike("none")
                try service.keychain.add(.password("berta"))
            }
        }

        /// The file system is remounted read-only while the service runs. Stored data stays
        /// readable, a write fails with a clear error and leaves nothing, and later everything
        /// works again.
        @Test func readOnlyFileSystemRefusesWritesAndReadsGoOn() throws {
            try Self.lend { (service: TestService, directory: String) throws -> Void in
                try service.keychain.add(.password("anna", secret: "first"))
                try service.strike("readonly 1")
                for round in 0..<3 {
                    let anna = try one(service, "anna")
                    #expect(anna.secret?.testText == "first")
                    let statuses = Self.writes(service, round)
                    // Read-only; or I/O, if SQLite doesn't distinguish them.
                    #expect(statuses.allSatisfy { [-25292, -36].contains($0) }, "\(statuses)")
                }
                #expect(try service.fileCalls().struck > 0)
                try service.strike("none")
                try service.keychain.add(.password("berta"))
                try service.keychain.update(
                    .password("anna"), applying: .setting(secret: "second"))
                try service.stop()
                let options = TestService.Options(.user, directory: directory)
                try TestService.run(options) { (service: TestService) throws -> Void in
                    let anna = try one(service, "anna")
                    #expect(anna.secret?.testText == "second")
                    let berta = try one(service, "berta")
                    #expect(berta.secret?.testText == "secret")
                    #expect(reads(service, "berta 0") == -25300)
                    #expect(!service.messages.contains("damaged"))
                }
            }
        }

        /// The statuses of an add, an update and a delete.
        private static func writes(_ service: TestService, _ round: Int) -> [Int32] {
            let add = status { try service.keychain.add(.password("berta \(round)")) }
            let update = status {
                try service.keychain.update(
                    .password("anna"), applying: .setting(secret: "second"))
            }
            return [add, update, status { try service.keychain.delete(.password("anna")) }]
        }

        // MARK: -

        /// Calls `body` for some steps, or for every one, of the undisturbed work.
        private static func forEachStep(
            _ count: Int, _ body: @escaping @Sendable (Int) throws -> Void
        ) throws {
            let steps = try stepCount.get()
            #expect(steps > 50)
            let variable = ProcessInfo.processInfo.environment["LLAVERO_FAULT_STEPS"]
            let wanted = variable.flatMap(Int.init) ?? count
            // Several at a time: a step consists almost only of waiting. The same steps each time,
            // spread over the work.
            let chosen =
                wanted == 0
                ? Array(1...steps) : (0..<wanted).map { 1 + ($0 * steps + steps / 2) / wanted }
            let failures = InParallel.each(
                chosen, atOnce: wanted == 0 ? 12 : 4, within: .seconds(6 * 3600), body)
            #expect(failures == [])
        }

        private static let stepCount: Result<Int, any Error> = Result {
            var (steps, failures) = try undisturbed()
            // A machine that stalls for seconds makes a call fail, which isn't undisturbed.
            for _ in 0..<2 where failures > 0 { (steps, failures) = try undisturbed() }
            #expect(failures == 0)
            return steps
        }

        /// - Returns: How many steps the work has, and how many of its calls failed.
        private static func undisturbed() throws -> (Int, Int) {
            try lend { (service: TestService, _: String) throws -> (Int, Int) in
                try service.strike("none")
                var work = FaultWorkload()
                work.run(service.keychain)
                #expect(work.violations == [])
                let steps = try service.fileCalls().count
                return (steps, work.failures)
            }
        }

        private static func run(_ fault: String, _ name: String) throws {
            try lend { service, directory in
                var work = FaultWorkload()
                work.isFaultLasting = fault.hasPrefix("full")
                try service.strike(fault)
                work.run(service.keychain)
                try service.strike("none")
                work.verify(service.keychain, "afterwards")
                try service.stop()
                try TestService.run(.init(.user, directory: directory)) { service in
                    work.verify(service.keychain, "after a restart")
                }
                guard work.violations == [] else {
                    throw TestFailure("\(name): \(work.violations)")
                }
            }
        }

        private static func lend<R>(_ body: (TestService, String) throws -> R) throws -> R {
            try TemporaryDirectory.lend { directory in
                var options = TestService.Options(.user, directory: directory)
                options.hasFaults = true
                options.isInspectable = geteuid() != 0
                return try TestService.run(options) { try body($0, directory) }
            }
        }
    }
}
