// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport
import Testing

extension ServiceTests {
    /// Protectors of the system service's users: the supervisor opens a credential, and enclaved
    /// alone reads it.
    @Suite(.enabled(if: geteuid() == 0, "only root can start the system service"))
    struct SystemProtectors {
        private static func security(
            _ world: SystemWorld, _ user: UInt32, _ words: String..., input: String = ""
        ) throws -> String {
            try world.run(user, [world.root + "/bin/security", "device"] + words, input: input)
        }

        /// What systemd makes for LoadCredential=: root's, for root to read.
        private static func credentials(_ root: String, _ name: String, of path: String) throws {
            let directory = root + "/credentials"
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: false)
            try FileManager.default.copyItem(atPath: path, toPath: directory + "/" + name)
            guard unsafe chmod(directory + "/" + name, 0o400) == 0,
                unsafe chmod(directory, 0o500) == 0
            else { throw TestFailure("chmod") }
        }

        @Test func aUsersKeybagOpensAtBootByACredentialOfTheUnit() throws {
            try SystemWorld.prepare { root in
                let key = root + "/anna.key"
                try SystemWorld.run(in: root) { (world) throws in
                    #expect(try world.ask(SystemWorld.anna, "add", "a", "s") == "ok")
                    // Without a passcode only root adds one, and only root names a user.
                    let refused = try Self.security(
                        world, SystemWorld.anna, "protector", "add", "boot", "--key-file",
                        "/tmp/anna.\(getpid()).key")
                    #expect(refused.contains("only root changes protectors"))
                    let other = try Self.security(
                        world, SystemWorld.berta, "protector", "list", "--user",
                        "\(SystemWorld.anna)")
                    #expect(other.contains("only root"))
                    #expect(
                        try Self.security(
                            world, 0, "protector", "add", "boot", "--key-file", key, "--user",
                            "\(SystemWorld.anna)") == "")
                    let status = try Self.security(world, SystemWorld.anna, "status")
                    #expect(status.contains("Passcode:         not set"))
                    #expect(status.contains("Protectors:       boot"))
                    #expect(try world.ask(SystemWorld.anna, "find", "a") == "s")
                }
                // The next boot without it.
                try SystemWorld.run(in: root) { (world) throws in
                    #expect(try world.ask(SystemWorld.anna, "find", "a") == "failed -25308")
                    #expect(try world.ask(SystemWorld.berta, "add", "b", "t") == "ok")
                }
                // And with it.
                try Self.credentials(root, "llavero.anna", of: key)
                let unit = SystemWorld.Unit(
                    arguments: ["--protector-credential", "\(SystemWorld.anna):llavero.anna"],
                    credentialsDirectory: root + "/credentials")
                try SystemWorld.run(in: root, as: unit) { (world) throws in
                    #expect(try world.ask(SystemWorld.anna, "find", "a") == "s")
                    #expect(try world.ask(SystemWorld.berta, "find", "b") == "t")
                    #expect(world.messages.contains("unlocked by the protector boot"))
                    // enclaved is started again by the supervisor, which opens the file again.
                    try world.crash("enclaved")
                    try Waiting.until("the next enclaved to unlock") {
                        try world.ask(SystemWorld.anna, "find", "a") == "s"
                    }
                    let last = try Self.security(
                        world, 0, "protector", "remove", "boot", "--user",
                        "\(SystemWorld.anna)")
                    #expect(last.contains("Nothing else would unlock"))
                    #expect(
                        try Self.security(
                            world, 0, "remove-passcode", "--user", "\(SystemWorld.anna)") == "")
                    let status = try Self.security(world, SystemWorld.anna, "status")
                    #expect(status.contains("N (no passcode"))
                }
            }
        }

        /// Berta's key is no key of Anna's, and a key of Anna's alone opens nothing of Berta's.
        @Test func aKeyOpensOnlyTheKeybagThatItWasMadeFor() throws {
            try SystemWorld.prepare { root in
                let key = root + "/anna.key"
                try SystemWorld.run(in: root) { (world) throws in
                    for user in [SystemWorld.anna, SystemWorld.berta] {
                        #expect(try world.ask(user, "add", "a", "s") == "ok")
                        let file = user == SystemWorld.anna ? key : root + "/berta.key"
                        #expect(
                            try Self.security(
                                world, 0, "protector", "add", "boot", "--key-file", file,
                                "--user", "\(user)") == "")
                    }
                }
                let unit = SystemWorld.Unit(
                    arguments: ["--protector-key-file", "\(SystemWorld.berta):\(key)"])
                try SystemWorld.run(in: root, as: unit) { (world) throws in
                    for user in [SystemWorld.anna, SystemWorld.berta] {
                        #expect(try world.ask(user, "find", "a") == "failed -25308")
                    }
                    #expect(world.messages.contains("of no protector"))
                }
            }
        }
    }
}
