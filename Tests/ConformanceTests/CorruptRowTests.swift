// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import Testing

/// Rows that an attacker changed in the database: they are skipped and removed, and other rows
/// aren't affected. Source of each claim: Apple's SecItem, as observed.
@Suite struct CorruptRowTests {
    /// The change of a row.
    enum Damage: String, CaseIterable, CustomTestStringConvertible {
        /// A flipped bit of the sealed attributes.
        case metadata
        /// The sealed attributes of another row.
        case foreignMetadata
        /// A flipped bit of a column that lookups use.
        case column
        /// A changed count of the row's writes.
        case generation
        /// A flipped bit of the sealed secret.
        case secret
        /// The sealed secret of another row.
        case foreignSecret

        var testDescription: String { rawValue }
        /// Damage that only reading the secret detects; any read of the row detects the others.
        static let ofSecrets: [Damage] = [.secret, .foreignSecret]

        /// The kinds of damage that a copy must detect, by its results: all if it returns only the
        /// secret, one of each kind otherwise.
        static func found(by flags: ReturnFlags, of item: ItemKind) -> [Damage] {
            let opensSecrets =
                flags.contains(.data) || (flags.contains(.reference) && !item.isPassword)
            if flags == [.data] { return allCases }
            return opensSecrets ? [.metadata, .secret] : [.metadata]
        }

        /// Damages one row; the other row is only read.
        func strike(_ row: StoredRow, _ other: StoredRow) throws {
            switch self {
            case .metadata: try row.flip("metadata")
            case .foreignMetadata: try row.take("metadata", from: other)
            case .column: try row.flip("labl")
            case .generation: try row.set("rowgeneration", 7)
            case .secret: try row.flip("secret")
            case .foreignSecret: try row.take("secret", from: other)
            }
        }
    }

