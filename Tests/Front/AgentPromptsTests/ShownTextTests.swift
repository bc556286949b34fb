// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import AgentPrompts
import Testing

@Suite struct ShownTextTests {
    @Test func ordinaryTextStaysAsItIs() {
        for text in ["", "bank", "Konto \"Bär\"", "日本語", "a/b (grade U)"] {
            #expect(ShownText.neutral(text) == text)
        }
    }

    @Test(arguments: [
        "\u{1B}[2J", "\u{9B}31m", "\r\n", "\u{7}", "\u{0}", "\u{202E}", "\u{2066}", "\u{200B}",
        "\u{2028}", "\u{FEFF}", "\u{E000}", "\u{301}", "\t", "\u{7F}", "\u{90}",
    ])
    func whatATerminalActsOnIsReplaced(_ text: String) {
        let shown = ShownText.neutral("a\(text)b")
        #expect(shown.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F })
        for scalar in text.unicodeScalars where scalar.value < 0x20 || scalar.value > 0x7E {
            #expect(!shown.unicodeScalars.contains(scalar))
        }
        #expect(shown.contains("\u{FFFD}"))
    }

    @Test func longTextIsCut() {
        let text = String(repeating: "x", count: 1 << 20)
        let shown = ShownText.neutral(text)
        #expect(shown.count == ShownText.characterLimit + 1 && shown.hasSuffix("…"))
        let fits = String(repeating: "x", count: ShownText.characterLimit)
        #expect(ShownText.neutral(fits) == fits)
    }
}

@Suite struct ProcessTerminalTests {
    private static func line(_ device: Int, group: Int = 7, foreground: Int = 7) -> String {
        "7 (a) b)) S 1 \(group) 7 \(device) \(foreground) 4194304 0"
    }

    @Test func aPseudoTerminalIsFound() {
        // Major 136, minor 3; and major 137, minor 2: the 258th.
        #expect(ProcessTerminal(statusLine: Self.line(136 << 8 | 3))?.path == "/dev/pts/3")
        #expect(ProcessTerminal(statusLine: Self.line(137 << 8 | 2))?.path == "/dev/pts/258")
        #expect(ProcessTerminal(statusLine: Self.line(4 << 8 | 1))?.path == "/dev/tty1")
    }

    @Test func aProcessWithoutOneOrInTheBackgroundHasNone() {
        #expect(ProcessTerminal(statusLine: Self.line(0)) == nil)
        #expect(ProcessTerminal(statusLine: Self.line(136 << 8, foreground: 8)) == nil)
        #expect(ProcessTerminal(statusLine: Self.line(136 << 8, foreground: -1)) == nil)
        #expect(ProcessTerminal(statusLine: Self.line(5 << 8)) == nil)
    }

    @Test(arguments: ["", ")", "7 (x) S 1 7", "7 (x S 1 7 7 34816 7", "7 (x) S 1 a 7 34816 7"])
    func anUnreadableLineIsNone(_ line: String) {
        #expect(ProcessTerminal(statusLine: line) == nil)
    }
}
