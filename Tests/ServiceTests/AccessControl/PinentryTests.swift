// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Keychain
import SecretBytes
import TestSupport
import Testing

extension ServiceTests {
    /// The agent asks by a pinentry.
    @Suite struct PinentryTests {
        /// Runs a program with a protected item over a service with this pinentry.
        private static func run(
            pinentry: String, _ steps: [String], answers: [String?] = [],
            hasTerminal: Bool = true
        ) throws -> (steps: [String], lines: [String], failures: Int) {
            try TemporaryDirectory.lend { directory in
                var options = TestService.Options(.user, directory: directory)
                options.arguments = ["--pinentry", pinentry]
                return try TestService.run(options) { service in
                    try service.keychain.setPasscode(SecretBytes(passcode: "1234"))
                    let story = try PersonTerminal.run(
                        service, ["add:bank:userPresence"] + steps, answers: answers,
                        hasTerminal: hasTerminal)
                    let failures = try service.keychain.deviceStatus().failedAttempts
                    return (Array(story.steps.dropFirst()), story.lines, Int(failures))
                }
            }
        }

        /// A pinentry that writes down what it is told, and answers `GETPIN` with these lines.
        private static func withScript<R>(
            _ answer: String, greeting: String = "OK ready",
            _ body: (_ path: String, _ log: () throws -> String) throws -> R
        ) throws -> R {
            try TemporaryDirectory.lend { directory in
                let path = directory + "/pinentry"
                let script = """
                    #!/bin/sh
                    printf '%s\\n' '\(greeting)'
                    while read -r line; do
                        printf '%s\\n' "$line" >> '\(directory)/log'
                        case "$line" in
                            GETPIN*) printf '\(answer)' ;;
                            *) echo OK ;;
                        esac
                    done
                    """
                try script.write(toFile: path, atomically: false, encoding: .utf8)
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o755], ofItemAtPath: path)
                return try body(path) {
                    try String(contentsOfFile: directory + "/log", encoding: .utf8)
                }
            }
        }

        @Test func theEntryOpensTheItemAndTheTextSaysWhoAsks() throws {
            try Self.withScript("D 1234\\nOK\\n") { pinentry, log in
                let story = try Self.run(pinentry: pinentry, ["read:bank"])
                #expect(story.steps == ["read:bank 0 secret of bank"])
                let told = try log()
                #expect(told.contains("OPTION ttyname=/dev/pts/"))
                let question = try #require(
                    told.split(separator: "\n").first { $0.hasPrefix("SETDESC ") })
                #expect(question.contains("TestPerson") && question.contains("grade"))
                #expect(question.contains("%0AIt says: \"for bank\""))
                #expect(told.contains("SETTIMEOUT ") && told.hasSuffix("GETPIN\n"))
                #expect(!told.contains("1234"))
                #expect(!story.lines.contains { $0.contains("1234") })
            }
        }

        @Test(arguments: [
            ("ERR 83886179 cancelled\\n", "-128"), ("ERR 83886278 closed\\n", "-128"),
            ("ERR 83886194 not confirmed\\n", "-128"), ("OK\\n", "-128"), ("D \\nOK\\n", "-128"),
            ("ERR 83886142 timeout\\n", "-128"), ("ERR 83886246 locale\\n", "-25308"),
            ("HELLO\\n", "-25308"), ("D 12\\nD 34\\nOK\\n", "-25308"), ("D %%4\\nOK\\n", "-25308"),
        ]) func aRefusalHasItsStatus(_ answer: String, _ status: String) throws {
            try Self.withScript(answer) { pinentry, _ in
                let story = try Self.run(pinentry: pinentry, ["read:bank", "read:bank:-:fail"])
                #expect(story.steps == ["read:bank \(status)", "read:bank:-:fail -25308"])
                #expect(story.failures == 0)
            }
        }

        @Test func threeWrongEntriesAreTheEnd() throws {
            try Self.withScript("D wrong\\nOK\\n") { pinentry, log in
                let story = try Self.run(pinentry: pinentry, ["read:bank"])
                #expect(story.steps == ["read:bank -25293"])
                // The same wrong entry again tells nobody anything, and counts once.
                #expect(story.failures == 1)
                #expect(try log().components(separatedBy: "SETERROR That was wrong.").count == 3)
            }
        }

        /// One that is missing, ends at once, or writes a line without end.
        @Test func onePinentryThatDoesNotWorkIsAnsweredAtOnce() throws {
            let flood = try Self.withScript("x", greeting: String(repeating: "x", count: 4000)) {
                pinentry, _ in try Self.run(pinentry: pinentry, ["read:bank"]).steps
            }
            #expect(flood == ["read:bank -25308"])
            for program in ["/bin/true", "/nonexistent/pinentry"] {
                #expect(
                    try Self.run(pinentry: program, ["read:bank"]).steps == ["read:bank -25308"])
            }
        }

        /// A program without a terminal and without this session's display has nobody to ask.
        @Test func aProgramOfAnotherSessionIsNotAskedHere() throws {
            try Self.withScript("D 1234\\nOK\\n") { pinentry, log in
                let story = try Self.run(
                    pinentry: pinentry, ["read:bank"], hasTerminal: false)
                #expect(story.steps == ["read:bank -25308"])
                #expect((try? log()) == nil)
            }
        }

        @Test func aRealPinentryAsksOnTheTerminal() throws {
            let story = try Self.run(
                pinentry: "/usr/bin/pinentry-tty", ["read:bank", "context:a", "read:bank:a"],
                answers: ["1234", "wrong", "1234"])
            #expect(
                story.steps == [
                    "read:bank 0 secret of bank", "context:a 0", "read:bank:a 0 secret of bank",
                ])
            #expect(story.failures == 0)
            #expect(!story.lines.contains { $0.contains("1234") })
        }
    }
}
