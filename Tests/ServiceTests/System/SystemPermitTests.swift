// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport
import Testing

extension ServiceTests {
    /// Who sets a first passcode in the system service.
    @Suite(.enabled(if: geteuid() == 0, "only root can start the system service"))
    struct SystemPermits {
        private static let anna = SystemWorld.anna
        private static let berta = SystemWorld.berta

        private static func refusesFirstPasscode(
            _ world: SystemWorld, _ user: UInt32, _ permit: String...
        ) throws -> Bool {
            try world.run(
                user,
                [world.root + "/bin/TestApplication", world.socketPath, "set-passcode", "x"]
                    + permit) == "failed -25293"
        }

        /// A program of the user sets a passcode that the user doesn't know, to lock them out. It waits
        /// for the moment at which root permits one.
        /// Red team: system; refused.
        /// Before: nothing.
        @Test func firstPasscodeNeedsRootsCode() throws {
            try SystemWorld.run { world in
                #expect(try Self.refusesFirstPasscode(world, Self.anna))
                let refusal = try world.security(
                    Self.anna, "device", "set-passcode", "--passcode-fd", "0", input: "horse\n")
                #expect(refusal.contains("security device permit-passcode"), "\(refusal)")
                // A user can't permit it, nor make the file that root makes.
                let permitting = try world.security(
                    Self.anna, "device", "permit-passcode", "\(Self.anna)")
                #expect(permitting.contains("only root permits"), "\(permitting)")
                let file = world.root + "/run/llavero/permits/\(Self.anna)"
                #expect(
                    try world.run(Self.anna, ["touch", file]).contains("Permission denied"))
                let code = try world.permit(Self.anna)
                // The attacker sees the file, and not the code.
                let digest = try Data(contentsOf: URL(fileURLWithPath: file))
                #expect(digest.count == 32)
                #expect(try Self.refusesFirstPasscode(world, Self.anna))
                #expect(
                    try Self.refusesFirstPasscode(world, Self.anna, "0000-0000-0000-0000"))
                // A code is one user's.
                #expect(try Self.refusesFirstPasscode(world, Self.berta, code))
                #expect(try world.ask(Self.anna, "set-passcode", "horse", code) == "ok")
                // It is good once: also for another securityd, and after the passcode is removed.
                #expect(
                    try world.security(
                        Self.anna, "device", "remove-passcode", "--passcode-fd", "0",
                        input: "horse\n") == "")
                #expect(try Self.refusesFirstPasscode(world, Self.anna, code))
                try world.crash("securityd")
                #expect(try Self.refusesFirstPasscode(world, Self.anna, code))
                // The tool reads passcode and code.
                let next = try world.permit(Self.anna)
                #expect(
                    try world.security(
                        Self.anna, "device", "set-passcode", "--passcode-fd", "0", "--permit-fd",
                        "0", input: "staple\n\(next.lowercased())\n") == "")
                #expect(try world.ask(Self.anna, "lock") == "ok")
                #expect(try world.ask(Self.anna, "unlock", "staple") == "ok")
                // Root needs none for its own keychain.
                #expect(try world.ask(0, "set-passcode", "root-horse") == "ok")
            }
        }

        @Test func permitEndsAfterTenMinutesAndMustBeRootsFile() throws {
            try SystemWorld.run { world in
                let code = try world.permit(Self.anna)
                let file = world.root + "/run/llavero/permits/\(Self.anna)"
                func refuses(after change: () throws -> Void) throws -> Bool {
                    try change()
                    return try Self.refusesFirstPasscode(world, Self.anna, code)
                }
                func touch(_ seconds: Double) throws {
                    try FileManager.default.setAttributes(
                        [.modificationDate: Date(timeIntervalSinceNow: seconds)],
                        ofItemAtPath: file)
                }
                #expect(try refuses { try touch(-601) })
                #expect(try refuses { try touch(60) })
                try touch(0)
                #expect(try refuses { _ = unsafe chown(file, Self.anna, Self.anna) })
                _ = unsafe chown(file, 0, 0)
                let folder = (file as NSString).deletingLastPathComponent
                #expect(try refuses { _ = unsafe chmod(folder, 0o777) })
                _ = unsafe chmod(folder, 0o755)
                // The control.
                #expect(try world.ask(Self.anna, "set-passcode", "horse", code) == "ok")
            }
        }

        /// A program of the user makes a recovery code before there is a passcode. With it, it would
        /// later remove the passcode.
        /// Red team: system; refused.
        /// Before: nothing.
        @Test func recoveryCodeFromBeforeTheFirstPasscodeNeedsRootAndEndsWithIt() throws {
            try SystemWorld.run { world in
                #expect(try world.ask(Self.anna, "add", "bank", "MANGO") == "ok")
                #expect(try world.ask(Self.anna, "recovery-code") == "failed -25293")
                // Even one that root has permitted ends with the first passcode.
                let code = try world.ask(Self.anna, "recovery-code", world.permit(Self.anna))
                #expect(code.count == 34, "\(code)")
                try world.setPasscode("horse", of: Self.anna)
                #expect(try world.ask(Self.anna, "lock") == "ok")
                #expect(try world.ask(Self.anna, "recover", code) != "ok")
                #expect(try world.ask(Self.anna, "find", "bank") == "failed -25308")
                #expect(try world.ask(Self.anna, "unlock", "horse") == "ok")
                // With a passcode no permit is needed: enclaved asks for the passcode.
                let made = try world.security(
                    Self.anna, "device", "recovery-code", "--passcode-fd", "0", "--recovery-fd",
                    "1",
                    input: "horse\n")
                #expect(made.count == 34, "\(made)")
                #expect(try world.ask(Self.anna, "recover", made) == "ok")
                #expect(try world.ask(Self.anna, "find", "bank") == "MANGO")
            }
        }

        /// Another user puts a key of its own where clients read the one that passcodes are sealed to.
        /// Red team: system; refused.
        /// Before: nothing.
        @Test func passcodeIsSealedOnlyToAKeyOfEnclavedsUser() throws {
            try SystemWorld.run { world in
                try world.setPasscode("horse", of: Self.anna)
                let key = world.root + "/run/llavero/enclave/passcode.pub"
                for command in ["echo key > \(key)", "mv \(key) \(key).old", "rm \(key)"] {
                    #expect(
                        try world.run(Self.berta, ["sh", "-c", command]).contains(
                            "Permission denied"))
                }
                #expect(try world.ask(Self.anna, "unlock", "horse") == "ok")
                // If it had come there nevertheless: the same key in another user's file, or in one
                // that others can write.
                #expect(unsafe chown(key, Self.berta, Self.berta) == 0)
                #expect(try world.ask(Self.anna, "unlock", "horse") != "ok")
                #expect(unsafe chown(key, SystemWorld.enclaved, SystemWorld.enclaved) == 0)
                #expect(unsafe chmod(key, 0o666) == 0)
                #expect(try world.ask(Self.anna, "unlock", "horse") != "ok")
                #expect(unsafe chmod(key, 0o644) == 0)
                #expect(try world.ask(Self.anna, "unlock", "horse") == "ok")
            }
        }
    }
}
