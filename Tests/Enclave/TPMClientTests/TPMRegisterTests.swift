// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Foundation
import SecretBytes
import TPMClient
import TestSupport
import Testing

extension TPMTests {
    /// Passcodes that are bound to the software with which the machine was started.
    @Suite struct Registers {
        private static let digits = String(repeating: "5a", count: 32)

        /// The result of enrolling a passcode with the registers' first values.
        private static func enrol(
            _ tpm: TestTPM, _ binding: TPMRegisterBinding
        ) throws -> (record: TPMRecord, sealed: [UInt8]) {
            let device = try TPMFixture.make(tpm)
            let made = try device.enrol(
                TPMFixture.passcode(1), context: TPMFixture.context,
                attemptLimit: TPMFixture.limit, binding)
            return (device.record, made.sealed)
        }

        private static func enrolAgain(
            _ tpm: TestTPM, _ first: (record: TPMRecord, sealed: [UInt8])
        ) throws -> (record: TPMRecord, sealed: [UInt8]) {
            let made = try TPMFixture.use(first.record, tpm).enrol(
                TPMFixture.passcode(2), context: TPMFixture.context,
                attemptLimit: TPMFixture.limit, .asBefore(sealed: first.sealed))
            return (first.record, made.sealed)
        }

        private static func outcome(
            _ tpm: TestTPM, _ made: (record: TPMRecord, sealed: [UInt8]), _ passcode: UInt8 = 1
        ) throws -> Result<[UInt8], TPMFailure> {
            TPMFixture.outcome(try TPMFixture.use(made.record, tpm), passcode, made.sealed)
        }

        private static func opens(
            _ tpm: TestTPM, _ made: (record: TPMRecord, sealed: [UInt8])
        ) throws -> Bool {
            let outcome = try outcome(tpm, made)
            return (try? outcome.get())?.count == 32
        }

        @Test func boundUnlockIsEightCommands() throws {
            try TestTPM.run { tpm in
                let device = try TPMFixture.make(tpm)
                let made = try device.enrol(
                    TPMFixture.passcode(1), context: TPMFixture.context,
                    attemptLimit: TPMFixture.limit, .registers(mask: 1 << 7 | 1))
                let before = device.commandCount
                let opened = TPMFixture.outcome(device, 1, made.sealed)
                #expect(device.commandCount - before == 8)
                #expect(opened == .success(made.opened.entropy.array))
            }
        }

        @Test(arguments: [0x1_0000, 0x81_00FF, 0xFF_FFFF] as [UInt32])
        func otherRegistersRefuseTheRightPasscode(_ mask: UInt32) throws {
            try TestTPM.run { tpm in
                let bound = try Self.enrol(tpm, .registers(mask: mask))
                #expect(try Self.opens(tpm, bound))
                try tpm.mustRun("pcrextend", "16:sha256=\(Self.digits)")
                #expect(try Self.outcome(tpm, bound) == .failure(.otherRegisters))
                // As it was before.
                try tpm.mustRun("pcrreset", "16")
                #expect(try Self.opens(tpm, bound))
            }
        }

        @Test func registersThatWereNotNamedDoNotMatter() throws {
            try TestTPM.run { tpm in
                let free = try Self.enrol(tpm, .none)
                let bound = try Self.enrol(tpm, .registers(mask: 0xFF))
                try tpm.mustRun("pcrextend", "16:sha256=\(Self.digits)")
                #expect(try Self.opens(tpm, free))
                #expect(try Self.opens(tpm, bound))
            }
        }

        @Test func anotherPasscodeIsBoundAsTheOneBeforeToWhatIsThereNow() throws {
            try TestTPM.run { tpm in
                let first = try Self.enrol(tpm, .registers(mask: 1 << 16))
                try tpm.mustRun("pcrextend", "16:sha256=\(Self.digits)")
                let second = try Self.enrolAgain(tpm, first)
                let again = try Self.outcome(tpm, second, 2)
                #expect(!again.isFailure)
                try tpm.mustRun("pcrextend", "16:sha256=\(Self.digits)")
                #expect(try Self.outcome(tpm, second, 2) == .failure(.otherRegisters))
            }
        }

        @Test func wrongPasscodesCountWhateverTheRegistersHold() throws {
            try TestTPM.run { tpm in
                let bound = try Self.enrol(tpm, .registers(mask: 1 << 16))
                try tpm.mustRun("pcrextend", "16:sha256=\(Self.digits)")
                for _ in 0..<TPMFixture.limit {
                    #expect(try Self.outcome(tpm, bound, 2) == .failure(.wrongAuthorization))
                }
                #expect(try Self.outcome(tpm, bound) == .failure(.exhausted))
            }
        }

        /// An attacker who changes the stored binding can't open anything with it.
        @Test func bindingThatIsTakenOutOrChangedOpensNothing() throws {
            try TestTPM.run { tpm in
                let bound = try Self.enrol(tpm, .registers(mask: 1 << 16))
                try tpm.mustRun("pcrextend", "16:sha256=\(Self.digits)")
                // u8 version, u32 index, 32 bytes; then u32 registers and their digest.
                let head = 1 + 4 + 32
                var without = bound.sealed
                without.replaceSubrange(head..<head + 36, with: [UInt8](repeating: 0, count: 36))
                #expect(try Self.outcome(tpm, (bound.record, without)).isFailure)
                var others = bound.sealed
                others[head + 1] = 0
                others[head + 3] = 1
                #expect(try Self.outcome(tpm, (bound.record, others)).isFailure)
                // The registers' current values, in the form of the policy.
                let value = SHA256.hash(
                    data: [UInt8](repeating: 0, count: 32) + Self.digits.unhexed)
                var now = bound.sealed
                now.replaceSubrange(
                    head + 4..<head + 36, with: [UInt8](SHA256.hash(data: [UInt8](value))))
                #expect(try Self.outcome(tpm, (bound.record, now)).isFailure)
                try tpm.mustRun("pcrreset", "16")
                #expect(try Self.opens(tpm, bound))
            }
        }

        /// tpm2-tools computes the same policy from the same registers.
        @Test func stateIsWhatTheOracleReads() throws {
            try TestTPM.run { tpm in
                try tpm.mustRun("pcrextend", "16:sha256=\(Self.digits)")
                let bound = try Self.enrol(tpm, .registers(mask: 0xFF_FFFF))
                let file = tpm.directory + "/registers"
                try tpm.mustRun("pcrread", "sha256:all", "-o", file)
                let values = try Data(contentsOf: URL(fileURLWithPath: file))
                #expect(values.count == 24 * 32)
                let digest = [UInt8](SHA256.hash(data: values))
                #expect([UInt8](bound.sealed[41..<73]) == digest)
            }
        }

        @Test func registersThatDoNotExistAreRefused() throws {
            try TestTPM.run { tpm in
                for mask in [UInt32(0), 1 << 24, .max] {
                    #expect(throws: TPMFailure.self) {
                        try Self.enrol(tpm, .registers(mask: mask))
                    }
                }
                let indexes = try tpm.indexes()
                #expect(indexes.isEmpty)
            }
        }
    }
}

extension Result {
    fileprivate var isFailure: Bool { if case .failure = self { true } else { false } }
}
