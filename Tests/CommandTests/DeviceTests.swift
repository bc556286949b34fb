// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Testing

/// The passcode and the lock, with the command. Source: design §7.
@Suite struct DeviceTests {
    private let security: Transcript

    init() throws { security = try Transcript() }

    private func device(_ verb: String, _ lines: String...) throws -> Int32 {
        let words = ["device", verb, "--passcode-fd", "0"]
        return try security.run(words, input: lines.map { $0 + "\n" }.joined()).status
    }

    private func status() throws -> [String: Any] {
        let answer = try security.run("device", "status", "--json")
        try #require(answer.status == 0)
        let object = try JSONSerialization.jsonObject(with: Data(answer.output.utf8))
        return try #require(object as? [String: Any])
    }

    @Test func theStatusHasTheFrozenKeys() throws {
        let status = try status()
        #expect(
            Set(status.keys) == [
                "state", "passcodeSet", "deviceKey", "hardwareBacked", "failedAttempts",
                "nextAttemptAt", "classes", "identityGrade", "walls", "protectors",
            ])
        let walls = try #require(status["walls"] as? [String: Any])
        #expect(
            Set(walls.keys) == ["landlock", "landlockVersion", "systemCallFilter", "memory"])
        #expect(walls["systemCallFilter"] as? Bool == true)
        #expect(status["state"] as? String == "N")
        #expect(status["passcodeSet"] as? Bool == false)
        #expect(status["failedAttempts"] as? Int == 0)
        #expect(status["nextAttemptAt"] is NSNull)
        let classes = try #require(status["classes"] as? [String: String])
        #expect(Set(classes.keys) == ["ak", "ck", "dk", "aku", "cku", "dku", "akpu"])
        #expect(classes["ak"] == "usable")
        #expect(classes["akpu"] == "absent")
        let plain = try security.run("device", "status")
        #expect(plain.status == 0)
        #expect(plain.output.contains("Passcode:         not set\n"))
    }

    @Test func aLockedDeviceIsStatus36WithAnEmptyOutput() throws {
        let add = ["add-generic-password", "-s", "svc", "-a", "a", "-w", "secret"]
        #expect(try security.run(add) == Answer(0))
        #expect(try device("set-passcode", "1234") == 0)
        #expect(try status()["state"] as? String == "U")
        #expect(try security.run("device", "lock") == Answer(0))
        #expect(try status()["state"] as? String == "L")
        for words in [
            ["find-generic-password", "-s", "svc", "-w"], ["find-generic-password", "-s", "svc"],
            ["delete-generic-password", "-s", "svc"], add + ["-U"],
        ] {
            let answer = try security.run(words)
            #expect(answer.status == 36, "\(words)")
            #expect(answer.output == "")
            #expect(answer.errors.contains("security device unlock"), "it says what to do")
        }
        #expect(try security.run("find-generic-password", "-s", "nope") == Text.notFound)
        #expect(try device("unlock", "1234") == 0)
        #expect(
            try security.run("find-generic-password", "-s", "svc", "-w") == Answer(0, "secret\n"))
    }

    @Test func aWrongPasscodeIsStatus51AndCounted() throws {
        #expect(try device("set-passcode", "1234") == 0)
        #expect(try security.run("device", "lock").status == 0)
        let wrong = try security.run("device", "unlock", "--passcode-fd=0", input: "4321\n")
        #expect(wrong.status == 51)
        #expect(wrong.errors.contains("That is not the passcode."))
        #expect(!wrong.errors.contains("4321"))
        #expect(try status()["failedAttempts"] as? Int == 1)
        #expect(try device("unlock", "1234") == 0)
        #expect(try status()["failedAttempts"] as? Int == 0)
    }

    @Test func aPasscodeIsChangedAndRemoved() throws {
        #expect(try device("set-passcode", "old") == 0)
        #expect(try device("change-passcode", "old", "new") == 0)
        #expect(try security.run("device", "lock").status == 0)
        #expect(try device("unlock", "old") == 51)
        #expect(try device("unlock", "new") == 0)
        #expect(try device("remove-passcode", "new") == 0)
        #expect(try status()["state"] as? String == "N")
    }

    @Test func withoutATerminalAPasscodeNeedsADescriptor() throws {
        let answer = try security.run("device", "unlock", input: "1234\n")
        #expect(answer.status == 2)
        #expect(answer.errors.contains("--passcode-fd"))
        #expect(try device("set-passcode") != 0, "there is no line to read")
        #expect(try status()["passcodeSet"] as? Bool == false)
    }
}
