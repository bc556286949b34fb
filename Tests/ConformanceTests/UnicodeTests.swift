// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import Testing

/// Text is its bytes: nothing is normalized, folded or truncated.
@Suite struct UnicodeTests {
    /// Texts that look alike, or that a conversion could change.
    private static let traps = [
        "caf\u{e9}", "cafe\u{301}", "CAF\u{c9}", "cafe", "\u{212b}", "\u{c5}", "A\u{30a}",
        "\u{fb01}", "fi", "\u{1e9e}", "\u{df}", "ss", "\u{3b1}", "\u{391}", "\u{430}", "a",
        "a\u{200b}", "a ", " a", "a\t", "a\n", "\u{feff}a", "a\u{0}", "a\u{0}b", "\u{0}", "",
        "\u{202e}abc", "👩\u{200d}👩\u{200d}👧", "👩👩👧", "\u{1f1e9}\u{1f1ea}", "\u{10ffff}",
        "%s%n", "' OR 1=1 --", "\\", "\"", "\u{ac00}", "\u{1100}\u{1161}",
    ]

    private static let columns: [(ItemKind, String)] = [
        (.genericPassword, "acct"), (.genericPassword, "svce"), (.internetPassword, "srvr"),
        (.internetPassword, "path"), (.key, "atag"),
    ]

    @Test(arguments: KeychainKind.allCases)
    func differentBytesAreDifferentItems(_ kind: KeychainKind) throws {
        for (item, name) in Self.columns {
            try ConformanceKeychain.run(kind) { keychain in
                for text in Self.traps {
                    let new: Entries = ["class": item.rawValue, name: text, "v_Data": bytes(text)]
                    #expect(keychain.add(new) == errSecSuccess, "\(name) \(text.debugDescription)")
                }
                for text in Self.traps {
                    let query: Entries = ["class": item.rawValue, name: text]
                    #expect(keychain.count(query) == 1, "\(name) \(text.debugDescription)")
                    #expect(keychain.data(query) == bytes(text))
                    let found = try keychain.attributes(query)[name] as? String
                    #expect(found.map { Array($0.utf8) } == Array(text.utf8))
                    #expect(keychain.add(query) == errSecDuplicateItem)
                }
                #expect(keychain.count(["class": item.rawValue]) == Self.traps.count)
            }
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func labelsAreFoundByTheirBytes(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(1, into: keychain, ["labl": "caf\u{e9}"])
            try item.put(2, into: keychain, ["labl": "cafe\u{301}"])
            let query: Entries = ["class": item.rawValue]
            #expect(keychain.data(query + ["labl": "caf\u{e9}"]) == item.secret(1))
            #expect(keychain.data(query + ["labl": "cafe\u{301}"]) == item.secret(2))
            #expect(keychain.data(query + ["labl": bytes("cafe\u{301}")]) == item.secret(2))
            #expect(keychain.count(query + ["labl": "CAF\u{c9}"]) == 0)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func anAccountMayBeAnyBytes(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let accounts = [
                Data(), Data([0]), Data([0, 0]), Data([1, 0, 2]), Data([0xff, 0xfe]),
                Data([0xc3, 0x28]), Data([0xed, 0xa0, 0x80]), Data((0...255).map { UInt8($0) }),
            ]
            for account in accounts {
                let new: Entries = ["class": "genp", "acct": account, "v_Data": account]
                #expect(keychain.add(new) == errSecSuccess, "\([UInt8](account))")
            }
            for account in accounts {
                let query: Entries = ["class": "genp", "acct": account]
                #expect(keychain.count(query) == 1)
                #expect(keychain.data(query) == account)
                let found = try keychain.attributes(query)
                #expect(found["acct"] as? Data == account)
            }
            #expect(keychain.count(["class": "genp"]) == accounts.count)
            // The empty text and the empty data are the same bytes.
            #expect(keychain.add(["class": "genp", "acct": ""]) == errSecDuplicateItem)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func secretsMayBeAnyBytes(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let secrets = [
                Data([0]), Data([0xff]), Data((0...255).map { UInt8($0) }), bytes("cafe\u{301}"),
                Data(count: 65_536), Data(repeating: 0xaa, count: 1_000_003),
            ]
            for (number, secret) in secrets.enumerated() {
                let new: Entries = ["class": "genp", "acct": "\(number)", "v_Data": secret]
                #expect(keychain.add(new) == errSecSuccess)
            }
            for (number, secret) in secrets.enumerated() {
                #expect(keychain.data(["class": "genp", "acct": "\(number)"]) == secret)
            }
            let all: Entries = ["class": "genp", "m_Limit": "m_LimitAll", "r_Data": true]
            #expect(keychain.copy(all).object as? [Data] == secrets)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func longAttributesAreKeptAndTooLongOnesRefused(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let long = String(repeating: "ü", count: 100_000)
            try item.put(into: keychain, ["labl": long])
            #expect(keychain.attribute("labl", item.query()) as? String == long)
            #expect(keychain.find(item.query() + ["labl": long]) == errSecSuccess)
            let tooLong = item.sample(2) + ["labl": String(repeating: "x", count: 300_000)]
            #expect(keychain.added(tooLong).status == errSecDataTooLarge)
            #expect(keychain.find(item.query(2)) == errSecItemNotFound)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func numbersAtTheirLimitsAreKept(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let numbers = [Int64.min, -1, 0, 1, Int64(Int32.max) + 1, Int64.max]
            for number in numbers {
                let item: Entries = ["class": "inet", "port": number]
                #expect(keychain.add(item) == errSecSuccess, "\(number)")
                let found = try keychain.attributes(item)
                #expect(found["port"] as? Int64 == number)
            }
            #expect(keychain.count(["class": "inet"]) == numbers.count)
            let above: Entries = ["class": "inet", "port": UInt64.max]
            #expect(keychain.added(above).status == errSecParam)
        }
    }
}
