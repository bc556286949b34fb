// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import Foundation
import Glibc
import Keychain
import SecretBytes
import SecurityWire
import TestSupport
import Testing

extension ServiceTests {
    /// Passcodes that are removed: with the key of an escrow record, after too many wrong ones, or
    /// by a process that ended before it had finished.
    /// `Documentation/attack-list.md` explains the numbers in names of tests.
    @Suite struct Recovery {
        private static let passcode = "correct horse"
        private static let akpu: UInt8 = 12

        private static func addOneOfEachClass(_ keychain: KeychainConnection) throws {
            for accessibility in Accessibility.allCases {
                try keychain.add(.password(accessibility.code, accessibility: accessibility))
            }
        }

        // MARK: - Escrow

        @Test func s11ResetByEscrowKeepsEveryClassButAkpu() throws {
            try TestService.run { service in
                let keychain = service.keychain
                let passcode = SecretBytes(passcode: Self.passcode)
                try keychain.setPasscode(passcode)
                try Self.addOneOfEachClass(keychain)
                #expect(try !keychain.deviceStatus().hasEscrow)
                let key = try keychain.makeEscrow(passcode: passcode)
                #expect(try keychain.deviceStatus().hasEscrow)
                // From the worst state: nothing is unlocked, and no passcode would be tried.
                try keychain.lock(.logOut)
                try keychain.reset(escrowKey: key.bytes)
                let status = try keychain.deviceStatus()
                #expect(status.state == .noPasscode)
                #expect(!status.hasEscrow, "it goes with the passcode")
                for accessibility in Accessibility.allCases {
                    let isLost = accessibility == .whenPasscodeSetThisDeviceOnly
                    #expect(reads(service, accessibility.code) == (isLost ? -25300 : 0))
                }
                try Waiting.until("the rows to go") {
                    try StoredRows.count(of: Self.akpu, service.stateDirectory) == 0
                }
                // The same name can be used again, under the next passcode.
                try keychain.setPasscode(passcode)
                try keychain.add(
                    .password("akpu", accessibility: .whenPasscodeSetThisDeviceOnly))
                #expect(reads(service, "akpu") == 0)
            }
        }

