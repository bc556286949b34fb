// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import TestSupport
import Testing

/// `security error`, `list-smartcards`, and commands of macOS that aren't offered. None of them needs
/// a service.
@Suite struct ErrorCommandTests {
    private let security: Transcript

    init() throws { security = try Transcript() }

    @Test func aStatusIsExplained() throws {
        let text = "The specified item could not be found in the keychain.\n"
        for word in ["-25300", "0xFFFF9D2C", "-0x62D4"] {
            #expect(
                try security.run("error", word) == Answer(1, "Error: 0xFFFF9D2C -25300 \(text)"))
        }
        #expect(try security.run("error", "0").output.hasPrefix("Error: 0x00000000 0 "))
        #expect(
            try security.run("error", "100002")
                == Answer(1, "Error: 0x000186A2 100002 UNIX[No such file or directory]\n"))
        #expect(
            try security.run("error", "-25300", "7").output.split(separator: "\n").count == 2)
    }

    @Test func whatIsNoStatusIsNotExplained() throws {
        for word in [
            "x", "", "0x", "99999999999", "4294967295", "-2147483649", "+1", "0x1FFFFFFFF",
        ] {
            #expect(
                try security.run("error", word)
                    == Answer(1, errors: "security: error: \(word) isn't a number\n"))
        }
        #expect(try security.run("error").status == 2)
    }

    @Test func thereIsNoCard() throws {
        #expect(
            try security.run("list-smartcards") == Answer(0, errors: "No smartcards found.\n"))
    }

    @Test func aCommandThatIsNotOfferedSaysWhy() throws {
        let names = [
            "authorize", "authorizationdb", "execute-with-privileges", "translocate-create",
            "translocate-policy-check", "translocate-status-check", "translocate-original-path",
            "filevault", "platformsso", "install-mds", "create-db", "smartcards",
            "export-smartcard", "leaks", "requirement-evaluate", "create-filevaultmaster-keychain",
        ]
        let listed = try security.run("help").output
        for name in names {
            let answer = try security.run(name, "-x", "word")
            #expect(answer.status == 1)
            #expect(answer.output.isEmpty)
            #expect(answer.errors.hasPrefix("security: \(name) isn't offered here: "))
            #expect(answer.errors.split(separator: "\n").count == 1)
            #expect(!listed.contains(" \(name) "))
            #expect(try security.run("help", name).errors.contains("isn't offered here"))
        }
    }
}
