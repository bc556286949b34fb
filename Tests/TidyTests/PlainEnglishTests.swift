// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Testing

/// The project's pages are in plain English: short sentences that name who acts. A reader under
/// pressure, whose first language may be another one, understands each at the first reading.
@Suite struct PlainEnglishTests {
    private static let wordLimit = 35

    /// Words that leave the reader to find out who acts, or what happens.
    private static let hidingWords = [
        "whoever", "anybody", "somebody", "nobody else", "thereby", "what lies", "goes by",
        "is told", "is taken away", "comes between", "comes in its way",
    ]

    /// All pages, the generated ones too.
    private static func pages() throws -> [SourceTree.File] {
        let names = try FileManager.default.contentsOfDirectory(atPath: SourceTree.root.path)
            .filter { $0.hasSuffix(".md") }.sorted()
        let ofRoot = try names.map { try SourceTree.file($0) }
        let others = try ["Documentation", "Sources", "Tests"].map {
            try SourceTree.files(in: $0, endingIn: ".md")
        }
        try #require(!ofRoot.isEmpty && others.allSatisfy { !$0.isEmpty })
        return ofRoot + others.flatMap { $0 }
    }

    /// The sentences that are too long: their lines and how many words they have.
    private static func longSentences(in lines: [Substring]) -> [(line: Int, wordCount: Int)] {
        Prose.sentences(of: lines).filter { $0.words.count > wordLimit }
            .map { (line: $0.line, wordCount: $0.words.count) }
    }

    /// The words of the list that a page uses, and their sentences' lines.
    private static func findHidingWords(in lines: [Substring]) -> [(line: Int, words: String)] {
        Prose.sentences(of: lines).flatMap { sentence -> [(line: Int, words: String)] in
            let spoken = sentence.spoken
            return hidingWords.filter { spoken.contains(" \($0) ") }
                .map { (line: sentence.line, words: $0) }
        }
    }

    @Test func noSentenceIsLongerThanThirtyFiveWords() throws {
        var offenses: [String] = []
        for page in try Self.pages() {
            for (line, wordCount) in Self.longSentences(in: page.lines) {
                offenses.append("\(page.path):\(line): a sentence of \(wordCount) words")
            }
        }
        #expect(offenses == [])
    }

    /// A reader decides on the first page whether to go on.
    @Test func theReadmeHasAtMost150Lines() throws {
        #expect(try SourceTree.file("README.md").lines.count <= 151, "the last line is empty")
    }

    @Test func noPageUsesWordsThatHideTheActor() throws {
        var offenses: [String] = []
        for page in try Self.pages() {
            for (line, words) in Self.findHidingWords(in: page.lines) {
                offenses.append("\(page.path):\(line): \"\(words)\"")
            }
        }
        #expect(offenses == [])
    }

    // MARK: - Controls

