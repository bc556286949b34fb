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
    /// The recovery code: the second way in, when the TPM is gone, changed or has counted ten wrong
    /// passcodes.
    @Suite struct RecoveryCodes {
        private static let passcode = "correct horse"

        private static func text(_ code: RecoveryCode) -> String {
            let text = code.text
            return unsafe text.bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
        }

        private static func code(_ text: String) -> RecoveryCode? {
            RecoveryCode(SecretBytes(passcode: text))
        }

        /// A stopped user service with a TPM, an item of each class, and a recovery code.
        private static func withStore(
            hasPasscode: Bool = true,
            _ body: (TestTPM, TestService.Options, RecoveryCode) throws -> Void
        ) throws {
            try TestTPM.run { tpm in
                try TemporaryDirectory.lend { directory in
                    var options = TestService.Options(.user, directory: directory)
                    options.deviceKey = tpm.deviceKeyArgument
                    let code = try TestService.run(options) { service in
                        let secret = SecretBytes(passcode: hasPasscode ? passcode : "")
                        if hasPasscode { try service.keychain.setPasscode(secret) }
                        for accessibility in classes(hasPasscode) {
                            try service.keychain.add(
                                .password(accessibility.code, accessibility: accessibility))
                        }
                        let code = try service.keychain.makeRecoveryCode(passcode: secret)
                        let has = try service.keychain.deviceStatus().hasRecoveryCode
                        #expect(has)
                        return code
                    }
                    try body(tpm, options, code)
                }
            }
        }

        private static func classes(_ hasPasscode: Bool) -> [Accessibility] {
            Accessibility.allCases.filter {
                hasPasscode || $0 != .whenPasscodeSetThisDeviceOnly
            }
        }

        private static func expectItems(_ service: TestService, _ comment: Comment? = nil) {
            for accessibility in classes(false) {
                #expect(reads(service, accessibility.code) == 0, comment)
            }
            #expect(
                reads(service, Accessibility.whenPasscodeSetThisDeviceOnly.code) == -25300, comment)
        }

        private static func unlock(_ service: TestService, _ text: String) -> FailureReason? {
            reason { try service.keychain.unlock(passcode: SecretBytes(passcode: text)) }
        }

        private static func expectMaker(_ maker: String, _ service: TestService) throws {
            let status = try service.keychain.deviceStatus()
            #expect(status.deviceKey == maker)
            #expect(status.state == .noPasscode)
            #expect(!status.hasRecoveryCode)
        }

        // MARK: - The text

        @Test func eachMistakeOfOneSymbolOrTwoExchangedOnesShows() throws {
            let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
            let zeros = "0000-0000-0000-0000-0000-0000-0000"
            #expect(Self.code(zeros) != nil)
            #expect(Self.code(zeros.replacingOccurrences(of: "0", with: "o")) != nil)
            #expect(Self.code(zeros.replacingOccurrences(of: "0", with: "U")) == nil)
            var generator = SystemRandomNumberGenerator()
            for _ in 0..<20 {
                // A code from a random number: its check symbols make it valid.
                var symbols = (0..<26).map { _ in alphabet.randomElement(using: &generator) ?? "0" }
                let rest = symbols.reduce(0) { sum, symbol in
                    (sum * 32 + (alphabet.firstIndex(of: symbol) ?? 0)) % 1021
                }
                symbols += [alphabet[rest / 32], alphabet[rest % 32]]
                #expect(Self.code(String(symbols)).map(Self.text)?.count == 34)
                #expect(Self.code(String(symbols).lowercased() + "\r") != nil)
                for place in symbols.indices {
                    for other in alphabet where other != symbols[place] {
                        var changed = symbols
                        changed[place] = other
                        #expect(Self.code(String(changed)) == nil)
                    }
                    for second in symbols.indices.dropFirst(place + 1)
                    where symbols[place] != symbols[second] {
                        var changed = symbols
                        changed.swapAt(place, second)
                        #expect(Self.code(String(changed)) == nil)
                    }
                }
                #expect(Self.code(String(symbols.dropLast())) == nil)
                #expect(Self.code(String(symbols) + "0") == nil)
            }
        }

        // MARK: - The device key is gone

        @Test func withoutItsTPMTheKeychainGetsAFile() throws {
            try Self.withStore { tpm, options, code in
                tpm.stop()
                var alone = options
                alone.deviceKey = "file"
                try TestService.run(alone) { service in
                    #expect(Self.unlock(service, Self.passcode) == .deviceKeyUnavailable)
                    let typed = Self.text(code).lowercased()
                    let again = try #require(Self.code(typed))
                    try service.keychain.reset(recoveryCode: again)
                    try Self.expectMaker("file", service)
                    Self.expectItems(service)
                    // The code is used up.
                    #expect(
                        reason { try service.keychain.reset(recoveryCode: code) } == .wrongState)
                    try service.keychain.setPasscode(SecretBytes(passcode: "another"))
                    let next = try service.keychain.makeRecoveryCode(
                        passcode: SecretBytes(passcode: "another"))
                    #expect(Self.text(next) != Self.text(code))
                }
                try TestService.run(alone) { service in
                    #expect(reads(service, "ak") == -25308)
                    #expect(Self.unlock(service, Self.passcode) == .wrongPasscode)
                    #expect(Self.unlock(service, "another") == nil)
                    Self.expectItems(service)
                    let findings = try service.keychain.check().findings
                    #expect(findings == [])
                }
            }
        }

        @Test func anotherTPMMakesTheNewKey() throws {
            try Self.withStore { _, options, code in
                try TestTPM.run { other in
                    var moved = options
                    moved.deviceKey = other.deviceKeyArgument
                    try TestService.run(moved) { service in
                        #expect(Self.unlock(service, Self.passcode) == .deviceKeyUnavailable)
                        try service.keychain.reset(recoveryCode: code)
                        try Self.expectMaker("swtpm", service)
                        Self.expectItems(service)
                    }
                    try TestService.run(moved) { service in
                        try Self.expectMaker("swtpm", service)
                        Self.expectItems(service)
                        try service.keychain.setPasscode(SecretBytes(passcode: "another"))
                        try service.keychain.lock()
                        #expect(Self.unlock(service, "another") == nil)
                    }
                    // The indexes of the counter and the passcode.
                    #expect(try other.indexes().count == 2)
                }
            }
        }

        @Test func itNeedsNoPasscode() throws {
            try Self.withStore(hasPasscode: false) { tpm, options, code in
                tpm.stop()
                var alone = options
                alone.deviceKey = "file"
                try TestService.run(alone) { service in
                    #expect(reads(service, "dk") == -25291)
                    try service.keychain.reset(recoveryCode: code)
                    for accessibility in Self.classes(false) {
                        #expect(reads(service, accessibility.code) == 0)
                    }
                }
            }
        }

        @Test func killedAtEachStepOfARecovery() throws {
            try Self.withStore { tpm, options, code in
                tpm.stop()
                let state = try #require(options.directory) + "/llavero"
                let copy = try #require(options.directory) + "/copy"
                try FileManager.default.copyItem(atPath: state, toPath: copy)
                var faulty = options
                faulty.deviceKey = "file"
                faulty.hasFaults = true
                let count = try TestService.run(faulty) { service in
                    try service.strike("none")
                    try service.keychain.reset(recoveryCode: code)
                    return try service.fileCalls().count
                }
                #expect(count > 30, "\(count)")
                for step in FaultSteps.chosen(of: count) {
                    try FileManager.default.removeItem(atPath: state)
                    try FileManager.default.copyItem(atPath: copy, toPath: state)
                    try TestService.run(faulty) { service in
                        try service.strike("kill \(step)")
                        _ = reason { try service.keychain.reset(recoveryCode: code) }
                        try service.strike("none")
                        // Nothing was done, or all of it.
                        let second = reason { try service.keychain.reset(recoveryCode: code) }
                        #expect(second == nil || second == .wrongState, "step \(step)")
                        for accessibility in Self.classes(false) {
                            #expect(reads(service, accessibility.code) == 0, "step \(step)")
                        }
                        // Its key is gone; its row may be left if no note could be made.
                        #expect(reads(service, "akpu") != 0, "step \(step)")
                    }
                }
            }
        }

        // MARK: - The device key is there

        @Test func afterTooManyWrongPasscodesItOpens() throws {
            try Self.withStore { tpm, options, code in
                let state = try #require(options.directory) + "/llavero/enclave"
                let saved = try #require(options.directory) + "/saved"
                try FileManager.default.copyItem(atPath: state, toPath: saved)
                // The TPM's count includes wrong passcodes from before a rollback of the files,
                // without delays.
                for round in [1...4, 5...8, 9...10] {
                    try TestService.run(options) { service in
                        for number in round {
                            #expect(Self.unlock(service, "wrong \(number)") == .wrongPasscode)
                        }
                    }
                    try FileManager.default.removeItem(atPath: state)
                    try FileManager.default.copyItem(atPath: saved, toPath: state)
                }
                try TestService.run(options) { service in
                    #expect(Self.unlock(service, Self.passcode) == .disabled)
                    try service.keychain.reset(recoveryCode: code)
                    try Self.expectMaker("swtpm", service)
                    try service.keychain.setPasscode(SecretBytes(passcode: "another"))
                    #expect(reads(service, "ck") == 0)
                }
            }
        }

        /// The second way in: wrong codes aren't counted, and don't reset a count.
        @Test func wrongCodesNeitherCountNorForgetWrongPasscodes() throws {
            try Self.withStore { _, options, code in
                try TestService.run(options) { service in
                    for number in 1...5 {
                        #expect(Self.unlock(service, "wrong \(number)") == .wrongPasscode)
                    }
                    let zeros = try #require(Self.code(String(repeating: "0", count: 28)))
                    for _ in 0..<20 {
                        #expect(
                            reason { try service.keychain.reset(recoveryCode: zeros) }
                                == .wrongPasscode)
                    }
                    let status = try service.keychain.deviceStatus()
                    #expect(status.failedAttempts == 5)
                    #expect(Self.unlock(service, Self.passcode) == .throttled)
                    // It is never delayed.
                    try service.keychain.reset(recoveryCode: code)
                    Self.expectItems(service)
                }
            }
        }

        @Test func codeThatWasReplacedAndOneOfAnotherKeychainDoNotOpen() throws {
            try Self.withStore { _, options, first in
                let foreign = try TestService.run { other in
                    try other.keychain.makeRecoveryCode(passcode: SecretBytes(passcode: ""))
                }
                try TestService.run(options) { service in
                    #expect(
                        reason {
                            try service.keychain.makeRecoveryCode(
                                passcode: SecretBytes(passcode: "wrong"))
                        } == .wrongPasscode)
                    let passcode = SecretBytes(passcode: Self.passcode)
                    let second = try service.keychain.makeRecoveryCode(passcode: passcode)
                    for code in [first, foreign] {
                        #expect(
                            reason { try service.keychain.reset(recoveryCode: code) }
                                == .wrongPasscode)
                    }
                    // A new passcode, or a new maker, keeps it.
                    try service.keychain.changePasscode(
                        from: passcode, to: SecretBytes(passcode: "next"))
                    try service.keychain.migrateDeviceKey(
                        to: .file, passcode: SecretBytes(passcode: "next"))
                    try service.keychain.lock(.logOut)
                    try service.keychain.reset(recoveryCode: second)
                    try Self.expectMaker("file", service)
                    Self.expectItems(service)
                }
            }
        }

        @Test func oneDamagedCopyCostsNothingAndTwoAreClear() throws {
            try Self.withStore { _, options, code in
                let directory = try #require(options.directory) + "/llavero/enclave/"
                let path = directory + "protectors.\(geteuid())"
                for name in [path, path + ".2"] {
                    #expect(FileManager.default.fileExists(atPath: name))
                }
                try Data(repeating: 7, count: 100).write(to: URL(fileURLWithPath: path))
                let whole = try Data(contentsOf: URL(fileURLWithPath: path + ".2"))
                try Data(repeating: 7, count: 300).write(to: URL(fileURLWithPath: path + ".2"))
                try TestService.run(options) { service in
                    #expect(
                        reason { try service.keychain.reset(recoveryCode: code) }
                            == .wrongPasscode)
                    try whole.write(to: URL(fileURLWithPath: path + ".2"))
                    try service.keychain.reset(recoveryCode: code)
                    Self.expectItems(service)
                }
            }
        }
    }
}
