// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport
import Testing

/// Keychains with passwords of their own. Source: macOS's security, as observed.
@Suite struct KeychainCommandTests {
    /// The command with a home directory that is there.
    private struct Home {
        let security: Transcript
        let path: String

        func run(_ words: String...) throws -> Answer { try security.run(words, home: path) }

        func marker(_ name: String) -> String { path + "/Library/Keychains/" + name }

        func line(_ name: String) -> String { "    \"\(marker(name))\"\n" }

        func hasMarker(_ name: String) -> Bool {
            FileManager.default.fileExists(atPath: marker(name))
        }
    }

    private static func lend(_ body: (Home) throws -> Void) throws {
        let security = try Transcript()
        try TemporaryDirectory.lend { path in
            try body(Home(security: security, path: path))
        }
    }

    @Test func aJobMakesUsesAndDeletesAKeychain() throws {
        try Self.lend { (home: Home) throws in
            #expect(try home.run("create-keychain", "-p", "pw", "job.keychain") == Answer(0))
            #expect(home.hasMarker("job.keychain-db"))
            #expect(home.hasMarker("login.keychain-db"))
            #expect(
                try home.run("list-keychains", "-d", "user")
                    == Answer(0, home.line("login.keychain-db")))
            #expect(
                try home.run("set-keychain-settings", "-lut", "21600", "job.keychain")
                    == Answer(0))
            #expect(
                try home.run("show-keychain-info", "job.keychain")
                    == Answer(
                        0,
                        errors: "Keychain \"job.keychain\" lock-on-sleep use-lock-interval "
                            + "timeout=21600s\n"))
            #expect(try home.run("unlock-keychain", "-p", "pw", "job.keychain") == Answer(0))
            #expect(
                try home.run(
                    "add-generic-password", "-s", "svc", "-a", "bob", "-w", "inside",
                    "job.keychain") == Answer(0))
            // It isn't in the search list yet.
            #expect(
                try home.run("find-generic-password", "-s", "svc", "-w")
                    == Text.notFound)
            #expect(
                try home.run("find-generic-password", "-s", "svc", "-w", "job.keychain")
                    == Answer(0, "inside\n"))
            #expect(
                try home.run(
                    "list-keychains", "-d", "user", "-s", "login.keychain", "job.keychain")
                    == Answer(0))
            #expect(
                try home.run("list-keychains", "-d", "user")
                    == Answer(0, home.line("login.keychain-db") + home.line("job.keychain-db")))
            #expect(
                try home.run("find-generic-password", "-s", "svc", "-w")
                    == Answer(0, "inside\n"))
            #expect(try home.run("delete-keychain", "job.keychain") == Answer(0))
            #expect(!home.hasMarker("job.keychain-db"))
            #expect(
                try home.run("list-keychains", "-d", "user")
                    == Answer(0, home.line("login.keychain-db")))
            #expect(
                try home.run("find-generic-password", "-s", "svc", "-w")
                    == Text.notFound)
        }
    }

    @Test func aLockedKeychainGivesAttributesAlone() throws {
        try Self.lend { (home: Home) throws in
            #expect(try home.run("create-keychain", "-p", "pw", "job") == Answer(0))
            #expect(
                try home.run(
                    "add-generic-password", "-s", "svc", "-a", "bob", "-w", "inside", "job")
                    == Answer(0))
            #expect(try home.run("lock-keychain", "job") == Answer(0))
            let secret = try home.run("find-generic-password", "-s", "svc", "-w", "job")
            #expect(secret.status == 36)
            #expect(secret.output == "")
            let block = try home.run("find-generic-password", "-s", "svc", "job")
            #expect(block.status == 0)
            #expect(block.output.hasPrefix("keychain: \"\(home.marker("job-db"))\"\n"))
            #expect(
                try home.run("unlock-keychain", "-p", "wrong", "job")
                    == Answer(
                        51,
                        errors: "security: SecKeychainUnlock job: "
                            + "The user name or passphrase you entered is not correct.\n"))
            #expect(
                try home.run("set-keychain-password", "-o", "pw", "-p", "new", "job")
                    == Answer(0))
            #expect(try home.run("unlock-keychain", "-p", "pw", "job").status == 51)
            #expect(try home.run("unlock-keychain", "-p", "new", "job") == Answer(0))
            #expect(
                try home.run("find-generic-password", "-s", "svc", "-w", "job")
                    == Answer(0, "inside\n"))
            let deleted = try home.run("delete-generic-password", "-s", "svc", "job")
            #expect(deleted.status == 0)
            #expect(
                try home.run("find-generic-password", "-s", "svc", "-w", "job")
                    == Text.notFound)
        }
    }

    @Test func newItemsGoToTheDefaultKeychain() throws {
        try Self.lend { (home: Home) throws in
            #expect(
                try home.run("default-keychain") == Answer(0, home.line("login.keychain-db")))
            #expect(try home.run("create-keychain", "-p", "pw", "job") == Answer(0))
            #expect(try home.run("default-keychain", "-s", "job") == Answer(0))
            #expect(try home.run("default-keychain") == Answer(0, home.line("job-db")))
            #expect(
                try home.run("add-generic-password", "-s", "svc", "-a", "bob", "-w", "x")
                    == Answer(0))
            #expect(
                try home.run("find-generic-password", "-s", "svc", "-w", "login.keychain")
                    == Text.notFound)
            #expect(
                try home.run("find-generic-password", "-s", "svc", "-w", "job")
                    == Answer(0, "x\n"))
            #expect(try home.run("delete-keychain", "job") == Answer(0))
            #expect(
                try home.run("default-keychain") == Answer(0, home.line("login.keychain-db")))
        }
    }

    @Test func whatIsntThereOrIsThereAlreadyHasMacOSsStatus() throws {
        try Self.lend { (home: Home) throws in
            #expect(try home.run("create-keychain", "-p", "pw", "job") == Answer(0))
            #expect(
                try home.run("create-keychain", "-p", "pw", "job")
                    == Answer(
                        48,
                        errors: "security: SecKeychainCreate job: "
                            + "A keychain with the same name already exists.\n"))
            #expect(try home.run("create-keychain", "-p", "pw", "login.keychain").status == 48)
            #expect(try home.run("unlock-keychain", "-p", "pw", "other").status == 50)
            #expect(try home.run("delete-keychain", "other").status == 50)
            #expect(try home.run("delete-keychain", "login.keychain").status == 52)
            #expect(try home.run("delete-keychain").status == 2)
            // A copy of a marker elsewhere is no keychain.
            let copy = home.path + "/copy.keychain"
            try FileManager.default.copyItem(atPath: home.marker("job-db"), toPath: copy)
            #expect(try home.run("unlock-keychain", "-p", "pw", copy).status == 49)
            // Without its marker nothing is lost.
            try FileManager.default.removeItem(atPath: home.marker("job-db"))
            #expect(try home.run("unlock-keychain", "-p", "pw", "job").status == 50)
            let check = try home.run("device", "check")
            #expect(check.status == 0)
            #expect(
                check.output.contains(
                    "Keychains without their files:\n  \(home.marker("job-db"))\n"))
            #expect(try home.run("list-keychains", "--repair") == Answer(0))
            #expect(!(try home.run("device", "check")).output.contains("without their files"))
            #expect(try home.run("unlock-keychain", "-p", "pw", "job") == Answer(0))
        }
    }
}