    private static func lines(_ text: String) -> [Substring] {
        text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    private static func words(_ count: Int) -> String {
        Array(repeating: "word", count: count).joined(separator: " ")
    }

    /// Each text of a page is measured by itself, and reported with the line that it begins in.
    @Test(arguments: ["", "# ", "- ", "12. ", "> ", "| a | ", "text; ", "text.\n", "```\nx\n```\n"])
    func aSentenceOfThirtySixWordsIsTooLongAndOneOfThirtyFiveIsNot(_ start: String) {
        let line = Self.lines(start).count
        #expect(Self.longSentences(in: Self.lines(start + Self.words(35) + ".")).isEmpty)
        let found = Self.longSentences(in: Self.lines(start + Self.words(36) + "."))
        #expect(found.map(\.line) == [line])
        #expect(found.map(\.wordCount) == [36])
    }

    /// A sentence goes on over the end of a line, and past a dot inside a word.
    @Test func aSentenceEndsWhereItsMarkIsFollowedByWhiteSpace() {
        let broken = Self.words(20) + "\n" + Self.words(16)
        #expect(Self.longSentences(in: Self.lines(broken)).map(\.wordCount) == [36])
        let dotted = "a.b " + Self.words(35)
        #expect(Self.longSentences(in: Self.lines(dotted)).map(\.wordCount) == [36])
        for mark in [".", ":", ";", "!", "?", ".)", ".**"] {
            let ended = Self.words(20) + mark + " " + Self.words(16)
            #expect(Self.longSentences(in: Self.lines(ended)).isEmpty, "\(mark)")
        }
    }

    /// A span of code and the text of a link count, the rest of them doesn't.
    @Test func codeIsOneWordAndTheTargetOfALinkIsNone() {
        let code = Self.words(34) + " `a b. c`"
        #expect(Self.longSentences(in: Self.lines(code)).isEmpty)
        #expect(Self.longSentences(in: Self.lines(code + " x")).map(\.wordCount) == [36])
        let link = Self.words(34) + " [page](a.md)"
        #expect(Self.longSentences(in: Self.lines(link)).isEmpty)
        #expect(Self.longSentences(in: Self.lines(link + " x")).map(\.wordCount) == [36])
    }

    @Test func indentedCodeHasNoSentences() {
        let code = "Text.\n\n    " + Self.words(36) + "\n"
        #expect(Self.longSentences(in: Self.lines(code)).isEmpty)
        let item = "- Item.\n    " + Self.words(36) + "\n"
        #expect(Self.longSentences(in: Self.lines(item)).map(\.wordCount) == [36])
    }

    @Test func aHidingWordIsFoundAsAWholeWordOutsideCode() {
        let page = "Whoever asks.\nIt says what\nlies there.\n\n`whoever` and whatever: somebody's"
        let found = Self.findHidingWords(in: Self.lines(page))
        #expect(found.map(\.words) == ["whoever", "what lies", "somebody"])
        #expect(found.map(\.line) == [1, 2, 5])
    }
}

/// A sentence of a page.
private struct Sentence {
    /// The number of the line that its first word is in.
    let line: Int
    let words: [Substring]

    /// Its words as they are said: small letters alone, with a space around each.
    var spoken: String {
        let letters = words.joined(separator: " ").lowercased().split { !$0.isLetter }
        return " " + letters.joined(separator: " ") + " "
    }
}

/// Takes Markdown apart, as far as the sentences of its texts are concerned.
private enum Prose {
    /// What is a text of its own: a paragraph, a heading, an item of a list, a cell of a table.
    private struct Passage {
        /// The number of its first line.
        let line: Int
        var text: String
    }

    private static let ends: Set<Character> = [".", ":", ";", "!", "?"]
    /// What may stand between a sentence's last mark and the white space behind it.
    private static let closers: Set<Character> = [")", "]", "\"", "”", "’", "*", "_"]
    private static let bullets: Set<Character> = ["-", "*", "+"]

    static func sentences(of lines: [Substring]) -> [Sentence] {
        passages(of: lines).flatMap { sentences(of: $0) }
    }

    // MARK: - Passages

    private static func passages(of lines: [Substring]) -> [Passage] {
        var passages: [Passage] = []
        var fence: Substring?
        // Whether the next line goes on with the last passage.
        var isOpen = false
        for (index, line) in lines.enumerated() {
            var text = trimmed(line)
            let start = text.prefix(3)
            if let open = fence {
                if start == open { fence = nil }
                continue
            }
            guard start != "```", start != "~~~" else {
                fence = start
                isOpen = false
                continue
            }
            // Code that is set off by its indentation.
            if !isOpen, line.hasPrefix("    "), text.first != nil { continue }
            while text.first == ">" { text = trimmed(text.dropFirst()) }
            switch text.first {
            case nil: isOpen = false
            case "#"?:
                isOpen = false
                passages.append(Passage(line: index + 1, text: String(text.drop { $0 == "#" })))
            case "|"?:
                isOpen = false
                for cell in cells(text) { passages.append(Passage(line: index + 1, text: cell)) }
            default:
                let item = afterBullet(text)
                if item == nil, isOpen, let last = passages.indices.last {
                    passages[last].text += "\n" + String(text)
                } else {
                    passages.append(Passage(line: index + 1, text: String(item ?? text)))
                }
                isOpen = true
            }
        }
        return passages
    }

