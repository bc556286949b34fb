// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Keychain
import SecretBytes
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// The known flaws of the three wrappers, which are absent here. The originals' order of calls
    /// with the same service has them (`original-…`).
    @Suite struct Wrappers {
        static let ours = ["item", "jn", "sfhf"]

        // MARK: - Requests

        @Test func everyReadAndEveryWriteIsOneRequest() throws {
            try counting { (program, relay) throws in
                for kind in Self.ours {
                    // Including the first write of an item that no process has read.
                    for value in ["1", "2", "2"] {
                        #expect(try program.ask("\(kind) save \(kind) \(value)") == "ok")
                        #expect(relay.takeKinds() == [.add], "\(kind) save")
                        #expect(try program.ask("\(kind) load \(kind)") == value)
                        #expect(relay.takeKinds() == [.find], "\(kind) load")
                    }
                    #expect(try program.ask("\(kind) delete \(kind)") == "ok")
                    #expect(relay.takeKinds() == [.delete], "\(kind) delete")
                }
                for key in ["acct", "labl", "desc", "svce"] {
                    #expect(try program.ask("set more \(key) x-\(key)") == "ok")
                    #expect(relay.takeKinds() == [.add])
                    #expect(try program.ask("get more \(key)") == "x-\(key)")
                    #expect(relay.takeKinds() == [.find])
                }
                #expect(try program.ask("keep u s p") == "stored")
                #expect(try program.ask("keep u s other") == "kept")
                #expect(relay.takeKinds() == [.add, .add])
            }
        }

        /// The control: the relay counts the requests.
        @Test func theOriginalsTakeUpToFourRequests() throws {
            try counting { (program, relay) throws in
                let counts = [
                    "original-item": (save: 4, load: 2), "original-jn": (save: 2, load: 1),
                    "original-sfhf": (save: 3, load: 2),
                ]
                for (kind, count) in counts {
                    #expect(try program.ask("\(kind) save \(kind) 1") == "ok")
                    _ = relay.takeKinds()
                    #expect(try program.ask("\(kind) save \(kind) 2") == "ok")
                    #expect(relay.takeKinds().count == count.save, "\(kind) save")
                    #expect(try program.ask("\(kind) load \(kind)") == "2")
                    #expect(relay.takeKinds().count == count.load, "\(kind) load")
                }
            }
        }

        private func counting(
            _ body: (WrapperProgram, CountingRelay) throws -> Void
        ) throws {
            try TestService.run { service in
                try TemporaryDirectory.lend { directory in
                    let relay = try CountingRelay(to: service.socketPath, in: directory)
                    defer { relay.stop() }
                    let program = try WrapperProgram(relay.socketPath)
                    // The first request of a connection is answered after a proof.
                    #expect(try program.ask("jn load none") == "failed -25300")
                    #expect(relay.takeKinds().last == .find)
                    try body(program, relay)
                }
            }
        }

        // MARK: - Locked in the background

        @Test func afterTheFirstUnlockALockedDeviceRefusesNothing() throws {
            try locked { program throws in
                for kind in Self.ours {
                    for round in 0..<20 {
                        #expect(try program.ask("\(kind) save \(kind) \(round)") == "ok")
                        #expect(try program.ask("\(kind) load \(kind)") == "\(round)")
                    }
                    // Including an item that doesn't exist yet, and one that is deleted.
                    #expect(try program.ask("\(kind) save new-\(kind) x") == "ok")
                    #expect(try program.ask("\(kind) delete \(kind)") == "ok")
                    // A caller that requests a weaker class gets it: the status is clear, and not
                    // "not found".
                    #expect(try program.ask("\(kind) save \(kind) x ak") == "failed -25308")
                }
            }
        }

        /// The control: the default class of the originals is refused, each time.
        @Test func theOriginalsAreRefusedWhileLocked() throws {
            try locked { program throws in
                for kind in ["original-item", "original-sfhf"] {
                    for _ in 0..<3 {
                        #expect(try program.ask("\(kind) save \(kind) 2") == "failed -25308")
                        #expect(try program.ask("\(kind) load \(kind)") == "failed -25308")
                    }
                }
            }
        }

        /// A device that is locked after its first unlock; each wrapper has stored its first value.
        private func locked(_ body: (WrapperProgram) throws -> Void) throws {
            try TestService.run { service in
                try service.keychain.setPasscode(SecretBytes(passcode: "correct horse"))
                let program = try WrapperProgram(service.socketPath)
                for kind in Self.ours + ["original-item", "original-sfhf"] {
                    #expect(try program.ask("\(kind) save \(kind) first") == "ok")
                }
                try service.keychain.lock()
                try body(program)
            }
        }

        // MARK: - Another accessibility

        @Test func anOldAccessibilityNeverBlocksANewItem() throws {
            try TestService.run { service in
                let program = try WrapperProgram(service.socketPath)
                for kind in Self.ours {
                    for (value, code) in [("1", "ck"), ("2", "aku"), ("3", "dk"), ("4", "ak")] {
                        #expect(try program.ask("\(kind) save \(kind) \(value) \(code)") == "ok")
                        #expect(try program.ask("\(kind) load \(kind)") == value)
                        let found = try service.keychain.find(
                            .password(service: kind, limit: nil, returning: .attributes))
                        #expect(found.count == 1)
                        #expect(found.first?.attributes.accessibility?.code == code)
                    }
                    #expect(try program.ask("\(kind) save \(kind) 5 nonsense") == "failed -50")
                    #expect(try program.ask("\(kind) load \(kind)") == "4")
                }
                // The control.
                #expect(try program.ask("original-jn save x 1") == "ok")
                #expect(try program.ask("original-jn save x 2 aku") == "failed -25299")
            }
        }

        // MARK: - Killed during a write

        @Test(arguments: ["item", "jn", "sfhf"])
        func aProgramThatIsKilledLeavesTheOldValueOrTheNew(_ kind: String) throws {
            try TestService.run { service in
                var generator = SystemRandomNumberGenerator()
                var kills = 0
                var rounds = 0
                // Many must interrupt a program's work; on a slow machine that happens later.
                while rounds < 40 || (kills <= 10 && rounds < 400) {
                    let (saved, left) = try Self.killWhileSaving(
                        kind, service, &generator, within: rounds < 40 ? 60_000 : 600_000)
                    #expect(left == saved || left == saved + 1, "\(kind) saved \(saved)")
                    kills += saved > 1 ? 1 : 0
                    rounds += 1
                }
                #expect(kills > 10)
            }
        }

        /// The control: an item that is deleted before it is added is lost when the program dies in
        /// between.
        @Test func aProgramOnTheOriginalLosesItsValue() throws {
            try TestService.run { service in
                var generator = SystemRandomNumberGenerator()
                for _ in 0..<400 {
                    let (_, left) = try Self.killWhileSaving("original-jn", service, &generator)
                    if left == nil { return }
                }
                Issue.record("400 kills, and no value was lost.")
            }
        }

        /// Kills a program that saves 1, 2, 3, …
        /// - Returns: The last number that it had reported as saved, and the one that is stored
        ///   now.
        private static func killWhileSaving(
            _ kind: String, _ service: TestService, _ generator: inout SystemRandomNumberGenerator,
            within microseconds: UInt32 = 60_000
        ) throws -> (saved: Int, left: Int?) {
            let writer = try WrapperProgram(service.socketPath, ["churn", kind, "counter"])
            #expect(try writer.line() == "1")
            // A random moment for the kill, not a wait for an event.
            usleep(UInt32.random(in: 0..<microseconds, using: &generator))
            let lines = try writer.kill()
            let saved = lines.last.map { Int($0) ?? -1 } ?? 1
            let left = try WrapperProgram(service.socketPath).ask("\(kind) load counter")
            return (saved, left == "failed -25300" ? nil : Int(left) ?? -1)
        }

        // MARK: - Deadlines

        @Test func aCallBlocksItsThreadForOneDeadlineAtMost() throws {
            try TestService.run { service in
                // Long enough that a slow machine's additional time is shorter; so all wait at
                // once.
                let deadline = 10_000
                var programs: [(kind: String, program: WrapperProgram)] = []
                for kind in Self.ours {
                    let program = try WrapperProgram(service.socketPath, deadline: deadline)
                    #expect(try program.ask("\(kind) save \(kind) before") == "ok")
                    programs.append((kind, program))
                }
                let worker = try service.worker()
                try service.halt(worker)
                defer { kill(worker, SIGCONT) }
                // A call that exceeds its deadline by less than a second deadline had only one.
                let limit = Duration.milliseconds(2 * deadline - 20)
                for (call, value, answers) in [
                    ("load", "", ["failed -25291"]),
                    ("save", " after", ["failed -36", "failed -25291"]),
                ] {
                    let start = ContinuousClock.now
                    for (kind, program) in programs {
                        program.send("\(kind) \(call) \(kind)\(value)")
                    }
                    for (kind, program) in programs {
                        let answer = try program.line()
                        #expect(answers.contains(answer), "\(kind) \(call)")
                        #expect(start.duration(to: .now) < limit, "\(kind) \(call)")
                    }
                }
                kill(worker, SIGCONT)
                for (kind, program) in programs {
                    let left = try program.ask("\(kind) load \(kind)")
                    #expect(["before", "after"].contains(left))
                }
            }
        }

        /// The control: two requests are two deadlines.
        @Test func theOriginalsBlockForSeveralDeadlines() throws {
            try TestService.run { service in
                let deadline = 1_000
                // Without a deadline, since a slow machine may need longer.
                let patient = try WrapperProgram(service.socketPath)
                #expect(try patient.ask("original-item save x before") == "ok")
                let program = try WrapperProgram(service.socketPath, deadline: deadline)
                let worker = try service.worker()
                try service.halt(worker)
                defer { kill(worker, SIGCONT) }
                let start = ContinuousClock.now
                #expect(try program.ask("original-item save x after").hasPrefix("failed"))
                #expect(start.duration(to: .now) > .milliseconds(2 * deadline))
            }
        }

        // MARK: - Threads and processes

        @Test func manyThreadsUseOneName() throws {
            try TestService.run { service in
                let program = try WrapperProgram(service.socketPath)
                for kind in Self.ours {
                    #expect(try program.ask("threads \(kind) \(kind) 8") == "ok")
                    let found = try service.keychain.find(.password(service: kind, limit: nil))
                    #expect(found.count == 1)
                }
            }
        }

        @Test func oneObjectSeesWhatAnotherProcessWrites() throws {
            try TestService.run { service in
                let ours = try WrapperProgram(service.socketPath)
                let theirs = try WrapperProgram(service.socketPath)
                #expect(try ours.ask("hold shared") == "ok")
                #expect(try ours.ask("held get v_Data") == "empty")
                #expect(try theirs.ask("set shared v_Data 1") == "ok")
                #expect(try ours.ask("held get v_Data") == "1")
                #expect(try theirs.ask("set shared v_Data 2") == "ok")
                #expect(try theirs.ask("set shared acct anna") == "ok")
                #expect(try ours.ask("held get v_Data") == "2")
                #expect(try ours.ask("held get acct") == "anna")
                // Its writes don't change the account, which it never set.
                #expect(try ours.ask("held set v_Data 3") == "ok")
                #expect(try theirs.ask("get shared v_Data") == "3")
                #expect(try theirs.ask("get shared acct") == "anna")
                #expect(try theirs.ask("item delete shared") == "ok")
                #expect(try ours.ask("held get v_Data") == "empty")
            }
        }

        @Test func manyThreadsUseOneObject() throws {
            try TestService.run { service in
                let program = try WrapperProgram(service.socketPath)
                #expect(try program.ask("hold shared") == "ok")
                #expect(try program.ask("held threads 8") == "ok")
                let found = try service.keychain.find(.password(service: "shared", limit: nil))
                #expect(found.count == 1)
            }
        }
    }
}
