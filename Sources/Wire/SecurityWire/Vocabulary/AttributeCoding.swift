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

    /// The number of the protobuf field. Only ever added, never reused; 25 and 63 to 66 aren't attributes.
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
        case .creator: 9
        case .type: 10
        case .scriptCode: 11
        case .isInvisible: 12
        case .isNegative: 13
        case .hasCustomIcon: 14
        case .accessGroup: 15
        case .accessible: 16
        case .synchronizable: 17
        case .creationDate: 18
        case .modificationDate: 19
        case .tokenID: 20
        case .syncViewHint: 21
        case .sha1: 22
        case .tombstone: 23
        case .multiUser: 24
        case .uuid: 26
        case .securityDomain: 27
        case .server: 28
        case .networkProtocol: 29
        case .authenticationType: 30
        case .port: 31
        case .path: 32
        case .certificateType: 33
        case .certificateEncoding: 34
        case .subject: 35
        case .issuer: 36
        case .serialNumber: 37
        case .subjectKeyID: 38
        case .publicKeyHash: 39
        case .keyClass: 40
        case .applicationLabel: 41
        case .applicationTag: 42
        case .keySizeInBits: 43
        case .effectiveKeySize: 44
        case .startDate: 45
        case .endDate: 46
        case .isPermanent: 47
        case .isPrivate: 48
        case .isModifiable: 49
        case .isSensitive: 50
        case .wasAlwaysSensitive: 51
        case .isExtractable: 52
        case .wasNeverExtractable: 53
        case .canEncrypt: 54
        case .canDecrypt: 55
        case .canDerive: 56
        case .canSign: 57
        case .canVerify: 58
        case .canSignRecover: 59
        case .canVerifyRecover: 60
        case .canWrap: 61
        case .canUnwrap: 62
        }
    }

    /// The attribute of a field number.
    static func withFieldNumber(_ number: UInt64) -> Attribute? {
        number < UInt64(byFieldNumber.count) ? byFieldNumber[Int(number)] : nil
    }

    private static let byFieldNumber: [Attribute?] = {
        var table = [Attribute?](repeating: nil, count: 63)
        for attribute in allCases { table[Int(attribute.fieldNumber)] = attribute }
        return table
    }()
}

/// The number of the field that says whether a stored item has a secret.
private let hasSecretFieldNumber: UInt64 = 25
/// The number of the field with the grants.
private let grantsFieldNumber: UInt64 = 63

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
        if let grants = grants?.encoded {
            bytes.appendVarint(grantsFieldNumber << 3 | WireType.bytes)
            bytes.appendVarint(UInt64(grants.count))
            bytes += grants
        }
        secrets?.append(to: &bytes)
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
        let marks = try unsafe Self.forEachField(bytes) {
            (attribute, reader) throws(WireError) in
            let value = unsafe try reader.value(attribute.wireForm)
            guard attribute.takes(value) else { throw .malformed }
            entries.append(Entry(attribute: attribute, value: value))
        }
        self.init(entries, marks)
    }

    /// What the stored form says besides attributes.
    struct Marks: Equatable, Sendable {
        /// The item has a secret, empty or not.
        var hasSecret = false
        /// Which programs have it; nil where nothing was said.
        var grants: ItemGrants?
        /// What an item of the Secret Service has besides.
        var secrets: SecretFields?
    }

    /// Iterates over the stored form; `body` reads each attribute's value from the reader.
    /// - Returns: What it says besides attributes.
    static func forEachField(
        _ bytes: UnsafeRawBufferPointer,
        _ body: (Attribute, inout FieldReader) throws(WireError) -> Void
    ) throws(WireError) -> Marks {
        var reader = unsafe FieldReader(bytes)
        var marks = Marks()
        var secrets = SecretFields.Reading()
        var last: UInt64 = 0
        while unsafe !reader.isAtEnd {
            let key = unsafe try reader.varint()
            let number = key >> 3
            guard number > last else { throw .malformed }
            last = number
            if number == hasSecretFieldNumber {
                let flag = unsafe try reader.varint()
                guard key & 7 == WireType.varint, flag == 1 else { throw .malformed }
                marks.hasSecret = true
                continue
            }
            if number == grantsFieldNumber {
                guard key & 7 == WireType.bytes else { throw .malformed }
                marks.grants = unsafe try ItemGrants(try reader.content())
                continue
            }
            if SecretFields.Field.all.contains(number) {
                guard key & 7 == WireType.bytes else { throw .malformed }
                unsafe try secrets.take(number, &reader)
                continue
            }
            guard let attribute = Attribute.withFieldNumber(number),
                key & 7 == attribute.wireForm.wireType
            else { throw .malformed }
            unsafe try body(attribute, &reader)
        }
        marks.secrets = try secrets.fields()
        return marks
    }

    /// Decodes attributes from a peer, which don't say whether an item has a secret, and are those of
    /// no item of the Secret Service.
    init(checking message: Data) throws(WireError) {
        try self.init(adopting: message)
        guard secrets == nil else { throw .malformed }
    }

    /// The same for an item of a user's own keychain, which moves in.
    init(adopting message: Data) throws(WireError) {
        try self.init(serialized: message)
        guard !hasSecret else { throw .malformed }
    }
}
