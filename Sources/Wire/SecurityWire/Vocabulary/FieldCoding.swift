// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Protobuf's wire format, for the hand-written coders. The reasons are in
// Documentation/decisions/0008-attributes-are-coded-by-hand.md.

/// Protobuf's wire types.
enum WireType {
    static let varint: UInt64 = 0
    static let fixed64: UInt64 = 1
    static let bytes: UInt64 = 2
    static let fixed32: UInt64 = 5
}

extension Attribute.WireForm {
    /// The wire type of a field.
    var wireType: UInt64 {
        switch self {
        case .tagged, .text, .bytes: WireType.bytes
        case .signed, .protectionClass: WireType.varint
        case .date: WireType.fixed64
        }
    }
}

// MARK: - Writing

extension [UInt8] {
    /// Appends a varint in its shortest form.
    mutating func appendVarint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    /// Appends a field with a varint.
    mutating func appendField(_ number: UInt64, _ value: UInt64) {
        appendVarint(number << 3 | WireType.varint)
        appendVarint(value)
    }

    /// Appends the header of a field with bytes, which follow.
    mutating func appendFieldHead(_ number: UInt64, byteCount: Int) {
        appendVarint(number << 3 | WireType.bytes)
        appendVarint(UInt64(byteCount))
    }

    /// Appends a field with a number of 8 bytes.
    mutating func appendFixedField(_ number: UInt64, _ value: UInt64) {
        appendVarint(number << 3 | WireType.fixed64)
        unsafe Swift.withUnsafeBytes(of: value.littleEndian) { unsafe append(contentsOf: $0) }
    }

    /// The byte count of a varint.
    static func varintByteCount(_ value: UInt64) -> Int {
        Swift.max(1, (UInt64.bitWidth - value.leadingZeroBitCount + 6) / 7)
    }
}

// MARK: - Reading

/// Reads fields, and never past the end.
@unsafe struct FieldReader {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) { unsafe self.bytes = bytes }

    var isAtEnd: Bool { unsafe offset == bytes.count }

    /// A varint in its shortest form.
    mutating func varint() throws(WireError) -> UInt64 {
        // Nearly all have one byte.
        if unsafe offset < bytes.count, unsafe bytes[offset] < 0x80 {
            defer { unsafe offset += 1 }
            return UInt64(unsafe bytes[offset])
        }
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard unsafe offset < bytes.count else { throw .malformed }
            let byte = unsafe bytes[offset]
            unsafe offset += 1
            guard shift < 63 || byte <= 1 else { throw .malformed }
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 {
                guard byte != 0 || shift == 0 else { throw .malformed }
                return value
            }
        }
        throw .malformed
    }

    /// The bytes of a field, in place.
    mutating func content() throws(WireError) -> UnsafeRawBufferPointer {
        guard let count = Int(exactly: unsafe try varint()) else { throw .malformed }
        return unsafe try take(count)
    }

    /// A number of 8 bytes.
    mutating func fixed64() throws(WireError) -> UInt64 {
        unsafe try Self.number(take(8))
    }

    /// Skips an unknown field.
    mutating func skip(wireType: UInt64) throws(WireError) {
        switch wireType {
        case WireType.varint: _ = unsafe try varint()
        case WireType.fixed64: _ = unsafe try take(8)
        case WireType.bytes: _ = unsafe try content()
        case WireType.fixed32: _ = unsafe try take(4)
        default: throw .malformed
        }
    }

    private mutating func take(_ count: Int) throws(WireError) -> UnsafeRawBufferPointer {
        guard unsafe count <= bytes.count - offset else { throw .malformed }
        defer { unsafe offset += count }
        return unsafe UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
    }

    private static func number(_ bytes: UnsafeRawBufferPointer) throws(WireError) -> UInt64 {
        guard bytes.count == 8 else { throw .malformed }
        return UInt64(littleEndian: unsafe bytes.loadUnaligned(as: UInt64.self))
    }
}

// MARK: - Values of attributes

extension FieldReader {
    /// The value of an attribute.
    mutating func value(_ form: Attribute.WireForm) throws(WireError) -> AttributeValue {
        switch form {
        case .tagged: return unsafe try Self.tagged(content())
        case .text: return .text(unsafe try Self.text(content()))
        case .bytes: return unsafe .data([UInt8](unsafe try content()))
        case .signed:
            let value = unsafe try varint()
            return .integer(Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1))
        case .protectionClass: return .text(unsafe try accessibility().code)
        case .date: return .date(Double(bitPattern: unsafe try fixed64()))
        }
    }

    /// Skips the value of an attribute: fails if it is invalid, and creates nothing.
    mutating func check(_ attribute: Attribute) throws(WireError) {
        switch attribute.wireForm {
        case .tagged: unsafe try Self.checkTagged(content())
        case .text: guard unsafe Self.isText(try content()) else { throw .malformed }
        case .bytes:
            let byteCount = unsafe try content().count
            guard attribute.takesData(byteCount: byteCount) else { throw .malformed }
        case .signed: _ = unsafe try varint()
        case .protectionClass: _ = unsafe try accessibility()
        case .date: _ = unsafe try fixed64()
        }
    }

    private mutating func accessibility() throws(WireError) -> Accessibility {
        guard let number = UInt8(exactly: unsafe try varint()),
            let accessibility = Accessibility(rawValue: number)
        else { throw .malformed }
        return accessibility
    }

    private static func tagged(
        _ bytes: UnsafeRawBufferPointer
    ) throws(WireError) -> AttributeValue {
        guard let tag = unsafe bytes.first else { throw .malformed }
        let content = unsafe UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
        switch tag {
        case AttributeValue.Tag.text: return .text(unsafe try text(content))
        case AttributeValue.Tag.data: return .data(unsafe [UInt8](content))
        case AttributeValue.Tag.integer:
            return .integer(Int64(bitPattern: unsafe try number(content)))
        case AttributeValue.Tag.real:
            return .real(Double(bitPattern: unsafe try number(content)))
        default: throw .malformed
        }
    }

    private static func checkTagged(_ bytes: UnsafeRawBufferPointer) throws(WireError) {
        guard let tag = unsafe bytes.first else { throw .malformed }
        let content = unsafe UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
        let isSound =
            switch tag {
            case AttributeValue.Tag.text: unsafe isText(content)
            case AttributeValue.Tag.data: true
            case AttributeValue.Tag.integer, AttributeValue.Tag.real: content.count == 8
            default: false
            }
        guard isSound else { throw .malformed }
    }

    /// UTF-8 as text.
    static func text(_ bytes: UnsafeRawBufferPointer) throws(WireError) -> String {
        // Decoding repairs invalid UTF-8. ASCII needs no repair, and decoding is much faster than
        // validating it.
        if unsafe isASCII(bytes) { return unsafe String(decoding: bytes, as: UTF8.self) }
        guard let text = unsafe String(validating: bytes, as: UTF8.self) else { throw .malformed }
        return text
    }

    private static func isText(_ bytes: UnsafeRawBufferPointer) -> Bool {
        unsafe isASCII(bytes) || String(validating: bytes, as: UTF8.self) != nil
    }

    private static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var all: UInt8 = 0
        for index in bytes.indices { all |= unsafe bytes[index] }
        return all < 0x80
    }
}
