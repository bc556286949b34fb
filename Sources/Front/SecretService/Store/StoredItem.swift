// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import SecretBytes

/// The identifier of an item: the UUID of its row.
package struct SecretID: Hashable, Sendable {
    /// 16 bytes.
    package let bytes: [UInt8]

    /// Takes 16 bytes; nil for any other number.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// Reads 32 lower-case hexadecimal digits; nil for anything else.
    package init?(hexadecimal: some StringProtocol) {
        let digits = Array(hexadecimal.utf8)
        guard digits.count == 32 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16)
        for index in stride(from: 0, to: 32, by: 2) {
            guard let high = Self.value(digits[index]), let low = Self.value(digits[index + 1])
            else { return nil }
            bytes.append(high << 4 | low)
        }
        self.bytes = bytes
    }

    /// 32 lower-case hexadecimal digits.
    package var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(32)
        for byte in bytes { text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

/// What a caller may do with an item now.
package enum StoredItemState: Hashable, Sendable {
    /// Everything.
    case usable
    /// The device or a client has locked it.
    case locked
    /// Another owner's; it looks locked.
    case foreign
    /// Its secret never opens again.
    case keyGone

    /// Whether clients see it as locked.
    package var looksLocked: Bool { self == .locked || self == .foreign }
}

/// What is known of an item besides its secret. A locked or foreign one shows neither label nor
/// attributes.
package struct StoredItem: Hashable, Sendable {
    /// Its identifier.
    package var id: SecretID
    /// The identifier of its collection. Empty if it isn't known: of an item that isn't usable, and was
    /// found by its identifier.
    package var collection: String
    /// What the caller may do with it.
    package var state: StoredItemState
    /// Its label; empty if it isn't usable.
    package var label: String
    /// Its attributes; empty if it isn't usable.
    package var attributes: SecretAttributes
    /// Seconds since 1970.
    package var created: UInt64
    /// Seconds since 1970.
    package var modified: UInt64

    /// Whether it may be in a collection: the store may not be able to tell.
    func isIn(_ id: String) -> Bool {
        collection == id || (collection.isEmpty && state.looksLocked)
    }

    /// Describes an item.
    package init(
        id: SecretID, collection: String, state: StoredItemState, label: String = "",
        attributes: SecretAttributes = SecretAttributes(), created: UInt64 = 0, modified: UInt64 = 0
    ) {
        self.id = id
        self.collection = collection
        self.state = state
        self.label = label
        self.attributes = attributes
        self.created = created
        self.modified = modified
    }
}

/// A secret and what kind of text or data it is.
package struct SecretValue: Sendable {
    /// The bytes.
    package let secret: Secret
    /// As the client that stored it called it.
    package let contentType: String

    /// A value.
    package init(secret: Secret, contentType: String) {
        self.secret = secret
        self.contentType = contentType
    }
}

/// An item to store.
package struct NewStoredItem: Sendable {
    /// The identifier of its collection.
    package var collection: String
    /// Its label.
    package var label: String
    /// Its attributes, with a schema unless there are none.
    package var attributes: SecretAttributes
    /// Its secret.
    package var value: SecretValue
    /// Whether an item of the collection with exactly these attributes is changed instead.
    package var replaces: Bool

    /// An item.
    package init(
        collection: String, label: String, attributes: SecretAttributes, value: SecretValue,
        replaces: Bool
    ) {
        self.collection = collection
        self.label = label
        self.attributes = attributes
        self.value = value
        self.replaces = replaces
    }
}

/// A change of an item; nil leaves what there is.
package struct StoredItemChange: Sendable {
    /// The new label.
    package var label: String?
    /// The new attributes, all of them.
    package var attributes: SecretAttributes?
    /// The new secret.
    package var value: SecretValue?

    /// A change.
    package init(
        label: String? = nil, attributes: SecretAttributes? = nil, value: SecretValue? = nil
    ) {
        self.label = label
        self.attributes = attributes
        self.value = value
    }
}

/// A collection.
package struct FoundCollection: Hashable, Sendable {
    /// What its path ends in.
    package var id: String
    /// Its label.
    package var label: String
    /// Whether its items are locked.
    package var isLocked: Bool
    /// Seconds since 1970.
    package var created: UInt64
    /// Seconds since 1970.
    package var modified: UInt64

    /// Describes a collection.
    package init(
        id: String, label: String, isLocked: Bool, created: UInt64 = 0, modified: UInt64 = 0
    ) {
        self.id = id
        self.label = label
        self.isLocked = isLocked
        self.created = created
        self.modified = modified
    }
}
