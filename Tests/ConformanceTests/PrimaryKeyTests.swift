// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import Testing

/// Which attributes identify an item. Source of each claim: Apple's SecItem, as observed.
@Suite struct PrimaryKeyTests {
    /// A column: its name, and two different values; the first one is the default, if there is one.
    private struct Column {
        let name: String
        let first: Any
        let second: Any

        init(_ name: String, _ first: Any, _ second: Any) {
            self.name = name
            self.first = first
            self.second = second
        }
    }

    private static func date(_ seconds: Double) -> Date {
        Date(timeIntervalSinceReferenceDate: seconds)
    }

    /// The columns of the primary key that callers set; the first value is the default.
    private static func keyColumns(_ item: ItemKind) -> [Column] {
        let common = [Column("vwht", "", "hint"), Column("tkid", "", "com.example.token")]
        switch item {
        case .genericPassword: return common + [Column("acct", "", "b"), Column("svce", "", "b")]
        case .internetPassword:
            return common + [
                Column("acct", "", "b"), Column("sdmn", "", "b"), Column("srvr", "", "b"),
                Column("ptcl", 0, "htps"), Column("atyp", "", "form"), Column("port", 0, 443),
                Column("path", "", "/b"),
            ]
        case .certificate:
            return common + [
                Column("ctyp", 0, 3), Column("issr", Data(), Data([1])),
                Column("slnr", Data(), Data([1])),
            ]
        case .key, .identity:
            return common + [
                Column("kcls", 0, 1), Column("klbl", Data(), Data([1])), Column("atag", "", "b"),
                Column("crtr", 0, 1), Column("type", 0, 42), Column("bsiz", 0, 256),
                Column("esiz", 0, 256), Column("sdat", date(0), date(1)),
                Column("edat", date(0), date(1)),
            ]
        }
    }

