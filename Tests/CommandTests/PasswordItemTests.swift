// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Testing

/// Source: macOS's security, as observed.
@Suite struct PasswordItemTests {
    private let security: Transcript

    init() throws { security = try Transcript() }

    private func add(_ service: String, _ account: String, _ more: String...) throws -> Answer {
        try security.run(["add-generic-password", "-s", service, "-a", account] + more)
    }

    private func secret(_ service: String) throws -> Answer {
        try security.run("find-generic-password", "-s", service, "-w")
    }

    @Test func addIsSilentAndFindGivesTheSecretAndOneNewline() throws {
        #expect(try add("svc", "bob", "-w", "pass word") == Answer(0))
        #expect(try secret("svc") == Answer(0, "pass word\n"))
        #expect(try security.run("find-generic-password", "-wa", "bob") == Answer(0, "pass word\n"))
        #expect(try security.run("find-gen", "-ssvc", "-w") == Answer(0, "pass word\n"))
    }

    @Test func aMissingItemIsStatus44WithAnEmptyOutput() throws {
        #expect(try secret("nope") == Text.notFound)
        #expect(try security.run("delete-generic-password", "-s", "nope") == Text.notFound)
        #expect(try add("svc", "bob", "-w", "x") == Answer(0))
        let elsewhere = try security.run("find-generic-password", "-s", "svc", "other.keychain")
        #expect(elsewhere == Text.notFound)
    }

