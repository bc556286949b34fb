// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Keychain
import TestSupport
import Testing

extension ServiceTests.Wrappers {
    /// The wrappers' calls for tasks, beside those that block.
    @Suite struct ForTasks {
        private static let ours = ServiceTests.Wrappers.ours

        @Test func eachCallIsOneRequestAndGivesWhatTheOtherFormGives() throws {
            try Self.relayed { (service, relay) throws in
                let tasks = try WrapperProgram(relay.socketPath, ["tasks"])
                let threads = try WrapperProgram(service.socketPath)
                // The first request of a connection is answered after a proof.
                #expect(try tasks.ask("jn load none") == "failed absent")
                _ = relay.takeKinds()
                for kind in Self.ours {
                    for value in ["1", "2"] {
                        #expect(try tasks.ask("\(kind) save \(kind) \(value)") == "ok")
                        #expect(relay.takeKinds() == [.add], "\(kind) save")
                        #expect(try threads.ask("\(kind) load \(kind)") == value)
                        #expect(try tasks.ask("\(kind) load \(kind)") == value)
                        #expect(relay.takeKinds() == [.find], "\(kind) load")
                    }
                    #expect(try tasks.ask("\(kind) delete \(kind)") == "ok")
                    #expect(relay.takeKinds() == [.delete], "\(kind) delete")
                    #expect(try threads.ask("\(kind) load \(kind)") == "failed -25300")
                }
            }
        }

        @Test(arguments: ours) func theMainActorGoesOnWhileATaskWaits(_ kind: String) throws {
            try Self.onTheMainActor("async", kind) { next in
                var ticks = 0
                while ticks < 5 { if try next() == "tick" { ticks += 1 } }
            }
        }

        /// The control.
        @Test(arguments: ours)
        func theMainActorStandsStillInACallThatBlocks(_ kind: String) throws {
            try Self.onTheMainActor("sync", kind) { (next) throws in
                for _ in 0..<20 { #expect(try next() == "beat") }
            }
        }

        /// Loads on the main actor of a program, while securityd is stopped and then continues;
        /// `whileStopped` receives a function that returns the program's next line, once it has
        /// asked.
        private static func onTheMainActor(
            _ way: String, _ kind: String, _ whileStopped: (() throws -> String) throws -> Void
        ) throws {
            try TestService.run { service in
                #expect(try WrapperProgram(service.socketPath).ask("\(kind) save x 1") == "ok")
                let worker = try service.worker()
                try service.halt(worker)
                defer { kill(worker, SIGCONT) }
                let program = try WrapperProgram(
                    service.socketPath, ["main", way, kind, "x"], deadline: 120_000)
                while try program.line() != "asked" {}
                try whileStopped(program.line)
                kill(worker, SIGCONT)
                var line = try program.line()
                while !line.hasPrefix("value") {
                    if way == "sync" { #expect(line != "tick") }
                    line = try program.line()
                }
                #expect(line == "value 1")
            }
        }

        @Test func aCallThatIsUnderWayEndsWhenItIsCancelledOrItsTimeIsOver() throws {
            try Self.relayed { (service, relay) throws in
                let program = try WrapperProgram(relay.socketPath, ["tasks"], deadline: 120_000)
                for kind in Self.ours {
                    #expect(try program.ask("\(kind) save \(kind) 1") == "ok")
                }
                let worker = try service.worker()
                for kind in Self.ours {
                    #expect(try program.ask("\(kind) load \(kind)") == "1")
                    _ = relay.takeKinds()
                    try service.halt(worker)
                    defer { kill(worker, SIGCONT) }
                    #expect(try program.ask("\(kind) cancel \(kind)") == "asked")
                    try Waiting.until("the request") { relay.takeKinds().contains(.find) }
                    #expect(try program.ask("now") == "failed cancelled")
                    #expect(try program.ask("\(kind) load \(kind) 100") == "failed timedOut")
                    kill(worker, SIGCONT)
                    #expect(try program.ask("\(kind) load \(kind)") == "1")
                }
            }
        }

        private static func relayed(
            _ body: (TestService, CountingRelay) throws -> Void
        ) throws {
            try TestService.run { service in
                try TemporaryDirectory.lend { directory in
                    let relay = try CountingRelay(to: service.socketPath, in: directory)
                    defer { relay.stop() }
                    try body(service, relay)
                }
            }
        }
    }
}
