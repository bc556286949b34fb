// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import Testing

/// Intended differences from Apple's behavior: lines of Documentation/differences.md.
@Suite struct ChosenOtherwiseTests {
    private static var identities: Entries { ["class": "idnt"] }

    // MARK: - Identities

    @Test(arguments: KeychainKind.allCases)
    func anIdentityWhoseKeyIsRefusedLeavesNoCertificate(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try keychain.setPasscode()
            try keychain.lock()
            // Certificates can be stored while the device is locked, but the key can't.
            let both: Entries = ["v_Ref": try identity(.anna, .anna), "r_PersistentRef": true]
            #expect(keychain.added(both).status == errSecInteractionNotAllowed)
            #expect(keychain.find(["class": "cert"]) == errSecItemNotFound)
            try keychain.unlock()
            #expect(keychain.itemCount == 0)
            #expect(keychain.added(both).data?.count == 20)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func aCertificateThatWasThereStaysWhenTheKeyIsRefused(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let certificate = try CertificateSample.anna.reference()
            #expect(keychain.add(["v_Ref": certificate]) == errSecSuccess)
            try keychain.setPasscode()
            try keychain.lock()
            let both: Entries = ["v_Ref": try identity(.anna, .anna)]
            #expect(keychain.add(both) == errSecInteractionNotAllowed)
            #expect(keychain.data(["class": "cert"]) == CertificateSample.anna.der)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func anAttributeOfOneHalfStopsAnAddBeforeItBegins(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for (name, value) in [("atag", "x" as Any), ("skid", Data([1])), ("acct", "x")] {
                let both: Entries = ["v_Ref": try identity(.anna, .anna), name: value]
                #expect(keychain.add(both) == errSecNoSuchAttr, "\(name)")
            }
            #expect(keychain.itemCount == 0)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func anAttributeOfOneHalfChangesAndDeletesNothing(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try ItemKind.identity.put(1, into: keychain)
            let ofOneHalf: [Entries] = [
                ["slnr": CertificateSample.anna.serialNumber], ["klbl": KeySample.anna.label],
            ]
            for query in ofOneHalf {
                #expect(keychain.find(Self.identities + query) == errSecSuccess, "\(query)")
                #expect(keychain.delete(Self.identities + query) == errSecNoSuchAttr, "\(query)")
                let update = keychain.update(Self.identities + query, ["labl": "x"])
                #expect(update == errSecNoSuchAttr, "\(query)")
                let change = keychain.update(Self.identities, ["labl": "x"] + query)
                #expect(change == errSecNoSuchAttr, "\(query)")
            }
            let data: Entries = ["labl": "x", "v_Data": Data([1])]
            #expect(keychain.update(Self.identities, data) == errSecParam)
            #expect(keychain.count(["labl": "x"] + Self.identities) == 0)
            #expect(keychain.count(Self.identities) == 1)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func anIdentitysObjectGivesWhateverIsAskedFor(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try ItemKind.identity.put(1, into: keychain)
            try ItemKind.identity.put(2, into: keychain)
            let anna: Entries = ["v_Ref": try identity(.anna, .anna)]
            #expect(keychain.data(anna) == KeySample.anna.privateKey)
            let certificate = try keychain.attributes(anna)["certdata"] as? Data
            #expect(certificate == CertificateSample.anna.der)
        }
    }

    // MARK: - While locked

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func aLockedTombstoneCanNotBeMade(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try keychain.setPasscode()
            let synced: Entries = ["sync": true]
            try item.put(into: keychain, ["pdmn": "ak"] + synced)
            try keychain.lock()
            let query = item.query() + synced
            #expect(keychain.delete(query) == errSecInteractionNotAllowed)
            let all: Entries = ["class": item.rawValue] + synced
            #expect(keychain.delete(all) == errSecInteractionNotAllowed)
            try keychain.unlock()
            #expect(keychain.data(query) == item.secret())
            try keychain.lock()
            // Without a tombstone nothing needs to be sealed.
            #expect(keychain.delete(query + ["u_Tomb": false]) == errSecSuccess)
            #expect(keychain.find(query) == errSecItemNotFound)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func aLockedIdentityIsNotDeletedByClass(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try keychain.setPasscode()
            try ItemKind.identity.put(1, into: keychain)
            let reference = try keychain.reference(Self.identities)
            try keychain.lock()
            let queries: [Entries] = [Self.identities, ["v_PersistentRef": reference]]
            for query in queries {
                #expect(keychain.delete(query) == errSecInteractionNotAllowed, "\(query)")
            }
            try keychain.unlock()
            #expect(keychain.count(Self.identities) == 1)
            #expect(keychain.data(Self.identities) == KeySample.anna.privateKey)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func aLockedSynchronizableIdentityIsNotDeletedByItsObject(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try keychain.setPasscode()
            let synced: Entries = ["sync": true]
            try ItemKind.identity.put(1, into: keychain, synced)
            let anna: Entries = synced + ["v_Ref": try identity(.anna, .anna)]
            try keychain.lock()
            #expect(keychain.delete(anna) == errSecInteractionNotAllowed)
            try keychain.unlock()
            #expect(keychain.itemCount == 2)
            #expect(keychain.data(Self.identities + synced) == KeySample.anna.privateKey)
            #expect(keychain.delete(anna) == errSecSuccess)
            #expect(keychain.itemCount == 0)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func aLockedIdentityIsNotDeletedByItsObject(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try keychain.setPasscode()
            try ItemKind.identity.put(1, into: keychain)
            let anna: Entries = ["v_Ref": try identity(.anna, .anna)]
            try keychain.lock()
            #expect(keychain.delete(anna) == errSecInteractionNotAllowed)
            try keychain.unlock()
            #expect(keychain.itemCount == 2)
            #expect(keychain.delete(anna) == errSecSuccess)
            #expect(keychain.itemCount == 0)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func anAttributeWithoutAnIndexTellsLocked(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try keychain.setPasscode()
            try item.put(into: keychain, ["pdmn": "ak", "vwht": "view"])
            try keychain.lock()
            for value in ["view", "other"] {
                let query = item.query() + ["vwht": value]
                #expect(keychain.find(query) == errSecInteractionNotAllowed, "\(value)")
                #expect(keychain.delete(query) == errSecInteractionNotAllowed, "\(value)")
                let elsewhere = item.query(2) + ["vwht": value]
                #expect(keychain.find(elsewhere) == errSecItemNotFound, "\(value)")
                #expect(keychain.delete(elsewhere) == errSecItemNotFound, "\(value)")
            }
            try keychain.unlock()
            #expect(keychain.data(item.query()) == item.secret())
            #expect(keychain.delete(item.query() + ["vwht": "other"]) == errSecItemNotFound)
        }
    }

    // MARK: - Subjects

    private func names(_ keychain: ConformanceKeychain, _ filter: Entries) -> Set<Data> {
        let all: Entries = ["class": "cert", "m_Limit": "m_LimitAll", "r_Data": true]
        return Set(keychain.copy(all + filter).object as? [Data] ?? [])
    }

    @Test(arguments: KeychainKind.allCases)
    func aTextOfTheSubjectStartsEndsOrIsTheText(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for sample in [CertificateSample.root, .anna, .berta] {
                let reference = try sample.reference()
                #expect(keychain.add(["v_Ref": reference]) == errSecSuccess)
            }
            let root: Set = [CertificateSample.root.der]
            #expect(names(keychain, ["m_SubjectStartsWith": "Prüf"]) == root)
            #expect(names(keychain, ["m_SubjectEndsWith": "fung"]) == root)
            #expect(names(keychain, ["m_SubjectWholeString": "Prüfung"]) == root)
            #expect(names(keychain, ["m_SubjectContains": "rüf"]) == root)
            for key in ["m_SubjectStartsWith", "m_SubjectWholeString"] {
                #expect(names(keychain, [key: "rüfung"]) == [], "\(key)")
            }
            for key in ["m_SubjectEndsWith", "m_SubjectWholeString"] {
                #expect(names(keychain, [key: "Prüfun"]) == [], "\(key)")
            }
            let plain: Entries = ["m_SubjectWholeString": "Prufung"]
            #expect(names(keychain, plain) == [])
            #expect(names(keychain, plain + ["m_DiacriticInsensitive": true]) == root)
            let wide: Entries = ["m_SubjectContains": "ｆｕｎｇ"]
            #expect(names(keychain, wide) == [])
            #expect(names(keychain, wide + ["m_WidthInsensitive": true]) == root)
            let both: Entries = ["m_SubjectStartsWith": "Prüf", "m_SubjectEndsWith": "Nobody"]
            #expect(names(keychain, both) == [])
        }
    }

    @Test(arguments: KeychainKind.allCases, [ItemKind.genericPassword, .internetPassword, .key])
    func subjectsHaveNoEffectOnOtherClasses(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            let filter: Entries = ["m_SubjectContains": "Nobody", "m_CaseInsensitive": "x"]
            #expect(keychain.data(item.query() + filter) == item.secret())
        }
    }

    // MARK: - Lists of items

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func anEmptyListOfItemsFindsNothing(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            #expect(keychain.find(item.query() + ["m_ItemList": []]) == errSecItemNotFound)
            for value: Any in ["x", ["x"], [1], [Data()]] {
                let query = item.query() + ["m_ItemList": value]
                #expect(keychain.copy(query).status == errSecParam, "\(value)")
            }
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func aReferenceOfAnotherClassIsNoItemOfTheList(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try ItemKind.identity.put(1, into: keychain)
            let ofKey = try keychain.reference(["class": "keys"])
            let ofIdentity = try keychain.reference(Self.identities)
            let list: Entries = ["m_ItemList": [ofKey, ofIdentity]]
            #expect(keychain.count(["class": "keys"] + list) == 1)
            #expect(keychain.count(["class": "cert"] + list) == 0)
            #expect(keychain.count(Self.identities + list) == 1)
        }
    }
}
