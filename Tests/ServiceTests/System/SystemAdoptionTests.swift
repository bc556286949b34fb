// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport
import Testing

extension ServiceTests {
    /// Users' own keychains move into the one of the machine.
    @Suite(.enabled(if: geteuid() == 0, "only root can start the system service"))
    struct SystemAdoption {
        private static let anna = SystemWorld.anna
        private static let berta = SystemWorld.berta

        /// A user's own keychain, and its service while it runs.
        private struct OwnKeychain {
            let world: SystemWorld
            let user: UInt32
            let directory: String

            init(_ world: SystemWorld, _ user: UInt32) throws {
                self.world = world
                self.user = user
                directory = world.root + "/home.\(user)"
                for folder in [directory, directory + "/data", directory + "/run"] {
                    try FileManager.default.createDirectory(
                        atPath: folder, withIntermediateDirectories: false)
                    guard unsafe chown(folder, user, user) == 0, unsafe chmod(folder, 0o700) == 0
                    else { throw TestFailure(folder) }
                }
            }

            var state: String { directory + "/data/llavero" }

            private var variables: [String] {
                ["env", "XDG_DATA_HOME=\(directory)/data", "XDG_RUNTIME_DIR=\(directory)/run"]
            }

            private var socket: String { directory + "/run/llavero/securityd.sock" }

            /// Runs its service meanwhile.
            func serve<R>(_ body: () throws -> R) throws -> R {
                let words = [world.root + "/bin/securityd", "--user", "--device-key", "file"]
                let service = try world.start(user, variables + words)
                defer {
                    service.signal(SIGTERM)
                    _ = try? service.wait()
                    service.end()
                }
                try Waiting.until("the user's service to listen") {
                    service.errorText.contains("Listening at ")
                }
                return try body()
            }

            /// Runs a program against it.
            func own(_ words: String..., input: String = "") throws -> String {
                try world.run(
                    user, variables + ["LLAVERO_SOCKET=\(socket)"] + words, input: input)
            }

            func ask(_ words: String...) throws -> String {
                try world.run(
                    user,
                    [
                        "env", "LLAVERO_SOCKET=\(socket)", world.root + "/bin/TestApplication",
                        socket,
                    ]
                        + words)
            }

            /// `security device adopt`, into the world's keychain.
            func adopt(_ words: String..., input: String = "") throws -> String {
                try world.run(
                    user,
                    ["env", "XDG_RUNTIME_DIR=\(directory)/run"] + [
                        world.root + "/bin/security", "device", "adopt", "--from", state,
                    ] + words, input: input)
            }
        }

        private static func run(_ body: (SystemWorld, OwnKeychain) throws -> Void) throws {
            try SystemWorld.run { (world) throws in
                try body(world, OwnKeychain(world, Self.anna))
            }
        }

        // MARK: - Moving

        @Test func aUsersKeychainMovesInAsAWholeAndTheOldOneStays() throws {
            try Self.run { (world, old) throws in
                try old.serve { () throws in
                    #expect(try old.ask("add", "bank", "MANGO") == "ok")
                    #expect(try old.ask("add", "shop", "KIWI") == "ok")
                }
                #expect(try world.ask(Self.berta, "add", "bank", "PAPAYA") == "ok")
                let said = try old.adopt()
                #expect(said.hasPrefix("Adopted 2 items."), "\(said)")
                #expect(try world.ask(Self.anna, "find", "bank") == "MANGO")
                #expect(try world.ask(Self.anna, "find", "shop") == "KIWI")
                #expect(try world.ask(Self.berta, "find", "bank") == "PAPAYA")
                #expect(try world.ask(Self.berta, "find", "shop") == "failed -25300")
                try old.serve { () throws in #expect(try old.ask("find", "bank") == "MANGO") }
                #expect(
                    try world.security(Self.anna, "audit", "--json").contains("\"adopt\""))
            }
        }

