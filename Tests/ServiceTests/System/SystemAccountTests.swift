// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport
import Testing

extension ServiceTests {
    /// A keybag is an account's: another one with its number gets nothing.
    @Suite(.enabled(if: geteuid() == 0, "only root can start the system service"))
    struct SystemAccounts {
        private static let anna = SystemWorld.anna
        private static let berta = SystemWorld.berta

        /// Writes the machine's list of accounts, as useradd does: in one step.
        private static func write(_ root: String, _ accounts: [(String, UInt32)]) throws {
            let lines = accounts.map { "\($0.0):x:\($0.1):\($0.1)::/:/bin/sh\n" }
            try lines.joined().write(
                toFile: root + "/etc/passwd", atomically: true, encoding: .utf8)
        }

        private static func run(_ body: (SystemWorld) throws -> Void) throws {
            try SystemWorld.prepare { root in
                try FileManager.default.createDirectory(
                    atPath: root + "/etc", withIntermediateDirectories: false)
                guard unsafe chmod(root + "/etc", 0o755) == 0 else { throw TestFailure("chmod") }
                try write(root, [("root", 0), ("anna", Self.anna), ("berta", Self.berta)])
                try SystemWorld.run(in: root, body)
            }
        }

        /// The list is looked at every ten seconds.
        private static func becomes(
            _ answer: String, _ world: SystemWorld, _ user: UInt32, _ words: String...
        ) throws {
            try Waiting.until("\(words) to answer \(answer)", within: .seconds(30)) {
                try world.run(
                    user, [world.root + "/bin/TestApplication", world.socketPath] + words)
                    == answer
            }
        }

        @Test func anAccountWithAnotherNameIsShutOutUntilRootRenamesIt() throws {
            try Self.run { (world) throws in
                #expect(try world.ask(Self.anna, "add", "bank", "MANGO") == "ok")
                #expect(try world.ask(Self.berta, "add", "bank", "PAPAYA") == "ok")
                try Self.write(
                    world.root, [("root", 0), ("annabel", Self.anna), ("berta", Self.berta)])
                try Self.becomes("failed -25293", world, Self.anna, "find", "bank")
                // Neither reads, nor writes, nor the passcode.
                #expect(try world.ask(Self.anna, "add", "shop", "KIWI") == "failed -25293")
                #expect(try world.ask(Self.anna, "lock") == "failed -25293")
                let advice = try world.security(Self.anna, "device", "status")
                #expect(advice.contains("rename-user"), "\(advice)")
                #expect(try world.ask(Self.berta, "find", "bank") == "PAPAYA")
                // It stays so after a crash.
                try world.crash("securityd")
                #expect(try world.ask(Self.anna, "find", "bank") == "failed -25293")
                // Only root says that it is the same account.
                for user in [Self.anna, Self.berta] {
                    let said = try world.security(user, "device", "rename-user", "\(Self.anna)")
                    #expect(said.contains("Only root"), "\(said)")
                }
                #expect(try world.ask(Self.anna, "find", "bank") == "failed -25293")
                #expect(try world.security(0, "device", "rename-user", "\(Self.anna)") == "")
                #expect(try world.ask(Self.anna, "find", "bank") == "MANGO")
            }
        }

        @Test func aForgottenAccountLeavesNothingToTheNextOne() throws {
            try Self.run { (world) throws in
                #expect(try world.ask(Self.anna, "add", "bank", "MANGO") == "ok")
                #expect(try world.ask(Self.berta, "add", "bank", "PAPAYA") == "ok")
                try world.setPasscode("correct-horse", of: Self.anna)
                try Self.write(world.root, [("root", 0), ("berta", Self.berta)])
                try Self.becomes("failed -25293", world, Self.anna, "find", "bank")
                for user in [Self.anna, Self.berta] {
                    let said = try world.security(user, "device", "forget-user", "\(Self.anna)")
                    #expect(said.contains("Only root"), "\(said)")
                }
                #expect(try world.security(0, "device", "forget-user", "\(Self.anna)") == "")
                try Self.write(
                    world.root, [("root", 0), ("carla", Self.anna), ("berta", Self.berta)])
                try Self.becomes("failed -25300", world, Self.anna, "find", "bank")
                #expect(try world.ask(Self.anna, "unlock", "correct-horse") == "failed -50")
                let status = try world.security(Self.anna, "device", "status")
                #expect(status.contains("Passcode:         not set"), "\(status)")
                let audit = try world.security(Self.anna, "audit")
                #expect(!audit.contains("set-passcode"), "\(audit)")
                #expect(try world.ask(Self.anna, "add", "bank", "LIME") == "ok")
                #expect(try world.ask(Self.anna, "find", "bank") == "LIME")
                try world.crash("enclaved")
                try Self.becomes("LIME", world, Self.anna, "find", "bank")
                #expect(try world.ask(Self.berta, "find", "bank") == "PAPAYA")
                #expect(try world.security(0, "audit").contains("forget-user"))
            }
        }

        @Test func aNumberWithoutANameIsClosedOnceItHasOne() throws {
            try Self.run { (world) throws in
                let nobody = Self.anna + 3
                #expect(try world.ask(nobody, "add", "bank", "MANGO") == "ok")
                try Self.write(world.root, [("root", 0), ("newcomer", nobody)])
                try Self.becomes("failed -25293", world, nobody, "find", "bank")
            }
        }

        @Test func withoutAListOfAccountsNobodyIsShutOut() throws {
            try Self.run { (world) throws in
                #expect(try world.ask(Self.anna, "add", "bank", "MANGO") == "ok")
                try FileManager.default.removeItem(atPath: world.root + "/etc/passwd")
                try world.crash("securityd")
                #expect(try world.ask(Self.anna, "find", "bank") == "MANGO")
            }
        }
    }
}
