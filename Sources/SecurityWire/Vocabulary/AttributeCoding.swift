// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import FoundationEssentials
import IPC

// The `Attributes` message of Protocol/attributes.proto, written and read by hand: of its seventy
// fields a dozen are set. Why: Documentation/decisions/0008-attributes-are-coded-by-hand.md.

extension Attribute {
    /// How a value lies in its protobuf field.
    enum WireForm {
        /// A type byte, then the content.
        case tagged
        /// UTF-8.
        case text
        /// Bytes.
        case bytes
        /// A signed number, zigzag.
        case signed
        /// The identifier of a protection class.
        case protectionClass
        /// IEEE 754.
        case date
    }

    var wireForm: WireForm {
        switch self {
        case .accessible: .protectionClass
        case .synchronizable, .tombstone: .signed
        default:
            switch valueKind {
            case .blob, .number: .tagged
            case .data: .bytes
            case .text: .text
            case .date: .date
            }
        }
    }

    /// The number of the protobuf field. Only ever added, never reused; 9, 16 to 19 and 30 are
    /// no attributes.
    var fieldNumber: UInt8 {
        switch self {
        case .account: 1
        case .service: 2
        case .generic: 3
        case .label: 4
        case .description: 5
        case .comment: 6
        case .alias: 7
        case .protocolName: 8
        case .creator: 10
        case .type: 11
        case .scriptCode: 12
        case .isInvisible: 13
        case .isNegative: 14
        case .hasCustomIcon: 15
        case .accessGroup: 20
        case .accessible: 21
        case .synchronizable: 22
        case .creationDate: 23
        case .modificationDate: 24
        case .tokenID: 25
        case .syncViewHint: 26
        case .sha1: 27
        case .tombstone: 28
        case .multiUser: 29
        case .uuid: 31
        case .securityDomain: 32
        case .server: 33
        case .networkProtocol: 34
        case .authenticationType: 35
        case .port: 36
        case .path: 37
        case .certificateType: 40
        case .certificateEncoding: 41
        case .subject: 42
        case .issuer: 43
        case .serialNumber: 44
        case .subjectKeyID: 45
        case .publicKeyHash: 46
        case .keyClass: 50
        case .applicationLabel: 51
        case .applicationTag: 52
        case .keySizeInBits: 53
        case .effectiveKeySize: 54
        case .startDate: 55
        case .endDate: 56
        case .isPermanent: 57
        case .isPrivate: 58
        case .isModifiable: 59
        case .isSensitive: 60
        case .wasAlwaysSensitive: 61
        case .isExtractable: 62
        case .wasNeverExtractable: 63
        case .canEncrypt: 64
        case .canDecrypt: 65
        case .canDerive: 66
        case .canSign: 67
        case .canVerify: 68
        case .canSignRecover: 69
        case .canVerifyRecover: 70
        case .canWrap: 71
        case .canUnwrap: 72
        }
    }

    /// The attribute of a field number.
    static func withFieldNumber(_ number: UInt64) -> Attribute? {
        number < UInt64(byFieldNumber.count) ? byFieldNumber[Int(number)] : nil
    }

    private static let byFieldNumber: [Attribute?] = {
        var table = [Attribute?](repeating: nil, count: 73)
        for attribute in allCases { table[Int(attribute.fieldNumber)] = attribute }
        return table
    }()
}

/// The number of the field that says whether a stored item has a secret.
private let hasSecretFieldNumber: UInt64 = 30

/// Protobuf's wire types.
private enum WireType {
    static let varint: UInt64 = 0
    static let fixed64: UInt64 = 1
    static let bytes: UInt64 = 2
}

// MARK: - Writing

extension ItemAttributes {
    /// The stored and sent form: a serialized `Attributes` message, fields in ascending order.
    package func serialized() -> Data {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(entries.reduce(8) { $0 + $1.value.byteCount + 12 })
        var mustSayHasSecret = hasSecret
        for entry in entries {
            let number = UInt64(entry.attribute.fieldNumber)
            if mustSayHasSecret, number > hasSecretFieldNumber {
                Self.appendHasSecret(to: &bytes)
                mustSayHasSecret = false
            }
            Self.append(entry, number, to: &bytes)
        }
        if mustSayHasSecret { Self.appendHasSecret(to: &bytes) }
        return Data(bytes)
    }

    private static func appendHasSecret(to bytes: inout [UInt8]) {
        appendVarint(hasSecretFieldNumber << 3 | WireType.varint, to: &bytes)
        bytes.append(1)
    }

