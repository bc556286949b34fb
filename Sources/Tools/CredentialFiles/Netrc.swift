// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import SecretBytes

/// The format of `~/.netrc`: words in any layout.
///
/// Keywords, in any case: `machine NAME`, `default`, `login` (also `user`), `password`, `account`
/// (skipped), `port` (a number or a protocol's name, as in Emacs), and `macdef` (a macro up to an
/// empty line, skipped). A value in double quotes may contain `\"`, `\\`, `\n`, `\r` and `\t`, as
/// curl reads them. In the place of a keyword, `#` begins a comment. In the place of a value it
/// begins the value, since passwords may begin so. Python's netrc does the same; curl would skip
/// the rest of the line and use the next line's first word as the password.
package enum Netrc {
    /// Reads a file.
    /// - Throws: The first invalid line.
    package static func parse(
        _ content: borrowing SecretBytes
    ) throws(BadLine) -> CredentialFile {
        try unsafe content.withUnsafeBytes { (bytes) throws(BadLine) in
            var reader = unsafe NetrcReader(FileText(bytes))
            return try reader.read()
        }
    }
}

private struct NetrcReader {
    private enum Keyword: String {
        case machine, `default`, login, user, password, account, port, macdef
    }

    private struct Entry {
        let line: Int
        /// Nil means any other machine.
        let server: String?
        var account: String?
        var secret: Secret?
        var port = 0
        var networkProtocol: String?
        var hasAccountPassword = false
    }

    private let text: FileText
    private var position = 0
    private var line = 1
    private var entry: Entry?
    private var file = CredentialFile()

    private static let quote = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")
    private static let newline = UInt8(ascii: "\n")
    /// Longer than any keyword.
    private static let keywordByteLimit = 16

    init(_ text: FileText) { self.text = text }

    mutating func read() throws(BadLine) -> CredentialFile {
        while let keyword = try keyword() {
            switch keyword {
            case .machine:
                try finishEntry()
                let start = line
                let server = try name()
                guard !server.isEmpty else { throw BadLine(line, .badHost) }
                entry = Entry(line: start, server: server)
            case .default:
                try finishEntry()
                entry = Entry(line: line, server: nil)
            case .macdef: try skipMacro()
            case .login, .user, .password, .account, .port: try take(keyword)
            }
        }
        try finishEntry()
        file.lineCount = line
        return file
    }

    /// Reads a value of the entry.
    private mutating func take(_ keyword: Keyword) throws(BadLine) {
        guard var entry else { throw BadLine(line, .noMachine) }
        let isFirst: Bool
        switch keyword {
        case .password:
            isFirst = entry.secret == nil
            entry.secret = Secret(try value())
        case .account:
            isFirst = !entry.hasAccountPassword
            entry.hasAccountPassword = true
            _ = try value()
        case .port:
            isFirst = entry.port == 0 && entry.networkProtocol == nil
            let port = try name()
            if let number = decimal(port), (1...65_535).contains(number) {
                entry.port = number
            } else if let code = NetworkProtocol.code(ofScheme: port) {
                entry.networkProtocol = code
            } else {
                throw BadLine(line, .badPort)
            }
        case .login, .user, .machine, .default, .macdef:
            isFirst = entry.account == nil
            entry.account = try name()
        }
        guard isFirst else { throw BadLine(line, .twice) }
        self.entry = entry
    }

    private mutating func finishEntry() throws(BadLine) {
        guard let entry else { return }
        self.entry = nil
        guard let server = entry.server else {
            file.omissions.append(.init(line: entry.line, reason: .anyServer))
            return
        }
        guard let secret = entry.secret else {
            file.omissions.append(.init(line: entry.line, reason: .noPassword))
            return
        }
        try file.add(
            FileLogin(
                line: entry.line, server: server, account: entry.account ?? "",
                networkProtocol: entry.networkProtocol, port: entry.port, path: "",
                secret: secret))
    }

    // MARK: - Words

    /// The next keyword; nil at the end.
    private mutating func keyword() throws(BadLine) -> Keyword? {
        while true {
            skipSpace()
            guard position < text.count else { return nil }
            guard text[position] == UInt8(ascii: "#") else { break }
            position = text.firstIndex(in: position..<text.count) { $0 == Self.newline }
        }
        let end = text.firstIndex(in: position..<text.count, where: Self.isSpace)
        guard end - position <= Self.keywordByteLimit else { throw BadLine(line, .noKeyword) }
        let word = String(
            decoding: (position..<end).map { text[$0] | 0x20 }, as: UTF8.self)
        guard let keyword = Keyword(rawValue: word) else { throw BadLine(line, .noKeyword) }
        position = end
        return keyword
    }

    private mutating func name() throws(BadLine) -> String {
        let start = line
        guard let name = try value().name() else { throw BadLine(start, .notText) }
        return name
    }

    private mutating func value() throws(BadLine) -> SecretBytes {
        let start = line
        skipSpace()
        guard position < text.count else { throw BadLine(start, .noValue) }
        let value: SecretBytes
        if text[position] == Self.quote {
            value = try quoted()
        } else {
            let end = text.firstIndex(in: position..<text.count, where: Self.isSpace)
            guard end - position <= CredentialFile.valueByteLimit else {
                throw BadLine(line, .tooLong)
            }
            let text = text
            value = text.secret(in: position..<end) { (text[$0], $0 + 1) }
            position = end
        }
        guard !value.contains(0) else { throw BadLine(line, .nul) }
        return value
    }

    /// A value in quotes, which end on the same line.
    private mutating func quoted() throws(BadLine) -> SecretBytes {
        let start = position + 1
        var end = start
        while end < text.count, text[end] != Self.quote, text[end] != Self.newline {
            let isEscape = text[end] == Self.backslash && end + 1 < text.count
            end += isEscape && text[end + 1] != Self.newline ? 2 : 1
        }
        guard end < text.count, text[end] == Self.quote else { throw BadLine(line, .openQuote) }
        guard end - start <= CredentialFile.valueByteLimit else { throw BadLine(line, .tooLong) }
        guard end + 1 == text.count || Self.isSpace(text[end + 1]) else {
            throw BadLine(line, .joinedQuote)
        }
        position = end + 1
        let text = text
        return text.secret(in: start..<end) { index in
            guard text[index] == Self.backslash else { return (text[index], index + 1) }
            switch text[index + 1] {
            case UInt8(ascii: "n"): return (Self.newline, index + 2)
            case UInt8(ascii: "r"): return (13, index + 2)
            case UInt8(ascii: "t"): return (9, index + 2)
            default: return (text[index + 1], index + 2)
            }
        }
    }

    /// Skips the rest of the line and all lines up to an empty one.
    private mutating func skipMacro() throws(BadLine) {
        skipLine()
        while position < text.count {
            let first = text[position]
            let isCarriageReturn =
                first == 13 && position + 1 < text.count && text[position + 1] == Self.newline
            let isEmpty = first == Self.newline || isCarriageReturn
            skipLine()
            if isEmpty { return }
        }
    }

    private mutating func skipLine() {
        position = text.firstIndex(in: position..<text.count) { $0 == Self.newline }
        guard position < text.count else { return }
        position += 1
        line += 1
    }

    private mutating func skipSpace() {
        while position < text.count, Self.isSpace(text[position]) {
            if text[position] == Self.newline { line += 1 }
            position += 1
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (9...13).contains(byte) }
}
