// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Testing

/// Commands that work without a keychain. Source: macOS's security, as observed.
@Suite struct GlobalOptionTests {
    private let security = Transcript(socket: "/nonexistent/securityd.sock")

    @Test func noWordsGiveTheUsageOnOutputAndStatus2() throws {
        let answer = try security.run()
        #expect(answer.status == 2)
        #expect(answer.output.hasPrefix("Usage: security [-h] [-i] [-l] [-p prompt] [-q] [-v] "))
        #expect(answer.errors == "")
    }

    @Test func helpListsEachCommandInOneLineOfTheSameShape() throws {
        let answer = try security.run("-h")
        #expect(answer.status == 0)
        let line = "    find-generic-password                Find a generic password item.\n"
        #expect(answer.output.contains(line))
        let lines = answer.output.split(separator: "\n")
        for name in [
            "help", "add-generic-password", "delete-generic-password", "add-internet-password",
            "find-internet-password", "delete-internet-password", "device", "import-netrc",
            "import-git-credentials",
        ] {
            #expect(lines.contains { $0.hasPrefix("    \(name) ") })
        }
        #expect(try security.run("help").output.hasPrefix("security commands are:\n"))
    }

    @Test func helpOfACommandIsItsUsage() throws {
        let answer = try security.run("help", "find-gen")
        #expect(answer.status == 0)
        #expect(answer.output.hasPrefix("Usage: find-generic-password "))
        #expect(answer.output.hasSuffix("\n        Find a generic password item.\n"))
        #expect(
            try security.run("help", "nope")
                == Answer(1, errors: "security: help: no such command: nope\n"))
    }

    @Test func anUnknownCommandIsStatus1() throws {
        for name in ["nope", "create-d", "cms"] {
            #expect(
                try security.run(name)
                    == Answer(1, errors: "security: unknown command \"\(name)\"\n"))
        }
    }

    @Test func wrongOptionsGiveTheUsageOnErrorsAndStatus2() throws {
        let wrong = [
            ["find-generic-password", "-x"], ["find-generic-password", "-h"],
            ["find-generic-password", "-a"], ["delete-generic-password"],
            ["add-generic-password", "-s", "x"], ["add-generic-password", "-a", "x"],
            ["add-generic-password", "-a", "x", "-s", "y", "one", "two"], ["device"],
            ["device", "nope"], ["device", "status", "--xml"], ["device", "lock", "now"],
            ["device", "unlock", "1234"], ["device", "unlock", "--passcode-fd"],
            ["device", "unlock", "--passcode-fd", "x"],
        ]
        for words in wrong {
            let answer = try security.run(words)
            #expect(answer.status == 2, "\(words)")
            #expect(answer.output == "")
            #expect(answer.errors.hasPrefix("Usage: \(words[0]) "), "\(words)")
        }
    }

    @Test func aFourCharacterCodeHasFourCharacters() throws {
        let text = "Error: four-character types must be exactly 4 characters long.\n"
        #expect(try security.run("find-generic-password", "-c", "ab") == Answer(1, errors: text))
        #expect(
            try security.run("find-generic-password", "-C", "abc")
                == Answer(1, errors: text + "(Try \"abc \" instead of \"abc\")\n"))
    }

    @Test func badHexDigitsAreStatus2() throws {
        #expect(
            try security.run("add-generic-password", "-a", "x", "-s", "y", "-X", "zz")
                == Answer(
                    2,
                    errors: "security: Unable to convert password data "
                        + "(-X must specify valid hex digits)\n"))
    }

    @Test func anUnreachableServiceIsStatus53AndNever44() throws {
        for words in [
            ["find-generic-password", "-s", "x", "-w"], ["delete-generic-password", "-s", "x"],
            ["add-generic-password", "-s", "x", "-a", "y"], ["device", "status"],
            ["device", "lock"],
        ] {
            let answer = try security.run(words)
            #expect(answer.status == 53, "\(words)")
            #expect(answer.output == "")
            #expect(answer.errors.contains("No keychain is available."))
            #expect(answer.errors.contains("securityd --user"), "it says what to do")
        }
    }

    @Test func aSocketPathThatIsTooLongIsToldApartFromASilentService() throws {
        let path = "/tmp/" + String(repeating: "s", count: 103)
        let answer = try Transcript(socket: path).run(["device", "status"])
        #expect(answer.status == 53)
        #expect(answer.errors.contains("107 bytes"))
        #expect(!answer.errors.contains("securityd --user"))
    }
}
