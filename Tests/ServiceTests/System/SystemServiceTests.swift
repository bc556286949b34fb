// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport
import Testing

extension ServiceTests {
    /// One service for all users of a machine; each daemon is a user of its own.
    @Suite(.enabled(if: geteuid() == 0, "only root can start the system service"))
    struct SystemService {
        private static let anna = SystemWorld.anna
        private static let berta = SystemWorld.berta

        // MARK: - Users

        @Test func usersStoreTheSameItemAndEachFindsTheirOwn() throws {
            try SystemWorld.run { (world) throws in
                for (user, secret) in [(Self.anna, "MANGO"), (Self.berta, "PAPAYA")] {
                    #expect(try world.ask(user, "add", "bank", secret) == "ok")
                    #expect(try world.ask(user, "add", "bank", secret) == "failed -25299")
                }
                #expect(try world.ask(Self.anna, "find", "bank") == "MANGO")
                #expect(try world.ask(Self.berta, "find", "bank") == "PAPAYA")
                // Root's own items are root's.
                #expect(try world.ask(0, "find", "bank") == "failed -25300")
                #expect(try world.ask(0, "add", "bank", "KIWI") == "ok")
                #expect(try world.ask(Self.anna, "find", "bank") == "MANGO")
                // The largest number of a user, and the one that is no user's.
                for user: UInt32 in [65_534, .max - 1] {
                    #expect(try world.ask(user, "add", "bank", "LIME") == "ok")
                    #expect(try world.ask(user, "find", "bank") == "LIME")
                }
                #expect(try world.ask(Self.berta, "find", "bank") == "PAPAYA")
            }
        }

        @Test func lockAndPasscodeOfOneUserAreNobodyElses() throws {
            try SystemWorld.run { world in
                for user in [Self.anna, Self.berta] {
                    #expect(try world.ask(user, "add", "bank", "MANGO") == "ok")
                }
                try world.setPasscode("correct-horse", of: Self.anna)
                try world.setPasscode("battery-staple", of: Self.berta)
                #expect(try world.ask(Self.anna, "lock") == "ok")
                #expect(try world.ask(Self.anna, "find", "bank") == "failed -25308")
                #expect(try world.ask(Self.berta, "find", "bank") == "MANGO")
                #expect(try world.ask(Self.anna, "unlock", "battery-staple") == "failed -25293")
                #expect(try world.ask(Self.berta, "unlock", "correct-horse") == "failed -25293")
                #expect(try world.ask(Self.anna, "find", "bank") == "failed -25308")
                #expect(try world.ask(Self.anna, "unlock", "correct-horse") == "ok")
                #expect(try world.ask(Self.anna, "find", "bank") == "MANGO")
            }
        }

        // MARK: - Crashes

        @Test func crashOfSecuritydLocksNobodyAndOneOfEnclavedEverybody() throws {
            try SystemWorld.run { world in
                #expect(try world.ask(Self.anna, "add", "bank", "MANGO") == "ok")
                #expect(try world.ask(Self.berta, "add", "bank", "PAPAYA") == "ok")
                try world.setPasscode("correct-horse", of: Self.anna)
                let enclave = try world.daemon("enclaved")
                for _ in 0..<3 {
                    try world.crash("securityd")
                    #expect(try world.ask(Self.anna, "find", "bank") == "MANGO")
                }
                // What an upgrade does: other programs, the same enclaved.
                world.process.signal(SIGHUP)
                #expect(try world.ask(Self.anna, "find", "bank") == "MANGO")
                #expect(try world.daemon("enclaved") == enclave)
                // Locked stays locked.
                #expect(try world.ask(Self.anna, "lock") == "ok")
                try world.crash("securityd")
                #expect(try world.ask(Self.anna, "find", "bank") == "failed -25308")
                #expect(try world.ask(Self.anna, "unlock", "correct-horse") == "ok")
                // The control: the keys were in enclaved's memory alone.
                try world.crash("enclaved")
                try Waiting.until("the service to answer") {
                    try world.ask(Self.anna, "find", "bank") == "failed -25308"
                }
                #expect(try world.ask(Self.berta, "find", "bank") == "PAPAYA")
                #expect(try world.ask(Self.anna, "unlock", "correct-horse") == "ok")
                #expect(try world.ask(Self.anna, "find", "bank") == "MANGO")
            }
        }

