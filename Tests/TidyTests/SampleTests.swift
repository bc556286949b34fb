// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Testing

/// Each Swift block in the documentation's pages is code that is compiled and run
/// (Tests/Programs/DocumentationSamples).
@Suite struct SampleTests {
    /// Lines without their common indentation, and without empty lines at the ends.
    private static func outdented(_ lines: some Sequence<Substring>) -> [Substring] {
        let full = lines.filter { !$0.allSatisfy { $0 == " " } }
        let shared = full.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        var result = lines.map { line in
            line.allSatisfy { $0 == " " } ? "" : line.dropFirst(shared)
        }
        while result.last == "" { result.removeLast() }
        while result.first == "" { result.removeFirst() }
        return result
    }

    /// The regions of a file by their names, those of one name joined with an empty line.
    private static func samples(in lines: [Substring]) -> [String: [Substring]] {
        var samples: [String: [Substring]] = [:]
        var open: (name: String, lines: [Substring])?
        for line in lines {
            let text = line.drop { $0 == " " }
            if text.hasPrefix("// sample: ") {
                open = (String(text.dropFirst(11)), [])
            } else if text == "// end sample", let (name, region) = open {
                let before = samples[name].map { $0 + [""] } ?? []
                samples[name] = before + outdented(region)
                open = nil
            } else {
                open?.lines.append(line)
            }
        }
        return samples
    }

    /// The Swift blocks of a page, with their first lines.
    private static func blocks(in lines: [Substring]) -> [(line: Int, text: [Substring])] {
        var blocks: [(Int, [Substring])] = []
        var open: (line: Int, lines: [Substring])?
        for (number, line) in lines.enumerated() {
            let text = line.drop { $0 == " " }
            if open == nil, text.hasPrefix("```swift") {
                open = (number + 1, [])
            } else if text.hasPrefix("```"), let (start, block) = open {
                blocks.append((start, outdented(block)))
                open = nil
            } else {
                open?.lines.append(line)
            }
        }
        return blocks
    }

    @Test func eachSwiftBlockOfAPageIsCompiledAndRun() throws {
        let sources = try SourceTree.files(
            in: "Tests/Programs/DocumentationSamples", endingIn: ".swift")
        let samples = sources.flatMap { Self.samples(in: $0.lines).values }
        let pages =
            try SourceTree.files(in: "Sources", endingIn: ".md")
            .filter { $0.path.contains(".docc/") } + [SourceTree.file("README.md")]
        var used: Set<[Substring]> = []
        var offenses: [String] = []
        for page in pages {
            // A manifest's fragment isn't part of a program.
            for block in Self.blocks(in: page.lines) where block.text.first != "// Package.swift" {
                used.insert(block.text)
                if !samples.contains(block.text) {
                    offenses.append("\(page.path):\(block.line): isn't in DocumentationSamples")
                }
            }
        }
        for sample in samples where !used.contains(sample) {
            offenses.append("on no page: \(sample.joined(separator: "\n"))")
        }
        #expect(offenses == [])
        #expect(!used.isEmpty)
    }

    /// One program for a tool with tokens, one for a server, and an application with its extension.
    @Test(arguments: ["tokens", "database", "session", "background"])
    func anExampleHasUnderEightyLines(_ name: String) throws {
        let files = try SourceTree.files(in: "Examples/Sources/\(name)", endingIn: ".swift")
        let count = files.reduce(0) { $0 + $1.lines.count }
        #expect(count < 80)
        #expect(try SourceTree.file("README.md").lines.contains { $0.contains("`\(name)`") })
    }

    /// Comments in the sources are also pages.
    @Test func noCommentHoldsSwiftThatNobodyCompiles() throws {
        let offenses = try SourceTree.files(in: "Sources", endingIn: ".swift").flatMap { file in
            file.lines.filter { $0.contains("/// ```swift") }.map { "\(file.path): \($0)" }
        }
        #expect(offenses == [])
    }

    /// The control: a region with one changed character differs from the block.
    @Test func aBlockIsFoundByItsTextAlone() {
        let source: [Substring] = [
            "// sample: a", "import A", "// end sample", "func f() {", "    // sample: a",
            "    if x {", "        y()", "    }", "    // end sample", "}",
        ]
        let page: [Substring] = [
            "text", "```swift", "import A", "", "if x {", "    y()", "}", "```",
        ]
        let sample = Self.samples(in: source)["a"]
        #expect(sample == Self.blocks(in: page).first?.text)
        #expect(sample != Self.blocks(in: page.map { $0 == "}" ? "};" : $0 }).first?.text)
    }
}
