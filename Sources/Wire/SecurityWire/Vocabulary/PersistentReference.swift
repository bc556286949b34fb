// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// A name for one item that stays the same when the item's attributes change.
public struct PersistentReference: Hashable, Sendable {
    /// The class of the item.
    public let itemClass: ItemClass
    /// 16 bytes, random at the item's creation.
    public let uuid: [UInt8]

    package init?(itemClass: ItemClass, uuid: [UInt8]) {
        guard uuid.count == 16 else { return nil }
        self.itemClass = itemClass
        self.uuid = uuid
    }

    /// Parses the 20-byte form; nil when the count or the class is wrong.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 20,
            let name = String(validating: bytes.prefix(4), as: UTF8.self),
            let itemClass = ItemClass(rawValue: name)
        else { return nil }
        self.itemClass = itemClass
        uuid = [UInt8](bytes.dropFirst(4))
    }

    /// 20 bytes: the class's four letters, then the UUID.
    public var bytes: [UInt8] { [UInt8](itemClass.rawValue.utf8) + uuid }
}