    private static func trimmed(_ line: Substring) -> Substring {
        var line = line.drop { $0.isWhitespace }
        while line.last?.isWhitespace == true { line.removeLast() }
        return line
    }

    /// The cells of a table's row.
    private static func cells(_ row: Substring) -> [String] {
        withoutCode(String(row)).replacingOccurrences(of: "\\|", with: "/")
            .split(separator: "|").map { String($0) }
    }

    /// The text of a list's item; nil of any other text.
    private static func afterBullet(_ text: Substring) -> Substring? {
        guard let space = text.firstIndex(where: \.isWhitespace) else { return nil }
        let bullet = text[..<space]
        let number = bullet.dropLast()
        let isNumbered =
            (bullet.last == "." || bullet.last == ")") && !number.isEmpty
            && number.allSatisfy { $0.isASCII && $0.isNumber }
        let isBullet = bullet.count == 1 && bullet.allSatisfy { bullets.contains($0) }
        return isBullet || isNumbered ? trimmed(text[space...]) : nil
    }

    // MARK: - Sentences

    private static func sentences(of passage: Passage) -> [Sentence] {
        var sentences: [Sentence] = []
        var words: [Substring] = []
        var firstLine = passage.line
        let text = withoutTargets(withoutCode(passage.text))
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (offset, line) in lines.enumerated() {
            for word in line.split(whereSeparator: \.isWhitespace) {
                if word.contains(where: { $0.isLetter || $0.isNumber }) {
                    if words.isEmpty { firstLine = passage.line + offset }
                    words.append(word)
                }
                guard isEnd(word), !words.isEmpty else { continue }
                sentences.append(Sentence(line: firstLine, words: words))
                words = []
            }
        }
        if !words.isEmpty { sentences.append(Sentence(line: firstLine, words: words)) }
        return sentences
    }

    /// Whether a sentence ends with this word, which white space or the text's end follows.
    private static func isEnd(_ word: Substring) -> Bool {
        var word = word
        while let last = word.last, closers.contains(last) { word.removeLast() }
        guard let last = word.last else { return false }
        return ends.contains(last)
    }

    // MARK: - What isn't said

    /// The text with one word in the place of each span of code. Line breaks stay.
    private static func withoutCode(_ text: String) -> String {
        guard text.contains("`") else { return text }
        let characters = Array(text)
        var result = ""
        var position = 0
        while position < characters.count {
            let quoteCount = backquoteCount(characters, at: position)
            let start = position + quoteCount
            if quoteCount == 0 {
                result.append(characters[position])
                position += 1
            } else if let end = backquotes(quoteCount, in: characters, from: start) {
                result += "code"
                result += lineBreaks(characters[start..<end])
                position = end + quoteCount
            } else {
                position = start
            }
        }
        return result
    }

    private static func backquoteCount(_ characters: [Character], at position: Int) -> Int {
        characters[position...].prefix { $0 == "`" }.count
    }

    /// Where exactly so many backquotes come next.
    private static func backquotes(
        _ count: Int, in characters: [Character], from start: Int
    ) -> Int? {
        var position = start
        while position < characters.count {
            let found = backquoteCount(characters, at: position)
            if found == count { return position }
            position += max(found, 1)
        }
        return nil
    }

    /// As many line breaks as the characters have.
    private static func lineBreaks(_ characters: some Sequence<Character>) -> String {
        let count = characters.reduce(0) { $1 == "\n" ? $0 + 1 : $0 }
        return String(repeating: "\n", count: count)
    }

    /// The text without the targets of its links. Line breaks stay.
    private static func withoutTargets(_ text: String) -> String {
        let parts = text.components(separatedBy: "](")
        var result = parts.first ?? ""
        for part in parts.dropFirst() {
            let end = part.firstIndex(of: ")") ?? part.startIndex
            result += lineBreaks(part[..<end])
            result += String(part[end...].drop { $0 == ")" })
        }
        return result
    }
}
