// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Testing

/// Source: macOS's security, as observed.
@Suite struct InternetPasswordTests {
    private let security: Transcript

    init() throws { security = try Transcript() }

    private func add(_ server: String, _ account: String, _ more: String...) throws -> Answer {
        try security.run(["add-internet-password", "-s", server, "-a", account] + more)
    }

    private func secret(_ words: String...) throws -> Answer {
        try security.run(["find-internet-password", "-w"] + words)
    }

    @Test func addIsSilentAndFindGivesTheSecretAndOneNewline() throws {
        #expect(try add("host", "bob", "-w", "pass word") == Answer(0))
        #expect(try secret("-s", "host") == Answer(0, "pass word\n"))
        #expect(try security.run("find-internet-password", "-wa", "bob").output == "pass word\n")
        #expect(try security.run("find-i", "-shost", "-w") == Answer(0, "pass word\n"))
        #expect(try secret("-s", "nope") == Text.notFound)
    }

    @Test func eachIdentifyingAttributeMakesAnotherItem() throws {
        let variants = [
            [], ["-d", "domain"], ["-p", "/path"], ["-P", "443"], ["-r", "htps"], ["-t", "http"],
        ]
        for (number, words) in variants.enumerated() {
            let add = ["add-internet-password", "-s", "host", "-a", "bob", "-w", "\(number)"]
            #expect(try security.run(add + words) == Answer(0), "\(words)")
            let again = try security.run(add + words)
            #expect(
                again
                    == Answer(
                        45,
                        errors: "security: SecKeychainAddInternetPassword <NULL>: "
                            + "The specified item already exists in the keychain.\n"))
        }
        for (number, words) in variants.enumerated().dropFirst() {
            let found = try security.run(["find-internet-password", "-w"] + words)
            #expect(found == Answer(0, "\(number)\n"), "\(words)")
        }
        #expect(try secret("-s", "host") == Answer(0, "0\n"), "the oldest is found first")
        // A generic password isn't affected.
        #expect(try security.run("find-generic-password", "-a", "bob") == Text.notFound)
    }

    @Test func allIdentifyingAttributesTogetherAreTheWholeSearch() throws {
        let all = [
            "-s", "host", "-a", "bob", "-d", "domain", "-p", "/p", "-P", "80", "-r", "http", "-t",
            "dflt",
        ]
        #expect(try security.run(["add-internet-password", "-w", "x"] + all) == Answer(0))
        let find = ["find-internet-password", "-w", "-l", "Other"]
        #expect(try security.run(find + all) == Answer(0, "x\n"))
        #expect(try security.run(find + ["-s", "host", "-a", "bob"]) == Text.notFound)
    }

    @Test func updateReplacesTheSecretOfTheSameItemOnly() throws {
        #expect(try add("host", "bob", "-w", "plain") == Answer(0))
        #expect(try add("host", "bob", "-w", "one", "-r", "htps", "-l", "Label") == Answer(0))
        #expect(try add("host", "bob", "-U", "-w", "two", "-r", "htps", "-j", "note") == Answer(0))
        #expect(try secret("-s", "host", "-r", "htps") == Answer(0, "two\n"))
        let block = try security.run("find-internet-password", "-r", "htps").output
        #expect(block.contains("0x00000007 <blob>=\"Label\"\n"))
        #expect(block.contains("\"icmt\"<blob>=\"note\"\n"))
        #expect(try secret("-s", "host") == Answer(0, "plain\n"))
        #expect(try add("new", "bob", "-U", "-w", "three") == Answer(0))
        #expect(try secret("-s", "new") == Answer(0, "three\n"))
    }

    @Test func theBlockHasMacOSsLinesInItsOrder() throws {
        #expect(
            try add(
                "host", "bob", "-w", "x", "-c", "aapl", "-C", "abcd", "-D", "kind", "-P", "443",
                "-r", "htps", "-p", "/path") == Answer(0))
        let answer = try security.run("find-internet-password", "-s", "host", "-g")
        #expect(answer.errors == "password: \"x\"\n")
        let lines = answer.output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[0] == "keychain: \"/home/tester/Library/Keychains/login.keychain-db\"")
        #expect(lines[1] == "version: 512")
        #expect(lines[2] == "class: \"inet\"")
        #expect(lines[3] == "attributes:")
        let expected = [
            "    0x00000007 <blob>=\"host\"", "    0x00000008 <blob>=<NULL>",
            "    \"acct\"<blob>=\"bob\"", "    \"atyp\"<blob>=\"dflt\"",
            "    \"cdat\"<timedate>=0x", "    \"crtr\"<uint32>=\"aapl\"",
            "    \"cusi\"<sint32>=<NULL>", "    \"desc\"<blob>=\"kind\"",
            "    \"icmt\"<blob>=<NULL>", "    \"invi\"<sint32>=<NULL>",
            "    \"mdat\"<timedate>=0x", "    \"nega\"<sint32>=<NULL>",
            "    \"path\"<blob>=\"/path\"", "    \"port\"<uint32>=0x000001BB ",
            "    \"prot\"<blob>=<NULL>", "    \"ptcl\"<uint32>=\"htps\"",
            "    \"scrp\"<sint32>=<NULL>", "    \"sdmn\"<blob>=", "    \"srvr\"<blob>=\"host\"",
            "    \"type\"<uint32>=\"abcd\"",
        ]
        #expect(lines.count == 4 + expected.count + 1)
        for (line, start) in zip(lines.dropFirst(4), expected) {
            if start.hasSuffix("0x") {
                #expect(line.hasPrefix(start))
            } else {
                #expect(line == start)
            }
        }
    }

    @Test func deleteTakesTheFirstMatchOnly() throws {
        for account in ["1", "2"] { #expect(try add("host", account, "-w", account) == Answer(0)) }
        let answer = try security.run("delete-internet-password", "-s", "host")
        #expect(answer.status == 0)
        #expect(answer.output.contains("class: \"inet\"\n"))
        #expect(answer.output.contains("\"acct\"<blob>=\"1\"\n"))
        #expect(answer.errors == "password has been deleted.\n")
        #expect(try secret("-s", "host") == Answer(0, "2\n"))
        #expect(try security.run("delete-internet-password", "-a", "2").status == 0)
        #expect(try security.run("delete-internet-password", "-s", "host") == Text.notFound)
    }

    @Test func aLastPasswordOptionReadsStandardInput() throws {
        let words = ["add-internet-password", "-s", "in", "-a", "x", "-p", "path", "-w"]
        let prompts = "password data for new item: retype password for new item: "
        #expect(try security.run(words, input: "one\none\n") == Answer(0, errors: prompts))
        #expect(try secret("-p", "path") == Answer(0, "one\n"))
    }

    @Test func wrongOptionsGiveTheUsageOnErrorsAndStatus2() throws {
        for words in [
            ["find-internet-password", "-x"], ["find-internet-password", "-G", "g"],
            ["delete-internet-password"], ["add-internet-password", "-s", "x"],
            ["add-internet-password", "-a", "x"], ["find-internet-password", "-P", "x"],
            ["find-internet-password", "-P", "65536"], ["add-internet-password", "-p"],
            ["add-internet-password", "-a", "x", "-s", "y", "one", "two"],
        ] {
            let answer = try security.run(words)
            #expect(answer.status == 2, "\(words)")
            #expect(answer.output == "")
            #expect(answer.errors.hasPrefix("Usage: \(words[0]) "), "\(words)")
        }
        let code = try security.run("find-internet-password", "-r", "ftp")
        #expect(code.status == 1)
        #expect(code.errors.contains("(Try \"ftp \" instead of \"ftp\")"))
    }
}
