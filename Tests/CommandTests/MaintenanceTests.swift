// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Testing

/// `security device check` and `security device recover`.
@Suite struct MaintenanceTests {
    private let security: Transcript

    init() throws { security = try Transcript() }

    private func json(_ verb: String, status: Int32) throws -> [String: Any] {
        let answer = try security.run("device", verb, "--json")
        #expect(answer.status == status)
        #expect(answer.errors == "")
        let object = try JSONSerialization.jsonObject(with: Data(answer.output.utf8))
        return try #require(object as? [String: Any])
    }

    @Test func aSoundKeychainIsStatusZero() throws {
        let add = ["add-generic-password", "-s", "svc", "-a", "a", "-w", "secret"]
        #expect(try security.run(add) == Answer(0))
        #expect(
            try security.run("device", "check")
                == Answer(
                    0,
                    """
                    Rows:    1 looked at, 1 sound, 0 locked
                    Damage:  none

                    """))
        #expect(
            try security.run("device", "recover")
                == Answer(
                    0,
                    """
                    Rows:    0 looked at, 0 brought back, 0 there already, 0 locked
                    Not brought back:  none

                    """))
        let check = try json("check", status: 0)
        #expect(Set(check.keys) == ["examined", "sound", "locked", "damage", "kept"])
        #expect(check["sound"] as? Int == 1)
        let recover = try json("recover", status: 0)
        #expect(
            Set(recover.keys) == ["examined", "present", "locked", "restored", "notRestored"])
    }

    @Test func aKeptFileIsNamedAndOneThatCanNotBeReadIsStatusOne() throws {
        let state = try #require(security.stateDirectory)
        let name = "keychain-damaged-20260102T030405Z.db"
        try Data("no database".utf8).write(to: URL(fileURLWithPath: state + "/" + name))
        #expect(
            try security.run("device", "check")
                == Answer(
                    0,
                    """
                    Rows:    0 looked at, 0 sound, 0 locked
                    Damage:  none
                    Kept:
                      a damaged file: "\(name)"
                    `security device recover` brings back what still opens of what is kept.

                    """))
        #expect(
            try security.run("device", "recover")
                == Answer(
                    1,
                    """
                    Rows:    0 looked at, 0 brought back, 0 there already, 0 locked
                    Not brought back:  1
                      can't be read, or not to its end: "\(name)"

                    """))
        let kept = try json("check", status: 0)["kept"] as? [[String: String]]
        #expect(kept == [["kind": "keptFile", "place": name]])
        let left = try json("recover", status: 1)["notRestored"] as? [[String: String]]
        #expect(left == [["kind": "unreadableFile", "place": name]])
        #expect(FileManager.default.fileExists(atPath: state + "/" + name))
    }

    @Test func recoveringAsksForThePasscodeWhereThereIsOne() throws {
        let set = try security.run(
            "device", "set-passcode", "--passcode-fd", "0", input: "1234\n")
        #expect(set == Answer(0))
        let unasked = try security.run("device", "recover")
        #expect(unasked.status == 2)
        #expect(unasked.output == "")
        #expect(unasked.errors.contains("--passcode-fd"))
        let wrong = try security.run(
            "device", "recover", "--passcode-fd", "0", input: "4321\n")
        #expect(wrong.status == -25293 & 0xff)
        #expect(wrong.output == "")
        let right = try security.run(
            "device", "recover", "--json", "--passcode-fd=0", input: "1234\n")
        #expect(right.status == 0)
        #expect(right.output.contains("\"examined\": 0"))
        #expect(try security.run("device", "check").status == 0)
    }

    @Test func wrongUseIsStatusTwoAndNobodyThereFiftyThree() throws {
        for verb in ["check", "recover"] {
            #expect(try security.run("device", verb, "x").status == 2)
            #expect(try security.run("device", verb, "--json", "--json").status == 2)
            let nobody = Transcript(socket: "/nonexistent/socket")
            let answer = try nobody.run("device", verb)
            #expect(answer.status == 53)
            #expect(answer.output == "")
        }
    }
}
