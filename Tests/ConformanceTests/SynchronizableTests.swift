// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import Testing

/// Synchronizable items, their tombstones, and the view hint. Source of each claim: Apple's
/// SecItem, as observed.
@Suite struct SynchronizableTests {
    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func synchronizableItemsAreSeenOnRequestOnly(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain, ["sync": true])
            for value: Any in [true, 1, "syna", "1"] {
                #expect(keychain.find(item.query() + ["sync": value]) == errSecSuccess, "\(value)")
            }
            for value: Any in [false, 0, "0"] {
                let query = item.query() + ["sync": value]
                #expect(keychain.find(query) == errSecItemNotFound, "\(value)")
            }
            #expect(keychain.find(item.query()) == errSecItemNotFound)
            #expect(keychain.update(item.query(), ["labl": "x"]) == errSecItemNotFound)
            #expect(keychain.delete(item.query()) == errSecItemNotFound)
            #expect(keychain.update(item.query() + ["sync": 1], ["labl": "x"]) == errSecSuccess)
            #expect(keychain.delete(item.query() + ["sync": 1]) == errSecSuccess)
            #expect(keychain.itemCount == 0)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func anyMeansBothKinds(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            try item.put(into: keychain, ["sync": true])
            #expect(keychain.count(item.query()) == 1)
            #expect(keychain.count(item.query() + ["sync": true]) == 1)
            #expect(keychain.count(item.query() + ["sync": "syna"]) == 2)
            let both = item.query() + ["sync": "syna"]
            #expect(keychain.update(both, ["labl": "x"]) == errSecSuccess)
            #expect(keychain.count(both + ["labl": "x"]) == 2)
            #expect(keychain.delete(both) == errSecSuccess)
            #expect(keychain.count(both) == 0)
        }
    }

    // MARK: - Tombstones

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func aDeletedSynchronizableItemLeavesATombstone(
        _ kind: KeychainKind, _ item: ItemKind
    ) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let more: Entries = ["sync": true]
            try item.put(into: keychain, more + ["labl": "x"])
            let created = try keychain.attributes(item.query() + more)["cdat"] as? Date
            #expect(keychain.delete(item.query() + more) == errSecSuccess)
            #expect(keychain.find(item.query() + more) == errSecItemNotFound)
            let tombstone = item.query() + more + ["tomb": 1]
            let found = try keychain.attributes(tombstone)
            #expect(found["tomb"] as? Int == 1)
            #expect(found["sync"] as? Int == 1)
            #expect(found["cdat"] as? Date == created)
            #expect(found["labl"] == nil)
            let data = keychain.copy(tombstone + ["r_Data": true])
            #expect(data.status == errSecSuccess)
            #expect(data.object == nil)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func anyOtherItemLeavesNone(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            #expect(keychain.delete(item.query()) == errSecSuccess)
            #expect(keychain.find(item.query() + ["tomb": 1]) == errSecItemNotFound)
            let any: Entries = ["class": item.rawValue, "tomb": true, "sync": "syna"]
            #expect(keychain.find(any) == errSecItemNotFound)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func liveItemsAreNoTombstones(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain, ["sync": true])
            let query = item.query() + ["sync": true]
            #expect(keychain.find(query + ["tomb": 0]) == errSecSuccess)
            #expect(keychain.find(query + ["tomb": false]) == errSecSuccess)
            #expect(keychain.find(query + ["tomb": 1]) == errSecItemNotFound)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func anAddReplacesTheTombstone(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let more: Entries = ["sync": true]
            try item.put(into: keychain, more)
            #expect(keychain.delete(item.query() + more) == errSecSuccess)
            try item.put(into: keychain, more)
            #expect(keychain.data(item.query() + more) == item.secret())
            #expect(keychain.find(item.query() + more + ["tomb": 1]) == errSecItemNotFound)
            #expect(keychain.add(item.sample() + more) == errSecDuplicateItem)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func theCallerMaySayWhetherADeleteLeavesATombstone(
        _ kind: KeychainKind, _ item: ItemKind
    ) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(1, into: keychain, ["sync": true])
            let without = item.query(1) + ["sync": true, "u_Tomb": false]
            #expect(keychain.delete(without) == errSecSuccess)
            let tombstone = item.query(1) + ["sync": true, "tomb": 1]
            #expect(keychain.find(tombstone) == errSecItemNotFound)
            try item.put(2, into: keychain)
            #expect(keychain.delete(item.query(2) + ["u_Tomb": true]) == errSecSuccess)
            #expect(keychain.find(item.query(2)) == errSecItemNotFound)
            #expect(keychain.find(item.query(2) + ["tomb": 1]) == errSecSuccess)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func anotherPrimaryKeyLeavesATombstoneUnderTheOld(
        _ kind: KeychainKind, _ item: ItemKind
    ) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let synced: Entries = ["sync": true]
            try item.put(1, into: keychain, synced)
            let renamed = item.query(2).without("class")
            #expect(keychain.update(item.query(1) + synced, renamed) == errSecSuccess)
            #expect(keychain.data(item.query(2) + synced) == item.secret(1))
            #expect(keychain.find(item.query(1) + synced) == errSecItemNotFound)
            #expect(keychain.find(item.query(1) + synced + ["tomb": 1]) == errSecSuccess)
            // Another change leaves none.
            #expect(keychain.update(item.query(2) + synced, ["labl": "x"]) == errSecSuccess)
            #expect(keychain.find(item.query(2) + synced + ["tomb": 1]) == errSecItemNotFound)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func theCallerMaySayWhetherAnUpdateLeavesATombstone(
        _ kind: KeychainKind, _ item: ItemKind
    ) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let synced: Entries = ["sync": true]
            let renamed = item.query(2).without("class")
            try item.put(1, into: keychain, synced)
            let without = item.query(1) + synced + ["u_Tomb": false]
            #expect(keychain.update(without, renamed) == errSecSuccess)
            #expect(keychain.data(item.query(2) + synced) == item.secret(1))
            #expect(keychain.find(item.query(1) + synced + ["tomb": 1]) == errSecItemNotFound)
            // An item that doesn't synchronize leaves one only on request.
            try item.put(1, into: keychain)
            #expect(keychain.update(item.query(1), renamed) == errSecSuccess)
            #expect(keychain.find(item.query(1) + ["tomb": 1]) == errSecItemNotFound)
            let with = item.query(2) + ["u_Tomb": true]
            #expect(keychain.update(with, item.query(3).without("class")) == errSecSuccess)
            #expect(keychain.data(item.query(3)) == item.secret(1))
            #expect(keychain.find(item.query(2) + ["tomb": 1]) == errSecSuccess)
        }
    }

    /// The assertions of Apple's si-12 about tombstones that an add makes.
    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func anAddOfATombstoneStoresNoItem(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for more: Entries in [[:], ["sync": true]] {
                let tombstone: Entries = more + ["tomb": true]
                #expect(keychain.add(item.sample() + tombstone) == errSecSuccess)
                #expect(keychain.find(item.query() + more) == errSecItemNotFound)
                let found = try keychain.attributes(item.query() + tombstone)
                #expect(found["tomb"] as? Int == 1)
                #expect(found["labl"] == nil)
                // It contains no secret.
                #expect(keychain.copy(item.query() + tombstone + ["r_Data": true]).object == nil)
                // A new tombstone replaces it, and so does an item.
                #expect(keychain.add(item.sample() + tombstone) == errSecSuccess)
                #expect(keychain.count(item.query() + tombstone) == 1)
                try item.put(into: keychain, more)
                #expect(keychain.data(item.query() + more) == item.secret())
                #expect(keychain.find(item.query() + tombstone) == errSecItemNotFound)
                // A tombstone can't replace an item, so nothing is lost.
                #expect(keychain.add(item.sample() + tombstone) == errSecDuplicateItem)
                #expect(keychain.data(item.query() + more) == item.secret())
                #expect(keychain.delete(item.query() + more + ["u_Tomb": false]) == errSecSuccess)
            }
        }
    }

    /// The assertions of Apple's si-12 about tombstones that are deleted.
    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func aTombstoneStaysWhereADeleteLeavesOne(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let tombstone = item.query() + ["tomb": true]
            #expect(keychain.add(item.sample() + ["tomb": true]) == errSecSuccess)
            let created = try keychain.attributes(tombstone)["cdat"] as? Date
            #expect(keychain.delete(tombstone + ["u_Tomb": true]) == errSecSuccess)
            #expect(try keychain.attributes(tombstone)["cdat"] as? Date == created)
            #expect(keychain.count(tombstone) == 1)
            #expect(keychain.delete(tombstone) == errSecSuccess)
            #expect(keychain.find(tombstone) == errSecItemNotFound)
            // So with one that synchronizes: by default only an item leaves a tombstone.
            let synced = tombstone + ["sync": true]
            #expect(keychain.add(item.sample() + ["tomb": true, "sync": true]) == errSecSuccess)
            #expect(keychain.delete(synced + ["u_Tomb": true]) == errSecSuccess)
            #expect(keychain.count(synced) == 1)
            #expect(keychain.delete(synced) == errSecSuccess)
            #expect(keychain.find(synced) == errSecItemNotFound)
            #expect(keychain.add(item.sample() + ["tomb": true, "sync": true]) == errSecSuccess)
            #expect(keychain.delete(synced + ["u_Tomb": false]) == errSecSuccess)
            #expect(keychain.find(synced) == errSecItemNotFound)
        }
    }

    /// Nothing becomes a tombstone by an update, nor an item again; a dictionary that says what is so already
    /// may be given.
    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func anUpdateMakesNoTombstoneAndNoItemOfOne(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            for value: Any in [true, 1, "1"] {
                let changes: Entries = ["tomb": value, "labl": "x"]
                #expect(keychain.update(item.query(), changes) == errSecParam, "\(value)")
            }
            #expect(keychain.attribute("labl", item.query()) as? String != "x")
            #expect(keychain.data(item.query()) == item.secret())
            #expect(keychain.update(item.query(), ["tomb": 0, "labl": "y"]) == errSecSuccess)
            #expect(keychain.attribute("labl", item.query()) as? String == "y")
            #expect(keychain.delete(item.query() + ["u_Tomb": true]) == errSecSuccess)
            let tombstone = item.query() + ["tomb": 1]
            #expect(keychain.update(tombstone, ["tomb": 0]) == errSecParam)
            #expect(keychain.find(item.query()) == errSecItemNotFound)
            #expect(keychain.count(tombstone) == 1)
        }
    }

    // MARK: - The view hint

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func theViewHintIsKeptAndSelects(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain, ["vwht": "PasswordManager"])
            try item.put(into: keychain, ["v_Data": Data([2])])
            let hinted = item.query() + ["vwht": "PasswordManager"]
            #expect(keychain.attribute("vwht", hinted) as? String == "PasswordManager")
            #expect(keychain.data(hinted) == item.secret())
            #expect(keychain.count(item.query()) == 2)
            #expect(keychain.data(item.query() + ["vwht": ""]) == Data([2]))
            #expect(keychain.find(item.query() + ["vwht": "Other"]) == errSecItemNotFound)
            #expect(keychain.update(hinted, ["vwht": "Other"]) == errSecSuccess)
            #expect(keychain.data(item.query() + ["vwht": "Other"]) == item.secret())
        }
    }
}
