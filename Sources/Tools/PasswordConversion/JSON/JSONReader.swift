// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ConversionWire

/// Reads JSON (RFC 8259) from memory: value by value, so that a file's items are never all in memory
/// a second time.
struct JSONReader {
    /// Values of one item: each takes memory of its own.
    private static let valueCount = 100_000
    private static let numberByteCount = 64

    private let bytes: ArraySlice<UInt8>
    /// Where the next value begins.
    private(set) var index: Int
    private var depth: Int
    private var valuesLeft = valueCount

    /// - Parameters:
    ///   - text: UTF-8 that was checked.
    ///   - index: Where a value begins; nil for the first byte.
    ///   - depth: How many levels are around it.
    init(_ text: ArraySlice<UInt8>, at index: Int? = nil, depth: Int = 0) {
        bytes = text
        self.index = index ?? text.startIndex
        self.depth = depth
    }

    // MARK: - Walking

    /// Reads an object; the closure reads or skips the value of each member.
    mutating func object(
        _ member: (inout JSONReader, String) throws(ConversionFailure) -> Void
    ) throws(ConversionFailure) {
        try enter(ASCII.openBrace)
        if take(ASCII.closeBrace) { return leave() }
        repeat {
            guard peek() == ASCII.quote else { throw damaged() }
            let name = try string()
            guard take(ASCII.colon) else { throw damaged() }
            try member(&self, name)
        } while take(ASCII.comma)
        guard take(ASCII.closeBrace) else { throw damaged() }
        leave()
    }

    /// Reads an array; the closure reads or skips each element.
    mutating func array(
        _ element: (inout JSONReader) throws(ConversionFailure) -> Void
    ) throws(ConversionFailure) {
        try enter(ASCII.openBracket)
        if take(ASCII.closeBracket) { return leave() }
        repeat { try element(&self) } while take(ASCII.comma)
        guard take(ASCII.closeBracket) else { throw damaged() }
        leave()
    }

    /// Reads over a value, which is checked all the same.
    mutating func skip() throws(ConversionFailure) {
        switch peek() {
        case ASCII.openBrace:
            try object { reader, _ throws(ConversionFailure) in try reader.skip() }
        case ASCII.openBracket:
            try array { reader throws(ConversionFailure) in try reader.skip() }
        default: _ = try scalar()
        }
    }

    /// Reads a value with all that is in it.
    mutating func value() throws(ConversionFailure) -> JSONValue {
        valuesLeft = Self.valueCount
        return try nested()
    }

    /// Reads a string of any length that has no escapes, in place.
    mutating func longString() throws(ConversionFailure) -> ArraySlice<UInt8> {
        guard take(ASCII.quote) else { throw damaged() }
        let first = index
        while index < bytes.endIndex, bytes[index] != ASCII.quote {
            guard bytes[index] >= 0x20, bytes[index] != ASCII.backslash else { throw damaged() }
            index += 1
        }
        guard index < bytes.endIndex else { throw damaged() }
        index += 1
        return bytes[first..<index - 1]
    }

    /// Whether the next value is an object.
    mutating func isObject() -> Bool { peek() == ASCII.openBrace }

    /// Whether the next value is an array.
    mutating func isArray() -> Bool { peek() == ASCII.openBracket }

    /// Checks that only white space is left.
    mutating func finish() throws(ConversionFailure) {
        guard peek() == nil else { throw damaged() }
    }

    private mutating func nested() throws(ConversionFailure) -> JSONValue {
        valuesLeft -= 1
        guard valuesLeft > 0 else { throw ConversionFailure(over: .partCount, line: line) }
        switch peek() {
        case ASCII.openBrace:
            var members: [String: JSONValue] = [:]
            try object { reader, name throws(ConversionFailure) in
                members[name] = try reader.nested()
            }
            return .object(members)
        case ASCII.openBracket:
            var elements: [JSONValue] = []
            try array { reader throws(ConversionFailure) in
                elements.append(try reader.nested())
            }
            return .array(elements)
        default: return try scalar()
        }
    }

    // MARK: - Scalars

    private mutating func scalar() throws(ConversionFailure) -> JSONValue {
        guard let first = peek() else { throw damaged() }
        if first == ASCII.quote { return .string(try string()) }
        for (word, value) in [
            ("true", JSONValue.bool(true)), ("false", .bool(false)), ("null", .null),
        ]
        where bytes[index...].starts(with: word.utf8) {
            index += word.utf8.count
            return value
        }
        return .number(try number())
    }

