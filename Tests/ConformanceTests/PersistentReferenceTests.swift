// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import Testing

/// Persistent references: 20 bytes that identify one item permanently, and the older form of 12.
/// Source of each claim: Apple's SecItem, as observed.
@Suite struct PersistentReferenceTests {
    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func addAndCopyGiveTheSame(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let answer = keychain.added(item.sample() + ["r_PersistentRef": true])
            let reference = try #require(answer.data)
            #expect(try keychain.reference(item.query()) == reference)
            let all: Entries = ["r_PersistentRef": true, "r_Attributes": true]
            let found = keychain.copy(item.query() + all).dictionary
            #expect(found?["v_PersistentRef"] as? Data == reference)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.allCases)
    func itFindsItsItemWithAndWithoutTheClass(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(1, into: keychain)
            try item.put(2, into: keychain)
            for number in 1...2 {
                let reference = try keychain.reference(item.query(number))
                let query: Entries = ["v_PersistentRef": reference]
                #expect(keychain.data(query) == item.secret(number))
                #expect(keychain.data(query + ["class": item.rawValue]) == item.secret(number))
                #expect(keychain.count(query) == 1)
            }
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func itFindsSynchronizableItemsUnasked(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain, ["sync": true])
            let reference = try keychain.reference(item.query() + ["sync": true])
            #expect(keychain.data(["v_PersistentRef": reference]) == item.secret())
            #expect(keychain.delete(["v_PersistentRef": reference]) == errSecSuccess)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func itSurvivesEveryUpdate(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(1, into: keychain)
            let reference = try keychain.reference(item.query(1))
            let renamed = item.query(2).without("class")
            let changes: [Entries] = [
                ["labl": "x"], ["v_Data": Data([1])], ["pdmn": "ck"], renamed, ["sync": true], [:],
            ]
            for change in changes {
                let query: Entries = ["v_PersistentRef": reference]
                #expect(keychain.update(query, change) == errSecSuccess, "\(change)")
                #expect(keychain.data(query) != nil, "\(change)")
                #expect(try keychain.reference(query) == reference, "\(change)")
            }
            #expect(keychain.data(["v_PersistentRef": reference]) == Data([1]))
            #expect(keychain.itemCount == 1)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func itDiesWithItsItem(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for isSynchronizable in [false, true] {
                let more: Entries = ["sync": isSynchronizable]
                try item.put(into: keychain, more)
                let reference = try keychain.reference(item.query() + more)
                #expect(keychain.delete(item.query() + more) == errSecSuccess)
                let query: Entries = ["v_PersistentRef": reference, "r_Data": true]
                #expect(keychain.copy(query).status == errSecItemNotFound)
                #expect(keychain.update(query, ["labl": "x"]) == errSecItemNotFound)
                #expect(keychain.delete(query) == errSecItemNotFound)
                try item.put(into: keychain, more)
                #expect(keychain.copy(query).status == errSecItemNotFound)
                #expect(try keychain.reference(item.query() + more) != reference)
                #expect(keychain.delete(item.query() + more) == errSecSuccess)
            }
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func updateAndDeleteTouchItsItemAlone(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for number in 1...3 { try item.put(number, into: keychain, ["labl": "old"]) }
            let query: Entries = ["v_PersistentRef": try keychain.reference(item.query(2))]
            #expect(keychain.update(query, ["labl": "new", "v_Data": Data([1])]) == errSecSuccess)
            for number in [1, 3] {
                #expect(keychain.attribute("labl", item.query(number)) as? String == "old")
                #expect(keychain.data(item.query(number)) == item.secret(number))
            }
            #expect(keychain.data(item.query(2)) == Data([1]))
            #expect(keychain.delete(query) == errSecSuccess)
            #expect(keychain.count(["class": item.rawValue]) == 2)
        }
    }

    // MARK: - Invalid combinations