    @Test func aDuplicateIsStatus45() throws {
        #expect(try add("svc", "bob", "-w", "one") == Answer(0))
        #expect(
            try add("svc", "bob", "-w", "two")
                == Answer(
                    45,
                    errors: "security: SecKeychainItemCreateFromContent (<default>): "
                        + "The specified item already exists in the keychain.\n"))
        #expect(try secret("svc") == Answer(0, "one\n"))
    }

    @Test func updateReplacesTheSecretAndKeepsTheRest() throws {
        #expect(try add("svc", "bob", "-w", "one", "-l", "Label") == Answer(0))
        #expect(try add("svc", "bob", "-U", "-w", "two", "-j", "note") == Answer(0))
        #expect(try secret("svc") == Answer(0, "two\n"))
        let block = try security.run("find-generic-password", "-s", "svc").output
        #expect(block.contains("0x00000007 <blob>=\"Label\"\n"))
        #expect(block.contains("\"icmt\"<blob>=\"note\"\n"))
        #expect(try add("new", "bob", "-U", "-w", "three") == Answer(0))
        #expect(try secret("new") == Answer(0, "three\n"))
    }

    @Test func theBlockHasMacOSsLinesInItsOrder() throws {
        #expect(
            try add("svc", "bob", "-w", "x", "-c", "aapl", "-C", "abcd", "-D", "kind", "-G", "g")
                == Answer(0))
        let answer = try security.run("find-generic-password", "-s", "svc")
        #expect(answer.errors == "")
        let lines = answer.output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[0] == "keychain: \"/home/tester/Library/Keychains/login.keychain-db\"")
        #expect(lines[1] == "version: 512")
        #expect(lines[2] == "class: \"genp\"")
        #expect(lines[3] == "attributes:")
        let date = /<timedate>=0x[0-9A-F]{30}00  "[0-9]{14}Z\\000"/
        let expected = [
            "    0x00000007 <blob>=\"svc\"", "    0x00000008 <blob>=<NULL>",
            "    \"acct\"<blob>=\"bob\"", "    \"cdat\"", "    \"crtr\"<uint32>=\"aapl\"",
            "    \"cusi\"<sint32>=<NULL>", "    \"desc\"<blob>=\"kind\"",
            "    \"gena\"<blob>=\"g\"", "    \"icmt\"<blob>=<NULL>", "    \"invi\"<sint32>=<NULL>",
            "    \"mdat\"", "    \"nega\"<sint32>=<NULL>", "    \"prot\"<blob>=<NULL>",
            "    \"scrp\"<sint32>=<NULL>", "    \"svce\"<blob>=\"svc\"",
            "    \"type\"<uint32>=\"abcd\"",
        ]
        #expect(lines.count == 4 + expected.count + 1)
        for (line, start) in zip(lines.dropFirst(4), expected) {
            if start.hasSuffix("dat\"") {
                #expect(line.hasPrefix(start))
                #expect(String(line).firstMatch(of: date) != nil)
            } else {
                #expect(line == start)
            }
        }
    }

    @Test func aSecretThatIsNotPrintableASCIIIsHex() throws {
        #expect(try add("utf8", "a", "-w", "grüße") == Answer(0))
        #expect(try secret("utf8") == Answer(0, "6772c3bcc39f65\n"))
        #expect(
            try security.run("find-generic-password", "-s", "utf8", "-g").errors
                == "password: 0x6772C3BCC39F65  \"gr\\303\\274\\303\\237e\"\n")
        #expect(try add("line", "a", "-w", "a\nb") == Answer(0))
        #expect(try secret("line") == Answer(0, "610a62\n"))
        #expect(try add("slash", "a", "-w", "a\\b") == Answer(0))
        #expect(try secret("slash") == Answer(0, "a\\b\n"))
        #expect(
            try security.run("find-generic-password", "-s", "slash", "-g").errors
                == "password: 0x615C62  \"a\\134b\"\n")
    }

    @Test func hexDigitsGiveTheBytes() throws {
        #expect(try add("hex", "a", "-X", "68656c6C6F") == Answer(0))
        #expect(try secret("hex") == Answer(0, "hello\n"))
        #expect(try add("odd", "a", "-X", "f00") == Answer(0))
        #expect(try secret("odd") == Answer(0, "0f00\n"))
    }

    @Test func theSecretIsShownOnErrorsAndTheBlockOnOutput() throws {
        #expect(try add("svc", "bob", "-w", "it's \"quoted\"") == Answer(0))
        let answer = try security.run("find-generic-password", "-gs", "svc")
        #expect(answer.errors == "password: \"it's \"quoted\"\"\n")
        #expect(answer.output.hasPrefix("keychain: "))
        #expect(!answer.output.contains("quoted"))
        let both = try security.run("find-generic-password", "-g", "-w", "-s", "svc")
        #expect(both == Answer(0, "it's \"quoted\"\n"))
    }

    @Test func noPasswordIsAnEmptyOne() throws {
        #expect(try add("svc", "bob") == Answer(0))
        #expect(try secret("svc") == Answer(0, "\n"))
        #expect(
            try security.run("find-generic-password", "-s", "svc", "-g").errors == "password: \n")
    }

    @Test func aLastPasswordOptionReadsStandardInput() throws {
        let words = ["add-generic-password", "-s", "in", "-a", "x", "-w"]
        let prompts = "password data for new item: retype password for new item: "
        #expect(try security.run(words, input: "one\none\n") == Answer(0, errors: prompts))
        #expect(try secret("in") == Answer(0, "one\n"))
        let notLast = try security.run(words + ["-U"], input: "two\n")
        #expect(notLast.status == 45, "a -w that isn't last takes the next word as the password")
        let other = ["add-generic-password", "-s", "once", "-a", "x", "-w"]
        #expect(try security.run(other, input: "alone").status == 0)
        #expect(try secret("once") == Answer(0, "alone\n"))
    }

    @Test func threeMismatchesAreStatus1() throws {
        let words = ["add-generic-password", "-s", "in", "-a", "x", "-w"]
        let answer = try security.run(words, input: "a\nb\nc\nd\ne\nf\n")
        #expect(answer.status == 1)
        #expect(answer.errors.components(separatedBy: "passwords don't match\n").count == 4)
        #expect(try secret("in") == Text.notFound)
    }

    @Test func deleteTakesTheFirstMatchOnly() throws {
        for account in ["1", "2"] { #expect(try add("svc", account, "-w", account) == Answer(0)) }
        let answer = try security.run("delete-generic-password", "-s", "svc")
        #expect(answer.status == 0)
        #expect(answer.output.contains("\"acct\"<blob>=\"1\"\n"))
        #expect(answer.errors == "password has been deleted.\n")
        #expect(try secret("svc") == Answer(0, "2\n"))
        #expect(try security.run("delete-generic-password", "-a", "2").status == 0)
        #expect(try security.run("delete-generic-password", "-s", "svc") == Text.notFound)
    }

    @Test func accountAndServiceTogetherAreTheWholeSearch() throws {
        #expect(try add("svc", "bob", "-w", "x", "-l", "Label") == Answer(0))
        let words = ["find-generic-password", "-w", "-l", "Other"]
        #expect(try security.run(words + ["-s", "svc", "-a", "bob"]) == Answer(0, "x\n"))
        #expect(try security.run(words + ["-s", "svc"]) == Text.notFound)
        #expect(try security.run("find-generic-password", "-w") == Answer(0, "x\n"))
    }

    @Test func onlyTheLoginKeychainExists() throws {
        for name in ["login.keychain", "/home/tester/Library/Keychains/login.keychain-db"] {
            #expect(try add(name, "a", "-w", "x", name) == Answer(0))
            let found = try security.run("find-generic-password", "-w", "-s", name, "x", name)
            #expect(found == Answer(0, "x\n"))
        }
        #expect(
            try add("svc", "a", "-w", "x", "build.keychain")
                == Answer(
                    50,
                    errors: "security: SecKeychainItemCreateFromContent (build.keychain): "
                        + "The specified keychain could not be found.\n"))
    }
}
