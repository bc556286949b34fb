// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import FoundationEssentials
package import KeychainVocabulary
public import SecretBytes

// Hand-written coders for the messages of Protocol/found.proto, since a list has thousands of rows.
// The reasons are in Documentation/decisions/0008-attributes-are-coded-by-hand.md.

/// One item of a reply.
public struct FoundItem: Sendable {
    /// Its class.
    public var itemClass: ItemClass
    /// Its attributes; empty unless requested. For an identity: those of its key.
    public var attributes = ItemAttributes()
    /// Its secret; nil when it has none or none was requested. For an identity: its key's.
    public var secret: Secret?
    /// Its reference; nil unless requested. For an identity it refers to the certificate.
    public var persistentReference: PersistentReference?
    /// Its state; nil unless usage was requested, and for identities.
    public var generation: ItemGeneration?
    /// When its secret was last read, in seconds since 2001-01-01 00:00:00 UTC; nil when it hasn't
    /// been, or usage wasn't requested.
    public var lastUsed: Double?
    /// For an identity: its certificate.
    public var certificate: FoundCertificate?
    /// What must be proven before it is used; nil for nothing, and unless attributes were requested.
    package var accessControl: AccessControl?

    /// An item of which only the class is known.
    package init(_ itemClass: ItemClass) { self.itemClass = itemClass }
}

/// The certificate half of an identity.
public struct FoundCertificate: Sendable {
    /// Its attributes; empty unless requested.
    public var attributes = ItemAttributes()
    /// Its data, usually DER; nil when it has none or none was requested.
    public var data: Secret?
}

/// One row for a client.
package struct OutgoingRow: Sendable {
    package var itemClass: ItemClass
    /// Serialized attributes, if requested.
    package var attributes: Data?
    /// 16 bytes, if the reference was requested.
    package var uuid: [UInt8]?
    /// The secret, if it was requested and there is one.
    package var secret: Secret?
    /// How often the row has been written, if usage was requested; else 0.
    package var generation: UInt32 = 0
    /// When it was last read, if usage was requested.
    package var lastUsed: Double?
    /// For an identity: its certificate's attributes and data, as far as requested.
    package var certificate: (attributes: Data?, data: Secret?)?
    /// The encoded access control, if there is one and attributes were requested.
    package var accessControl: [UInt8]?

    package init(itemClass: ItemClass) { self.itemClass = itemClass }
}

// MARK: - Fields

/// Field numbers of `FoundRow`.
enum FoundRowField {
    static let itemClass: UInt64 = 1
    static let attributes: UInt64 = 2
    static let uuid: UInt64 = 3
    static let secretByteCount: UInt64 = 4
    static let generation: UInt64 = 5
    static let lastUsed: UInt64 = 6
    static let certificateAttributes: UInt64 = 7
    static let certificateByteCount: UInt64 = 8
    static let accessControl: UInt64 = 9
}

/// Field numbers of `FindReply`.
enum FindReplyField {
    static let rows: UInt64 = 1
    static let nextCursor: UInt64 = 2
    static let openedRowCount: UInt64 = 3
}

// MARK: - Writing

/// Rows of a `FindReply` message, encoded as they are added.
package struct OutgoingRows: Sendable {
    /// The number of rows.
    package private(set) var count = 0
    /// The encoded rows.
    var bytes: [UInt8] = []
    private var secretByteCount = 0
    /// Their secrets, in order.
    private(set) var secrets: [Secret] = []

    package init(_ rows: [OutgoingRow] = []) {
        for row in rows { append(row) }
    }

    /// Their byte count, including secrets.
    package var byteCount: Int { bytes.count + secretByteCount }

    /// Adds a row.
    package mutating func append(_ row: OutgoingRow) {
        bytes.appendFieldHead(FindReplyField.rows, byteCount: row.messageByteCount)
        row.appendMessage(to: &bytes)
        if let secret = row.secret { take(secret) }
        if let data = row.certificate?.data { take(data) }
        count += 1
    }

    /// Adds a row with only its attributes.
    package mutating func append(_ itemClass: ItemClass, attributes: Data) {
        let count =
            OutgoingRow.fieldByteCount(UInt64(itemClass.wireValue))
            + OutgoingRow.fieldByteCount(of: attributes.count)
        bytes.appendFieldHead(FindReplyField.rows, byteCount: count)
        bytes.appendField(FoundRowField.itemClass, UInt64(itemClass.wireValue))
        bytes.append(attributes, as: FoundRowField.attributes)
        self.count += 1
    }

    private mutating func take(_ secret: Secret) {
        secrets.append(secret)
        secretByteCount += secret.bytes.byteCount
    }

    /// The whole message.
    func message(nextCursor: UInt64, openedRowCount: UInt64) -> [UInt8] {
        var message = bytes
        if nextCursor != 0 { message.appendField(FindReplyField.nextCursor, nextCursor) }
        if openedRowCount != 0 {
            message.appendField(FindReplyField.openedRowCount, openedRowCount)
        }
        return message
    }
}

