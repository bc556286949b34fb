// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import TestSupport
import Testing

/// Passwords that come by a descriptor, where other processes don't see them.
@Suite struct PasswordOptionTests {
    @Test func aKeychainsPasswordComesByADescriptor() throws {
        let security = try Transcript()
        try TemporaryDirectory.lend { home in
            func run(_ words: String..., input: String = "") throws -> Answer {
                try security.run(words, input: input, home: home)
            }
            #expect(
                try run(
                    "create-keychain", "--password-fd", "0", "job.keychain", input: "one\nrest\n")
                    == Answer(0))
            #expect(try run("lock-keychain", "job.keychain") == Answer(0))
            #expect(
                try run("unlock-keychain", "--password-fd", "0", "job.keychain", input: "other\n")
                    .status == 51)
            #expect(
                try run("unlock-keychain", "--password-fd", "0", "job.keychain", input: "one\n")
                    == Answer(0))
            #expect(
                try run(
                    "set-keychain-password", "--old-password-fd", "0", "-p", "two", "job.keychain",
                    input: "one\n") == Answer(0))
            #expect(
                try run("unlock-keychain", "-p", "one", "job.keychain").status == 51)
            #expect(
                try run(
                    "add-generic-password", "-s", "bank", "-a", "anna", "--password-fd", "0",
                    "job.keychain", input: "APPLE\n") == Answer(0))
            let listed = try run(
                "set-generic-password-partition-list", "-s", "bank", "-S", "unsigned:",
                "--password-fd", "0", "job.keychain", input: "two\n")
            #expect(listed.status == 0)
            #expect(
                try run("find-generic-password", "-s", "bank", "-w", "job.keychain")
                    == Answer(0, "APPLE\n"))
        }
    }

    @Test func aFilesPasswordComesByADescriptor() throws {
        let security = try Transcript()
        try TemporaryDirectory.lend { home in
            func run(_ words: String..., input: String = "") throws -> Answer {
                try security.run(words, input: input, home: home)
            }
            let made = try TestCertificates(in: home)
            let file = home + "/server.p12"
            let packed = try TestProcess.run(
                "openssl",
                [
                    "pkcs12", "-export", "-in", made.path("server"), "-inkey",
                    home + "/server.key", "-passout", "pass:p", "-out", file,
                ])
            #expect(packed.ending == .exit(0))
            #expect(try run("import", file, "--password-fd", "0", input: "q\n").status == 1)
            #expect(
                try run("import", file, "--password-fd", "0", input: "p\n")
                    == Answer(0, "1 identity imported.\n"))
            let other = home + "/other.p12"
            #expect(
                try run(
                    "export", "-t", "identities", "-f", "pkcs12", "--password-fd", "0", "-o", other,
                    input: "r\n"
                ).status == 0)
            let read = try TestProcess.run(
                "openssl", ["pkcs12", "-in", other, "-nodes", "-passin", "pass:r"])
            #expect(read.output.contains("PRIVATE KEY"))
        }
    }

    @Test func whatIsNoDescriptorIsWrongUsage() throws {
        let security = try Transcript()
        for words in [
            ["unlock-keychain", "--password-fd"], ["unlock-keychain", "--password-fd", "x"],
            ["unlock-keychain", "--password-fd", "77"], ["unlock-keychain", "--nothing", "0"],
            ["create-keychain", "--password-fd", "0", "job.keychain"],
        ] {
            #expect(try security.run(words).status == 2)
        }
    }

    @Test func aPasswordAmongTheWordsIsWarnedOfOnATerminal() throws {
        let security = try Transcript()
        let text = try security.runOnTerminal(["unlock-keychain", "-p", "secret"])
        #expect(
            text.contains("security: warning: other processes can read a password on the command"))
        #expect(text.contains("--password-fd N reads it elsewhere"))
        #expect(
            try security.run("unlock-keychain", "-p", "secret").errors == "")
    }
}
