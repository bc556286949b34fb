// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import FoundationEssentials

/// The value of an attribute.
public enum AttributeValue: Hashable, Sendable {
    /// Text.
    case text(String)
    /// Bytes.
    case data([UInt8])
    /// An integer; booleans are 0 and 1.
    case integer(Int64)
    /// A number with a fraction.
    case real(Double)
    /// Seconds since 2001-01-01 00:00:00 UTC.
    case date(Double)
}

extension AttributeValue {
    private enum Tag {
        static let text = UInt8(ascii: "T")
        static let data = UInt8(ascii: "D")
        static let integer = UInt8(ascii: "N")
        static let real = UInt8(ascii: "R")
    }

    /// What two equal values of a number or date attribute have in common.
    package var indexedContent: Data { tagged }

    /// One type byte, then the content (Documentation/PROTOCOL.md, "Attribute values").
    var tagged: Data {
        switch self {
        case .text(let text):
            var result = Data(capacity: text.utf8.count + 1)
            result.append(Tag.text)
            result.append(contentsOf: text.utf8)
            return result
        case .data(let bytes):
            var result = Data(capacity: bytes.count + 1)
            result.append(Tag.data)
            result.append(contentsOf: bytes)
            return result
        case .integer(let value):
            return Self.tagged(Tag.integer, UInt64(bitPattern: value))
        case .real(let value), .date(let value):
            return Self.tagged(Tag.real, value.bitPattern)
        }
    }

    private static func tagged(_ tag: UInt8, _ value: UInt64) -> Data {
        var result = Data(capacity: 9)
        result.append(tag)
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            result.append(UInt8(truncatingIfNeeded: value >> shift))
        }
        return result
    }

    /// Reads a tagged value; nil when the tag is unknown, the text no UTF-8, a number not 8 bytes.
    init?(tagged: Data) {
        guard let tag = tagged.first else { return nil }
        let content = tagged.dropFirst()
        switch tag {
        case Tag.text:
            guard let text = String(validating: content, as: UTF8.self) else { return nil }
            self = .text(text)
        case Tag.data: self = .data([UInt8](content))
        case Tag.integer, Tag.real:
            guard content.count == 8 else { return nil }
            let bits = content.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            self =
                tag == Tag.integer
                ? .integer(Int64(bitPattern: bits)) : .real(Double(bitPattern: bits))
        default: return nil
        }
    }

    /// Whether `init(tagged:)` would give a value, found without making one.
    static func isWellFormed(tagged: Data) -> Bool {
        switch tagged.first {
        case Tag.data: true
        case Tag.integer, Tag.real: tagged.count == 9
        case Tag.text: String(validating: tagged.dropFirst(), as: UTF8.self) != nil
        default: false
        }
    }
}
