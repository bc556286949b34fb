// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import SecretBytes

/// The format of `git credential-store`: one `SCHEME://USER:PASSWORD@HOST[:PORT][/PATH]` a line,
/// percent-encoded.
///
/// A URL is parsed as git does it (credential.c, `credential_from_url_gently`). The first `:` ends
/// the user, and the first `@` the password; a `%` without two hexadecimal digits stays as it is.
/// Git ignores invalid lines. Here they are errors, except empty ones and those that begin with
/// `#`.
package enum GitCredentials {
    /// Reads a file.
    /// - Throws: The first invalid line.
    package static func parse(
        _ content: borrowing SecretBytes
    ) throws(BadLine) -> CredentialFile {
        try unsafe content.withUnsafeBytes { (bytes) throws(BadLine) in
            let text = unsafe FileText(bytes)
            var file = CredentialFile()
            var start = 0
            while start < text.count {
                let end = text.firstIndex(in: start..<text.count) { $0 == UInt8(ascii: "\n") }
                file.lineCount += 1
                try CredentialLine(text, start..<end, number: file.lineCount)?.add(to: &file)
                start = end + 1
            }
            return file
        }
    }
}

/// One line with a URL.
private struct CredentialLine {
    private let text: FileText
    private let number: Int
    private let scheme: Range<Int>
    /// The part after `://`.
    private let rest: Range<Int>

    /// Nil for a line without a login.
    init?(_ text: FileText, _ line: Range<Int>, number: Int) throws(BadLine) {
        self.text = text
        self.number = number
        var end = line.upperBound
        while end > line.lowerBound, Self.isSpace(text[end - 1]) { end -= 1 }
        let start = text.firstIndex(in: line.lowerBound..<end) { !Self.isSpace($0) }
        guard start < end, text[start] != UInt8(ascii: "#") else { return nil }
        guard text.firstIndex(in: start..<end, where: { $0 == 0 }) == end else {
            throw BadLine(number, .nul)
        }
        let colon = text.firstIndex(in: start..<end) { $0 == UInt8(ascii: ":") }
        scheme = start..<colon
        guard colon + 2 < end, text[colon + 1] == UInt8(ascii: "/"),
            text[colon + 2] == UInt8(ascii: "/"), colon > start,
            scheme.allSatisfy({ Self.isScheme(text[$0]) })
        else { throw BadLine(number, .noURL) }
        rest = colon + 3..<end
    }

    /// Adds the login, or records that it is left out.
    func add(to file: inout CredentialFile) throws(BadLine) {
        let at = text.firstIndex(in: rest) { $0 == UInt8(ascii: "@") }
        let colon = text.firstIndex(in: rest) { $0 == UInt8(ascii: ":") }
        let slash = text.firstIndex(in: rest) { [0x2F, 0x3F, 0x23].contains($0) }
        guard colon < at, at < slash else { throw BadLine(number, .noCredential) }
        let account = try name(rest.lowerBound..<colon)
        let password = try value(colon + 1..<at)
        guard !password.contains(UInt8(ascii: "\n")) else { throw BadLine(number, .newline) }
        let host = try name(at + 1..<slash)
        let path = try path(slash..<rest.upperBound)
        guard !host.isEmpty else {
            file.omissions.append(.init(line: number, reason: .noServer))
            return
        }
        guard let (server, port) = Self.split(host) else { throw BadLine(number, .badHost) }
        let scheme = String(decoding: scheme.map { text[$0] }, as: UTF8.self)
        guard let code = NetworkProtocol.code(ofScheme: scheme) else {
            file.omissions.append(.init(line: number, reason: .unknownProtocol))
            return
        }
        guard let port else { throw BadLine(number, .badPort) }
        try file.add(
            FileLogin(
                line: number, server: server, account: account, networkProtocol: code, port: port,
                path: path, secret: Secret(password)))
    }

    /// The path, without slashes at its ends.
    private func path(_ range: Range<Int>) throws(BadLine) -> String {
        let slash = UInt8(ascii: "/")
        let start = text.firstIndex(in: range) { $0 != slash }
        var path = try name(start..<range.upperBound)[...].utf8
        while path.last == slash { path.removeLast() }
        return String(Substring(path))
    }

    /// Parses `HOST`, `HOST:PORT`, `[ADDRESS]` or `[ADDRESS]:PORT`.
    /// - Returns: Nil for an invalid host; the port is 0 if there is none and nil if it is invalid.
    private static func split(_ host: String) -> (server: String, port: Int?)? {
        let bytes = host.utf8
        guard !bytes.contains(where: { $0 == 0x20 || $0 == 0x40 || $0 == 0x2F }) else {
            return nil
        }
        let server: Substring.UTF8View
        let rest: Substring.UTF8View
        if bytes.first == UInt8(ascii: "[") {
            guard let end = bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            server = bytes[..<end].dropFirst()
            rest = bytes[end...].dropFirst()
        } else {
            let end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
            server = bytes[..<end]
            rest = bytes[end...]
        }
        guard !server.isEmpty, rest.isEmpty || rest.first == UInt8(ascii: ":") else { return nil }
        let name = String(Substring(server))
        guard !rest.isEmpty else { return (name, 0) }
        guard let port = decimal(Substring(rest.dropFirst())), (1...65_535).contains(port) else {
            return (name, nil)
        }
        return (name, port)
    }

    // MARK: - Parts

    private func name(_ range: Range<Int>) throws(BadLine) -> String {
        guard let name = try value(range).name() else { throw BadLine(number, .notText) }
        return name
    }

    /// A part of the URL, decoded.
    private func value(_ range: Range<Int>) throws(BadLine) -> SecretBytes {
        guard range.count <= 3 * CredentialFile.valueByteLimit else {
            throw BadLine(number, .tooLong)
        }
        let value = text.secret(in: range) { index in
            guard text[index] == UInt8(ascii: "%"), index + 2 < range.upperBound,
                let high = Self.digit(text[index + 1]), let low = Self.digit(text[index + 2]),
                high | low != 0
            else { return (text[index], index + 1) }
            return (high << 4 | low, index + 3)
        }
        guard value.byteCount <= CredentialFile.valueByteLimit else {
            throw BadLine(number, .tooLong)
        }
        return value
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private static func isScheme(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): true
        default: false
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 9 || byte == 13 }
}
