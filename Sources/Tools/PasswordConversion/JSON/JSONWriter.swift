// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// Writes JSON.
struct JSONWriter {
    private(set) var bytes: [UInt8] = []
    /// Whether a comma comes before the next value.
    private var needsComma = false

    mutating func object(_ name: String? = nil, _ body: (inout JSONWriter) -> Void) {
        open(name, ASCII.openBrace)
        body(&self)
        close(ASCII.closeBrace)
    }

    mutating func array(_ name: String? = nil, _ body: (inout JSONWriter) -> Void) {
        open(name, ASCII.openBracket)
        body(&self)
        close(ASCII.closeBracket)
    }

    /// A string; null for nil.
    mutating func text(_ name: String?, _ text: String?) {
        begin(name)
        if let text { quote(text) } else { bytes += Array("null".utf8) }
    }

    mutating func number(_ name: String, _ number: Int) {
        begin(name)
        bytes += Array("\(number)".utf8)
    }

    mutating func bool(_ name: String, _ value: Bool) {
        begin(name)
        bytes += Array((value ? "true" : "false").utf8)
    }

    mutating func null(_ name: String) { text(name, nil) }

    private mutating func open(_ name: String?, _ bracket: UInt8) {
        begin(name)
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func begin(_ name: String?) {
        if needsComma { bytes.append(ASCII.comma) }
        needsComma = true
        guard let name else { return }
        quote(name)
        bytes.append(ASCII.colon)
    }

    private mutating func quote(_ text: String) {
        bytes.append(ASCII.quote)
        for byte in text.utf8 {
            switch byte {
            case ASCII.quote, ASCII.backslash: bytes += [ASCII.backslash, byte]
            case ASCII.lineFeed: bytes += Array("\\n".utf8)
            case ASCII.carriageReturn: bytes += Array("\\r".utf8)
            case ASCII.tab: bytes += Array("\\t".utf8)
            case 0..<0x20:
                let digits = Array("0123456789abcdef".utf8)
                bytes += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            default: bytes.append(byte)
            }
        }
        bytes.append(ASCII.quote)
    }
}