        @Test func serviceThatKeepsEndingComesBackByItself() throws {
            try SystemWorld.run { world in
                #expect(try world.ask(Self.anna, "add", "bank", "MANGO") == "ok")
                var last: Int32 = 0
                let slow = "It is tried again every 30 seconds"
                try Waiting.until("the supervisor to slow down", within: .seconds(60)) {
                    let running = ProcessEntry.mentioning(world.root).first {
                        $0.words.first == "securityd" && $0.pid != last
                    }
                    if let running {
                        kill(running.pid, SIGKILL)
                        last = running.pid
                    }
                    return world.messages.contains(slow)
                }
                // Meanwhile clients aren't kept waiting.
                let begin = ContinuousClock.now
                #expect(try world.ask(Self.anna, "find", "bank") == "failed -25291")
                #expect(begin.duration(to: .now) < .seconds(5))
                try Waiting.until("the service to come back", within: .seconds(60)) {
                    try world.ask(Self.anna, "find", "bank") == "MANGO"
                }
                // Said once.
                #expect(world.messages.components(separatedBy: slow).count == 2)
            }
        }

        @Test func killedSupervisorTakesAllDaemonsAlong() throws {
            try SystemWorld.run { world in
                #expect(try world.ask(Self.anna, "add", "bank", "MANGO") == "ok")
                let daemons = try ["securityd", "enclaved", "peerinspector"].map {
                    try world.daemon($0)
                }
                world.process.end()
                try Waiting.until("the daemons to end") {
                    daemons.allSatisfy { !ProcessEntry.runs($0) }
                }
            }
        }

        // MARK: - Walls

        @Test func eachDaemonHasAUserAndOnlyTheRightsThatItNeeds() throws {
            try SystemWorld.run { world in
                #expect(try world.ask(Self.anna, "add", "bank", "MANGO") == "ok")
                func rights(_ process: Int32, _ user: UInt32, _ rights: String) throws {
                    let status = try ProcessFile.read(process, "status")
                    let ids = [String](repeating: "\(user)", count: 4).joined(separator: "\t")
                    #expect(status.contains("Uid:\t\(ids)\n"), "\(status)")
                    #expect(status.contains("Gid:\t\(ids)\n"))
                    for set in ["CapEff", "CapPrm"] {
                        #expect(status.contains("\(set):\t\(rights)\n"), "\(status)")
                    }
                    for set in ["CapInh", "CapAmb"] {
                        #expect(status.contains("\(set):\t0000000000000000\n"))
                    }
                    #expect(status.contains("NoNewPrivs:\t1\n"))
                }
                let none = "0000000000000000"
                // To become another user, and to look into processes.
                try rights(world.process.pid, 0, "00000000000000c0")
                try rights(world.daemon("securityd"), SystemWorld.securityd, none)
                try rights(world.daemon("enclaved"), SystemWorld.enclaved, none)
                let starter = try world.daemon("peerinspector")
                // It, its child, and the inspectors.
                let all = ProcessEntry.all()
                func children(_ of: [Int32]) -> [Int32] {
                    all.filter { of.contains($0.parent) }.map(\.pid)
                }
                let inspectors = [starter] + children([starter]) + children(children([starter]))
                #expect(inspectors.count > 2)
                for process in inspectors {
                    try rights(process, SystemWorld.peerinspector, "0000000010080000")
                    let status = try ProcessFile.read(process, "status")
                    #expect(status.contains("CapBnd:\t0000000010080000\n"), "\(status)")
                    #expect(status.contains("Seccomp:\t2\n"))
                }
                #expect(
                    try ProcessFile.read(world.daemon("securityd"), "status").contains(
                        "Seccomp:\t2\n"))
            }
        }

