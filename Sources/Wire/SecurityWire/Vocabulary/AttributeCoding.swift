// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import FoundationEssentials
import IPC

// A hand-written coder for the `Attributes` message of Protocol/attributes.proto: of its seventy
// fields a dozen are usually set. The reasons are in
// Documentation/decisions/0008-attributes-are-coded-by-hand.md.

extension Attribute {
    /// The encoding of a value in its protobuf field.
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

    /// The number of the protobuf field. Only ever added, never reused; 9, 16 to 19 and 30 aren't
    /// attributes.
    package var fieldNumber: UInt8 {
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

// MARK: - Writing

extension ItemAttributes {
    /// The form for storage and the wire: a serialized `Attributes` message, fields in ascending
    /// order.
    package func serialized() -> Data { Data(serializedBytes()) }

    /// The form for storage and the wire.
    package func serializedBytes() -> [UInt8] {
        if let encoded { return encoded.bytes }
        let entries = entries
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
        return bytes
    }

    private static func appendHasSecret(to bytes: inout [UInt8]) {
        bytes.appendVarint(hasSecretFieldNumber << 3 | WireType.varint)
        bytes.append(1)
    }

    private static func append(_ entry: Entry, _ number: UInt64, to bytes: inout [UInt8]) {
        switch entry.attribute.wireForm {
        case .tagged:
            bytes.appendVarint(number << 3 | WireType.bytes)
            bytes.appendVarint(UInt64(entry.value.byteCount + 1))
            bytes.append(entry.value.tag)
            entry.value.appendContent(to: &bytes)
        case .text, .bytes:
            bytes.appendVarint(number << 3 | WireType.bytes)
            bytes.appendVarint(UInt64(entry.value.byteCount))
            entry.value.appendContent(to: &bytes)
        case .signed:
            bytes.appendVarint(number << 3 | WireType.varint)
            guard case .integer(let value) = entry.value else { return }
            bytes.appendVarint(UInt64(bitPattern: value << 1 ^ value >> 63))
        case .protectionClass:
            bytes.appendVarint(number << 3 | WireType.varint)
            guard case .text(let code) = entry.value else { return }
            bytes.appendVarint(UInt64(Accessibility(code: code)?.rawValue ?? 0))
        case .date:
            bytes.appendVarint(number << 3 | WireType.fixed64)
            entry.value.appendContent(to: &bytes)
        }
    }
}

// MARK: - Reading

extension ItemAttributes {
    /// Decodes the stored form.
    /// - Throws: ``WireError/malformed`` for anything that ``serialized()`` doesn't write: fields
    ///   that are unknown, out of order or duplicate, varints that aren't in the shortest form,
    ///   values of another type.
    package init(serialized: Data) throws(WireError) {
        self = try unsafe serialized.withUnsafeBytes { bytes in
            Result { () throws(WireError) in try unsafe ItemAttributes(serialized: bytes) }
        }.get()
    }

    /// Decodes the stored form in place.
    init(serialized bytes: UnsafeRawBufferPointer) throws(WireError) {
        var entries: [Entry] = []
        entries.reserveCapacity(16)
        let hasSecret = try unsafe Self.forEachField(bytes) {
            (attribute, reader) throws(WireError) in
            let value = unsafe try reader.value(attribute.wireForm)
            guard attribute.takes(value) else { throw .malformed }
            entries.append(Entry(attribute: attribute, value: value))
        }
        self.init(entries, hasSecret: hasSecret)
    }

    /// Iterates over the stored form; `body` reads each attribute's value from the reader.
    /// - Returns: Whether the item has a secret.
    static func forEachField(
        _ bytes: UnsafeRawBufferPointer,
        _ body: (Attribute, inout FieldReader) throws(WireError) -> Void
    ) throws(WireError) -> Bool {
        var reader = unsafe FieldReader(bytes)
        var hasSecret = false
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
            guard let attribute = Attribute.withFieldNumber(number),
                key & 7 == attribute.wireForm.wireType
            else { throw .malformed }
            unsafe try body(attribute, &reader)
        }
        return hasSecret
    }

    /// Decodes attributes from a peer, which don't say whether an item has a secret.
    init(checking message: Data) throws(WireError) {
        try self.init(serialized: message)
        guard !hasSecret else { throw .malformed }
    }
}