    private static func append(_ entry: Entry, _ number: UInt64, to bytes: inout [UInt8]) {
        switch entry.attribute.wireForm {
        case .tagged:
            appendVarint(number << 3 | WireType.bytes, to: &bytes)
            appendVarint(UInt64(entry.value.byteCount + 1), to: &bytes)
            bytes.append(entry.value.tag)
            entry.value.appendContent(to: &bytes)
        case .text, .bytes:
            appendVarint(number << 3 | WireType.bytes, to: &bytes)
            appendVarint(UInt64(entry.value.byteCount), to: &bytes)
            entry.value.appendContent(to: &bytes)
        case .signed:
            appendVarint(number << 3 | WireType.varint, to: &bytes)
            guard case .integer(let value) = entry.value else { return }
            appendVarint(UInt64(bitPattern: value << 1 ^ value >> 63), to: &bytes)
        case .protectionClass:
            appendVarint(number << 3 | WireType.varint, to: &bytes)
            guard case .text(let code) = entry.value else { return }
            appendVarint(UInt64(Accessibility(code: code)?.rawValue ?? 0), to: &bytes)
        case .date:
            appendVarint(number << 3 | WireType.fixed64, to: &bytes)
            entry.value.appendContent(to: &bytes)
        }
    }

    private static func appendVarint(_ value: UInt64, to bytes: inout [UInt8]) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }
}

// MARK: - Reading

extension ItemAttributes {
    /// Reads the stored form.
    /// - Throws: ``WireError/malformed`` for anything that ``serialized()`` doesn't write: fields that
    ///   are unknown, out of order or there twice, numbers with needless bytes, values of another
    ///   type.
    package init(serialized: Data) throws(WireError) {
        let result = unsafe serialized.withUnsafeBytes { bytes in
            var reader = unsafe FieldReader(bytes)
            return Result { () throws(WireError) in try unsafe ItemAttributes(&reader) }
        }
        self = try result.get()
    }

    /// Reads attributes that a peer sent: it doesn't tell whether an item has a secret.
    init(checking message: Data) throws(WireError) {
        try self.init(serialized: message)
        guard !hasSecret else { throw .malformed }
    }

    private init(_ reader: inout FieldReader) throws(WireError) {
        reserveCapacity(16)
        var last: UInt64 = 0
        while unsafe !reader.isAtEnd {
            let key = unsafe try reader.varint()
            let number = key >> 3
            guard number > last else { throw .malformed }
            last = number
            if number == hasSecretFieldNumber {
                let flag = unsafe try reader.varint()
                guard key & 7 == WireType.varint, flag <= 1 else { throw .malformed }
                hasSecret = flag == 1
                continue
            }
            guard let attribute = Attribute.withFieldNumber(number) else { throw .malformed }
            let value = unsafe try reader.value(attribute.wireForm, wireType: key & 7)
            guard append(attribute, value) else { throw .malformed }
        }
    }
}

/// Reads protobuf's wire format, and nothing that isn't there.
@unsafe private struct FieldReader {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) { unsafe self.bytes = bytes }

    var isAtEnd: Bool { unsafe offset == bytes.count }

    /// A number in as few bytes as it needs.
    mutating func varint() throws(WireError) -> UInt64 {
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

    mutating func value(
        _ form: Attribute.WireForm, wireType: UInt64
    ) throws(WireError) -> AttributeValue {
        let expected =
            switch form {
            case .tagged, .text, .bytes: WireType.bytes
            case .signed, .protectionClass: WireType.varint
            case .date: WireType.fixed64
            }
        guard wireType == expected else { throw .malformed }
        switch form {
        case .tagged: return unsafe try Self.tagged(content())
        case .text: return unsafe try Self.text(content())
        case .bytes: return unsafe .data([UInt8](unsafe try content()))
        case .signed:
            let value = unsafe try varint()
            return .integer(Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1))
        case .protectionClass:
            guard let number = UInt8(exactly: unsafe try varint()),
                let accessibility = Accessibility(rawValue: number)
            else { throw .malformed }
            return .text(accessibility.code)
        case .date: return .date(Double(bitPattern: unsafe try Self.number(take(8))))
        }
    }

    private mutating func content() throws(WireError) -> UnsafeRawBufferPointer {
        guard let count = Int(exactly: unsafe try varint()) else { throw .malformed }
        return unsafe try take(count)
    }

    private mutating func take(_ count: Int) throws(WireError) -> UnsafeRawBufferPointer {
        guard unsafe count <= bytes.count - offset else { throw .malformed }
        defer { unsafe offset += count }
        return unsafe UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
    }

    private static func tagged(
        _ bytes: UnsafeRawBufferPointer
    ) throws(WireError) -> AttributeValue {
        guard let tag = unsafe bytes.first else { throw .malformed }
        let content = unsafe UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
        switch tag {
        case AttributeValue.Tag.text: return unsafe try text(content)
        case AttributeValue.Tag.data: return .data(unsafe [UInt8](content))
        case AttributeValue.Tag.integer:
            return .integer(Int64(bitPattern: unsafe try number(content)))
        case AttributeValue.Tag.real:
            return .real(Double(bitPattern: unsafe try number(content)))
        default: throw .malformed
        }
    }

    private static func text(_ bytes: UnsafeRawBufferPointer) throws(WireError) -> AttributeValue {
        guard let text = unsafe String(validating: bytes, as: UTF8.self) else { throw .malformed }
        return .text(text)
    }

    private static func number(_ bytes: UnsafeRawBufferPointer) throws(WireError) -> UInt64 {
        guard bytes.count == 8 else { throw .malformed }
        return UInt64(littleEndian: unsafe bytes.loadUnaligned(as: UInt64.self))
    }
}