extension OutgoingRow {
    /// A `FoundRow` message.
    var message: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(messageByteCount)
        appendMessage(to: &bytes)
        return bytes
    }

    fileprivate func appendMessage(to bytes: inout [UInt8]) {
        bytes.appendField(FoundRowField.itemClass, UInt64(itemClass.wireValue))
        if let attributes { bytes.append(attributes, as: FoundRowField.attributes) }
        if let uuid {
            bytes.appendFieldHead(FoundRowField.uuid, byteCount: uuid.count)
            bytes.append(contentsOf: uuid)
        }
        if let secret {
            bytes.appendField(FoundRowField.secretByteCount, UInt64(secret.bytes.byteCount))
        }
        if generation != 0 { bytes.appendField(FoundRowField.generation, UInt64(generation)) }
        if let lastUsed { bytes.appendFixedField(FoundRowField.lastUsed, lastUsed.bitPattern) }
        if let certificate {
            bytes.append(certificate.attributes ?? Data(), as: FoundRowField.certificateAttributes)
            if let data = certificate.data {
                bytes.appendField(
                    FoundRowField.certificateByteCount, UInt64(data.bytes.byteCount))
            }
        }
        if let accessControl {
            bytes.appendFieldHead(FoundRowField.accessControl, byteCount: accessControl.count)
            bytes.append(contentsOf: accessControl)
        }
    }

    /// The message's byte count.
    fileprivate var messageByteCount: Int {
        var count = Self.fieldByteCount(UInt64(itemClass.wireValue))
        if let attributes { count += Self.fieldByteCount(of: attributes.count) }
        if let uuid { count += Self.fieldByteCount(of: uuid.count) }
        if let secret { count += Self.fieldByteCount(UInt64(secret.bytes.byteCount)) }
        if generation != 0 { count += Self.fieldByteCount(UInt64(generation)) }
        if lastUsed != nil { count += 9 }
        if let accessControl { count += Self.fieldByteCount(of: accessControl.count) }
        guard let certificate else { return count }
        count += Self.fieldByteCount(of: certificate.attributes?.count ?? 0)
        if let data = certificate.data {
            count += Self.fieldByteCount(UInt64(data.bytes.byteCount))
        }
        return count
    }

    fileprivate static func fieldByteCount(_ value: UInt64) -> Int {
        1 + [UInt8].varintByteCount(value)
    }

    fileprivate static func fieldByteCount(of byteCount: Int) -> Int {
        fieldByteCount(UInt64(byteCount)) + byteCount
    }
}

extension [UInt8] {
    mutating func append(_ data: Data, as field: UInt64) {
        appendFieldHead(field, byteCount: data.count)
        unsafe data.withUnsafeBytes { unsafe append(contentsOf: $0) }
    }
}

// MARK: - Reading

extension ReceivedReply {
    /// Reads a `FindReply` message.
    static func found(
        _ message: UnsafeRawBufferPointer, secrets: UnsafeRawBufferPointer
    ) throws(WireError) -> ReceivedReply {
        var reader = unsafe FieldReader(message)
        var secrets = unsafe secrets
        var items: [FoundItem] = []
        var nextCursor: UInt64 = 0
        var openedRowCount: UInt64 = 0
        while unsafe !reader.isAtEnd {
            let key = unsafe try reader.varint()
            switch (key >> 3, key & 7) {
            case (FindReplyField.rows, WireType.bytes):
                items.append(unsafe try FoundItem(reader.content(), taking: &secrets))
            case (FindReplyField.nextCursor, WireType.varint):
                nextCursor = unsafe try reader.varint()
            case (FindReplyField.openedRowCount, WireType.varint):
                openedRowCount = unsafe try reader.varint()
            case (_, let wireType): unsafe try reader.skip(wireType: wireType)
            }
        }
        guard unsafe secrets.isEmpty else { throw .malformed }
        return .found(items, nextCursor: nextCursor, openedRowCount: openedRowCount)
    }
}

