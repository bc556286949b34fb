// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import Foundation
import Glibc
import Keychain
import SecretBytes
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// Wrong passcodes. Checks that take too long for this test are among the enclave's own tests,
    /// whose clock is injected: the rest of the delays, and the right passcode after nine failures.
    /// `Documentation/attack-list.md` explains the numbers in names of tests.
    @Suite struct Passcodes {
        private static let passcode = "correct horse"

        @Test func x02FirstFourWrongPasscodesCostNoDelayAndTheFifthAMinute() throws {
            try Self.withPasscode { service in
                for number in UInt32(1)...4 {
                    #expect(Self.unlock(service, "wrong \(number)") == .wrongPasscode)
                    let device = try service.keychain.deviceStatus()
                    #expect(device.failedAttempts == number)
                    #expect(device.secondsUntilNextAttempt == 0)
                }
                #expect(Self.unlock(service, "wrong 5") == .wrongPasscode)
                let device = try service.keychain.deviceStatus()
                #expect(device.failedAttempts == 5)
                let seconds = try #require(device.secondsUntilNextAttempt)
                #expect((1...60).contains(seconds))
                // Not even the right one is accepted now, and no attempt is counted.
                let refused = outcome {
                    try service.keychain.unlock(passcode: SecretBytes(passcode: Self.passcode))
                }
                #expect(reason { try refused.get() } == .throttled)
                #expect(status { try refused.get() } == -25293)
                #expect(Self.unlock(service, "wrong 6") == .throttled)
                for change in [
                    { try service.keychain.removePasscode(SecretBytes(passcode: Self.passcode)) },
                    {
                        try service.keychain.changePasscode(
                            from: SecretBytes(passcode: Self.passcode),
                            to: SecretBytes(passcode: "new"))
                    },
                ] { #expect(reason(change) == .throttled) }
                #expect(try service.keychain.deviceStatus().failedAttempts == 5)
                #expect(reads(service, "ak") == -25308)
            }
        }

        @Test func x03RestartDuringADelayStartsItAgainInFull() throws {
            try Self.withPasscode { service in
                for number in 1...5 {
                    #expect(Self.unlock(service, "wrong \(number)") == .wrongPasscode)
                }
                let before = try Waiting.value("a part of the delay to pass") {
                    let seconds = try service.keychain.deviceStatus().secondsUntilNextAttempt
                    return seconds.flatMap { (1...56).contains($0) ? $0 : nil }
                }
                let start = ContinuousClock.now
                try service.crash(try service.enclave())
                let device = try service.keychain.deviceStatus()
                #expect(device.failedAttempts == 5)
                let seconds = try #require(device.secondsUntilNextAttempt)
                // Minus the duration of the restart.
                let passed = start.duration(to: .now).components.seconds
                #expect(Int64(seconds) + passed > Int64(before))
                #expect(Self.unlock(service, Self.passcode) == .throttled)
            }
        }

        @Test func x04SameWrongPasscodeThirtyTimesIsOneAttempt() throws {
            try Self.withPasscode { service in
                for _ in 0..<30 { #expect(Self.unlock(service, "wrong") == .wrongPasscode) }
                let device = try service.keychain.deviceStatus()
                #expect(device.failedAttempts == 1)
                #expect(device.secondsUntilNextAttempt == 0)
                #expect(Self.unlock(service, Self.passcode) == nil)
            }
        }

        @Test func x05TwoWrongPasscodesInTurnAreEachAnAttempt() throws {
            try Self.withPasscode { service in
                for text in ["wrong a", "wrong b", "wrong a", "wrong b"] {
                    #expect(Self.unlock(service, text) == .wrongPasscode)
                }
                let device = try service.keychain.deviceStatus()
                #expect(device.failedAttempts == 4)
            }
        }

        @Test func x06AttemptCutOffBeforeItsComparisonCounts() throws {
            try Self.withPasscode { service in
                #expect(Self.unlock(service, "wrong") == .wrongPasscode)
                let enclave = try service.enclave()
                let deriver = try service.deriver()
                kill(deriver, SIGSTOP)
                defer { kill(deriver, SIGCONT) }
                let unlocking = InParallel.Shared()
                let other = service.connect()
                unlocking.start("unlock") {
                    _ = outcome { try other.unlock(passcode: SecretBytes(passcode: Self.passcode)) }
                }
                try Waiting.until("the attempt to be counted") {
                    try service.keychain.deviceStatus().failedAttempts == 2
                }
                try service.crash(enclave)
                kill(deriver, SIGCONT)
                #expect(unlocking.finish() == [])
                // It was the right passcode, but it wasn't judged.
                var device = try service.keychain.deviceStatus()
                #expect(device.failedAttempts == 2)
                #expect(device.state == .beforeFirstUnlock)
                #expect(Self.unlock(service, Self.passcode) == nil)
                device = try service.keychain.deviceStatus()
                #expect(device.failedAttempts == 0)
            }
        }

        /// While stopped, it can't detect that its socket was closed: the kernel ends it with its
        /// parent.
        @Test func aStoppedDeriverEndsWithItsEnclave() throws {
            try Self.withPasscode { service in
                let enclave = try service.enclave()
                let deriver = try service.deriver()
                kill(deriver, SIGSTOP)
                defer { kill(deriver, SIGCONT) }
                try service.crash(enclave)
                try Waiting.until("the deriver to end") { !ProcessEntry.runs(deriver) }
                #expect(Self.unlock(service, Self.passcode) == nil)
                #expect(try service.deriver() != deriver)
            }
        }

        @Test func x09RightPasscodeAfterFailuresUnlocksAndForgetsThem() throws {
            try Self.withPasscode { service in
                for number in 1...4 {
                    #expect(Self.unlock(service, "wrong \(number)") == .wrongPasscode)
                }
                #expect(Self.unlock(service, Self.passcode) == nil)
                #expect(try service.keychain.deviceStatus().failedAttempts == 0)
                #expect(reads(service, "ak") == 0)
                try service.crash(try service.enclave())
                #expect(try service.keychain.deviceStatus().failedAttempts == 0)
            }
        }

        // MARK: - Away from the device

        @Test func x10FilesWithoutTheirDeviceKeyTellNoPasscodeFromAnother() throws {
            try TemporaryDirectory.lend { directory in
                for name in ["ours", "other"] {
                    let path = directory + "/" + name
                    #expect(unsafe mkdir(path, 0o700) == 0)
                    try TestService.run(.init(.user, directory: path)) { service in
                        try service.keychain.add(.password("ak"))
                        try service.keychain.setPasscode(SecretBytes(passcode: Self.passcode))
                    }
                }
                let ours = directory + "/ours/llavero"
                // The control: with the device key, the right passcode can be distinguished from
                // another one.
                #expect(try Self.guess(ours, Self.passcode))
                #expect(try !Self.guess(ours, "wrong"))
                try StateFiles.copyDeviceKey(from: directory + "/other/llavero", to: ours)
                #expect(try !Self.guess(ours, Self.passcode))
                #expect(try !Self.guess(ours, "wrong"))
                for passcode in [Self.passcode, "wrong"] {
                    #expect(
                        try !PasscodeGuess(ours, user: geteuid(), passcode: passcode)
                            .unwrapsAnything)
                }
                // And the programs give the same result for both.
                let keybags = try StateFiles.keybags(ours)
                try TestService.run(.init(.user, directory: directory + "/ours")) { service in
                    let said = ["wrong", Self.passcode, "wrong", Self.passcode].map { passcode in
                        outcome {
                            try service.keychain.unlock(passcode: SecretBytes(passcode: passcode))
                        }
                    }
                    let statuses = Set(said.map { result in status { try result.get() } })
                    #expect(statuses.count == 1 && !statuses.contains(0))
                    #expect(reads(service, "ak") != 0)
                }
                #expect(try StateFiles.keybags(ours) == keybags)
            }
        }

        /// Whether the files of a stopped service can be opened with a passcode.
        private static func guess(_ state: String, _ passcode: String) throws -> Bool {
            do {
                let keys = try DerivedKeys(
                    stateDirectory: state, user: geteuid(), passcode: passcode)
                return !keys.classKeys.isEmpty
            } catch { return false }
        }

        // MARK: - Helpers

        /// A service whose device has a passcode and is locked, with an item of class ak.
        private static func withPasscode(_ body: (TestService) throws -> Void) throws {
            try TestService.run { service in
                try service.keychain.add(.password("ak", accessibility: .whenUnlocked))
                try service.keychain.setPasscode(SecretBytes(passcode: passcode))
                try service.keychain.lock()
                try body(service)
            }
        }

        private static func unlock(_ service: TestService, _ passcode: String) -> FailureReason? {
            reason { try service.keychain.unlock(passcode: SecretBytes(passcode: passcode)) }
        }
    }
}
