// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import Testing

/// The default values of a new item. Source of each claim: Apple's SecItem, as observed.
@Suite struct DefaultsTests {
    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func certificatesAreAlwaysAccessibleAndOthersWhenUnlocked(
        _ kind: KeychainKind, _ item: ItemKind
    ) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            let expected = item == .certificate ? "dk" : "ak"
            #expect(keychain.attribute("pdmn", item.query()) as? String == expected)
            #expect(keychain.find(item.query() + ["pdmn": expected]) == errSecSuccess)
            #expect(keychain.find(item.query() + ["pdmn": "ck"]) == errSecItemNotFound)
        }
    }

    @Test(arguments: ItemKind.stored)
    func thePushServicesGroupHasItsOwnAccessibility(_ item: ItemKind) throws {
        try ConformanceKeychain.run(.inProcess, groups: ["com.apple.apsd", "other"]) { keychain in
            try item.put(1, into: keychain)
            #expect(keychain.attribute("pdmn", item.query(1)) as? String == "dku")
            try item.put(2, into: keychain, ["agrp": "other"])
            let expected = item == .certificate ? "dk" : "ak"
            #expect(keychain.attribute("pdmn", item.query(2)) as? String == expected)
            try item.put(3, into: keychain, ["pdmn": "ck"])
            #expect(keychain.attribute("pdmn", item.query(3)) as? String == "ck")
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func itemsOfTokensAreAlwaysAccessibleUnlessToldOtherwise(
        _ kind: KeychainKind, _ item: ItemKind
    ) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain, ["tkid": "com.example.token"])
            let query = item.query() + ["tkid": "com.example.token"]
            #expect(keychain.attribute("pdmn", query) as? String == "dk")
            // No item gets less protection than it was added with.
            try item.put(2, into: keychain, ["tkid": "com.example.token", "pdmn": "ak"])
            let second = item.query(2) + ["tkid": "com.example.token"]
            #expect(keychain.attribute("pdmn", second) as? String == "ak")
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func bothDatesAreTheTimeOfTheAdd(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let long: Entries = [
                "cdat": Date(timeIntervalSinceReferenceDate: 1),
                "mdat": Date(timeIntervalSinceReferenceDate: 2),
            ]
            let before = Date()
            try item.put(into: keychain, long)
            let after = Date()
            let found = try keychain.attributes(item.query())
            let created = try #require(found["cdat"] as? Date)
            #expect(created >= before.addingTimeInterval(-0.01))
            #expect(created <= after.addingTimeInterval(0.01))
            #expect(found["mdat"] as? Date == created)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func theModificationDateGrowsAndTheCreationDateStays(
        _ kind: KeychainKind, _ item: ItemKind
    ) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            let first = try keychain.attributes(item.query())
            var last = try #require(first["mdat"] as? Date)
            for number in 0..<5 {
                #expect(keychain.update(item.query(), ["labl": "\(number)"]) == errSecSuccess)
                let found = try keychain.attributes(item.query())
                let next = try #require(found["mdat"] as? Date)
                #expect(next.timeIntervalSince(last) >= 0.0009)
                #expect(found["cdat"] as? Date == first["cdat"] as? Date)
                last = next
            }
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func anItemsPersistentReferenceIsItsOwn(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            var references: Set<Data> = []
            for number in 1...3 {
                try item.put(number, into: keychain)
                references.insert(try keychain.reference(item.query(number)))
            }
            #expect(references.count == 3)
            #expect(keychain.delete(item.query(1)) == errSecSuccess)
            try item.put(1, into: keychain)
            references.insert(try keychain.reference(item.query(1)))
            #expect(references.count == 4)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func whatTheServiceSetsIsNotTakenFromTheCaller(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let mine: Entries = [
                "musr": Data(repeating: 1, count: 16), "sha1": Data(count: 20), "tomb": 0,
            ]
            try item.put(into: keychain, mine)
            let found = try keychain.attributes(item.query())
            #expect(found["musr"] as? Data == Data())
            #expect(found["sha1"] as? Data != Data(count: 20))
            #expect(found["tomb"] as? Int == 0)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func theDigestFollowsTheAttributes(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain, ["labl": "x"])
            let before = try keychain.attributes(item.query())["sha1"] as? Data
            #expect(keychain.update(item.query(), ["labl": "y"]) == errSecSuccess)
            let after = try keychain.attributes(item.query())["sha1"] as? Data
            #expect(before?.count == 20 && after?.count == 20)
            #expect(before != after)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func anAccessControlAndSynchronizationExcludeEachOther(
        _ kind: KeychainKind, _ item: ItemKind
    ) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let access = try accessControl("ck")
            let both = item.sample() + ["accc": access, "sync": true]
            #expect(keychain.added(both).status == errSecParam)
            #expect(keychain.itemCount == 0)
            // Without synchronization, or with "any", which counts as none, they can be combined.
            try item.put(1, into: keychain, ["accc": access, "sync": false])
            try item.put(2, into: keychain, ["accc": access, "sync": "syna"])
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func anItemOfThisDeviceMayBeSynchronizable(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain, ["pdmn": "cku", "sync": true])
            let query = item.query() + ["sync": true]
            #expect(keychain.attribute("pdmn", query) as? String == "cku")
        }
    }
}
