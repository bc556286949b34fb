// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// The attributes of an item or a search: names and values, byte for byte.
///
/// Not a dictionary of `String`: Swift takes two spellings of `é` for one, and the bus doesn't.
package struct SecretAttributes: Hashable, Sendable {
    /// A name and its value, both UTF-8.
    package struct Pair: Hashable, Sendable {
        /// The name.
        package let name: [UInt8]
        /// The value.
        package let value: [UInt8]

        /// Makes a pair.
        package init(name: [UInt8], value: [UInt8]) {
            self.name = name
            self.value = value
        }
    }

    /// How many attributes an item or a search may have. Items that clients store have up to ten; each
    /// costs a tag in securityd's database.
    package static let countLimit = 64
    /// How many bytes names and values may have together: an item's metadata is opened at each search
    /// that may match it.
    package static let byteCountLimit = 64 * 1024

    /// The name of the attribute that says what kind of item it is.
    package static let schemaName = Array("xdg:schema".utf8)
    /// The schema of items without one, as gnome-keyring has it.
    package static let genericSchema = Array("org.freedesktop.Secret.Generic".utf8)

    /// Ordered by the bytes of the names; no name is there twice.
    package private(set) var pairs: [Pair]

    /// No attribute.
    package init() { pairs = [] }

    /// Takes pairs in any order. Of two with one name the last one counts.
    package init(_ pairs: [Pair]) {
        var sorted: [Pair] = []
        sorted.reserveCapacity(pairs.count)
        let order = pairs.indices.sorted {
            let (left, right) = (pairs[$0].name, pairs[$1].name)
            return left == right ? $0 < $1 : left.lexicographicallyPrecedes(right)
        }
        for index in order {
            if sorted.last?.name == pairs[index].name { sorted.removeLast() }
            sorted.append(pairs[index])
        }
        self.pairs = sorted
    }

    /// Whether there is none.
    package var isEmpty: Bool { pairs.isEmpty }

    /// The bytes of all names and values.
    package var byteCount: Int { pairs.reduce(0) { $0 + $1.name.count + $1.value.count } }

    /// Whether they are within both limits.
    package var isWithinLimits: Bool {
        pairs.count <= Self.countLimit && byteCount <= Self.byteCountLimit
    }

    /// The value of an attribute; nil if there is none.
    package subscript(name: [UInt8]) -> [UInt8]? {
        pairs.first { $0.name == name }?.value
    }

    /// Whether an item with these attributes has all that a search names.
    package func contains(_ search: SecretAttributes) -> Bool {
        search.pairs.allSatisfy { self[$0.name] == $0.value }
    }

    /// The same with a schema: the generic one if there is none. An empty set stays empty.
    package var withSchema: SecretAttributes {
        guard !isEmpty, self[Self.schemaName] == nil else { return self }
        return SecretAttributes(pairs + [Pair(name: Self.schemaName, value: Self.genericSchema)])
    }
}
