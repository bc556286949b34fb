// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// The .netrc format: words, in any layout. Known: `machine NAME`, `default`, `login`, `password`,
/// `account`, `macdef` (a macro, up to an empty line; skipped), comments from `#`, and values in
/// double quotes with `\` before `"` and `\`.
enum Netrc {
    /// One machine's login.
    struct Login {
        /// The machine; `default` for the entry that fits all others.
        var machine: String
        var account = ""
        var password = ""
    }

    /// Where the file can't be understood.
    struct SyntaxError: Error {
        let line: Int
        let reason: String
    }

    /// The logins of a file that have a password, in order.
    static func logins(in text: String) throws -> [Login] {
        var scanner = Scanner(text)
        var logins: [Login] = []
        while let word = scanner.keyword() {
            switch word {
            case "machine": logins.append(Login(machine: try scanner.value(of: word)))
            case "default": logins.append(Login(machine: word))
            case "macdef": try scanner.skipMacro()
            case "login", "password", "account":
                let value = try scanner.value(of: word)
                guard let last = logins.indices.last else {
                    throw scanner.error("\"\(word)\" before any machine")
                }
                if word == "login" { logins[last].account = value }
                if word == "password" { logins[last].password = value }
            default: throw scanner.error("\"\(word)\" is no keyword")
            }
        }
        return logins.filter { !$0.password.isEmpty }
    }

    private struct Scanner {
        private let text: [Character]
        private var position = 0
        private var line = 1

        init(_ text: String) { self.text = Array(text) }

        /// The next keyword; comments end here, since `#` may start a password.
        mutating func keyword() -> String? {
            while true {
                skip { $0.isWhitespace }
                guard position < text.count else { return nil }
                guard text[position] == "#" else { break }
                skip { !$0.isNewline }
            }
            return bareWord()
        }

        mutating func value(of keyword: String) throws -> String {
            skip { $0.isWhitespace }
            guard position < text.count else { throw error("nothing after \"\(keyword)\"") }
            return text[position] == "\"" ? try quoted() : bareWord()
        }

        mutating func skipMacro() throws {
            _ = try value(of: "macdef")
            while position < text.count {
                skip { !$0.isNewline }
                let isEnd = position + 1 >= text.count || text[position + 1].isNewline
                advance()
                if isEnd { return }
            }
        }

        func error(_ reason: String) -> SyntaxError { SyntaxError(line: line, reason: reason) }

        private mutating func bareWord() -> String {
            let start = position
            skip { !$0.isWhitespace }
            return String(text[start..<position])
        }

        private mutating func quoted() throws -> String {
            advance()
            var value = ""
            while position < text.count, text[position] != "\"" {
                if text[position] == "\\", position + 1 < text.count { advance() }
                value.append(text[position])
                advance()
            }
            guard position < text.count else { throw error("a quote that nothing closes") }
            advance()
            return value
        }

        private mutating func skip(while isSkipped: (Character) -> Bool) {
            while position < text.count, isSkipped(text[position]) { advance() }
        }

        private mutating func advance() {
            guard position < text.count else { return }
            if text[position].isNewline { line += 1 }
            position += 1
        }
    }
}
