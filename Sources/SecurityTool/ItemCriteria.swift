// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SecurityWire

/// Attributes from the command line: criteria of a search, or those of a new item.
struct ItemCriteria {
    private(set) var attributes = ItemAttributes()

    /// The options, as `getopt` takes them; `-G` and `-s` are those of a generic password.
    static let options = "a:c:C:D:G:j:l:s:"

    /// A four-character code that has another number of characters.
    struct WrongCode: Error {
        let text: String

        /// Says so, as macOS does.
        /// - Returns: 1.
        func complained() -> Int32 {
            complain("Error: four-character types must be exactly 4 characters long.")
            if text.utf8.count == 3 { complain("(Try \"\(text) \" instead of \"\(text)\")") }
            return 1
        }
    }

    /// Takes one option.
    /// - Returns: Whether the option is one of ``options``.
    mutating func take(_ option: Character, _ argument: Word) throws(WrongCode) -> Bool {
        switch option {
        case "a": attributes[.account] = argument.value
        case "c": attributes[.creator] = .integer(try Self.code(argument))
        case "C": attributes[.type] = .integer(try Self.code(argument))
        case "D": attributes[.description] = argument.value
        case "G": attributes[.generic] = argument.value
        case "j": attributes[.comment] = argument.value
        case "l": attributes[.label] = argument.value
        case "s": attributes[.service] = argument.value
        default: return false
        }
        return true
    }

    /// The attributes by which macOS searches: account and service alone where both are given.
    var searched: ItemAttributes {
        guard let account = attributes[.account], let service = attributes[.service] else {
            return attributes
        }
        var both = ItemAttributes()
        both[.account] = account
        both[.service] = service
        return both
    }

    private static func code(_ word: Word) throws(WrongCode) -> Int64 {
        let bytes = unsafe word.withBytes { unsafe [UInt8]($0) }
        guard bytes.count == 4 else { throw WrongCode(text: word.string) }
        return bytes.reduce(0) { $0 << 8 | Int64($1) }
    }

    /// The lines of a usage text that tell the options.
    static let matchingUsage = """
            -a  Match "account" string
            -c  Match "creator" (four-character code)
            -C  Match "type" (four-character code)
            -D  Match "kind" string
            -G  Match "generic attribute" value
            -j  Match "comment" string
            -l  Match "label" string
            -s  Match "service" string
        """
}
