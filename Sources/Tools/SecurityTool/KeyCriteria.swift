// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Keychain
import SecurityWire

/// What the command line says of keys that are looked for.
struct KeyCriteria {
    /// The letters, as getopt(3) has them.
    static let options = "a:c:D:j:l:t:dersuvw"
    static let usage = """
            -a  Match "application-label", in hexadecimal or as text
            -c  Accepted for compatibility, without effect: keys have no creator
            -D  Match "description"
            -j  Match "comment"
            -l  Match "label"
            -t  Type: symmetric, public or private
            -d  Match keys that can decrypt
            -e  Match keys that can encrypt
            -r  Match keys that can derive
            -s  Match keys that can sign
            -u  Match keys that can unwrap
            -v  Match keys that can verify
            -w  Match keys that can wrap
        """

    private static let types: [String: Int64] = ["public": 0, "private": 1, "symmetric": 2]
    private static let uses: [Character: Attribute] = [
        "d": .canDecrypt, "e": .canEncrypt, "r": .canDerive, "s": .canSign, "u": .canUnwrap,
        "v": .canVerify, "w": .canWrap,
    ]

    private var type: Int64?
    private var uses: [Attribute] = []
    private var texts: [Attribute: String] = [:]

    /// Takes an option.
    /// - Returns: False for another one, or a value that it doesn't have.
    mutating func take(_ option: Character, _ argument: Word) -> Bool {
        switch option {
        case "a": texts[.applicationLabel] = argument.string
        case "D": texts[.description] = argument.string
        case "j": texts[.comment] = argument.string
        case "l": texts[.label] = argument.string
        case "c": break
        case "t":
            guard let named = Self.types[argument.string] else { return false }
            type = named
        default:
            guard let use = Self.uses[option] else { return false }
            uses.append(use)
        }
        return true
    }

    /// Whether a key is one of them.
    func matches(_ key: FoundItem) -> Bool {
        if let type, Self.number(key, .keyClass) != type { return false }
        let isUsable = uses.allSatisfy { Self.number(key, $0) == 1 }
        return isUsable
            && texts.allSatisfy { attribute, text in
                switch key.attributes[attribute] {
                case .text(let value): value == text
                case .data(let value):
                    value == [UInt8](text.utf8)
                        || ExternalTrustSettings.hex(value) == text.uppercased()
                case .integer(let value): String(value) == text
                case .real, .date, nil: false
                }
            }
    }

    private static func number(_ key: FoundItem, _ attribute: Attribute) -> Int64? {
        key.attributes[attribute].flatMap(ImportedItems.number)
    }
}
