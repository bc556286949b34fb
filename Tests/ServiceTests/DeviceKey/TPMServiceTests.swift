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
    /// The released daemons with a device key in a TPM: swtpm, as a process of the test.
    /// `Documentation/attack-list.md` explains the numbers in names of tests.
    @Suite struct DeviceKeyInATPM {
        private static let passcode = "correct horse"

        @Test func statusSaysWhatItIs() throws {
            try Self.onTPM(.ephemeral) { _, service in
                let device = try service.keychain.deviceStatus()
                #expect(device.deviceKey == "swtpm")
                #expect(!device.hardwareBacked)
            }
            // The control: a file.
            try TestService.run { service in
                let device = try service.keychain.deviceStatus()
                #expect(device.deviceKey == "file" && !device.hardwareBacked)
            }
        }

        @Test func itemsComeBackAfterARestart() throws {
            try Self.withStore { tpm, options, _ in
                try TestService.run(options) { service in
                    #expect(reads(service, "ak") == -25308)
                    #expect(Self.unlock(service, Self.passcode) == nil)
                    #expect(reads(service, "ak") == 0)
                }
                tpm.stop()
                try tpm.start()
                try TestService.run(options) { service in
                    #expect(Self.unlock(service, Self.passcode) == nil)
                    #expect(reads(service, "ak") == 0)
                }
            }
        }

        @Test func ephemeralServiceLeavesNothingInTheTPM() throws {
            try TestTPM.run { tpm in
                let before = try tpm.indexes()
                var options = TestService.Options()
                options.deviceKey = tpm.deviceKeyArgument
                try TestService.run(options) { service in
                    for text in ["one", "two"] {
                        try service.keychain.setPasscode(SecretBytes(passcode: text))
                        if text == "one" {
                            try service.keychain.removePasscode(SecretBytes(passcode: text))
                        }
                    }
                }
                #expect(try tpm.indexes() == before)
            }
        }

        @Test func changingAndRemovingThePasscodeTakeTheirIndexAlong() throws {
            try Self.withStore { tpm, options, _ in
                // The indexes of the counter and the passcode.
                let before = try tpm.indexes()
                #expect(before.count == 2)
                try TestService.run(options) { service in
                    try service.keychain.changePasscode(
                        from: SecretBytes(passcode: Self.passcode),
                        to: SecretBytes(passcode: "new"))
                }
                let changed = try tpm.indexes()
                #expect(changed.count == 2 && changed != before)
                try TestService.run(options) { service in
                    try service.keychain.removePasscode(SecretBytes(passcode: "new"))
                }
                #expect(try tpm.indexes().count == 1)
            }
        }

        /// The daemon is killed at each of some calls that change files, or (`make campaign`) at
        /// each of all. Whichever passcode is valid then, the TPM has its index and the counter,
        /// and nothing else.
        @Test(arguments: [true, false])
        func indexOfNoOtherPasscodeIsThereAfterAKill(_ changes: Bool) throws {
            try Self.withStore { tpm, options, _ in
                var faulty = options
                faulty.hasFaults = true
                var present = Self.passcode
                func replace(_ service: TestService, _ next: String) throws {
                    let old = SecretBytes(passcode: present)
                    if changes {
                        try service.keychain.changePasscode(
                            from: old, to: SecretBytes(passcode: next))
                    } else {
                        try service.keychain.removePasscode(old)
                    }
                }
                let count = try TestService.run(faulty) { service in
                    #expect(Self.unlock(service, present) == nil)
                    try service.strike("none")
                    try replace(service, "first")
                    let count = try service.fileCalls().count
                    if !changes {
                        try service.keychain.setPasscode(SecretBytes(passcode: "first"))
                    }
                    return count
                }
                #expect(count > 10, "\(count)")
                present = "first"
                var outcomes: Set<Bool> = []
                for step in FaultSteps.chosen(of: count) {
                    let next = "next \(step)"
                    let before = try Set(tpm.indexes())
                    #expect(before.count == 2, "step \(step)")
                    let isOld = try TestService.run(faulty) { service in
                        #expect(Self.unlock(service, present) == nil, "step \(step)")
                        try service.strike("kill \(step)")
                        _ = reason { try replace(service, next) }
                        try service.strike("none")
                        let said = Self.unlock(service, present)
                        if said != nil {
                            let expected: FailureReason = changes ? .wrongPasscode : .wrongState
                            #expect(said == expected, "step \(step)")
                            if changes {
                                #expect(Self.unlock(service, next) == nil, "step \(step)")
                            }
                        }
                        #expect(reads(service, "ak") == 0, "step \(step)")
                        return said == nil
                    }
                    outcomes.insert(isOld)
                    let after = try Set(tpm.indexes())
                    if isOld {
                        #expect(after == before, "step \(step)")
                        continue
                    }
                    // The counter stays.
                    #expect(after.intersection(before).count == 1, "step \(step)")
                    #expect(after.count == (changes ? 2 : 1), "step \(step)")
                    present = next
                    guard !changes else { continue }
                    try TestService.run(options) { service in
                        try service.keychain.setPasscode(SecretBytes(passcode: next))
                    }
                }
                #expect(outcomes == [true, false], "both sides of the step were met")
            }
        }

        // MARK: - Wrong passcodes

        @Test func x02FirstFourWrongPasscodesCostNoDelayAndTheFifthAMinute() throws {
            try Self.onTPM(.ephemeral) { _, service in
                try Self.protect(service)
                for number in UInt32(1)...4 {
                    #expect(Self.unlock(service, "wrong \(number)") == .wrongPasscode)
                    let device = try service.keychain.deviceStatus()
                    #expect(device.failedAttempts == number)
                    #expect(device.secondsUntilNextAttempt == 0)
                }
                #expect(Self.unlock(service, "wrong 5") == .wrongPasscode)
                let seconds = try #require(
                    try service.keychain.deviceStatus().secondsUntilNextAttempt)
                #expect((1...60).contains(seconds))
                #expect(Self.unlock(service, Self.passcode) == .throttled)
                #expect(reads(service, "ak") == -25308)
            }
        }

        @Test func x03RestartDuringADelayStartsItAgain() throws {
            try Self.onTPM(.ephemeral) { _, service in
                try Self.protect(service)
                for number in 1...5 {
                    #expect(Self.unlock(service, "wrong \(number)") == .wrongPasscode)
                }
                let start = ContinuousClock.now
                try service.crash(try service.enclave())
                let device = try service.keychain.deviceStatus()
                #expect(device.failedAttempts == 5)
                let seconds = try #require(device.secondsUntilNextAttempt)
                // Minus the duration of the restart.
                let passed = start.duration(to: .now).components.seconds
                #expect(Int64(seconds) + passed > 50)
                #expect(Self.unlock(service, Self.passcode) == .throttled)
            }
        }

        @Test func x04x05RepeatedWrongPasscodeCountsOnceAndTwoInTurnEachTime() throws {
            try Self.onTPM(.ephemeral) { _, service in
                try Self.protect(service)
                for _ in 0..<30 { #expect(Self.unlock(service, "wrong") == .wrongPasscode) }
                #expect(try service.keychain.deviceStatus().failedAttempts == 1)
                #expect(Self.unlock(service, Self.passcode) == nil)
                try service.keychain.lock()
                for text in ["a", "b", "a", "b"] {
                    #expect(Self.unlock(service, text) == .wrongPasscode)
                }
                #expect(try service.keychain.deviceStatus().failedAttempts == 4)
            }
        }

        @Test func x06AttemptCutOffBeforeItsComparisonCounts() throws {
            try Self.onTPM(.ephemeral) { tpm, service in
                try Self.protect(service)
                #expect(Self.unlock(service, "wrong") == .wrongPasscode)
                let enclave = try service.enclave()
                tpm.signal(SIGSTOP)
                let unlocking = InParallel.Shared()
                let other = service.connect()
                unlocking.start("unlock") {
                    _ = outcome { try other.unlock(passcode: SecretBytes(passcode: Self.passcode)) }
                }
                try Waiting.until("the attempt to be counted") {
                    try service.keychain.deviceStatus().failedAttempts == 2
                }
                try service.crash(enclave)
                tpm.signal(SIGCONT)
                #expect(unlocking.finish() == [])
                #expect(try service.keychain.deviceStatus().failedAttempts == 2)
                #expect(Self.unlock(service, Self.passcode) == nil)
                #expect(try service.keychain.deviceStatus().failedAttempts == 0)
            }
        }

        @Test func x09RightPasscodeForgetsTheWrongOnesInTheTPMToo() throws {
            try Self.onTPM(.ephemeral) { _, service in
                try Self.protect(service)
                // Twelve in all: more than the TPM allows in a row.
                for _ in 0..<3 {
                    for number in 1...4 {
                        #expect(Self.unlock(service, "wrong \(number)") == .wrongPasscode)
                    }
                    #expect(Self.unlock(service, Self.passcode) == nil)
                    #expect(try service.keychain.deviceStatus().failedAttempts == 0)
                    #expect(reads(service, "ak") == 0)
                    try service.keychain.lock()
                }
            }
        }

        // MARK: - Rollbacks

        /// Ten wrong passcodes, with a rollback of the enclave's files after each four of them.
        /// - Returns: The result of the right one then.
        private static func guessOverOldFiles(
            _ options: TestService.Options, _ state: String
        ) throws -> FailureReason? {
            try TemporaryDirectory.lend { copies in
                let saved = copies + "/enclave"
                try FileManager.default.copyItem(atPath: state + "/enclave", toPath: saved)
                for round in [1...4, 5...8, 9...10] {
                    try TestService.run(options) { service in
                        let device = try service.keychain.deviceStatus()
                        #expect(device.failedAttempts == 0)
                        for number in round {
                            #expect(unlock(service, "wrong \(number)") == .wrongPasscode)
                        }
                    }
                    try Self.putBack(saved, state)
                }
                return try TestService.run(options) { unlock($0, passcode) }
            }
        }

        private static func putBack(_ saved: String, _ state: String) throws {
            try FileManager.default.removeItem(atPath: state + "/enclave")
            try FileManager.default.copyItem(atPath: saved, toPath: state + "/enclave")
        }

        @Test func x08OldFilesGiveNoGuessesBack() throws {
            try Self.withStore { tpm, options, state in
                #expect(try Self.guessOverOldFiles(options, state) == .disabled)
                try TestService.run(options) { service in
                    let device = try service.keychain.deviceStatus()
                    #expect(device.secondsUntilNextAttempt == nil)
                    #expect(reads(service, "ak") == -25308)
                }
                #expect(try tpm.indexes().count == 2)
            }
        }

        /// This isn't claimed for a file: the control of the test before.
        @Test func x08OldFilesGiveGuessesBackWhereTheDeviceKeyIsAFile() throws {
            try Self.withStore(hasTPM: false) { _, options, state in
                let reason = try Self.guessOverOldFiles(options, state)
                #expect(reason == nil)
            }
        }

        @Test func s12OldKeybagAndOldPasscodeAreRefused() throws {
            for hasTPM in [true, false] {
                try Self.withStore(hasTPM: hasTPM) { _, options, state in
                    try TemporaryDirectory.lend { copies in
                        let (old, new) = (copies + "/old", copies + "/new")
                        try FileManager.default.copyItem(atPath: state + "/enclave", toPath: old)
                        try TestService.run(options) { service in
                            try service.keychain.changePasscode(
                                from: SecretBytes(passcode: Self.passcode),
                                to: SecretBytes(passcode: "new"))
                        }
                        try FileManager.default.copyItem(atPath: state + "/enclave", toPath: new)
                        try Self.putBack(old, state)
                        try TestService.run(options) { service in
                            let said = outcome {
                                try service.keychain.unlock(
                                    passcode: SecretBytes(passcode: Self.passcode))
                            }
                            guard hasTPM else {
                                // The control, which isn't claimed for a file.
                                #expect(reason { try said.get() } == nil)
                                return
                            }
                            #expect(reason { try said.get() } == .deviceKeyUnavailable)
                            #expect(status { try said.get() } == -25291)
                            #expect(Self.unlock(service, "new") == .deviceKeyUnavailable)
                            // All files of the enclave are older than the TPM's counter.
                            #expect(reads(service, "ak") == -25291)
                        }
                        try Self.putBack(new, state)
                        try TestService.run(options) { service in
                            #expect(Self.unlock(service, "new") == nil)
                            #expect(reads(service, "ak") == 0)
                        }
                    }
                }
            }
        }

        // MARK: - A TPM that isn't there

        @Test func x10FilesWithAnotherTPMOpenNothingAndAreLeftAsTheyAre() throws {
            try Self.withStore { tpm, options, state in
                let keybags = try StateFiles.keybags(state)
                let names = try Self.names(state)
                try TestTPM.run { other in
                    var elsewhere = options
                    elsewhere.deviceKey = other.deviceKeyArgument
                    try TestService.run(elsewhere) { service in
                        for passcode in [Self.passcode, "wrong"] {
                            let said = outcome {
                                try service.keychain.unlock(
                                    passcode: SecretBytes(passcode: passcode))
                            }
                            #expect(status { try said.get() } == -25291)
                            #expect(reason { try said.get() } == .deviceKeyUnavailable)
                        }
                        #expect(reads(service, "ak") == -25291)
                        #expect(service.messages.contains("isn't the TPM that made it"))
                    }
                    #expect(try other.indexes() == [])
                }
                #expect(try StateFiles.keybags(state) == keybags)
                #expect(try Self.names(state) == names)
                try TestService.run(options) { service in
                    #expect(Self.unlock(service, Self.passcode) == nil)
                    #expect(reads(service, "ak") == 0)
                }
            }
        }

        @Test func absentTPMIsToldAndNothingIsMadeInItsPlace() throws {
            try Self.withStore { _, options, state in
                let keybags = try StateFiles.keybags(state)
                let names = try Self.names(state)
                for place in ["unix:/nowhere/tpm", "file", "auto"] {
                    var without = options
                    without.deviceKey = place
                    try TestService.run(without) { service in
                        let said = outcome {
                            try service.keychain.unlock(
                                passcode: SecretBytes(passcode: Self.passcode))
                        }
                        #expect(status { try said.get() } == -25291, "\(place)")
                        #expect(reason { try said.get() } == .deviceKeyUnavailable, "\(place)")
                        #expect(status { try service.keychain.add(.password("new")) } == -25291)
                    }
                }
                #expect(try StateFiles.keybags(state) == keybags)
                #expect(try Self.names(state) == names)
                try TestService.run(options) { service in
                    #expect(Self.unlock(service, Self.passcode) == nil)
                    #expect(reads(service, "ak") == 0)
                }
            }
        }

        @Test func newKeychainIsNotMadeWithoutTheTPMThatWasAskedFor() throws {
            try TemporaryDirectory.lend { directory in
                var options = TestService.Options(.user, directory: directory)
                options.deviceKey = "unix:/nowhere/tpm"
                try TestService.run(options) { service in
                    #expect(status { try service.keychain.add(.password("x")) } == -25291)
                }
                let names = try Self.names(directory + "/llavero")
                #expect(!names.contains { $0.hasPrefix("keybag") || $0.hasPrefix("device") })
            }
        }

        @Test func killedTPMLocksNothingOutThatIsOpen() throws {
            try Self.withStore { tpm, options, state in
                try TestService.run(options) { service in
                    #expect(Self.unlock(service, Self.passcode) == nil)
                    tpm.stop()
                    #expect(reads(service, "ak") == 0)
                    try service.keychain.lock()
                    #expect(Self.unlock(service, Self.passcode) == .deviceKeyUnavailable)
                    #expect(try service.keychain.deviceStatus().failedAttempts == 0)
                    try tpm.start()
                    try service.crash(try service.enclave())
                    #expect(Self.unlock(service, Self.passcode) == nil)
                    #expect(reads(service, "ak") == 0)
                }
                #expect(try StateFiles.keybags(state).count == 2)
            }
        }

        @Test func readersDoNotWaitForATPMThatThinks() throws {
            try Self.onTPM(.ephemeral) { tpm, service in
                try service.keychain.add(.password("dk", accessibility: .always))
                try Self.protect(service)
                let start = ContinuousClock.now
                #expect(Self.unlock(service, Self.passcode) == nil)
                let usual = start.duration(to: .now)
                try service.keychain.lock()
                tpm.signal(SIGSTOP)
                let unlocking = InParallel.Shared()
                let other = service.connect()
                unlocking.start("unlock") {
                    try other.unlock(passcode: SecretBytes(passcode: Self.passcode))
                }
                try Waiting.until("the attempt to be counted") {
                    try service.keychain.deviceStatus().failedAttempts == 1
                }
                // The passcode is derived, then the TPM is asked: from then on a process that
                // waited for it would wait forever.
                let long: Duration = max(.seconds(1), min(usual * 2, .seconds(5)))
                let end = ContinuousClock.now + long
                while ContinuousClock.now < end { #expect(reads(service, "dk") == 0) }
                tpm.signal(SIGCONT)
                #expect(unlocking.finish() == [])
                #expect(reads(service, "ak") == 0)
            }
        }

        // MARK: - Helpers

        private static func onTPM(
            _ mode: TestService.Mode, _ body: (TestTPM, TestService) throws -> Void
        ) throws {
            try TestTPM.run { tpm in
                var options = TestService.Options(mode)
                options.deviceKey = tpm.deviceKeyArgument
                try TestService.run(options) { try body(tpm, $0) }
            }
        }

        /// An item of class ak, and a passcode; locked.
        private static func protect(_ service: TestService) throws {
            try service.keychain.add(.password("ak", accessibility: .whenUnlocked))
            try service.keychain.setPasscode(SecretBytes(passcode: passcode))
            try service.keychain.lock()
        }

        /// A stopped user service with an item and a passcode.
        private static func withStore(
            hasTPM: Bool = true,
            _ body: (TestTPM, TestService.Options, String) throws -> Void
        ) throws {
            try TestTPM.run { tpm in
                try TemporaryDirectory.lend { directory in
                    var options = TestService.Options(.user, directory: directory)
                    if hasTPM { options.deviceKey = tpm.deviceKeyArgument }
                    try TestService.run(options) { try protect($0) }
                    try body(tpm, options, directory + "/llavero")
                }
            }
        }

        private static func names(_ state: String) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: state + "/enclave").sorted()
        }

        private static func unlock(_ service: TestService, _ passcode: String) -> FailureReason? {
            reason { try service.keychain.unlock(passcode: SecretBytes(passcode: passcode)) }
        }
    }
}
