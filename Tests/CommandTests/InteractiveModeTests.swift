// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Testing

/// Source: macOS's security, as observed.
@Suite struct InteractiveModeTests {
    private let security: Transcript

    init() throws { security = try Transcript() }

    @Test func eachLineIsACommandAndTheLastOnesStatusCounts() throws {
        let lines = """
            add-generic-password -U -s 'a service' -a "an account" -w 'se cret'

            find-generic-password -s 'a service' -w
            find-generic-password -s nope -w

            """
        #expect(
            try security.run("-i", input: lines)
                == Answer(
                    44, "se cret\n",
                    errors: "security: SecKeychainSearchCopyNext: \(Text.absent)\n"
                        + "find-generic-password: returned -25300\n"))
        #expect(try security.run("-iq", input: lines).errors.contains("returned") == false)
    }

    @Test func aLastLineWithoutItsEndIsDropped() throws {
        let lines = "add-generic-password -s one -a a -w 1\nadd-generic-password -s two -a a -w 2"
        #expect(try security.run("-i", input: lines) == Answer(0))
        #expect(try security.run("find-generic-password", "-s", "one", "-w") == Answer(0, "1\n"))
        #expect(try security.run("find-generic-password", "-s", "two", "-w") == Text.notFound)
    }

    @Test func quotesCountAtTheStartOfAWordAndBackslashesEverywhere() throws {
        let words: [(String, String)] = [
            (#"'a b'"#, "a b"), (#""a b""#, "a b"), (#"a'b"#, "a'b"), (#"it\'s"#, "it's"),
            (#"'it\'s'"#, "it's"), (#"a\ b"#, "a b"), (#""q\"q""#, "q\"q"), (#"\\"#, #"\"#),
            (#"$HOME"#, "$HOME"), (#"`x`"#, "`x`"),
        ]
        for (index, (written, meant)) in words.enumerated() {
            let line = "add-generic-password -s s\(index) -a a -w \(written)\n"
            #expect(try security.run("-i", input: line) == Answer(0), "\(written)")
            let found = try security.run("find-generic-password", "-s", "s\(index)", "-w")
            #expect(found == Answer(0, meant + "\n"), "\(written)")
        }
    }

    @Test func aClosingQuoteEndsTheWord() throws {
        let line = #"help 'find-gen'"nope"x"# + "\n"
        let answer = try security.run("-i", input: line)
        #expect(answer.output.hasPrefix("Usage: find-generic-password"))
        #expect(
            answer.errors
                == "security: help: no such command: nope\n"
                + "security: help: no such command: x\nhelp: returned 1\n")
    }

    @Test func aLineLongerThan4096BytesIsOneCommand() throws {
        let secret = String(repeating: "x", count: 100_000)
        let line = "add-generic-password -s long -a a -w \(secret)\n"
        #expect(try security.run("-i", input: line) == Answer(0))
        let found = try security.run("find-generic-password", "-s", "long", "-w")
        #expect(found == Answer(0, secret + "\n"))
    }

    @Test func aCommandsPasswordIsReadFromTheNextLines() throws {
        let lines = "add-generic-password -s p -a a -w\none\none\nfind-generic-password -s p -w\n"
        let answer = try security.run("-i", input: lines)
        #expect(answer.status == 0)
        #expect(answer.output == "one\n")
    }
}
