// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import SecretBytes
package import SecurityWire

extension Secret {
    /// The secret of a test.
    package convenience init(text: String) { self.init(bytes: [UInt8](text.utf8)) }

    /// The secret of a test.
    package convenience init(bytes: [UInt8]) {
        self.init(SecretBytes(test: bytes))
    }

    /// The bytes, for comparison; a test's secrets need no protection.
    package var testBytes: [UInt8] { unsafe bytes.withUnsafeBytes { unsafe [UInt8]($0) } }

    /// The bytes as text.
    package var testText: String { String(decoding: testBytes, as: UTF8.self) }
}

extension NewItem {
    /// A generic password.
    package static func password(
        _ account: String, service: String = "service", secret: String? = "secret",
        accessibility: Accessibility? = nil
    ) -> NewItem {
        var item = NewItem(.genericPassword)
        item.attributes[.account] = .text(account)
        item.attributes[.service] = .text(service)
        item.attributes.accessibility = accessibility
        item.secret = secret.map { Secret(text: $0) }
        return item
    }
}

extension ItemQuery {
    /// A query for generic passwords.
    package static func password(
        _ account: String? = nil, service: String? = nil, limit: Int? = 1,
        returning: ReturnFields = [.data]
    ) -> ItemQuery {
        var query = ItemQuery(.genericPassword)
        if let account { query.attributes[.account] = .text(account) }
        if let service { query.attributes[.service] = .text(service) }
        query.limit = limit
        query.returning = returning
        return query
    }

    /// A query for one item by its reference.
    package static func reference(
        _ reference: PersistentReference?, returning: ReturnFields = [.data, .attributes]
    ) -> ItemQuery {
        var query = ItemQuery(nil)
        query.persistentReference = reference
        query.returning = returning
        return query
    }
}

extension ItemChanges {
    /// Changes of attributes, and of the secret if one is given.
    package static func setting(
        _ attributes: [Attribute: AttributeValue] = [:], secret: String? = nil
    ) -> ItemChanges {
        var changes = ItemChanges()
        for (attribute, value) in attributes { changes.attributes[attribute] = value }
        changes.secret = secret.map { Secret(text: $0) }
        return changes
    }
}

extension SecretBytes {
    /// The passcode of a test.
    package init(passcode text: String) { self.init(test: [UInt8](text.utf8)) }

    fileprivate init(test bytes: [UInt8]) {
        self.init(byteCount: bytes.count)
        unsafe withUnsafeMutableBytes { unsafe $0.copyBytes(from: bytes) }
    }
}

/// Random numbers that repeat with the same seed (SplitMix64).
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Starts a sequence.
    package init(seed: UInt64) { state = seed }

    /// The next number.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