        @Test func aRunningServiceIsUsed() throws {
            try Self.run { (world, old) throws in
                try old.serve { () throws in
                    #expect(try old.ask("add", "bank", "MANGO") == "ok")
                    let said = try world.run(
                        Self.anna,
                        [
                            "env", "XDG_DATA_HOME=\(old.directory)/data",
                            "XDG_RUNTIME_DIR=\(old.directory)/run",
                            world.root + "/bin/security", "device", "adopt",
                        ])
                    #expect(said.hasPrefix("Adopted 1 item."), "\(said)")
                }
                #expect(try world.ask(Self.anna, "find", "bank") == "MANGO")
            }
        }

        @Test func oneItemThatExistsKeepsAllOut() throws {
            try Self.run { (world, old) throws in
                try old.serve { () throws in
                    for name in ["a", "b", "c"] {
                        #expect(try old.ask("add", name, "OLD") == "ok")
                    }
                }
                #expect(try world.ask(Self.anna, "add", "c", "NEW") == "ok")
                #expect(try old.adopt().contains("--skip-existing"))
                for name in ["a", "b"] {
                    #expect(try world.ask(Self.anna, "find", name) == "failed -25300")
                }
                let said = try old.adopt("--skip-existing")
                #expect(said.hasPrefix("Adopted 2 items."), "\(said)")
                #expect(said.contains("exist already: 1"))
                #expect(try world.ask(Self.anna, "find", "a") == "OLD")
                #expect(try world.ask(Self.anna, "find", "c") == "NEW")
            }
        }

        @Test func killedServiceLeavesAllOrNothing() throws {
            try Self.run { (world, old) throws in
                let count = 300
                let lines = (0..<count).map { "machine h\($0).example.org login u password p\($0)" }
                try old.serve { () throws in
                    let said = try old.own(
                        world.root + "/bin/security", "import-netrc", "-",
                        input: lines.joined(separator: "\n") + "\n")
                    #expect(!said.contains("failed"), "\(said)")
                }
                func stored() throws -> Bool {
                    try world.security(
                        Self.anna, "find-internet-password", "-s", "h0.example.org", "-w"
                    ) == "p0"
                }
                for pause: UInt32 in [5_000, 100_000, 300_000, 700_000] {
                    guard try !stored() else { break }
                    let adoption = try world.start(
                        Self.anna,
                        [
                            "env", "XDG_RUNTIME_DIR=\(old.directory)/run",
                            world.root + "/bin/security", "device", "adopt", "--from", old.state,
                        ])
                    try Waiting.until("the old service") {
                        ProcessEntry.mentioning(old.state).contains {
                            $0.words.first == "enclaved"
                        }
                    }
                    usleep(pause)
                    kill(try world.daemon("securityd"), SIGKILL)
                    _ = try adoption.wait()
                    adoption.end()
                    let first = try Waiting.value("an answer") { () throws -> Bool? in
                        let answer = try world.security(
                            Self.anna, "find-internet-password", "-s", "h0.example.org", "-w")
                        return answer.contains("-25291") || answer.contains("service")
                            ? nil : answer == "p0"
                    }
                    let last = try world.security(
                        Self.anna, "find-internet-password", "-s", "h\(count - 1).example.org", "-w"
                    )
                    #expect((last == "p\(count - 1)") == first, "\(last)")
                }
                if try !stored() { #expect(try old.adopt().hasPrefix("Adopted \(count) items.")) }
                #expect(try stored())
            }
        }

        // MARK: - Who may

        @Test func passcodesAreAskedForWhereTheyAreSet() throws {
            try Self.run { (world, old) throws in
                try old.serve { () throws in
                    #expect(try old.ask("add", "bank", "MANGO") == "ok")
                    _ = try old.own(
                        world.root + "/bin/security", "device", "set-passcode", "--passcode-fd",
                        "0",
                        "--no-recovery-code", input: "old-horse\n")
                }
                try world.setPasscode("new-horse", of: Self.anna)
                func adopt(_ lines: String) throws -> String {
                    try old.adopt("--passcode-fd", "0", input: lines)
                }
                for wrong in ["", "wrong\nnew-horse\n", "old-horse\nwrong\n"] {
                    #expect(try !adopt(wrong).contains("Adopted"))
                    #expect(try world.ask(Self.anna, "find", "bank") == "failed -25300")
                }
                #expect(try adopt("old-horse\nnew-horse\n").hasPrefix("Adopted 1 item."))
                #expect(try world.ask(Self.anna, "find", "bank") == "MANGO")
            }
        }

        @Test func itemsOfThePasscodeSetClassNeedAPasscode() throws {
            try Self.run { (world, old) throws in
                try old.serve { () throws in
                    _ = try old.own(
                        world.root + "/bin/security", "device", "set-passcode", "--passcode-fd",
                        "0",
                        "--no-recovery-code", input: "old-horse\n")
                    #expect(
                        try old.ask("add", "bank", "MANGO", "unsigned.\(Self.anna)", "akpu")
                            == "ok")
                    #expect(try old.ask("add", "shop", "KIWI") == "ok")
                }
                let refused = try old.adopt("--passcode-fd", "0", input: "old-horse\n")
                #expect(refused.contains("needs a passcode"), "\(refused)")
                #expect(try world.ask(Self.anna, "find", "shop") == "failed -25300")
                try world.setPasscode("new-horse", of: Self.anna)
                let said = try old.adopt("--passcode-fd", "0", input: "old-horse\nnew-horse\n")
                #expect(said.hasPrefix("Adopted 2 items."), "\(said)")
            }
        }