    /// Columns that aren't part of the primary key: two items can't differ only in them.
    private static func otherColumns(_ item: ItemKind) -> [Column] {
        let common = [
            Column("labl", "a", "b"), Column("alis", "a", "b"), Column("pdmn", "ak", "dk"),
            Column("cdat", date(1), date(2)), Column("v_Data", Data([1]), Data([2])),
        ]
        let passwords = [
            Column("desc", "a", "b"), Column("icmt", "a", "b"), Column("crtr", 1, 2),
            Column("type", 1, 2), Column("scrp", 1, 2), Column("invi", 0, 1),
            Column("nega", 0, 1), Column("cusi", 0, 1), Column("prot", "a", "b"),
        ]
        switch item {
        case .genericPassword: return common + passwords + [Column("gena", "a", "b")]
        case .internetPassword: return common + passwords
        case .certificate:
            return common + [
                Column("cenc", 1, 3), Column("subj", Data([1]), Data([2])),
                Column("skid", Data([1]), Data([2])), Column("pkhh", Data([1]), Data([2])),
            ]
        case .key, .identity:
            let flags = [
                "perm", "priv", "modi", "sens", "asen", "extr", "next", "encr", "decr", "drve",
                "sign", "vrfy", "snrc", "vyrc", "wrap", "unwp",
            ]
            return common + flags.map { Column($0, 0, 1) }
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func eachColumnOfThePrimaryKeySeparates(_ kind: KeychainKind, _ item: ItemKind) throws {
        for column in Self.keyColumns(item) {
            try ConformanceKeychain.run(kind) { keychain in
                let first: Entries = ["class": item.rawValue, column.name: column.first]
                let second: Entries = ["class": item.rawValue, column.name: column.second]
                let name = column.name
                #expect(keychain.add(first + ["v_Data": Data([1])]) == errSecSuccess, "\(name)")
                #expect(keychain.add(second + ["v_Data": Data([2])]) == errSecSuccess, "\(name)")
                #expect(keychain.add(second) == errSecDuplicateItem, "\(name)")
                #expect(keychain.add(first) == errSecDuplicateItem, "\(name)")
                #expect(keychain.count(first) == 1, "\(name)")
                #expect(keychain.data(first) == Data([1]), "\(name)")
                #expect(keychain.data(second) == Data([2]), "\(name)")
                #expect(keychain.update(first, second.without("class")) == errSecDuplicateItem)
                #expect(keychain.data(first) == Data([1]), "\(name)")
            }
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func aMissingColumnIsItsDefault(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let bare: Entries = ["class": item.rawValue]
            let columns = Self.keyColumns(item)
            for column in columns {
                let given = bare + [column.name: column.first]
                #expect(keychain.add(bare) == errSecSuccess)
                #expect(keychain.add(given) == errSecDuplicateItem, "\(column.name)")
                #expect(keychain.find(given) == errSecSuccess, "\(column.name)")
                #expect(keychain.delete(given) == errSecSuccess, "\(column.name)")
                #expect(keychain.add(given) == errSecSuccess)
                #expect(keychain.add(bare) == errSecDuplicateItem, "\(column.name)")
                #expect(keychain.delete(bare) == errSecSuccess)
            }
            let all = columns.reduce(into: bare) { $0[$1.name] = $1.first }
            #expect(keychain.add(bare) == errSecSuccess)
            #expect(keychain.add(all) == errSecDuplicateItem)
            #expect(keychain.count(all) == 1)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func noOtherColumnSeparates(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for column in Self.otherColumns(item) {
                let bare: Entries = ["class": item.rawValue]
                #expect(keychain.add(bare + [column.name: column.first]) == errSecSuccess)
                let second = bare + [column.name: column.second]
                #expect(keychain.added(second).status == errSecDuplicateItem, "\(column.name)")
                #expect(keychain.add(bare) == errSecDuplicateItem, "\(column.name)")
                #expect(keychain.delete(bare) == errSecSuccess)
            }
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func synchronizationSeparates(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            try item.put(into: keychain, ["sync": true, "v_Data": Data([2])])
            #expect(keychain.data(item.query()) == item.secret())
            #expect(keychain.data(item.query() + ["sync": true]) == Data([2]))
            let again = item.sample() + ["sync": true]
            #expect(keychain.add(again) == errSecDuplicateItem)
            #expect(keychain.update(item.query(), ["sync": true]) == errSecDuplicateItem)
        }
    }

    @Test(arguments: ItemKind.stored)
    func theAccessGroupSeparates(_ item: ItemKind) throws {
        try ConformanceKeychain.run(.inProcess) { keychain in
            for (number, group) in ConformanceKeychain.groups.enumerated() {
                let more: Entries = ["agrp": group, "v_Data": Data([UInt8(number)])]
                try item.put(into: keychain, more)
                #expect(keychain.add(item.sample() + more) == errSecDuplicateItem)
            }
            for (number, group) in ConformanceKeychain.groups.enumerated() {
                #expect(keychain.data(item.query() + ["agrp": group]) == Data([UInt8(number)]))
            }
            #expect(keychain.count(item.query()) == ConformanceKeychain.groups.count)
            let moved: Entries = ["agrp": ConformanceKeychain.groups[1]]
            let query = item.query() + ["agrp": ConformanceKeychain.groups[0]]
            #expect(keychain.update(query, moved) == errSecDuplicateItem)
        }
    }

    @Test(arguments: ItemKind.stored)
    func theUserSeparates(_ item: ItemKind) throws {
        try ConformanceKeychain.run(.inProcess) { keychain in
            let other = try keychain.ofAnotherUser()
            try item.put(into: keychain)
            let reference = try keychain.reference(item.query())
            #expect(other.find(item.query()) == errSecItemNotFound)
            #expect(other.copy(["v_PersistentRef": reference]).status == errSecItemNotFound)
            #expect(other.delete(["v_PersistentRef": reference]) == errSecItemNotFound)
            #expect(other.delete(["class": item.rawValue]) == errSecItemNotFound)
            #expect(other.update(item.query(), ["labl": "x"]) == errSecItemNotFound)
            #expect(other.add(item.query() + ["v_Data": Data([2])]) == errSecSuccess)
            #expect(keychain.data(item.query()) == item.secret())
            #expect(other.data(item.query()) == Data([2]))
            #expect(keychain.itemCount == 1)
        }
    }

    // MARK: - Equality of values

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func textAndDataOfTheSameBytesAreTheSame(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let name = item.isPassword ? "acct" : item == .key ? "atag" : "slnr"
            let text: Entries = ["class": item.rawValue, name: "value"]
            let data: Entries = ["class": item.rawValue, name: bytes("value")]
            #expect(keychain.add(text) == errSecSuccess)
            #expect(keychain.add(data) == errSecDuplicateItem)
            #expect(keychain.count(data) == 1)
            #expect(keychain.delete(data) == errSecSuccess)
            #expect(keychain.add(data) == errSecSuccess)
            #expect(keychain.add(text) == errSecDuplicateItem)
            #expect(keychain.count(text) == 1)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func aPortAsTextIsThatNumber(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let number: Entries = ["class": "inet", "srvr": "s", "port": 8080]
            let text: Entries = ["class": "inet", "srvr": "s", "port": "8080"]
            #expect(keychain.add(number) == errSecSuccess)
            #expect(keychain.add(text) == errSecDuplicateItem)
            #expect(keychain.count(text) == 1)
            #expect(keychain.add(text + ["port": "08080"]) == errSecSuccess)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func anEmptyPortIsNotPortZero(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let item: Entries = ["class": "inet", "srvr": "s"]
            #expect(keychain.add(item + ["port": ""]) == errSecSuccess)
            #expect(keychain.add(item) == errSecSuccess)
            #expect(keychain.add(item + ["port": 0]) == errSecDuplicateItem)
            #expect(keychain.add(item + ["port": "0"]) == errSecDuplicateItem)
            #expect(keychain.count(item + ["port": ""]) == 1)
            #expect(keychain.count(item + ["port": 0]) == 1)
            #expect(keychain.count(item) == 2)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func valuesInDifferentColumnsDoNotMix(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let texts = Self.keyColumns(item).filter { $0.second is String || $0.second is Data }
            for column in texts {
                let value: Any = column.first is Data ? Data([7]) : "same"
                let new: Entries = ["class": item.rawValue, column.name: value]
                #expect(keychain.add(new) == errSecSuccess, "\(column.name)")
            }
            for column in texts {
                let value: Any = column.first is Data ? Data([7]) : "same"
                #expect(keychain.count(["class": item.rawValue, column.name: value]) == 1)
            }
        }
    }
}

extension Entries {
    /// The entries without one.
    func without(_ key: String) -> Entries { filter { $0.key != key } }
}