    private mutating func number() throws(ConversionFailure) -> String {
        let start = index
        _ = takeNow(ASCII.hyphen)
        if !takeNow(UInt8(ascii: "0")) { try digits() }
        if takeNow(UInt8(ascii: ".")) { try digits() }
        if takeNow(UInt8(ascii: "e")) || takeNow(UInt8(ascii: "E")) {
            if !takeNow(UInt8(ascii: "+")) { _ = takeNow(ASCII.hyphen) }
            try digits()
        }
        guard index - start <= Self.numberByteCount else { throw damaged() }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private mutating func digits() throws(ConversionFailure) {
        let start = index
        while index < bytes.endIndex, ASCII.isDigit(bytes[index]) { index += 1 }
        guard index > start else { throw damaged() }
    }

    private mutating func string() throws(ConversionFailure) -> String {
        index += 1
        var text: [UInt8] = []
        var first = index
        while true {
            guard index < bytes.endIndex, bytes[index] >= 0x20 else { throw damaged() }
            let byte = bytes[index]
            guard byte == ASCII.quote || byte == ASCII.backslash else {
                index += 1
                continue
            }
            guard text.count + index - first <= ConversionLimits.fieldByteCount else {
                throw ConversionFailure(over: .fieldByteCount, line: line)
            }
            text += bytes[first..<index]
            index += 1
            if byte == ASCII.quote { break }
            text += try escaped()
            first = index
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// What follows a backslash. Half of a pair becomes a replacement character.
    private mutating func escaped() throws(ConversionFailure) -> [UInt8] {
        guard index < bytes.endIndex else { throw damaged() }
        let byte = bytes[index]
        index += 1
        switch byte {
        case ASCII.quote, ASCII.backslash, ASCII.slash: return [byte]
        case UInt8(ascii: "b"): return [8]
        case UInt8(ascii: "f"): return [12]
        case UInt8(ascii: "n"): return [10]
        case UInt8(ascii: "r"): return [13]
        case UInt8(ascii: "t"): return [9]
        case UInt8(ascii: "u"):
            var units = [try unit()]
            if UTF16.isLeadSurrogate(units[0]), bytes[index...].starts(with: "\\u".utf8) {
                index += 2
                units.append(try unit())
            }
            guard units[0] != 0 else { throw ConversionFailure(.invalidText, line: line) }
            return Array(String(decoding: units, as: UTF16.self).utf8)
        default: throw damaged()
        }
    }

    private mutating func unit() throws(ConversionFailure) -> UInt16 {
        guard bytes.endIndex - index >= 4 else { throw damaged() }
        var unit: UInt16 = 0
        for byte in bytes[index..<index + 4] {
            guard let digit = ASCII.hexadecimal(byte) else { throw damaged() }
            unit = unit << 4 | UInt16(digit)
        }
        index += 4
        return unit
    }

    // MARK: - Bytes

    private mutating func enter(_ byte: UInt8) throws(ConversionFailure) {
        guard take(byte) else { throw damaged() }
        depth += 1
        guard depth <= ConversionLimits.depth else {
            throw ConversionFailure(over: .depth, line: line)
        }
    }

    private mutating func leave() { depth -= 1 }

    /// The next byte that is no white space.
    private mutating func peek() -> UInt8? {
        while index < bytes.endIndex, ASCII.isSpace(bytes[index]) { index += 1 }
        return index < bytes.endIndex ? bytes[index] : nil
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard peek() == byte else { return false }
        index += 1
        return true
    }

    /// The same, without white space before it.
    private mutating func takeNow(_ byte: UInt8) -> Bool {
        guard index < bytes.endIndex, bytes[index] == byte else { return false }
        index += 1
        return true
    }

    private var line: Int { CheckedText.line(of: index, in: bytes) }

    private func damaged() -> ConversionFailure { ConversionFailure(.damaged, line: line) }
}

/// A value with all that is in it.
indirect enum JSONValue {
    case null
    case bool(Bool)
    /// As written.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// A member of an object; null for none.
    subscript(name: String) -> JSONValue {
        guard case .object(let members) = self else { return .null }
        return members[name] ?? .null
    }

    /// The text of a string; nil if it is none or empty.
    var text: String? {
        guard case .string(let text) = self, !text.isEmpty else { return nil }
        return text
    }

    /// A text, a number or a truth value as text.
    var scalar: String? {
        switch self {
        case .string(let text): text.isEmpty ? nil : text
        case .number(let text): text
        case .bool(let value): value ? "true" : "false"
        case .null, .array, .object: nil
        }
    }

    /// A whole number.
    var integer: Int64? {
        guard case .number(let text) = self else { return nil }
        return Int64(text)
    }

    /// Whether it is `true`.
    var isTrue: Bool {
        guard case .bool(let value) = self else { return false }
        return value
    }

    /// The elements of an array; none for other values.
    var elements: [JSONValue] {
        guard case .array(let elements) = self else { return [] }
        return elements
    }

    /// The members of an object, by name; none for other values.
    var members: [(name: String, value: JSONValue)] {
        guard case .object(let members) = self else { return [] }
        return members.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    }
}
