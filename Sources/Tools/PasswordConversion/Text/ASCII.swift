// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ConversionWire

/// Bytes that the formats give a meaning.
enum ASCII {
    static let tab = UInt8(ascii: "\t")
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let space = UInt8(ascii: " ")
    static let quote = UInt8(ascii: "\"")
    static let apostrophe = UInt8(ascii: "'")
    static let comma = UInt8(ascii: ",")
    static let colon = UInt8(ascii: ":")
    static let semicolon = UInt8(ascii: ";")
    static let backslash = UInt8(ascii: "\\")
    static let slash = UInt8(ascii: "/")
    static let openBrace = UInt8(ascii: "{")
    static let closeBrace = UInt8(ascii: "}")
    static let openBracket = UInt8(ascii: "[")
    static let closeBracket = UInt8(ascii: "]")
    static let less = UInt8(ascii: "<")
    static let greater = UInt8(ascii: ">")
    static let ampersand = UInt8(ascii: "&")
    static let equal = UInt8(ascii: "=")
    static let hash = UInt8(ascii: "#")
    static let exclamation = UInt8(ascii: "!")
    static let question = UInt8(ascii: "?")
    static let hyphen = UInt8(ascii: "-")

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == space || byte == tab || byte == lineFeed || byte == carriageReturn
    }

    static func isDigit(_ byte: UInt8) -> Bool { byte >= 48 && byte <= 57 }

    /// The value of a hexadecimal digit.
    static func hexadecimal(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 48...57: byte - 48
        case 65...70: byte - 55
        case 97...102: byte - 87
        default: nil
        }
    }
}

/// UTF-8 that is checked once, for a whole file.
enum CheckedText {
    /// The place of the first byte that isn't UTF-8, or is zero; nil for none. Source: RFC 3629 §4.
    static func firstInvalid(_ bytes: ArraySlice<UInt8>) -> Int? {
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let count = length(bytes, index)
            if count == 0 { return index }
            index += count
        }
        return nil
    }

    /// The byte count of the character at an index; 0 if it is none.
    private static func length(_ bytes: ArraySlice<UInt8>, _ index: Int) -> Int {
        let first = bytes[index]
        if first < 0x80 { return first == 0 ? 0 : 1 }
        let (count, second): (Int, ClosedRange<UInt8>) =
            switch first {
            case 0xC2...0xDF: (2, 0x80...0xBF)
            case 0xE0: (3, 0xA0...0xBF)
            case 0xE1...0xEC, 0xEE...0xEF: (3, 0x80...0xBF)
            case 0xED: (3, 0x80...0x9F)
            case 0xF0: (4, 0x90...0xBF)
            case 0xF1...0xF3: (4, 0x80...0xBF)
            case 0xF4: (4, 0x80...0x8F)
            default: (0, 0...0)
            }
        guard count > 0, bytes.endIndex - index >= count, second.contains(bytes[index + 1]) else {
            return 0
        }
        for place in index + 2..<index + max(count, 2) where bytes[place] & 0xC0 != 0x80 {
            return 0
        }
        return count
    }

    /// The line of a place, from 1.
    static func line(of index: Int, in bytes: ArraySlice<UInt8>) -> Int {
        bytes[..<min(index, bytes.endIndex)].reduce(1) { $0 + ($1 == ASCII.lineFeed ? 1 : 0) }
    }

    /// The text after a byte order mark, checked.
    static func checked(_ file: [UInt8]) throws(ConversionFailure) -> ArraySlice<UInt8> {
        let text = file.dropFirst(file.starts(with: FileHead.mark) ? FileHead.mark.count : 0)
        if let place = firstInvalid(text) {
            throw ConversionFailure(.invalidText, line: line(of: place, in: text))
        }
        return text
    }
}
