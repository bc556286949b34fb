// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import FoundationEssentials
import SecretBytes

// Hand-written coders for the messages of Protocol/adoption.proto. The reasons are in
// Documentation/decisions/0008-attributes-are-coded-by-hand.md.

/// A request about moving a user's own keychain into the system's.
package enum AdoptionRequest: Sendable {
    /// A part of everything in a user's own keychain.
    case export(cursor: [UInt8])
    /// Store all of these items in the system's keychain, or none.
    case adopt(AdoptedItems, WriteIdentity)

    /// The largest message: the attributes of all items together.
    package static let messageByteCount = 8 * 1024 * 1024
    /// The most items: their transaction keeps other writes waiting.
    package static let itemCount = 10_000
}

/// The items of a keychain that moves in.
package struct AdoptedItems: Sendable {
    /// The items. Their attributes have stored names of groups, and the dates of the old keychain.
    package var items: [NewItem]
    /// Whether an item stays out whose primary key another item has. Otherwise it is a duplicate, and
    /// nothing is stored.
    package var skipsExisting: Bool

    package init(_ items: [NewItem], skipsExisting: Bool) {
        self.items = items
        self.skipsExisting = skipsExisting
    }
}

/// A part of a user's own keychain.
package struct ExportPage: Sendable {
    /// The items, with attributes and secrets.
    package var items: [FoundItem] = []
    /// Where the next part begins; empty: this was the last.
    package var nextCursor: [UInt8] = []
    /// What stays behind.
    package var left = LeftBehind()
}

/// What can't move into another keychain.
package struct LeftBehind: Hashable, Sendable {
    /// Items with an access control: their secrets open only for a person.
    package var guarded: UInt64 = 0
    /// Private keys of the enclave.
    package var enclaveKeys: UInt64 = 0
    /// Items that can't be opened any more.
    package var lost: UInt64 = 0
    /// Items of keychains that have a password of their own.
    package var keychainItems: UInt64 = 0

    package init() {}

    /// Whether nothing stays behind.
    package var isEmpty: Bool { self == LeftBehind() }

    /// Adds what another part leaves behind.
    package static func += (left: inout LeftBehind, right: LeftBehind) {
        left.guarded &+= right.guarded
        left.enclaveKeys &+= right.enclaveKeys
        left.lost &+= right.lost
        left.keychainItems &+= right.keychainItems
    }
}

// MARK: - Fields

/// Field numbers of `AdoptionRequest`.
private enum RequestField {
    static let cursor: UInt64 = 1
    static let items: UInt64 = 2
    static let requestID: UInt64 = 3
    static let isRepeated: UInt64 = 4
    static let skipsExisting: UInt64 = 5
}

/// Field numbers of a `FoundRow`, of which an item here has only these.
private enum ItemField {
    static let itemClass: UInt64 = 1
    static let attributes: UInt64 = 2
    static let secretByteCount: UInt64 = 4
}

/// Field numbers of `AdoptionReply`.
private enum ReplyField {
    static let rows: UInt64 = 1
    static let nextCursor: UInt64 = 2
    static let guarded: UInt64 = 3
    static let enclaveKeys: UInt64 = 4
    static let lost: UInt64 = 5
    static let stored: UInt64 = 6
    static let keychainItems: UInt64 = 7
}

// MARK: - Writing

extension AdoptionRequest {
    var message: [UInt8] {
        var bytes: [UInt8] = []
        switch self {
        case .export(let cursor): bytes.append(cursor, as: RequestField.cursor)
        case .adopt(let adopted, let write):
            for item in adopted.items {
                bytes.append(item.adoptedMessage, as: RequestField.items)
            }
            bytes.append(write.requestID, as: RequestField.requestID)
            if write.isRepeated { bytes.appendField(RequestField.isRepeated, 1) }
            if adopted.skipsExisting { bytes.appendField(RequestField.skipsExisting, 1) }
        }
        return bytes
    }

    /// The secrets of all items, in order.
    var secrets: [Secret] {
        guard case .adopt(let adopted, _) = self else { return [] }
        return adopted.items.compactMap(\.secret)
    }
}

extension NewItem {
    fileprivate var adoptedMessage: [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendField(ItemField.itemClass, UInt64(itemClass.wireValue))
        bytes.append([UInt8](attributes.serialized()), as: ItemField.attributes)
        if let secret {
            bytes.appendField(ItemField.secretByteCount, UInt64(secret.bytes.byteCount))
        }
        return bytes
    }
}

extension OutgoingRows {
    /// A part of a keychain, as an `AdoptionReply`.
    func exportMessage(nextCursor: [UInt8], _ left: LeftBehind) -> [UInt8] {
        var bytes = message(nextCursor: 0, openedRowCount: 0)
        if !nextCursor.isEmpty { bytes.append(nextCursor, as: ReplyField.nextCursor) }
        if left.guarded > 0 { bytes.appendField(ReplyField.guarded, left.guarded) }
        if left.enclaveKeys > 0 { bytes.appendField(ReplyField.enclaveKeys, left.enclaveKeys) }
        if left.lost > 0 { bytes.appendField(ReplyField.lost, left.lost) }
        if left.keychainItems > 0 {
            bytes.appendField(ReplyField.keychainItems, left.keychainItems)
        }
        return bytes
    }
}