        @Test func s11NoOtherKeyAndNoOldRecordResets() throws {
            try TestService.run { service in
                let keychain = service.keychain
                let passcode = SecretBytes(passcode: Self.passcode)
                #expect(
                    reason { try keychain.makeEscrow(passcode: passcode) } == .wrongState)
                try keychain.setPasscode(passcode)
                let random = SecretBytes.random(byteCount: 32)
                #expect(reason { try keychain.reset(escrowKey: random) } == .wrongState)
                #expect(
                    reason {
                        try keychain.makeEscrow(passcode: SecretBytes(passcode: "wrong"))
                    } == .wrongPasscode)
                let first = try keychain.makeEscrow(passcode: passcode)
                let second = try keychain.makeEscrow(passcode: passcode)
                for key in [first, Secret(random)] {
                    #expect(reason { try keychain.reset(escrowKey: key.bytes) } == .wrongPasscode)
                }
                let short = second.bytes.prefix(31)
                #expect(reason { try keychain.reset(escrowKey: short) } == .invalidRequest)
                let next = SecretBytes(passcode: "battery")
                try keychain.changePasscode(from: passcode, to: next)
                #expect(reason { try keychain.reset(escrowKey: second.bytes) } == .wrongState)
                #expect(try keychain.deviceStatus().failedAttempts == 0, "keys aren't counted")
                try keychain.removePasscode(next)
                #expect(reason { try keychain.reset(escrowKey: second.bytes) } == .wrongState)
            }
        }

        @Test func settingsNeedThePasscodeOutliveARestartAndGoWithIt() throws {
            try TestService.run { service in
                let keychain = service.keychain
                let passcode = SecretBytes(passcode: Self.passcode)
                let settings = DeviceSettings(erasesAfterFailures: true, graceSeconds: 300)
                #expect(
                    reason { try keychain.configure(settings, passcode: passcode) } == .wrongState)
                try keychain.setPasscode(passcode)
                let wrong = SecretBytes(passcode: "wrong")
                #expect(
                    reason { try keychain.configure(settings, passcode: wrong) } == .wrongPasscode)
                let longer = DeviceSettings(erasesAfterFailures: true, graceSeconds: 301)
                #expect(
                    reason { try keychain.configure(longer, passcode: passcode) }
                        == .invalidRequest)
                let none = DeviceSettings(erasesAfterFailures: false, graceSeconds: 0)
                #expect(try keychain.deviceStatus().settings == none)
                try keychain.configure(settings, passcode: passcode)
                #expect(try keychain.deviceStatus().settings == settings)
                try service.crash(try service.enclave())
                try Waiting.until("the enclave") {
                    (try? keychain.deviceStatus())?.settings == settings
                }
                try keychain.removePasscode(passcode)
                #expect(try keychain.deviceStatus().settings == none)
            }
        }

        @Test func eachOfThemIsAnEventOfItsOwn() throws {
            try TestService.run { service in
                let keychain = service.keychain
                let passcode = SecretBytes(passcode: Self.passcode)
                try keychain.setPasscode(passcode)
                try keychain.configure(
                    DeviceSettings(erasesAfterFailures: true, graceSeconds: 1),
                    passcode: passcode)
                let key = try keychain.makeEscrow(passcode: passcode)
                let random = SecretBytes.random(byteCount: 32)
                #expect(reason { try keychain.reset(escrowKey: random) } == .wrongPasscode)
                try keychain.reset(escrowKey: key.bytes)
                try keychain.setPasscode(passcode)
                let hold = try keychain.holdUnlocked(for: .seconds(1))
                hold.release()
                let records = try keychain.auditPage(AuditQuery()).records
                    .filter { $0.processID != 0 }
                #expect(
                    records.map(\.event) == [
                        .setPasscode, .configure, .makeEscrow, .reset, .reset, .setPasscode,
                        .holdUnlocked,
                    ])
                #expect(records.map(\.status) == [0, 0, 0, -25293, 0, 0, 0])
                #expect(
                    records.map(\.event.name).prefix(4) == [
                        "set-passcode", "configure", "make-escrow", "reset",
                    ])
            }
        }

        // MARK: - Erasing

        @Test func x07TenthWrongPasscodeErasesWhereTheSettingsSaySo() throws {
            try TemporaryDirectory.lend { directory in
                let service = try InProcessService(stateDirectory: directory)
                defer { service.stopEnclave() }
                let client = InProcessService.Client(
                    userID: geteuid(),
                    entitlements: Entitlements([
                        "keychain-access-groups": .list([.text("TEAM000000.test")])
                    ]))
                let keychain = try service.connect(client)
                let passcode = SecretBytes(passcode: Self.passcode)
                try keychain.setPasscode(passcode)
                try keychain.add(.password("ak", accessibility: .whenUnlocked))
                try keychain.configure(
                    DeviceSettings(erasesAfterFailures: true, graceSeconds: 0),
                    passcode: passcode)
                let before = try StateFiles.keybags(directory)
                #expect(before.count == 2)
                for number in 1...10 {
                    let guess = SecretBytes(passcode: "guess \(number)")
                    #expect(try keychain.deviceStatus().erasures == 0)
                    #expect(reason { try keychain.unlock(passcode: guess) } == .wrongPasscode)
                    service.clock.advance(bySeconds: 24 * 60 * 60)
                }
                let status = try keychain.deviceStatus()
                #expect(status.erasures == 1)
                #expect(status.state == .noPasscode)
                #expect(
                    reason { try keychain.unlock(passcode: passcode) } == .wrongState,
                    "the right passcode is none any more")
                #expect(reason { try keychain.find(.password("ak")) } != nil)
                for (name, content) in try StateFiles.keybags(directory) {
                    #expect(content != before[name])
                }
            }
        }

        // MARK: - Interrupted operations

        @Test func unlockWhoseEnclaveDiesHasAnUnknownOutcome() throws {
            try TestService.run { service in
                let keychain = service.keychain
                let passcode = SecretBytes(passcode: Self.passcode)
                try keychain.setPasscode(passcode)
                for verb in ["unlock", "remove"] {
                    let deriver = try service.deriver()
                    kill(deriver, SIGSTOP)
                    defer { kill(deriver, SIGCONT) }
                    let enclave = try service.enclave()
                    let other = service.connect()
                    let unlocking = InParallel.Shared()
                    unlocking.start(verb) {
                        let passcode = SecretBytes(passcode: Self.passcode)
                        let result = outcome {
                            if verb == "unlock" {
                                try other.unlock(passcode: passcode)
                            } else {
                                try other.removePasscode(passcode)
                            }
                        }
                        guard case .failure(let error) = result, error.status == -36,
                            error.reason == .unknownOutcome
                        else { throw TestFailure("\(verb) gave \(result)") }
                    }
                    try Waiting.until("the attempt to be counted") {
                        try keychain.deviceStatus().failedAttempts == 1
                    }
                    kill(enclave, SIGKILL)
                    #expect(unlocking.finish() == [])
                    try Waiting.until("the next enclave") {
                        (try? keychain.deviceStatus())?.state == .beforeFirstUnlock
                    }
                    try keychain.unlock(passcode: passcode)
                }
            }
        }

        /// A removal or a reset writes to files in both daemons. Whichever call it is interrupted
        /// at, the class's rows are deleted if and only if the class key is.
        @Test func rowsOfAClassThatEndedGoWhicheverStepTheProcessEndedAt() throws {
            try TemporaryDirectory.lend { directory in
                var options = TestService.Options(.user, directory: directory)
                options.hasFaults = true
                options.isInspectable = geteuid() != 0
                var ended = 0
                // A reset is the same except that no passcode is judged.
                for (isReset, stride) in [(false, 1), (true, 5)] {
                    var step = 0
                    var isStep = true
                    while isStep {
                        step += stride
                        // The supervisor waits longer and longer before it restarts a service that
                        // ended often.
                        isStep = try TestService.run(options) { service in
                            try endsAt(step, isReset: isReset, service, &ended)
                        }
                    }
                    #expect(step > 8, "there were steps to end at")
                }
                #expect(ended > 1, "some of them were behind the enclave's")
            }
        }

        /// - Returns: Whether there was such a step.
        private func endsAt(
            _ step: Int, isReset: Bool, _ service: TestService, _ ended: inout Int
        ) throws -> Bool {
            let keychain = service.keychain
            let passcode = SecretBytes(passcode: Self.passcode)
            if try !keychain.deviceStatus().passcodeSet { try keychain.setPasscode(passcode) }
            try keychain.unlock(passcode: passcode)
            try keychain.save(.password("akpu", accessibility: .whenPasscodeSetThisDeviceOnly))
            try keychain.save(.password("ak", accessibility: .whenUnlocked))
            let key = isReset ? try keychain.makeEscrow(passcode: passcode) : nil
            let worker = try service.worker()
            try service.strike("kill \(step)")
            _ = outcome {
                if let key {
                    try keychain.reset(escrowKey: key.bytes)
                } else {
                    try keychain.removePasscode(passcode)
                }
            }
            // The deletion continues after the reply, until its note is deleted, and a moment
            // longer.
            var hasStruck = false
            func strikes() throws -> Bool {
                hasStruck = try service.fileCalls().struck > 0
                return hasStruck
            }
            _ = try? Waiting.until("the step, or the end of the deletion") {
                try strikes() || Self.notes(service) == []
            }
            _ = try? Waiting.until("the step", within: .milliseconds(400)) { try strikes() }
            try service.strike("none")
            if hasStruck {
                try Waiting.until("another securityd") { try service.worker() != worker }
            }
            let status = try Waiting.value("the service") { try? keychain.deviceStatus() }
            if status.passcodeSet {
                try keychain.unlock(passcode: passcode)
                #expect(reads(service, "akpu") == 0, "step \(step)")
                #expect(Self.notes(service) == [], "step \(step)")
            } else {
                ended += 1
                try Waiting.until("the rows to go after step \(step)") {
                    try StoredRows.count(of: Self.akpu, service.stateDirectory) == 0
                }
                try Waiting.until("the note to go after step \(step)") {
                    Self.notes(service) == []
                }
                #expect(reason { try keychain.find(.password("akpu")) } == .absent)
            }
            #expect(reads(service, "ak") == 0, "step \(step)")
            return hasStruck
        }

        private static func notes(_ service: TestService) -> [String] {
            let names = try? FileManager.default.contentsOfDirectory(atPath: service.stateDirectory)
            return (names ?? []).filter { $0.hasPrefix("ending.") }
        }

        @Test func classThatIsMissingForAnotherReasonKeepsItsRows() throws {
            try TemporaryDirectory.lend { directory in
                let passcode = SecretBytes(passcode: Self.passcode)
                let state = directory + "/llavero"
                let saved = directory + "/saved"
                try TestService.run(.init(.user, directory: directory)) { service in
                    try service.keychain.add(.password("ak", accessibility: .whenUnlocked))
                    try service.stop()
                }
                // The enclave's files from before there was a passcode.
                try FileManager.default.copyItem(atPath: state + "/enclave", toPath: saved)
                let enclave = directory + "/later"
                try TestService.run(.init(.user, directory: directory)) { service in
                    try service.keychain.setPasscode(passcode)
                    try service.keychain.add(
                        .password("akpu", accessibility: .whenPasscodeSetThisDeviceOnly))
                    try service.stop()
                }
                try FileManager.default.moveItem(atPath: state + "/enclave", toPath: enclave)
                try FileManager.default.moveItem(atPath: saved, toPath: state + "/enclave")
                // And a note of a removal that never happened, as after a crash before it.
                let uuid = try #require(
                    FileManager.default.contents(atPath: enclave + "/keybag.\(geteuid())"))
                #expect(uuid.count > 16)
                for (number, content) in [(7, Data(uuid.prefix(16))), (8, Data("torn".utf8))] {
                    try content.write(
                        to: URL(fileURLWithPath: state + "/ending.\(geteuid()).\(number)"))
                }
                try TestService.run(.init(.user, directory: directory)) { service in
                    #expect(try service.keychain.deviceStatus().state == .noPasscode)
                    #expect(reason { try service.keychain.find(.password("akpu")) } == .keyGone)
                    try Waiting.until("the notes to go") { Self.notes(service) == [] }
                    #expect(try StoredRows.count(of: Self.akpu, state) == 1)
                    try service.stop()
                }
                // The later enclave's files are restored, and everything is there again.
                try FileManager.default.removeItem(atPath: state + "/enclave")
                try FileManager.default.moveItem(atPath: enclave, toPath: state + "/enclave")
                try TestService.run(.init(.user, directory: directory)) { service in
                    try service.keychain.unlock(passcode: passcode)
                    #expect(reads(service, "akpu") == 0)
                }
            }
        }
    }
}