extension ReceivedReply {
    /// The cursor of a `FindReply` message, without decoding the rows; 0 when there is none or the
    /// message is malformed.
    package static func nextCursor(_ message: UnsafeRawBufferPointer) -> UInt64 {
        var reader = unsafe FieldReader(message)
        var cursor: UInt64 = 0
        do throws(WireError) {
            while unsafe !reader.isAtEnd {
                let key = unsafe try reader.varint()
                if key == FindReplyField.nextCursor << 3 | WireType.varint {
                    cursor = unsafe try reader.varint()
                } else {
                    unsafe try reader.skip(wireType: key & 7)
                }
            }
        } catch { return 0 }
        return cursor
    }
}

extension FoundItem {
    /// Decodes a `FoundRow` message; the row's secrets are removed from the front of `secrets`.
    init(
        _ message: UnsafeRawBufferPointer, taking secrets: inout UnsafeRawBufferPointer
    ) throws(WireError) {
        var row = ReceivedRow()
        var reader = unsafe FieldReader(message)
        while unsafe !reader.isAtEnd { unsafe try row.takeField(&reader) }
        guard let itemClass = row.itemClass else { throw .malformed }
        self.init(itemClass)
        if let attributes = row.attributes { self.attributes = attributes }
        if let uuid = row.uuid {
            persistentReference = PersistentReference(itemClass: itemClass, uuid: uuid)
            guard persistentReference != nil else { throw .malformed }
            generation = ItemGeneration(uuid: uuid, number: row.generation)
        }
        lastUsed = row.lastUsed
        accessControl = row.accessControl
        if let count = row.secretByteCount { secret = unsafe try Self.take(count, from: &secrets) }
        guard let attributes = row.certificateAttributes else { return }
        var certificate = FoundCertificate()
        certificate.attributes = attributes
        if let count = row.certificateByteCount {
            certificate.data = unsafe try Self.take(count, from: &secrets)
        }
        self.certificate = certificate
    }

    private static func take(
        _ byteCount: Int, from secrets: inout UnsafeRawBufferPointer
    ) throws(WireError) -> Secret {
        guard byteCount <= secrets.count else { throw .malformed }
        defer { unsafe secrets = UnsafeRawBufferPointer(rebasing: secrets[byteCount...]) }
        return unsafe Secret(
            SecretBytes(copying: UnsafeRawBufferPointer(rebasing: secrets[..<byteCount])))
    }
}

/// The fields of a `FoundRow` message.
private struct ReceivedRow {
    var itemClass: ItemClass?
    var attributes: ItemAttributes?
    var uuid: [UInt8]?
    var secretByteCount: Int?
    var generation: UInt32 = 0
    var lastUsed: Double?
    var certificateAttributes: ItemAttributes?
    var certificateByteCount: Int?
    var accessControl: AccessControl?

    /// Reads the next field; an unknown one is skipped.
    mutating func takeField(_ reader: inout FieldReader) throws(WireError) {
        let key = unsafe try reader.varint()
        switch (key >> 3, key & 7) {
        case (FoundRowField.itemClass, WireType.varint):
            itemClass = ItemClass(wireValue: unsafe try Self.number(&reader))
        case (FoundRowField.attributes, WireType.bytes):
            attributes = ItemAttributes(unsafe try EncodedAttributes(reader.content()))
        case (FoundRowField.uuid, WireType.bytes):
            uuid = unsafe [UInt8](unsafe try reader.content())
        case (FoundRowField.secretByteCount, WireType.varint):
            secretByteCount = Int(unsafe try Self.number(&reader))
        case (FoundRowField.generation, WireType.varint):
            generation = unsafe try Self.number(&reader)
        case (FoundRowField.lastUsed, WireType.fixed64):
            lastUsed = Double(bitPattern: unsafe try reader.fixed64())
        case (FoundRowField.certificateAttributes, WireType.bytes):
            certificateAttributes = ItemAttributes(
                unsafe try EncodedAttributes(reader.content()))
        case (FoundRowField.certificateByteCount, WireType.varint):
            certificateByteCount = Int(unsafe try Self.number(&reader))
        case (FoundRowField.accessControl, WireType.bytes):
            accessControl = AccessControl(decoding: unsafe [UInt8](unsafe try reader.content()))
            guard accessControl != nil else { throw .malformed }
        case (_, let wireType): unsafe try reader.skip(wireType: wireType)
        }
    }

    private static func number(_ reader: inout FieldReader) throws(WireError) -> UInt32 {
        guard let number = UInt32(exactly: unsafe try reader.varint()) else { throw .malformed }
        return number
    }
}