extension ServiceReply {
    /// How many items were stored, as an `AdoptionReply`. It isn't 0: the field is always there.
    static func adoptedMessage(count: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendField(ReplyField.stored, count)
        return bytes
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ content: [UInt8], as field: UInt64) {
        appendFieldHead(field, byteCount: content.count)
        append(contentsOf: content)
    }
}

// MARK: - Reading

extension AdoptionRequest {
    /// Decodes a request: everything in it comes from a stranger.
    init(_ content: FrameContent) throws(WireError) {
        var reader = unsafe FieldReader(content.message)
        var secrets = unsafe content.secret
        var cursor: [UInt8]?
        var items: [NewItem] = []
        var requestID: [UInt8]?
        var flags: (isRepeated: Bool, skipsExisting: Bool) = (false, false)
        while unsafe !reader.isAtEnd {
            let key = unsafe try reader.varint()
            switch (key >> 3, key & 7) {
            case (RequestField.cursor, WireType.bytes):
                cursor = unsafe [UInt8](unsafe try reader.content())
            case (RequestField.items, WireType.bytes):
                guard items.count < Self.itemCount else { throw .tooLarge }
                items.append(unsafe try Self.item(reader.content(), taking: &secrets))
            case (RequestField.requestID, WireType.bytes):
                requestID = unsafe [UInt8](unsafe try reader.content())
            case (RequestField.isRepeated, WireType.varint):
                flags.isRepeated = unsafe try reader.varint() != 0
            case (RequestField.skipsExisting, WireType.varint):
                flags.skipsExisting = unsafe try reader.varint() != 0
            case (_, let wireType): unsafe try reader.skip(wireType: wireType)
            }
        }
        guard unsafe secrets.isEmpty else { throw .malformed }
        switch (cursor, requestID) {
        case (let cursor?, nil):
            guard items.isEmpty, cursor.count <= Self.cursorByteCount else { throw .malformed }
            self = .export(cursor: cursor)
        case (nil, let requestID?):
            guard requestID.count == 16, !items.isEmpty else { throw .malformed }
            self = .adopt(
                AdoptedItems(items, skipsExisting: flags.skipsExisting),
                WriteIdentity(requestID: requestID, isRepeated: flags.isRepeated))
        default: throw .malformed
        }
    }

    private static let cursorByteCount = 128

    /// The secret is removed from the front of `secrets`.
    private static func item(
        _ message: UnsafeRawBufferPointer, taking secrets: inout UnsafeRawBufferPointer
    ) throws(WireError) -> NewItem {
        var reader = unsafe FieldReader(message)
        var itemClass: ItemClass?
        var attributes = ItemAttributes()
        var secretByteCount: Int?
        while unsafe !reader.isAtEnd {
            let key = unsafe try reader.varint()
            switch (key >> 3, key & 7) {
            case (ItemField.itemClass, WireType.varint):
                itemClass = UInt32(exactly: unsafe try reader.varint()).flatMap {
                    ItemClass(wireValue: $0)
                }
            case (ItemField.attributes, WireType.bytes):
                let content = unsafe try reader.content()
                guard content.count <= ItemLimits.attributesByteCount else { throw .tooLarge }
                attributes = try ItemAttributes(adopting: unsafe Data(content))
            case (ItemField.secretByteCount, WireType.varint):
                secretByteCount = Int(exactly: unsafe try reader.varint())
                guard secretByteCount != nil else { throw .malformed }
            // What a newer version has can't be left out unnoticed.
            default: throw .malformed
            }
        }
        guard let itemClass, itemClass != .identity,
            attributes.accessGroup?.isGroupName == true
        else { throw .malformed }
        var item = NewItem(itemClass)
        item.attributes = attributes
        guard let secretByteCount else { return item }
        guard secretByteCount >= 0, secretByteCount <= secrets.count else { throw .malformed }
        item.secret = try unsafe Secret(
            checking: UnsafeRawBufferPointer(rebasing: secrets[..<secretByteCount]))
        unsafe secrets = UnsafeRawBufferPointer(rebasing: secrets[secretByteCount...])
        return item
    }
}

extension ReceivedReply {
    /// Decodes a part of a keychain, or how many items were stored.
    static func decodeAdoption(_ content: FrameContent) throws(WireError) -> ReceivedReply {
        var page = ExportPage()
        var stored: UInt64?
        var reader = unsafe FieldReader(content.message)
        var secrets = unsafe content.secret
        while unsafe !reader.isAtEnd {
            let key = unsafe try reader.varint()
            switch (key >> 3, key & 7) {
            case (ReplyField.rows, WireType.bytes):
                page.items.append(unsafe try FoundItem(reader.content(), taking: &secrets))
            case (ReplyField.nextCursor, WireType.bytes):
                page.nextCursor = unsafe [UInt8](unsafe try reader.content())
            case (ReplyField.guarded, WireType.varint):
                page.left.guarded = unsafe try reader.varint()
            case (ReplyField.enclaveKeys, WireType.varint):
                page.left.enclaveKeys = unsafe try reader.varint()
            case (ReplyField.lost, WireType.varint):
                page.left.lost = unsafe try reader.varint()
            case (ReplyField.keychainItems, WireType.varint):
                page.left.keychainItems = unsafe try reader.varint()
            case (ReplyField.stored, WireType.varint): stored = unsafe try reader.varint()
            case (_, let wireType): unsafe try reader.skip(wireType: wireType)
            }
        }
        guard unsafe secrets.isEmpty else { throw .malformed }
        return stored.map { .written(nil, count: $0) } ?? .exported(page)
    }
}
