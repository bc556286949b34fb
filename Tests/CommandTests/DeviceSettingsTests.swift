// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport
import Testing

/// Settings, the escrow record, and delayed locks, with the command.
@Suite struct DeviceSettingsTests {
    private let security: Transcript

    init() throws { security = try Transcript() }

    private func device(_ words: String..., input: String = "") throws -> Answer {
        try security.run(["device"] + words, input: input)
    }

    private func setPasscode() throws {
        #expect(try device("set-passcode", "--passcode-fd", "0", input: "1234\n") == Answer(0))
    }

    private func settings() throws -> [String: Any] {
        let answer = try device("configure", "--show", "--json")
        try #require(answer.status == 0)
        let object = try JSONSerialization.jsonObject(with: Data(answer.output.utf8))
        return try #require(object as? [String: Any])
    }

    // MARK: - Settings

    @Test func settingsAreShownAndChangedOneAtATime() throws {
        #expect(
            try device("configure", "--show")
                == Answer(
                    0,
                    """
                    Grace period:     0 s
                    Erase:            never
                    Escrow record:    none
                    Recovery code:    none
                    Bound to PCRs:    none
                    Erasures:         0

                    """))
        try setPasscode()
        #expect(
            try device("configure", "--grace", "120", "--passcode-fd", "0", input: "1234\n")
                == Answer(0))
        #expect(
            try device(
                "configure", "--passcode-fd=0", "--erase-after-failures=on", input: "1234\n")
                == Answer(0))
        let settings = try settings()
        #expect(
            Set(settings.keys) == [
                "eraseAfterFailures", "graceSeconds", "escrowRecord", "recoveryCode",
                "boundRegisters", "erasures", "countUnidentifiedPrograms", "fingerprints",
            ])
        #expect(settings["fingerprints"] as? String == "off")
        #expect(settings["eraseAfterFailures"] as? Bool == true)
        #expect(settings["graceSeconds"] as? Int == 120)
        #expect(settings["escrowRecord"] as? Bool == false)
        #expect(settings["recoveryCode"] as? Bool == false)
        #expect(settings["boundRegisters"] as? [Int] == [])
        #expect(settings["erasures"] as? Int == 0)
        let shown = try device("configure", "--show").output
        #expect(
            shown.contains("Erase:            after 10 wrong passcodes of identified programs\n"))
        let status = try device("status").output
        for line in [
            "Lock asked for:   no", "Grace period:     120 s", "Escrow record:    none",
            "Erasures:         0", "Kept files:       none",
        ] {
            #expect(status.contains(line + "\n"), "\(line)")
        }
    }

    @Test func settingsAreNotChangedByAWrongPasscodeOrWithoutOne() throws {
        let change = ["device", "configure", "--grace", "5", "--passcode-fd", "0"]
        let without = try security.run(change, input: "1234\n")
        #expect(without.status == 206)
        #expect(without.errors.contains("`security device status` tells"))
        try setPasscode()
        let wrong = try security.run(change, input: "4321\n")
        #expect(wrong.status == 51)
        #expect(wrong.errors.contains("That is not the passcode."))
        #expect(try security.run(change).status == 206, "there is no line")
        #expect(try device("configure", "--grace", "5", input: "1234\n").status == 2)
        #expect(try settings()["graceSeconds"] as? Int == 0)
    }

    @Test func whatCannotBeMeantIsAUsageError() throws {
        try setPasscode()
        for words in [
            ["configure"], ["configure", "--passcode-fd", "0"], ["configure", "--grace"],
            ["configure", "--grace", "301", "--passcode-fd", "0"],
            ["configure", "--grace", "-1", "--passcode-fd", "0"],
            ["configure", "--grace", "ten", "--passcode-fd", "0"],
            ["configure", "--grace", "5", "--grace", "6", "--passcode-fd", "0"],
            ["configure", "--erase-after-failures", "yes", "--passcode-fd", "0"],
            ["configure", "--erase-after-failures", "on", "--passcode-fd", "x"],
            ["configure", "--show", "--grace", "5"], ["configure", "--json"],
            ["configure", "--grace", "5", "--json"], ["configure", "--show", "--show"],
            ["configure", "nonsense"], ["configure", "--fingerprint"],
            ["configure", "--fingerprint", "yes", "--passcode-fd", "0"],
            ["configure", "--fingerprint", "on", "--grace", "5", "--passcode-fd", "0"],
            ["biometry"], ["biometry", "nonsense"], ["biometry", "list", "left-thumb"],
            ["biometry", "list", "--passcode-fd", "0"], ["biometry", "remove", "--json"],
            ["biometry", "enrol", "--passcode-fd", "0"],
            ["lock", "--now"], ["lock", "--after-grace", "--log-out"],
            ["make-escrow", "--escrow-fd"], ["make-escrow", "--escrow-fd", "-3"],
            ["make-escrow", "--key", "1"], ["reset", "--escrow-fd=x"],
            ["reset", "--passcode-fd", "0"], ["reset", "0a1b"], ["status", "--plain"],
        ] {
            let answer = try security.run(["device"] + words, input: "1234\n")
            #expect(answer.status == 2, "\(words)")
            #expect(answer.output == "" && answer.errors.contains("Usage: device"), "\(words)")
        }
        #expect(try settings()["graceSeconds"] as? Int == 0)
    }

    @Test func fingerprintsCountOnceTheOwnerSaysSoWithThePasscode() throws {
        let words = ["configure", "--fingerprint", "on", "--passcode-fd", "0"]
        #expect(try security.run(["device"] + words, input: "1234\n").status != 0)
        try setPasscode()
        #expect(try security.run(["device"] + words, input: "wrong\n").status != 0)
        #expect(try settings()["fingerprints"] as? String == "off")
        #expect(try security.run(["device"] + words, input: "1234\n") == Answer(0))
        #expect(try settings()["fingerprints"] as? String == "presence")
        let line = "Fingerprints:     count as presence; not proven to the keychain\n"
        #expect(try device("status").output.contains(line))
        #expect(
            try device("configure", "--fingerprint=sets", "--passcode-fd=0", input: "1234\n")
                == Answer(0))
        #expect(try settings()["fingerprints"] as? String == "sets")
        #expect(try device("remove-passcode", "--passcode-fd", "0", input: "1234\n") == Answer(0))
        #expect(try settings()["fingerprints"] as? String == "off")
    }

    // MARK: - Locks

    @Test func lockAfterTheGracePeriodSaysWhenItComes() throws {
        try setPasscode()
        #expect(try device("lock", "--after-grace") == Answer(0), "there is no grace period")
        #expect(try device("status").output.contains("State:            L (locked)\n"))
        #expect(
            try device("configure", "--grace", "200", "--passcode-fd", "0", input: "1234\n")
                == Answer(0))
        let later = try device("lock", "--after-grace")
        #expect(later.status == 0)
        #expect(["Locks in 200 s.\n", "Locks in 199 s.\n"].contains(later.output))
        let status = try device("status").output
        #expect(status.contains("State:            U (unlocked)\n"))
        #expect(status.contains("Lock asked for:   in "))
        #expect(try device("lock", "--log-out") == Answer(0))
        #expect(try device("status").output.contains("State:            B ("))
    }

    // MARK: - Escrow

    /// The key of a new escrow record.
    private func makeEscrow() throws -> String {
        let made = try device(
            "make-escrow", "--escrow-fd", "1", "--passcode-fd", "0", input: "1234\n")
        try #require(made.status == 0 && made.errors == "")
        let lines = made.output.split(separator: "\n", omittingEmptySubsequences: false)
        try #require(lines.count == 2 && lines[1].isEmpty)
        return String(lines[0])
    }

    @Test func passcodeIsTakenAwayByTheKeyOfTheEscrowRecord() throws {
        try setPasscode()
        let add = ["add-generic-password", "-s", "svc", "-a", "a", "-w", "secret"]
        #expect(try security.run(add) == Answer(0))
        let old = try makeEscrow()
        let key = try makeEscrow()
        #expect(old != key)
        #expect(key.split(separator: "-").map(\.count) == Array(repeating: 4, count: 16))
        #expect(try settings()["escrowRecord"] as? Bool == true)
        #expect(try security.run("device", "lock") == Answer(0))
        let wrong = try device("reset", "--escrow-fd", "0", input: old + "\n")
        #expect(wrong.status == 51)
        #expect(wrong.errors.contains("That is not the key of the escrow record."))
        #expect(!wrong.errors.contains("passcode."))
        // Typed by a person: other case, other groups.
        let typed = key.uppercased().replacingOccurrences(of: "-", with: " ")
        #expect(try device("reset", "--escrow-fd=0", input: typed + "\r\n") == Answer(0))
        #expect(try device("status").output.contains("Passcode:         not set\n"))
        #expect(
            try security.run("find-generic-password", "-s", "svc", "-w") == Answer(0, "secret\n"))
        let again = try device("reset", "--escrow-fd", "0", input: key + "\n")
        #expect(again.status == 206)
        #expect(again.errors.contains("There is no escrow record"))
    }

    @Test func escrowNeedsThePasscodeAndAPlaceForItsKey() throws {
        let without = try device(
            "make-escrow", "--escrow-fd", "1", "--passcode-fd", "0", input: "1234\n")
        #expect(without.status == 206 && without.output == "")
        try setPasscode()
        let wrong = try device(
            "make-escrow", "--escrow-fd", "1", "--passcode-fd", "0", input: "4321\n")
        #expect(wrong.status == 51 && wrong.output == "")
        // Descriptor 0 is a pipe's reading end, and 77 isn't open.
        for descriptor in ["0", "77"] {
            let answer = try device(
                "make-escrow", "--escrow-fd", descriptor, "--passcode-fd", "0", input: "1234\n")
            #expect(answer.status == 220 && answer.output == "")
            #expect(answer.errors.contains("can't be written there"))
        }
        let unasked = try device("make-escrow", "--passcode-fd", "0", input: "1234\n")
        #expect(unasked.status == 2)
        #expect(unasked.errors.contains("--escrow-fd"))
        #expect(try settings()["escrowRecord"] as? Bool == false)
    }

    @Test func keyThatIsNoneIsNotSent() throws {
        try setPasscode()
        let key = try makeEscrow()
        for text in [
            "\n", String(key.dropLast()) + "\n", key + "0\n", "x" + key.dropFirst() + "\n",
            key.replacingOccurrences(of: "-", with: "_") + "\n",
        ] {
            let answer = try device("reset", "--escrow-fd", "0", input: text)
            #expect(answer.status == 206)
            #expect(answer.errors.contains("64 hexadecimal digits"))
            #expect(!answer.errors.contains(key.prefix(8)))
        }
        #expect(try device("reset", "--escrow-fd", "0").status == 206, "there is no line")
        #expect(try device("reset", "--escrow-fd", "77").status == 206)
        let unasked = try device("reset", input: key + "\n")
        #expect(unasked.status == 2)
        #expect(unasked.errors.contains("--escrow-fd"))
        #expect(try device("status").output.contains("Passcode:         set\n"))
    }

    @Test func helpTellsTheNewVerbs() throws {
        let help = try security.run("help", "device")
        #expect(help.status == 0)
        for word in [
            "configure", "make-escrow", "reset", "--after-grace", "--log-out", "--escrow-fd",
            "--erase-after-failures", "--grace",
        ] {
            #expect(help.output.contains(word), "\(word)")
        }
    }

    // MARK: - Device keys

    @Test func deviceKeyMovesWithThePasscodeAndToATPMThatIsThereAlone() throws {
        try setPasscode()
        for words in [["migrate"], ["migrate", "--to", "hsm"], ["migrate", "tpm"]] {
            #expect(try security.run(["device"] + words).status == 2)
        }
        let here = try device("migrate", "--to", "file", "--passcode-fd", "0", input: "1234\n")
        #expect(here.status == -50 & 0xFF)
        #expect(here.errors.contains("The device key is made so already"))
        let there = try device("migrate", "--to=tpm", "--passcode-fd", "0", input: "1234\n")
        #expect(there.status == -25291 & 0xFF)
        #expect(there.errors.contains("There is no TPM that the service can use"))
        let wrong = try device("migrate", "--to=tpm", "--passcode-fd", "0", input: "4321\n")
        #expect(wrong.status == 51)
        #expect(try device("status").output.contains("Device key:       file (not hardware"))
    }

    @Test func recoveryCodeIsShownOnceAndTakesThePasscodeAway() throws {
        try setPasscode()
        let add = ["add-generic-password", "-s", "svc", "-a", "a", "-w", "secret"]
        #expect(try security.run(add) == Answer(0))
        let made = try device(
            "recovery-code", "--recovery-fd", "1", "--passcode-fd", "0", input: "1234\n")
        #expect(made.status == 0 && made.errors == "")
        let code = made.output.split(separator: "\n").first.map(String.init) ?? ""
        #expect(made.output == code + "\n")
        #expect(code.split(separator: "-").map(\.count) == Array(repeating: 4, count: 7))
        #expect(try device("status").output.contains("Recovery code:    there is one\n"))
        let unasked = try device("recovery-code", "--passcode-fd", "0", input: "1234\n")
        #expect(unasked.status == 2 && unasked.errors.contains("--recovery-fd"))
        let nowhere = try device(
            "recovery-code", "--recovery-fd", "0", "--passcode-fd", "0", input: "1234\n")
        #expect(nowhere.status == 220 && nowhere.errors.contains("none was made"))
        for typed in [
            String(code.dropLast()), code + "0", code.replacingOccurrences(of: "-", with: "_"),
        ] {
            let answer = try device("reset", "--recovery-fd", "0", input: typed + "\n")
            #expect(answer.status == -50 & 0xFF)
            #expect(answer.errors.contains("has a mistake"))
            #expect(!answer.errors.contains(code.prefix(9)))
        }
        let zeros = String(repeating: "0", count: 28)
        let wrong = try device("reset", "--recovery-fd=0", input: zeros + "\n")
        #expect(wrong.status == 51 && wrong.errors.contains("not the last recovery code"))
        #expect(try security.run("device", "lock") == Answer(0))
        let typed = code.lowercased().replacingOccurrences(of: "-", with: " ")
        let right = try device(
            "reset", "--recovery-code", "--recovery-fd", "0", input: typed + "\n")
        #expect(right.status == 0 && right.output == "")
        #expect(right.errors.contains("security device set-passcode"))
        #expect(try device("status").output.contains("Passcode:         not set\n"))
        #expect(
            try security.run("find-generic-password", "-s", "svc", "-w") == Answer(0, "secret\n"))
        let again = try device("reset", "--recovery-fd", "0", input: code + "\n")
        #expect(again.status == -50 & 0xFF)
        #expect(again.errors.contains("There is no recovery code"))
        for words in [
            ["recovery-code", "--to", "file"], ["reset", "--recovery-code", "--to", "x"],
        ] {
            #expect(try security.run(["device"] + words).status == 2)
        }
    }

    @Test func aPasscodeComesWithARecoveryCodeWhereOneIsAskedFor() throws {
        let set = ["set-passcode", "--passcode-fd", "0"]
        let nowhere = try security.run(
            ["device"] + set + ["--recovery-fd", "0"], input: "1234\n")
        #expect(nowhere.status == 220 && nowhere.errors.contains("recovery code can't be written"))
        #expect(try device("status").output.contains("Passcode:         not set\n"))
        let both = ["--recovery-fd", "1", "--no-recovery-code"]
        #expect(try security.run(["device"] + set + both, input: "1234\n").status == 2)
        let made = try security.run(
            ["device"] + set + ["--recovery-fd", "1"], input: "1234\n")
        #expect(made.status == 0 && made.errors == "")
        #expect(try device("status").output.contains("Recovery code:    there is one\n"))
        let reset = try device("reset", "--recovery-fd", "0", input: made.output)
        #expect(reset.status == 0)
        // A file can't be cleared like a TPM, so no code is made that wasn't requested.
        #expect(try security.run(["device"] + set, input: "1234\n") == Answer(0))
        #expect(try device("status").output.contains("Recovery code:    none\n"))
    }

    @Test func aPasscodeThatATPMJudgesComesWithARecoveryCodeOrAWarning() throws {
        try TestTPM.run { tpm in
            var options = TestService.Options()
            options.deviceKey = tpm.deviceKeyArgument
            try TestService.run(options) { service in
                let security = Transcript(socket: service.socketPath)
                let set = ["device", "set-passcode", "--passcode-fd", "0"]
                let remove = ["device", "remove-passcode", "--passcode-fd", "0"]
                let warned = try security.run(set, input: "1234\n")
                #expect(warned.status == 0 && warned.output == "")
                #expect(warned.errors.contains("`security device recovery-code` makes one"))
                let status = try security.run("device", "status")
                #expect(status.output.contains("Recovery code:    none\n"))
                #expect(try security.run(remove, input: "1234\n") == Answer(0))
                let unwanted = try security.run(set + ["--no-recovery-code"], input: "1234\n")
                #expect(unwanted == Answer(0))
                #expect(try security.run(remove, input: "1234\n") == Answer(0))
                // On a terminal the command shows the code there.
                let file = tpm.directory + "/passcode"
                try Data("1234\n".utf8).write(to: URL(fileURLWithPath: file))
                let shown = try security.runOnTerminal(
                    ["device", "set-passcode", "--passcode-fd", "3"], redirecting: "3<'\(file)'")
                #expect(shown.contains("It is shown once."))
                let code = shown.split(whereSeparator: \.isWhitespace).last.map(String.init) ?? ""
                let reset = try security.run(
                    "device", "reset", "--recovery-fd", "0", input: code + "\n")
                #expect(reset.status == 0)
            }
        }
    }

    // MARK: - Rollbacks

    @Test func aRollbackIsAcceptedWithThePasscodeAlone() throws {
        // Without a passcode the command doesn't ask for one; there is nothing to accept, and
        // nothing changes.
        #expect(try device("accept-rollback") == Answer(0))
        try setPasscode()
        let wrong = try device("accept-rollback", "--passcode-fd", "0", input: "4321\n")
        #expect(wrong.status == -25293 & 0xFF)
        #expect(wrong.errors.contains("That is not the passcode."))
        #expect(
            try device("accept-rollback", "--passcode-fd", "0", input: "1234\n") == Answer(0))
        // There is no terminal.
        #expect(try device("accept-rollback").status == 2)
        #expect(try device("accept-rollback", "now").status == 2)
        #expect(try device("check").status == 0)
    }
}