        @Test func anotherUsersKeychainIsOutOfReach() throws {
            try Self.run { (world, old) throws in
                try old.serve { () throws in #expect(try old.ask("add", "bank", "MANGO") == "ok") }
                let said = try world.security(Self.berta, "device", "adopt", "--from", old.state)
                #expect(said.contains("there is no keychain"), "\(said)")
                #expect(try world.ask(Self.berta, "find", "bank") == "failed -25300")
                // Its items are of programs of another user.
                let copy = world.root + "/copy"
                try FileManager.default.copyItem(
                    atPath: old.directory + "/data", toPath: copy)
                _ = try world.run(0, ["chown", "-R", "\(Self.berta):\(Self.berta)", copy])
                let stolen = try world.run(
                    Self.berta,
                    [
                        "env", "XDG_RUNTIME_DIR=/nonexistent", world.root + "/bin/security",
                        "device", "adopt", "--from", copy + "/llavero",
                    ])
                #expect(!stolen.contains("Adopted 1"), "\(stolen)")
                #expect(try world.ask(Self.berta, "find", "bank") == "failed -25300")
            }
        }

        @Test func theMachinesKeychainCantBeMovedOut() throws {
            try SystemWorld.run { (world) throws in
                #expect(try world.ask(Self.anna, "add", "bank", "MANGO") == "ok")
                #expect(try world.ask(Self.anna, "export") == "failed -25293")
                #expect(try world.ask(0, "export") == "failed -25293")
            }
        }

        // MARK: - Deleting the old one

        @Test func theOldKeychainIsDeletedOnlyAsItWasAdopted() throws {
            try Self.run { (world, old) throws in
                try old.serve { () throws in #expect(try old.ask("add", "bank", "MANGO") == "ok") }
                #expect(try old.adopt("--delete-old").contains("wasn't adopted"))
                #expect(try old.adopt().hasPrefix("Adopted 1 item."))
                try old.serve { () throws in #expect(try old.ask("add", "shop", "KIWI") == "ok") }
                #expect(try old.adopt("--delete-old").contains("has changed"))
                #expect(FileManager.default.fileExists(atPath: old.state + "/enclave/device.key"))
                #expect(try old.adopt("--skip-existing").hasPrefix("Adopted 1 item."))
                #expect(try old.adopt("--delete-old") == "The old keychain is deleted.")
                #expect(!FileManager.default.fileExists(atPath: old.state))
                #expect(try world.ask(Self.anna, "find", "shop") == "KIWI")
            }
        }
    }
}