        /// An intruder in securityd or in a program of a user reads the other daemon's files.
        /// Red team: system; refused.
        /// Before: nothing.
        @Test func stateIsItsOwnersAlone() throws {
            try SystemWorld.run { world in
                #expect(try world.ask(Self.anna, "add", "bank", "MANGO") == "ok")
                let database = world.root + "/var/lib/llavero/keychain.db"
                let key = world.root + "/var/lib/llavero-enclave/enclave/device.key"
                for (owner, file) in [
                    (SystemWorld.securityd, database), (SystemWorld.enclaved, key),
                ] {
                    let users = [
                        SystemWorld.securityd, SystemWorld.enclaved, SystemWorld.peerinspector,
                        Self.anna,
                    ]
                    for user in users {
                        let answer = try world.run(user, ["head", "-c", "1", file])
                        #expect(answer.contains("Permission denied") == (user != owner), "\(user)")
                    }
                }
            }
        }

        @Test func stateOfAnotherOwnerIsRefusedWithASentence() throws {
            try SystemWorld.prepare { root in
                func refusal() throws -> String {
                    let result = try TestProcess.run(
                        root + "/bin/securityd", SystemUsers.words(root))
                    #expect(result.ending == .exit(1))
                    return result.errors
                }
                for folder in ["llavero", "llavero-enclave"] {
                    let path = root + "/var/lib/" + folder
                    try FileManager.default.createDirectory(
                        atPath: path, withIntermediateDirectories: true)
                    #expect(unsafe chown(path, Self.anna, Self.anna) == 0)
                    #expect(try refusal().contains("\(path) belongs to user \(Self.anna), not to"))
                    let owner =
                        folder == "llavero" ? SystemWorld.securityd : SystemWorld.enclaved
                    #expect(unsafe chown(path, owner, owner) == 0)
                    #expect(unsafe chmod(path, 0o750) == 0)
                    #expect(try refusal().contains("\(path) is open to others (mode 750)"))
                    #expect(unsafe chmod(path, 0o700) == 0)
                }
                let run = root + "/run/llavero"
                try FileManager.default.createDirectory(
                    atPath: run, withIntermediateDirectories: true)
                #expect(unsafe chown(run, Self.anna, Self.anna) == 0)
                #expect(try refusal().contains("\(run) belongs to user \(Self.anna), not to root"))
                #expect(unsafe chown(run, 0, 0) == 0)
                // The control.
                try SystemWorld.run(in: root) { (world) throws in
                    #expect(try world.ask(Self.anna, "add", "bank", "MANGO") == "ok")
                    // A second one finds the first.
                    #expect(try refusal().contains("Another securityd works on"))
                }
            }
        }

        @Test func whatIsMissingIsSaid() throws {
            try SystemWorld.prepare { root in
                func answer(_ words: [String], user: UInt32 = 0) throws -> TestProcess.Result {
                    try TestProcess.run(
                        "setpriv",
                        ["--reuid=\(user)", root + "/bin/securityd", "--system"] + words)
                }
                let other = try answer(["--root", root], user: Self.anna)
                #expect(other.ending == .exit(1))
                #expect(other.errors.contains("There is no user _securityd"))
                let users = "\(SystemWorld.securityd),\(SystemWorld.enclaved),"
                let notRoot = try answer(
                    ["--root", root, "--users", users + "\(SystemWorld.peerinspector)"],
                    user: Self.anna)
                #expect(notRoot.errors.contains("must be started by root"))
                let same = try answer([
                    "--root", root, "--users", users + "\(SystemWorld.enclaved)",
                ])
                #expect(same.errors.contains("three different users"))
                let root0 = try answer(["--root", root, "--users", users + "0"])
                #expect(root0.errors.contains("is root"))
                for words in [["--root"], ["--root", "here"], ["--users", "a,b"], ["--nonsense"]] {
                    #expect(try answer(words).ending == .exit(2), "\(words)")
                }
            }
        }
    }
}
