// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Glibc
import Keychain
import SecretBytes
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// A passcode that is bound to the software with which the machine was started, and the way in
    /// after that changed.
    @Suite struct RegisterBinding {
        private static let passcode = "correct horse"
        private static let digits = String(repeating: "5a", count: 32)

        /// Provides a TPM, and the options of a service that uses it.
        private static func withTPM(
            _ body: (TestTPM, TestService.Options) throws -> Void
        ) throws {
            try TestTPM.run { tpm in
                try TemporaryDirectory.lend { directory in
                    var options = TestService.Options(.user, directory: directory)
                    options.deviceKey = tpm.deviceKeyArgument
                    try body(tpm, options)
                }
            }
        }

        private static func bind(
            _ service: TestService, _ registers: Set<Int>, _ text: String = passcode
        ) -> FailureReason? {
            reason {
                try service.keychain.bindPasscode(
                    toRegisters: registers, passcode: SecretBytes(passcode: text))
            }
        }

        private static func unlock(
            _ service: TestService, _ text: String = passcode
        ) -> FailureReason? {
            reason { try service.keychain.unlock(passcode: SecretBytes(passcode: text)) }
        }

        /// A passcode, a recovery code, an item, and a binding.
        private static func prepare(
            _ service: TestService, _ registers: Set<Int> = [16]
        ) throws -> RecoveryCode {
            let secret = SecretBytes(passcode: passcode)
            try service.keychain.setPasscode(secret)
            try service.keychain.add(.password("kept", accessibility: .whenUnlocked))
            let code = try service.keychain.makeRecoveryCode(passcode: secret)
            #expect(bind(service, registers) == nil)
            return code
        }

        @Test func otherRegistersNeedTheRecoveryCode() throws {
            try Self.withTPM { tpm, options in
                let code = try TestService.run(options) { try Self.prepare($0) }
                try TestService.run(options) { #expect(Self.unlock($0) == nil) }
                try tpm.mustRun("pcrextend", "16:sha256=\(Self.digits)")
                try TestService.run(options) { service in
                    #expect(Self.unlock(service) == .deviceKeyUnavailable)
                    #expect(try service.keychain.deviceStatus().boundRegisters == [16])
                    // No comparison happened here.
                    let attempts = try service.keychain.deviceStatus().failedAttempts
                    #expect(attempts == 0)
                    #expect(Self.unlock(service, "another") == .wrongPasscode)
                    #expect(reads(service, "kept") == -25308)
                    try service.keychain.reset(recoveryCode: code)
                    #expect(reads(service, "kept") == 0)
                    #expect(try service.keychain.deviceStatus().boundRegisters == [])
                    // From now on like any other keychain.
                    try service.keychain.setPasscode(SecretBytes(passcode: "next"))
                }
                try tpm.mustRun("pcrextend", "16:sha256=\(Self.digits)")
                try TestService.run(options) { service in
                    #expect(Self.unlock(service, "next") == nil)
                    #expect(reads(service, "kept") == 0)
                }
            }
        }

        /// If the disk is moved to another machine, the error names the missing TPM, not a locked
        /// device.
        @Test func boundKeychainWithoutItsTPMSaysWhatIsMissing() throws {
            try Self.withTPM { _, options in
                let code = try TestService.run(options) { try Self.prepare($0, [7, 16]) }
                var without = options
                without.deviceKey = "unix:/nowhere/tpm"
                try TestService.run(without) { service in
                    let status = reason { try service.keychain.deviceStatus() }
                    #expect(status == .deviceKeyUnavailable)
                    #expect(Self.unlock(service) == .deviceKeyUnavailable)
                    #expect(Self.bind(service, []) == .deviceKeyUnavailable)
                }
                // Neither had an effect.
                try TestService.run(options) { service in
                    let bound = try service.keychain.deviceStatus().boundRegisters
                    #expect(bound == [7, 16])
                    #expect(Self.unlock(service) == nil)
                }
                try TestService.run(without) { service in
                    try service.keychain.reset(recoveryCode: code, to: .file)
                    #expect(reads(service, "kept") == 0)
                    #expect(try service.keychain.deviceStatus().boundRegisters == [])
                }
            }
        }

        @Test func changedPasscodeStaysBoundUntilNoneIsAskedFor() throws {
            try Self.withTPM { tpm, options in
                _ = try TestService.run(options) { service in
                    let code = try Self.prepare(service)
                    try service.keychain.changePasscode(
                        from: SecretBytes(passcode: Self.passcode),
                        to: SecretBytes(passcode: "next"))
                    return code
                }
                try tpm.mustRun("pcrextend", "16:sha256=\(Self.digits)")
                try TestService.run(options) {
                    #expect(Self.unlock($0, "next") == .deviceKeyUnavailable)
                }
                try tpm.mustRun("pcrreset", "16")
                try TestService.run(options) { service in
                    #expect(Self.unlock(service, "next") == nil)
                    #expect(Self.bind(service, [0, 7, 23], "next") == nil)
                    let bound = try service.keychain.deviceStatus().boundRegisters
                    #expect(bound == [0, 7, 23])
                    #expect(Self.bind(service, [], "next") == nil)
                    let unbound = try service.keychain.deviceStatus().boundRegisters
                    #expect(unbound == [])
                }
                try tpm.mustRun("pcrextend", "16:sha256=\(Self.digits)")
                try TestService.run(options) { service in
                    #expect(Self.unlock(service, "next") == nil)
                    #expect(reads(service, "kept") == 0)
                }
            }
        }

        @Test func nothingIsBoundWithoutASecondWayIn() throws {
            try Self.withTPM { _, options in
                try TestService.run(options) { service in
                    #expect(Self.bind(service, [7]) == .wrongState)
                    let secret = SecretBytes(passcode: Self.passcode)
                    try service.keychain.setPasscode(secret)
                    #expect(Self.bind(service, [7]) == .wrongState)
                    _ = try service.keychain.makeRecoveryCode(passcode: secret)
                    #expect(Self.bind(service, [7], "another") == .wrongPasscode)
                    #expect(Self.bind(service, [24]) == .invalidRequest)
                    #expect(Self.bind(service, [7]) == nil)
                }
            }
        }

        @Test func fileCanNotBeBound() throws {
            try TestService.run { service in
                let secret = SecretBytes(passcode: Self.passcode)
                try service.keychain.setPasscode(secret)
                _ = try service.keychain.makeRecoveryCode(passcode: secret)
                #expect(Self.bind(service, [7]) == .wrongState)
                #expect(Self.unlock(service) == nil)
            }
        }

        /// The index of the previously bound passcode is deleted, as for any other.
        @Test func bindingLeavesOneIndexInTheTPM() throws {
            try Self.withTPM { tpm, options in
                _ = try TestService.run(options) { service in
                    let code = try Self.prepare(service, [7])
                    #expect(Self.bind(service, [0, 7]) == nil)
                    return code
                }
                // The counter's index, and one for the passcode.
                #expect(try tpm.indexes().count == 2)
            }
        }
    }
}
