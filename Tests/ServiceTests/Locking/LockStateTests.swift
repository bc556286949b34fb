// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Keychain
import SecretBytes
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// The device's states with real daemons: N, B, U, L.
    /// `Documentation/attack-list.md` explains the numbers in names of tests.
    @Suite struct LockState {
        private static let passcode = "correct horse"

        @Test func withoutPasscodeLockingHasNoEffect() throws {
            try TestService.run { service in
                try service.keychain.add(.password("anna"))
                #expect(try service.keychain.deviceStatus().state == .noPasscode)
                #expect(try !service.keychain.deviceStatus().passcodeSet)
                try service.keychain.lock()
                #expect(try service.keychain.deviceStatus().state == .noPasscode)
                #expect(try one(service, "anna").secret?.testText == "secret")
                #expect(
                    reason { try service.keychain.unlock(passcode: SecretBytes(passcode: "x")) }
                        == .wrongState)
            }
        }

        @Test func s03LockRefusesWhenUnlockedItemsAloneAndUnlockBringsThemBack() throws {
            try TestService.run { service in
                try Self.addOneOfEach(service)
                try service.keychain.setPasscode(SecretBytes(passcode: Self.passcode))
                #expect(try service.keychain.deviceStatus().state == .unlocked)
                #expect(try service.keychain.deviceStatus().passcodeSet)
                try service.keychain.add(
                    .password("akpu", accessibility: .whenPasscodeSetThisDeviceOnly))
                for code in Self.allCodes { #expect(reads(service, code) == 0) }

                try service.keychain.lock()
                #expect(try service.keychain.deviceStatus().state == .locked)
                for code in Self.lockedCodes { #expect(reads(service, code) == -25308) }
                for code in Self.openCodes { #expect(reads(service, code) == 0) }

                try service.keychain.unlock(passcode: SecretBytes(passcode: Self.passcode))
                #expect(try service.keychain.deviceStatus().state == .unlocked)
                for code in Self.allCodes { #expect(reads(service, code) == 0) }
            }
        }

        @Test func lockedItemIsNeverReportedAsAbsent() throws {
            try TestService.run { service in
                try Self.addOneOfEach(service)
                try service.keychain.setPasscode(SecretBytes(passcode: Self.passcode))
                try service.keychain.lock()
                // Whatever it requests, and together with readable items.
                for fields in [[], .data, .attributes, .persistentReference] as [ReturnFields] {
                    #expect(
                        reason {
                            try service.keychain.find(.password("ak", returning: fields))
                        } == .locked)
                }
                #expect(
                    reason { try service.keychain.find(.password(service: "service", limit: nil)) }
                        == .locked)
                #expect(
                    reason {
                        try service.keychain.update(
                            .password("ak"), applying: .setting(secret: "x"))
                    } == .locked)
                #expect(
                    reason {
                        try service.keychain.update(
                            .password(service: "service"), applying: .setting(secret: "x"))
                    } == .locked)
                #expect(reason { try service.keychain.add(.password("new")) } == .locked)
                // Locked takes precedence over duplicate, so that nothing is revealed about
                // existing items.
                #expect(reason { try service.keychain.add(.password("ak")) } == .locked)
                // A missing item is still absent.
                #expect(reason { try service.keychain.find(.password("nobody")) } == .absent)
                try service.keychain.unlock(passcode: SecretBytes(passcode: Self.passcode))
                for code in Self.openCodes + ["ak", "aku"] {
                    #expect(try one(service, code).secret?.testText == "secret")
                }
                #expect(reason { try service.keychain.find(.password("new")) } == .absent)
            }
        }

        @Test func deleteWorksWhileLocked() throws {
            try TestService.run { service in
                try Self.addOneOfEach(service)
                try service.keychain.setPasscode(SecretBytes(passcode: Self.passcode))
                try service.keychain.lock()
                try service.keychain.delete(.password("ak"))
                try service.keychain.unlock(passcode: SecretBytes(passcode: Self.passcode))
                #expect(reason { try service.keychain.find(.password("ak")) } == .absent)
                #expect(try one(service, "aku").secret?.testText == "secret")
            }
        }

        @Test func wrongPasscodeIsRefusedCountedAndChangesNothing() throws {
            try TestService.run { service in
                try Self.addOneOfEach(service)
                try service.keychain.setPasscode(SecretBytes(passcode: Self.passcode))
                try service.keychain.lock()
                let wrong = outcome {
                    try service.keychain.unlock(passcode: SecretBytes(passcode: "wrong"))
                }
                #expect(
                    reason { try wrong.get() } == .wrongPasscode
                        && status { try wrong.get() } == -25293)
                var device = try service.keychain.deviceStatus()
                #expect(device.state == .locked)
                #expect(device.failedAttempts == 1)
                #expect(reads(service, "ak") == -25308)
                // The same wrong passcode again doesn't count as a second attempt.
                _ = outcome {
                    try service.keychain.unlock(passcode: SecretBytes(passcode: "wrong"))
                }
                #expect(try service.keychain.deviceStatus().failedAttempts == 1)
                _ = outcome {
                    try service.keychain.unlock(passcode: SecretBytes(passcode: "wrung"))
                }
                #expect(try service.keychain.deviceStatus().failedAttempts == 2)
                try service.keychain.unlock(passcode: SecretBytes(passcode: Self.passcode))
                device = try service.keychain.deviceStatus()
                #expect(device.state == .unlocked)
                #expect(device.failedAttempts == 0)
            }
        }

        @Test func changedPasscodeTakesTheOldOnesPlace() throws {
            try TestService.run { service in
                try Self.addOneOfEach(service)
                let keychain = service.keychain
                try keychain.setPasscode(SecretBytes(passcode: "one"))
                #expect(
                    reason { try keychain.setPasscode(SecretBytes(passcode: "two")) }
                        == .wrongState)
                try keychain.changePasscode(
                    from: SecretBytes(passcode: "one"), to: SecretBytes(passcode: "two"))
                try keychain.lock()
                #expect(
                    reason { try keychain.unlock(passcode: SecretBytes(passcode: "one")) }
                        == .wrongPasscode)
                try keychain.unlock(passcode: SecretBytes(passcode: "two"))
                #expect(reads(service, "ak") == 0)
                #expect(
                    reason { try keychain.removePasscode(SecretBytes(passcode: "one")) }
                        == .wrongPasscode)
                try keychain.removePasscode(SecretBytes(passcode: "two"))
                #expect(try keychain.deviceStatus().state == .noPasscode)
                #expect(reads(service, "ak") == 0)
            }
        }

        @Test func unacceptablePasscodesAreRefused() throws {
            try TestService.run { service in
                for text in ["", String(repeating: "p", count: 1025)] {
                    #expect(
                        reason { try service.keychain.setPasscode(SecretBytes(passcode: text)) }
                            == .invalidRequest)
                }
                #expect(try service.keychain.deviceStatus().state == .noPasscode)
                let longest = String(repeating: "p", count: 1024)
                try service.keychain.setPasscode(SecretBytes(passcode: longest))
                try service.keychain.lock()
                try service.keychain.unlock(passcode: SecretBytes(passcode: longest))
                #expect(try service.keychain.deviceStatus().state == .unlocked)
            }
        }

        @Test func s08ItemOfThePasscodeClassNeedsAPasscode() throws {
            try TestService.run { service in
                let item = NewItem.password("akpu", accessibility: .whenPasscodeSetThisDeviceOnly)
                #expect(reason { try service.keychain.add(item) } == .keyGone)
                #expect(status { try service.keychain.add(item) } == -25291)
                try service.keychain.setPasscode(SecretBytes(passcode: Self.passcode))
                try service.keychain.add(item)
                #expect(reads(service, "akpu") == 0)
                try service.keychain.removePasscode(SecretBytes(passcode: Self.passcode))
                #expect(reads(service, "akpu") == -25300)
            }
        }

        @Test func accessibilityCanBeChangedAndHoldsFromThenOn() throws {
            try TestService.run { service in
                try service.keychain.add(
                    .password("anna", secret: "kept", accessibility: .whenUnlocked))
                try service.keychain.add(
                    .password("berta", secret: "kept", accessibility: .afterFirstUnlock))
                try service.keychain.setPasscode(SecretBytes(passcode: Self.passcode))
                try service.keychain.update(
                    .password("anna"), applying: .setting([.accessible: .text("ck")]))
                try service.keychain.update(
                    .password("berta"), applying: .setting([.accessible: .text("ak")]))
                #expect(try one(service, "anna").attributes.accessibility == .afterFirstUnlock)
                #expect(try one(service, "anna").secret?.testText == "kept")
                try service.keychain.lock()
                #expect(reads(service, "anna") == 0)
                #expect(reads(service, "berta") == -25308)
                // Not into a class for which sealing is impossible now.
                #expect(
                    reason {
                        try service.keychain.update(
                            .password("anna"), applying: .setting([.accessible: .text("ak")]))
                    } == .locked)
                #expect(try one(service, "anna").attributes.accessibility == .afterFirstUnlock)
                #expect(try one(service, "anna").secret?.testText == "kept")
            }
        }

        // MARK: - Restarts

        @Test func s04RestartedEnclaveWithAPasscodeIsBeforeItsFirstUnlock() throws {
            try TestService.run { service in
                try Self.addOneOfEach(service)
                try service.keychain.setPasscode(SecretBytes(passcode: Self.passcode))
                try service.crash(try service.enclave())

                // The next call works without any other action.
                let device = try service.keychain.deviceStatus()
                #expect(device.state == .beforeFirstUnlock)
                #expect(device.passcodeSet)
                for code in ["dk", "dku"] { #expect(reads(service, code) == 0) }
                for code in ["ak", "aku", "ck", "cku"] { #expect(reads(service, code) == -25308) }
                #expect(
                    reason {
                        try service.keychain.add(
                            .password("new", accessibility: .afterFirstUnlock))
                    } == .locked)
                try service.keychain.add(.password("new", accessibility: .always))

                try service.keychain.unlock(passcode: SecretBytes(passcode: Self.passcode))
                #expect(try service.keychain.deviceStatus().state == .unlocked)
                for code in Self.openCodes + ["ak", "aku"] { #expect(reads(service, code) == 0) }
            }
        }

        @Test func withoutAPasscodeTheNextCallAfterACrashWorks() throws {
            try TestService.run { service in
                try Self.addOneOfEach(service)
                try service.crash(try service.enclave())
                for code in Self.openCodes + ["ak", "aku"] { #expect(reads(service, code) == 0) }
                try service.crash(try service.worker())
                try service.keychain.add(.password("new"))
                for code in Self.openCodes + ["ak", "aku"] { #expect(reads(service, code) == 0) }
                try service.crash(try service.deriver())
                #expect(reads(service, "ak") == 0)
                try service.keychain.setPasscode(SecretBytes(passcode: Self.passcode))
                #expect(try service.keychain.deviceStatus().state == .unlocked)
            }
        }

        @Test func wrongAttemptsAreRememberedOverACrash() throws {
            try TestService.run { service in
                try service.keychain.setPasscode(SecretBytes(passcode: Self.passcode))
                for text in ["wrong", "wrung"] {
                    #expect(
                        reason {
                            try service.keychain.unlock(passcode: SecretBytes(passcode: text))
                        }
                            == .wrongPasscode)
                }
                try service.crash(try service.enclave())
                #expect(try service.keychain.deviceStatus().failedAttempts == 2)
            }
        }

        // MARK: - Helpers

        private static let openCodes = ["ck", "dk", "cku", "dku"]
        private static let lockedCodes = ["ak", "aku", "akpu"]
        private static let allCodes = openCodes + lockedCodes

        /// One item of each class that needs no passcode, its account the class's code.
        private static func addOneOfEach(_ service: TestService) throws {
            for accessibility in Accessibility.allCases
            where accessibility != .whenPasscodeSetThisDeviceOnly {
                try service.keychain.add(
                    .password(accessibility.code, accessibility: accessibility))
            }
        }
    }
}
