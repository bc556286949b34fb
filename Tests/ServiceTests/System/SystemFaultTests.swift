// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport
import Testing

extension ServiceTests {
    /// What happens to the machine under the system service.
    @Suite(.enabled(if: geteuid() == 0, "only root can start the system service"))
    struct SystemFaults {
        private static let anna = SystemWorld.anna
        private static let berta = SystemWorld.berta

        /// Runs a service whose /var is a small file system of its own.
        private static func withSmallVar(_ body: (SystemWorld) throws -> Void) throws {
            try SystemWorld.prepare { root in
                let place = root + "/var"
                try FileManager.default.createDirectory(
                    atPath: place, withIntermediateDirectories: false)
                let mounted = try TestProcess.run(
                    "mount", ["-t", "tmpfs", "-o", "size=24m,mode=755", "small", place])
                guard mounted.errors.isEmpty else { throw TestFailure(mounted.errors) }
                defer { _ = try? TestProcess.run("umount", ["-l", place]) }
                try SystemWorld.run(in: root, body)
            }
        }

        @Test func aFullVarLosesNothingAndWritesGoOnAfterwards() throws {
            try Self.withSmallVar { (world) throws in
                for user in [Self.anna, Self.berta] {
                    #expect(try world.ask(user, "add", "bank", "MANGO") == "ok")
                }
                let filler = world.root + "/var/filler"
                let filled = try TestProcess.run("dd", ["if=/dev/zero", "of=\(filler)", "bs=4k"])
                #expect(filled.errors.contains("No space left"))
                // Everything that a log can still take is taken.
                var failures: Set<String> = []
                for number in 0..<200 where failures.isEmpty {
                    let answer = try world.ask(Self.anna, "add", "n\(number)", "KIWI")
                    if answer != "ok" { failures.insert(answer) }
                }
                #expect(failures.allSatisfy { $0.hasPrefix("failed ") } && !failures.isEmpty)
                #expect(!failures.contains("failed -25300"))
                for user in [Self.anna, Self.berta] {
                    #expect(try world.ask(user, "find", "bank") == "MANGO")
                }
                // Not even a new user: none gets half a keychain.
                #expect(try world.ask(Self.anna + 3, "add", "bank", "LIME") != "ok")
                try FileManager.default.removeItem(atPath: filler)
                try Waiting.until("writes to go on", within: .seconds(60)) {
                    try world.ask(Self.anna, "add", "after", "PEAR") == "ok"
                }
                #expect(try world.ask(Self.berta, "add", "after", "PLUM") == "ok")
                #expect(try world.ask(Self.anna + 3, "add", "bank", "LIME") == "ok")
                try world.crash("securityd")
                #expect(try world.ask(Self.anna, "find", "bank") == "MANGO")
                #expect(try world.ask(Self.anna, "find", "after") == "PEAR")
                #expect(try world.ask(Self.anna + 3, "find", "bank") == "LIME")
            }
        }

        @Test func daemonsKilledInEachOrderComeBack() throws {
            try SystemWorld.run { (world) throws in
                #expect(try world.ask(Self.anna, "add", "bank", "MANGO") == "ok")
                for order in [["securityd", "enclaved"], ["enclaved", "securityd"]] {
                    for name in order {
                        let daemon = try world.daemon(name)
                        kill(daemon, SIGKILL)
                        try Waiting.until("\(name) to end") { !ProcessEntry.runs(daemon) }
                    }
                    try Waiting.until("the service after \(order)", within: .seconds(60)) {
                        try world.ask(Self.anna, "find", "bank") == "MANGO"
                    }
                }
            }
        }

        @Test func manyLocksAtOnceLeaveTheKeychainLockedAndWhole() throws {
            try SystemWorld.run { (world) throws in
                #expect(try world.ask(Self.anna, "add", "bank", "MANGO") == "ok")
                #expect(try world.ask(Self.berta, "add", "bank", "PAPAYA") == "ok")
                try world.setPasscode("correct-horse", of: Self.anna)
                let lock = "\(world.root)/bin/TestApplication \(world.socketPath) lock-other"
                let script = "for i in $(seq 20); do \(lock) \(Self.anna) & done; wait"
                let said = try world.run(SystemWorld.session, ["sh", "-c", script])
                #expect(said.split(separator: " ").allSatisfy { $0 == "ok" }, "\(said)")
                #expect(try world.ask(Self.anna, "find", "bank") == "failed -25308")
                #expect(try world.ask(Self.berta, "find", "bank") == "PAPAYA")
                #expect(try world.ask(Self.anna, "unlock", "correct-horse") == "ok")
                #expect(try world.ask(Self.anna, "find", "bank") == "MANGO")
            }
        }
    }
}
