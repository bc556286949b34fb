// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SecurityWire

/// Attributes from the command line: criteria of a search, or those of a new item.
struct ItemCriteria {
    private let kind: PasswordKind
    private(set) var attributes = ItemAttributes()

    init(_ kind: PasswordKind) { self.kind = kind }

    /// A four-character code of the wrong length.
    struct WrongCode: Error {
        let text: String

        /// Prints the error, as macOS does.
        /// - Returns: 1.
        func complained() -> Int32 {
            complain("Error: four-character types must be exactly 4 characters long.")
            if text.utf8.count == 3 { complain("(Try \"\(text) \" instead of \"\(text)\")") }
            return 1
        }
    }

    /// Parses one option.
    /// - Returns: Whether the option is one of the kind's, with a valid value.
    mutating func take(_ option: Character, _ argument: Word) throws(WrongCode) -> Bool {
        switch (option, kind) {
        case ("a", _): attributes[.account] = argument.value
        case ("c", _): attributes[.creator] = .integer(try Self.number(argument))
        case ("C", _): attributes[.type] = .integer(try Self.number(argument))
        case ("D", _): attributes[.description] = argument.value
        case ("j", _): attributes[.comment] = argument.value
        case ("l", _): attributes[.label] = argument.value
        case ("s", _): attributes[kind.place] = argument.value
        case ("G", .generic): attributes[.generic] = argument.value
        case ("d", .internet): attributes[.securityDomain] = argument.value
        case ("p", .internet): attributes[.path] = argument.value
        case ("P", .internet):
            guard let port = Int64(argument.string), (0...65_535).contains(port) else {
                return false
            }
            attributes[.port] = .integer(port)
        case ("r", .internet):
            _ = try Self.number(argument)
            attributes[.networkProtocol] = argument.value
        case ("t", .internet):
            _ = try Self.number(argument)
            attributes[.authenticationType] = argument.value
        default: return false
        }
        return true
    }

    /// The attributes by which macOS searches: if all identifying attributes are given, only those.
    var searched: ItemAttributes { identifying(withDefaults: false) ?? attributes }

    /// The attributes that identify a new item, with defaults for those that aren't given.
    var identity: ItemAttributes { identifying(withDefaults: true) ?? attributes }

    /// Nil when one isn't given and has no default.
    private func identifying(withDefaults: Bool) -> ItemAttributes? {
        let added = kind.addedDefaults
        let defaults = Attribute.defaults(for: kind.itemClass)
        var all = ItemAttributes()
        for attribute in kind.identifyingAttributes {
            var value = attributes[attribute]
            if value == nil, withDefaults {
                value = added[attribute] ?? defaults.first { $0.0 == attribute }?.1
            }
            guard let value else { return nil }
            all[attribute] = value
        }
        return all
    }

    /// A four-character code as a number.
    private static func number(_ word: Word) throws(WrongCode) -> Int64 {
        let bytes = unsafe word.withBytes { unsafe [UInt8]($0) }
        guard bytes.count == 4 else { throw WrongCode(text: word.string) }
        return bytes.reduce(0) { $0 << 8 | Int64($1) }
    }
}