    /// Runs with three rows, the middle one damaged; once for each kind of damage.
    private func run(
        _ kind: KeychainKind, _ item: ItemKind, _ damages: [Damage] = Damage.allCases,
        _ body: (ConformanceKeychain, StoredRow, Damage) throws -> Void
    ) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for damage in damages {
                let row = try prepare(keychain, item, damage)
                try body(keychain, row, damage)
                let left = keychain.delete(["class": item.rawValue])
                #expect([errSecSuccess, errSecItemNotFound].contains(left))
            }
        }
    }

    private func prepare(
        _ keychain: ConformanceKeychain, _ item: ItemKind, _ damage: Damage
    ) throws -> StoredRow {
        for number in 1...3 { try item.put(number, into: keychain, ["labl": "old"]) }
        let row = try keychain.row(item.query(2))
        try damage.strike(row, try keychain.row(item.query(1)))
        return row
    }

    // MARK: - Copy

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func aDamagedRowIsNotThereWhateverIsAskedFor(_ kind: KeychainKind, _ item: ItemKind) throws {
        for flags in ReturnFlags.combinations {
            let damages = Damage.found(by: flags, of: item)
            try run(kind, item, damages) { keychain, row, damage in
                let query = item.query(2) + flags.entries
                let limit = flags.contains(.data) ? "m_LimitAll" : "m_LimitOne"
                let status = keychain.copy(query + ["m_Limit": limit]).status
                #expect(status == errSecItemNotFound, "\(damage) \(flags)")
                try row.waitUntilGone()
                #expect(keychain.find(item.query(2)) == errSecItemNotFound)
                for number in [1, 3] {
                    #expect(keychain.data(item.query(number)) == item.secret(number))
                }
            }
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func allOthersAreReturned(_ kind: KeychainKind, _ item: ItemKind) throws {
        let all: Entries = ["class": item.rawValue, "m_Limit": "m_LimitAll"]
        for flags in ReturnFlags.combinations {
            try run(kind, item, Damage.found(by: flags, of: item)) { keychain, row, damage in
                let answer = keychain.copy(all + flags.entries)
                #expect(answer.status == errSecSuccess, "\(damage) \(flags)")
                let showsNothing = flags.isEmpty || (flags == [.reference] && item.isPassword)
                #expect(answer.array?.count == (showsNothing ? 0 : 2), "\(damage) \(flags)")
                if flags == [.data] {
                    #expect(answer.object as? [Data] == [item.secret(1), item.secret(3)])
                }
                try row.waitUntilGone()
                #expect(keychain.count(["class": item.rawValue]) == 2)
            }
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func aLimitCountsTheReadableRows(_ kind: KeychainKind, _ item: ItemKind) throws {
        try run(kind, item) { keychain, row, damage in
            #expect(keychain.delete(item.query(1)) == errSecSuccess)
            let one: Entries = ["class": item.rawValue, "r_Data": true]
            #expect(keychain.copy(one).data == item.secret(3), "\(damage)")
            try row.waitUntilGone()
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func aDamagedSecretIsFoundWhenItIsRead(_ kind: KeychainKind, _ item: ItemKind) throws {
        try run(kind, item, Damage.ofSecrets) { keychain, row, damage in
            let reference = try keychain.reference(item.query(2))
            #expect(keychain.attribute("labl", item.query(2)) as? String == "old")
            let data = item.query(2) + ["r_Data": true]
            #expect(keychain.copy(data).status == errSecItemNotFound, "\(damage)")
            try row.waitUntilGone()
            #expect(keychain.find(item.query(2)) == errSecItemNotFound)
            #expect(keychain.find(["v_PersistentRef": reference]) == errSecItemNotFound)
        }
    }

    @Test(arguments: KeychainKind.allCases, [ItemKind.certificate, .key])
    func anIdentityWithADamagedHalfIsNone(_ kind: KeychainKind, _ half: ItemKind) throws {
        let all: Entries = ["class": "idnt", "m_Limit": "m_LimitAll", "r_Data": true]
        try ConformanceKeychain.run(kind) { keychain in
            for damage in [Damage.metadata, .generation, .secret] {
                for number in 1...2 {
                    try ItemKind.identity.put(number, into: keychain, ["labl": "\(number)"])
                }
                let row = try keychain.row(["class": half.rawValue, "labl": "1"])
                try damage.strike(row, row)
                let found = keychain.copy(all).object as? [Data]
                #expect(found == [ItemKind.identity.secret(2)], "\(damage)")
                try row.waitUntilGone()
                #expect(keychain.count(["class": "idnt"]) == 1)
                // The intact half belongs to no item, and stays.
                #expect(keychain.itemCount == 3)
                for half in ItemKind.stored { _ = keychain.delete(["class": half.rawValue]) }
            }
        }
    }

    // MARK: - Add

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func anAddReplacesACorruptRow(_ kind: KeychainKind, _ item: ItemKind) throws {
        try run(kind, item) { keychain, row, damage in
            let new = item.sample(2) + ["v_Data": Data([7]), "labl": "new"]
            #expect(keychain.add(new) == errSecSuccess, "\(damage)")
            let isThere = try row.isThere()
            #expect(!isThere, "\(damage)")
            #expect(keychain.data(item.query(2)) == Data([7]))
            #expect(keychain.attribute("labl", item.query(2)) as? String == "new")
            #expect(keychain.count(["class": item.rawValue]) == 3)
            #expect(keychain.add(new) == errSecDuplicateItem)
        }
    }

    // MARK: - Update

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func anUpdateOfACorruptRowIsNotFoundAndRemovesIt(
        _ kind: KeychainKind, _ item: ItemKind
    ) throws {
        try run(kind, item) { keychain, row, damage in
            let status = keychain.update(item.query(2), ["labl": "new"])
            #expect(status == errSecItemNotFound, "\(damage)")
            try row.waitUntilGone()
            #expect(keychain.find(item.query(2)) == errSecItemNotFound)
            try item.put(2, into: keychain)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func anUpdateChangesTheRowsBesideACorruptOne(_ kind: KeychainKind, _ item: ItemKind) throws {
        try run(kind, item) { keychain, row, damage in
            let all: Entries = ["class": item.rawValue]
            #expect(keychain.update(all, ["labl": "new"]) == errSecSuccess, "\(damage)")
            try row.waitUntilGone()
            for number in [1, 3] {
                #expect(keychain.attribute("labl", item.query(number)) as? String == "new")
                #expect(keychain.data(item.query(number)) == item.secret(number))
            }
            #expect(keychain.count(all) == 2)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func aNewSecretTakesTheDamagedOnesPlace(_ kind: KeychainKind, _ item: ItemKind) throws {
        try run(kind, item, Damage.ofSecrets) { keychain, row, damage in
            #expect(keychain.update(item.query(2), ["v_Data": Data([7])]) == errSecSuccess)
            #expect(keychain.data(item.query(2)) == Data([7]), "\(damage)")
            let isThere = try row.isThere()
            #expect(isThere)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func anUpdateReplacesACorruptTarget(_ kind: KeychainKind, _ item: ItemKind) throws {
        try run(kind, item) { keychain, row, damage in
            let taken = item.query(2).without("class")
            let reference = try keychain.reference(item.query(1))
            #expect(keychain.update(item.query(1), taken) == errSecSuccess, "\(damage)")
            let isThere = try row.isThere()
            #expect(!isThere)
            #expect(keychain.data(item.query(2)) == item.secret(1))
            #expect(try keychain.reference(item.query(2)) == reference)
            #expect(keychain.count(["class": item.rawValue]) == 2)
        }
    }

    // MARK: - Delete

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func aCorruptRowIsDeleted(_ kind: KeychainKind, _ item: ItemKind) throws {
        try run(kind, item) { keychain, row, damage in
            #expect(keychain.delete(item.query(2)) == errSecSuccess, "\(damage)")
            let isThere = try row.isThere()
            #expect(!isThere)
            #expect(keychain.delete(item.query(2)) == errSecItemNotFound)
            #expect(keychain.count(["class": item.rawValue]) == 2)
        }
        try run(kind, item) { keychain, row, damage in
            #expect(keychain.delete(["class": item.rawValue]) == errSecSuccess, "\(damage)")
            let isThere = try row.isThere()
            #expect(!isThere)
            #expect(keychain.itemCount == 0)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func aCorruptRowIsDeletedByItsReference(_ kind: KeychainKind, _ item: ItemKind) throws {
        try run(kind, item, [.metadata, .secret]) { keychain, row, damage in
            let reference = bytes(item.rawValue) + row.uuid
            #expect(keychain.delete(["v_PersistentRef": reference]) == errSecSuccess, "\(damage)")
            let isThere = try row.isThere()
            #expect(!isThere)
        }
    }

    // MARK: - Moved by an attacker

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func aRowOfNoKnownGroupIsNobodys(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            let row = try keychain.row(item.query())
            try row.flip("agrp")
            #expect(keychain.copy(item.query() + ["r_Data": true]).status == errSecItemNotFound)
            #expect(keychain.update(item.query(), ["labl": "x"]) == errSecItemNotFound)
            #expect(keychain.delete(item.query()) == errSecItemNotFound)
            #expect(keychain.delete(["class": item.rawValue]) == errSecItemNotFound)
            // After the repair it is an item as before.
            try row.flip("agrp")
            #expect(keychain.data(item.query()) == item.secret())
        }
    }

    @Test(arguments: ItemKind.stored)
    func aRowMovedToAnotherGroupIsNotFound(_ item: ItemKind) throws {
        let (first, second) = (ConformanceKeychain.groups[0], ConformanceKeychain.groups[1])
        try ConformanceKeychain.run(.inProcess, groups: [first]) { keychain in
            let thief = try keychain.other(groups: [second])
            for query: Entries in [item.query(), ["class": item.rawValue, "agrp": second]] {
                try item.put(1, into: keychain)
                try item.put(2, into: thief)
                let row = try keychain.row(item.query(1))
                try row.take("agrp", from: try thief.row(item.query(2)))
                let secret = thief.copy(query + ["r_Data": true, "m_Limit": "m_LimitAll"])
                let isAll = query["agrp"] != nil
                #expect(secret.status == (isAll ? errSecSuccess : errSecItemNotFound))
                #expect(secret.object as? [Data] == (isAll ? [item.secret(2)] : nil))
                #expect(keychain.find(item.query(1)) == errSecItemNotFound)
                try row.waitUntilGone()
                #expect(thief.delete(["class": item.rawValue]) == errSecSuccess)
            }
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func aRowMovedToAnotherClassOfKeysIsNotFound(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(1, into: keychain, ["pdmn": "ck"])
            // Every number but that of "when unlocked", which is 6.
            for code in [0, 1, 5, 7, 8, 9, 10, 11, 12, 99, 255] {
                try item.put(2, into: keychain, ["pdmn": "ak"])
                let row = try keychain.row(item.query(2))
                try row.set("keyclass", code)
                let status = keychain.copy(item.query(2) + ["r_Data": true]).status
                #expect(status == errSecItemNotFound, "\(code)")
                let change = keychain.update(item.query(2), ["labl": "x"])
                #expect(change == errSecItemNotFound, "\(code)")
                _ = keychain.delete(item.query(2))
                let isThere = try row.isThere()
                #expect(!isThere, "\(code)")
            }
            #expect(keychain.data(item.query(1)) == item.secret(1))
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func aDeletedItemCanNotBeBroughtBack(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain, ["sync": true])
            let query = item.query() + ["sync": true]
            let row = try keychain.row(query)
            #expect(keychain.delete(query) == errSecSuccess)
            let isThere = try row.isThere()
            #expect(isThere, "its tombstone")
            try row.set("tombstone", 0)
            #expect(keychain.copy(query + ["r_Data": true]).status == errSecItemNotFound)
            #expect(keychain.copy(query + ["r_Attributes": true]).status == errSecItemNotFound)
        }
    }
}