    @Test(arguments: KeychainKind.allCases, ItemKind.allCases)
    func aCopyTakesNoAttributeBesideIt(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain, ["labl": "x"])
            let reference: Entries = ["v_PersistentRef": try keychain.reference(item.query())]
            let attributes: [Entries] = [
                ["labl": "x"], ["agrp": keychain.defaultGroup], ["sync": false], ["sync": "syna"],
                ["pdmn": "ak"],
            ]
            for attribute in attributes {
                let query = ["class": item.rawValue] + reference + attribute
                #expect(keychain.copy(query).status == errSecParam, "\(attribute)")
            }
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.allCases)
    func anotherClassIsTold(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            let count = keychain.itemCount
            let reference = try keychain.reference(item.query())
            for other in ItemKind.allCases where other != item {
                let query: Entries = ["class": other.rawValue, "v_PersistentRef": reference]
                #expect(keychain.copy(query).status == errSecNoSuchClass, "\(other)")
                #expect(keychain.update(query, ["labl": "x"]) == errSecNoSuchClass, "\(other)")
                #expect(keychain.delete(query) == errSecNoSuchClass, "\(other)")
            }
            #expect(keychain.itemCount == count)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func itsItemIsOfItsClassOrNotFound(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            let reference = try keychain.reference(item.query())
            for other in ItemKind.allCases where other != item {
                let changed = bytes(other.rawValue) + reference.dropFirst(4)
                let status = keychain.copy(["v_PersistentRef": changed]).status
                #expect(status == errSecItemNotFound, "\(other)")
            }
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func onlyTwentyAndTwelveBytesOfAKnownClassAreOne(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            var wrong: [Any] = ["text", 1, NSNull(), [Data()], Data()]
            for count in [1, 4, 8, 11, 13, 16, 19, 21, 64] {
                wrong.append((bytes("genp") + Data(count: 60)).prefix(count))
            }
            for name in ["apls", "GENP", "....", "tkpr"] {
                wrong.append(bytes(name) + Data(count: 16))
                wrong.append(bytes(name) + Data(count: 8))
            }
            // For a token's object: the class, the token and the object as DER.
            let token = Data([0x0c, 4]) + bytes("keys") + Data([0x0c, 2]) + bytes("id")
            wrong.append(bytes("tkpr") + Data([0x30, UInt8(token.count)]) + token)
            for value in wrong {
                for more: Entries in [[:], ["class": "genp"]] {
                    let query = more + ["v_PersistentRef": value]
                    #expect(keychain.copy(query).status == errSecParam, "\(value)")
                    #expect(keychain.update(query, ["labl": "x"]) == errSecParam, "\(value)")
                    #expect(keychain.delete(query) == errSecParam, "\(value)")
                }
            }
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.allCases)
    func oneThatNobodyHasIsNotFound(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            let count = keychain.itemCount
            for bytes in [Data(count: 16), Data(repeating: 0xff, count: 16)] {
                let query: Entries = ["v_PersistentRef": Data(item.rawValue.utf8) + bytes]
                #expect(keychain.copy(query).status == errSecItemNotFound)
                #expect(keychain.update(query, ["labl": "x"]) == errSecItemNotFound)
                #expect(keychain.delete(query) == errSecItemNotFound)
            }
            #expect(keychain.itemCount == count)
        }
    }

    @Test func anItemInAForeignGroupIsNotFound() throws {
        for item in ItemKind.stored {
            try ConformanceKeychain.run(.inProcess) { keychain in
                try item.put(into: keychain)
                let reference = try keychain.reference(item.query())
                let other = try keychain.other(groups: ["ZYXWV98765.other"])
                let query: Entries = ["v_PersistentRef": reference]
                #expect(other.copy(query + ["r_Data": true]).status == errSecItemNotFound)
                #expect(other.update(query, ["labl": "x"]) == errSecItemNotFound)
                #expect(other.delete(query) == errSecItemNotFound)
                #expect(keychain.data(item.query()) == item.secret())
            }
        }
    }

    // MARK: - Twelve bytes

    /// The older form: the class and the row's number.
    static func older(_ item: ItemKind, _ row: Int64) -> Data {
        let number = unsafe withUnsafeBytes(of: row.bigEndian) { unsafe Data($0) }
        return bytes(item.rawValue) + number
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func twelveBytesNameARow(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(1, into: keychain)
            try item.put(2, into: keychain)
            let older = Self.older(item, try keychain.row(item.query(2)).number)
            let query: Entries = ["v_PersistentRef": older]
            #expect(keychain.data(query) == item.secret(2))
            #expect(keychain.data(query + ["class": item.rawValue]) == item.secret(2))
            let foreign = ItemKind.stored.first { $0 != item }?.rawValue ?? ""
            #expect(keychain.copy(query + ["class": foreign]).status == errSecNoSuchClass)
            #expect(keychain.update(query, ["labl": "x"]) == errSecSuccess)
            #expect(keychain.attribute("labl", item.query(2)) as? String == "x")
            // It can't be combined with an attribute, in any call.
            let both = query + ["labl": "x"]
            #expect(keychain.copy(both).status == errSecParam)
            #expect(keychain.update(both, ["labl": "y"]) == errSecParam)
            #expect(keychain.delete(both) == errSecParam)
            #expect(keychain.delete(query) == errSecSuccess)
            #expect(keychain.find(item.query(2)) == errSecItemNotFound)
            #expect(keychain.data(item.query(1)) == item.secret(1))
            #expect(keychain.copy(query).status == errSecItemNotFound)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func twelveBytesOfAnIdentityNameItsCertificatesRow(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try ItemKind.identity.put(1, into: keychain)
            try ItemKind.identity.put(2, into: keychain)
            let row = try keychain.row(ItemKind.certificate.query(2)).number
            let query: Entries = ["v_PersistentRef": Self.older(.identity, row)]
            #expect(keychain.data(query) == ItemKind.identity.secret(2))
            #expect(keychain.data(query + ["class": "idnt"]) == ItemKind.identity.secret(2))
            #expect(keychain.copy(query + ["class": "cert"]).status == errSecNoSuchClass)
            let both = query + ["labl": CertificateSample.future.name]
            #expect(keychain.copy(both).status == errSecParam)
            #expect(keychain.update(both, ["labl": "y"]) == errSecParam)
            #expect(keychain.delete(both) == errSecParam)
            #expect(keychain.update(query, ["labl": "x"]) == errSecSuccess)
            for half in [ItemKind.certificate, .key] {
                #expect(keychain.count(["class": half.rawValue, "labl": "x"]) == 1, "\(half)")
            }
            #expect(keychain.delete(query) == errSecSuccess)
            #expect(keychain.copy(query).status == errSecItemNotFound)
            #expect(keychain.data(["class": "idnt"]) == ItemKind.identity.secret(1))
            #expect(keychain.itemCount == 2)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func updateAndDeleteOfAnIdentityTakeAttributesBesideIt(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try ItemKind.identity.put(1, into: keychain, ["labl": "old"])
            try ItemKind.identity.put(2, into: keychain, ["labl": "old"])
            let second = try keychain.reference(ItemKind.identity.query(2))
            let query: Entries = ["v_PersistentRef": second]
            let other = query + ["labl": "other"]
            #expect(keychain.update(other, ["labl": "new"]) == errSecItemNotFound)
            #expect(keychain.delete(other) == errSecItemNotFound)
            #expect(keychain.update(query + ["labl": "old"], ["labl": "new"]) == errSecSuccess)
            for half in [ItemKind.certificate, .key] {
                #expect(keychain.count(["class": half.rawValue, "labl": "new"]) == 1, "\(half)")
                #expect(keychain.count(["class": half.rawValue, "labl": "old"]) == 1, "\(half)")
            }
            #expect(keychain.delete(query + ["labl": "new"]) == errSecSuccess)
            #expect(keychain.data(["class": "idnt"]) == ItemKind.identity.secret(1))
            #expect(keychain.itemCount == 2)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func aRowThatIsNotThereIsNotFound(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            for row in [0, -1, Int64.max, Int64.min, 1 << 40] {
                let query: Entries = ["v_PersistentRef": Self.older(item, row)]
                #expect(keychain.copy(query).status == errSecItemNotFound, "\(row)")
                #expect(keychain.delete(query) == errSecItemNotFound, "\(row)")
            }
            #expect(keychain.itemCount == 1)
        }
    }
}
