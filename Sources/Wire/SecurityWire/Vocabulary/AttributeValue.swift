// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// The value of an attribute.
public enum AttributeValue: Hashable, Sendable {
    /// Text.
    case text(String)
    /// Bytes.
    case data([UInt8])
    /// An integer; booleans are 0 and 1.
    case integer(Int64)
    /// A floating-point number.
    case real(Double)
    /// Seconds since 2001-01-01 00:00:00 UTC.
    case date(Double)
}

extension AttributeValue {
    /// The first byte of a tagged value (Documentation/PROTOCOL.md, "Attribute values").
    enum Tag {
        static let text = UInt8(ascii: "T")
        static let data = UInt8(ascii: "D")
        static let integer = UInt8(ascii: "N")
        static let real = UInt8(ascii: "R")
    }

    /// The type byte of the tagged form.
    var tag: UInt8 {
        switch self {
        case .text: Tag.text
        case .data: Tag.data
        case .integer: Tag.integer
        case .real, .date: Tag.real
        }
    }

    /// The content's byte count, without a type byte.
    package var byteCount: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .data(let bytes): bytes.count
        case .integer, .real, .date: 8
        }
    }

    /// Appends the content without a type byte: bytes unchanged, numbers as 8 little-endian bytes.
    package func appendContent(to bytes: inout [UInt8]) {
        switch self {
        case .text(let text): bytes.append(contentsOf: text.utf8)
        case .data(let data): bytes.append(contentsOf: data)
        case .integer(let value): Self.append(UInt64(bitPattern: value), to: &bytes)
        case .real(let value), .date(let value): Self.append(value.bitPattern, to: &bytes)
        }
    }

    /// A whole number is stored as an integer: 1.0 and 1 are the same value.
    var normalized: AttributeValue {
        guard case .real(let value) = self, let whole = Int64(exactly: value) else { return self }
        return .integer(whole)
    }

    private static func append(_ value: UInt64, to bytes: inout [UInt8]) {
        unsafe withUnsafeBytes(of: value.littleEndian) { unsafe bytes.append(contentsOf: $0) }
    }
}
