// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import SecurityWire

/// Attributes in their stored form, and persistent references.
enum AttributeEntries {
    /// A decoded value encodes to exactly the same bytes.
    static func attributes(_ data: Data) {
        let stored = try? StoredAttributes(data)
        guard let attributes = try? ItemAttributes(serialized: data) else {
            return precondition(stored == nil, "attributes are sound that can't be taken apart")
        }
        let again = attributes.serialized()
        precondition(again == data, "attributes have two stored forms")
        precondition(
            stored?.hasSecret == attributes.hasSecret, "attributes are read in two ways")
    }

    static func reference(_ data: Data) {
        guard let reference = PersistentReference(bytes: [UInt8](data)) else { return }
        precondition(reference.bytes == [UInt8](data), "a reference has two forms")
    }

    // MARK: - Seeds

    static var samples: [Data] {
        var small = ItemAttributes()
        small[.account] = .text("me")
        var large = ItemAttributes()
        large[.account] = .data([0, 1, 2])
        large[.service] = .text("e\u{301}")
        large[.creator] = .integer(-1)
        large[.port] = .integer(Int64.max)
        large[.creationDate] = .date(0.5)
        large[.modificationDate] = .date(-1)
        large[.keyClass] = .integer(1)
        large[.sha1] = .data([UInt8](repeating: 3, count: 20))
        return [ItemAttributes(), small, large].map { $0.serialized() }
    }

    static var references: [Data] {
        ["genp", "inet", "cert", "keys", "idnt"].map { Data(($0 + "0123456789abcdef").utf8) }
            + [Data("genp".utf8) + Data([0, 0, 0, 0, 0, 0, 0, 7])]
    }
}
