// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import Testing

/// The types of results of `SecItemCopyMatching`: a test for each line of the table, and for the
/// contents of a dictionary. Source of each claim: Apple's SecItem, as observed.
@Suite struct ResultShapeTests {
    /// Runs with one item of a class in the keychain, once for one match and once for all.
    private func forOneAndAll(
        _ kind: KeychainKind, _ item: ItemKind, _ flags: ReturnFlags, _ more: Entries = [:],
        _ check: (ConformanceKeychain, AnyObject?) throws -> Void
    ) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain, more)
            let query = item.query() + flags.entries
            let one = keychain.copy(query)
            #expect(one.status == errSecSuccess)
            try check(keychain, one.object)
            let all = keychain.copy(query + ["m_Limit": "m_LimitAll"])
            #expect(all.status == errSecSuccess)
            let array = try #require(all.array)
            #expect(array.count == (one.object == nil ? 0 : 1))
            if one.object != nil { try check(keychain, array.firstObject as AnyObject) }
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.allCases)
    func nothingIsNothing(_ kind: KeychainKind, _ item: ItemKind) throws {
        try forOneAndAll(kind, item, []) { #expect($1 == nil) }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.allCases)
    func dataAloneIsTheData(_ kind: KeychainKind, _ item: ItemKind) throws {
        try forOneAndAll(kind, item, [.data]) { #expect($1 as? Data == item.secret()) }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func anItemWithoutDataHasNothingToShow(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            #expect(keychain.add(item.query(1)) == errSecSuccess)
            let none = keychain.copy(item.query(1) + ["r_Data": true])
            #expect(none.status == errSecSuccess)
            #expect(none.object == nil)
            let all: Entries = ["class": item.rawValue, "r_Data": true, "m_Limit": "m_LimitAll"]
            #expect(keychain.copy(all).array?.count == 0)
            try item.put(2, into: keychain)
            #expect(keychain.copy(all).object as? [Data] == [item.secret(2)])
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func aDictionaryOfAnItemWithoutDataLacksTheKey(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            #expect(keychain.add(item.query()) == errSecSuccess)
            let query = item.query() + ["r_Data": true, "r_Attributes": true]
            let found = try #require(keychain.copy(query).dictionary)
            #expect(found["v_Data"] == nil)
            #expect(found["agrp"] as? String == keychain.defaultGroup)
            let all = keychain.copy(query + ["m_Limit": "m_LimitAll"])
            #expect(all.dictionaries?.count == 1)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.allCases)
    func attributesAloneAreADictionaryWithoutDataAndClass(
        _ kind: KeychainKind, _ item: ItemKind
    ) throws {
        try forOneAndAll(kind, item, [.attributes]) { keychain, object in
            let found = try #require(object as? Entries)
            #expect(found["agrp"] as? String == keychain.defaultGroup)
            for key in ["v_Data", "v_Ref", "v_PersistentRef", "class"] {
                #expect(found[key] == nil, "\(key)")
            }
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.passwords)
    func aReferenceToAPasswordIsNothing(_ kind: KeychainKind, _ item: ItemKind) throws {
        try forOneAndAll(kind, item, [.reference]) { #expect($1 == nil) }
    }

    @Test(arguments: KeychainKind.allCases, [ItemKind.certificate, .key, .identity])
    func aReferenceIsTheObject(_ kind: KeychainKind, _ item: ItemKind) throws {
        try forOneAndAll(kind, item, [.reference]) { #expect(item.isReference($1)) }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.allCases)
    func aPersistentReferenceAloneIsTwentyBytes(_ kind: KeychainKind, _ item: ItemKind) throws {
        try forOneAndAll(kind, item, [.persistentReference]) { _, object in
            let reference = try #require(object as? Data)
            #expect(reference.count == 20)
            #expect(reference.prefix(4) == bytes(item.rawValue))
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.allCases)
    func dataAndAttributesAreADictionaryOfBoth(_ kind: KeychainKind, _ item: ItemKind) throws {
        try expectDictionary(kind, item, [.data, .attributes])
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.allCases)
    func dataAndReferenceAreADictionary(_ kind: KeychainKind, _ item: ItemKind) throws {
        try expectDictionary(kind, item, [.data, .reference])
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.allCases)
    func attributesAndReferenceAreADictionary(_ kind: KeychainKind, _ item: ItemKind) throws {
        try expectDictionary(kind, item, [.attributes, .reference])
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.allCases)
    func dataAndPersistentReferenceBringTheAttributesToo(
        _ kind: KeychainKind, _ item: ItemKind
    ) throws {
        try expectDictionary(kind, item, [.data, .persistentReference])
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.allCases)
    func attributesAndPersistentReferenceAreADictionary(
        _ kind: KeychainKind, _ item: ItemKind
    ) throws {
        try expectDictionary(kind, item, [.attributes, .persistentReference])
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.allCases)
    func bothReferencesAreADictionary(_ kind: KeychainKind, _ item: ItemKind) throws {
        try expectDictionary(kind, item, [.reference, .persistentReference])
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.allCases)
    func anyThreeAreADictionary(_ kind: KeychainKind, _ item: ItemKind) throws {
        for flags in ReturnFlags.combinations where flags.count == 3 {
            try expectDictionary(kind, item, flags)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.allCases)
    func allFourAreADictionaryOfEverything(_ kind: KeychainKind, _ item: ItemKind) throws {
        try expectDictionary(kind, item, Set(ReturnFlag.allCases))
    }

    private func expectDictionary(
        _ kind: KeychainKind, _ item: ItemKind, _ flags: ReturnFlags
    ) throws {
        try forOneAndAll(kind, item, flags, ["labl": "a label"]) { keychain, object in
            let found = try #require(object as? Entries, "\(flags)")
            #expect((found["v_Data"] != nil) == flags.contains(.data), "\(flags)")
            if flags.contains(.data) { #expect(found["v_Data"] as? Data == item.secret()) }
            let reference = found["v_PersistentRef"] as? Data
            #expect((reference?.count == 20) == flags.contains(.persistentReference), "\(flags)")
            #expect((reference != nil) == flags.contains(.persistentReference), "\(flags)")
            let hasReference = flags.contains(.reference) && !item.isPassword
            #expect(item.isReference(found["v_Ref"]) == hasReference, "\(flags)")
            #expect((found["v_Ref"] != nil) == hasReference, "\(flags)")
            #expect((found["class"] as? String == item.rawValue) == flags.contains(.reference))
            #expect((found["class"] != nil) == flags.contains(.reference), "\(flags)")
            let brings = flags.isSuperset(of: [.data, .persistentReference])
            if flags.contains(.attributes) || brings {
                #expect(found["labl"] as? String == "a label", "\(flags)")
                #expect(found["agrp"] as? String == keychain.defaultGroup, "\(flags)")
            }
        }
    }

    // MARK: - What a dictionary holds

    @Test(arguments: KeychainKind.allCases, ItemKind.allCases)
    func theServicesOwnAttributesAreThere(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            let found = try keychain.attributes(item.query())
            #expect(found["agrp"] as? String == keychain.defaultGroup)
            let isCertificates = item == .certificate || item == .identity
            #expect(found["pdmn"] as? String == (isCertificates ? "dk" : "ak"))
            #expect(found["accc"] is SecAccessControl)
            #expect(found["cdat"] is Date)
            #expect(found["mdat"] is Date)
            #expect(found["sync"] as? Int == 0)
            #expect(found["tomb"] as? Int == 0)
            #expect(found["musr"] as? Data == Data())
            #expect((found["sha1"] as? Data)?.count == 20)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.allCases)
    func whatIsTheServicesAloneIsNotShown(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            let found = try keychain.attributes(item.query())
            for key in ["UUID", "persistref", "clip", "data", "rowid", "ggrp", "v_pk"] {
                #expect(found[key] == nil, "\(key)")
            }
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func whatWasNeverSetIsAbsentExceptInThePrimaryKey(
        _ kind: KeychainKind, _ item: ItemKind
    ) throws {
        try ConformanceKeychain.run(kind) { keychain in
            #expect(keychain.add(["class": item.rawValue]) == errSecSuccess)
            let found = try keychain.attributes(["class": item.rawValue])
            for key in ["labl", "desc", "icmt", "gena", "alis", "skid", "pkhh", "perm", "subj"] {
                #expect(found[key] == nil, "\(key)")
            }
            switch item {
            case .genericPassword:
                #expect(found["acct"] as? String == "")
                #expect(found["svce"] as? String == "")
            case .internetPassword:
                for key in ["acct", "sdmn", "srvr", "atyp", "path"] {
                    #expect(found[key] as? String == "", "\(key)")
                }
                for key in ["ptcl", "port"] { #expect(found[key] as? Int == 0, "\(key)") }
            case .certificate:
                #expect(found["ctyp"] as? Int == 0)
                for key in ["issr", "slnr"] { #expect(found[key] as? Data == Data(), "\(key)") }
            case .key, .identity:
                for key in ["kcls", "crtr", "type", "bsiz", "esiz"] {
                    #expect(found[key] as? Int == 0, "\(key)")
                }
                #expect(found["klbl"] as? Data == Data())
                #expect(found["atag"] as? String == "")
                for key in ["sdat", "edat"] {
                    #expect(
                        found[key] as? Date == Date(timeIntervalSinceReferenceDate: 0), "\(key)")
                }
            }
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func aReturnedDictionaryFindsTheSameItem(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(1, into: keychain)
            try item.put(2, into: keychain)
            for number in 1...2 {
                let found = try keychain.attributes(item.query(number))
                let query = found + ["class": item.rawValue]
                #expect(keychain.data(query) == item.secret(number))
                #expect(keychain.count(query) == 1)
            }
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func aReturnedDictionaryOfEveryAttributeFindsTheSameItem(
        _ kind: KeychainKind, _ item: ItemKind
    ) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let others = ["agrp", "sync", "tomb", "musr", "sha1", "cdat", "mdat", "pdmn", "UUID"]
            var every = try ClassAttributeTests.everyAttribute(of: item)
            for key in others + item.query().keys { every[key] = nil }
            let added: [Entries] = [
                every, every + ["sync": true], ["accc": try accessControl("ck")],
                ["accc": try accessControl("dku"), "labl": "x"],
            ]
            for more in added {
                try item.put(1, into: keychain, more)
                try item.put(2, into: keychain, more)
                let query = item.query(1) + (more["sync"] == nil ? [:] : ["sync": true])
                let found = try keychain.attributes(query)
                for (key, value) in more where key != "sync" && key != "accc" {
                    #expect(found[key] as? NSObject == value as? NSObject, "\(key)")
                }
                let returned = found + ["class": item.rawValue]
                #expect(keychain.data(returned) == item.secret(1))
                #expect(keychain.count(returned) == 1)
                #expect(keychain.update(returned, ["alis": "new"]) == errSecSuccess)
                let again = try keychain.attributes(query) + ["class": item.rawValue]
                #expect(again["alis"] as? String == "new")
                #expect(keychain.delete(again) == errSecSuccess)
                #expect(keychain.find(query) == errSecItemNotFound)
                let all: Entries = ["class": item.rawValue, "sync": "syna"]
                #expect(keychain.count(all) == 1)
                #expect(keychain.delete(all) == errSecSuccess)
            }
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func aReturnedDictionaryOfATombstoneFindsIt(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let item = ItemKind.genericPassword
            try item.put(into: keychain, ["sync": true])
            #expect(keychain.delete(item.query() + ["sync": true]) == errSecSuccess)
            let tombstone: Entries = ["class": item.rawValue, "tomb": 1, "sync": "syna"]
            let found = try keychain.attributes(tombstone)
            #expect(found["tomb"] as? Int == 1)
            #expect(keychain.find(found + ["class": item.rawValue]) == errSecSuccess)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func anIdentityHasTheAttributesOfBothHalves(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let certificate = try CertificateSample.anna.reference()
            #expect(keychain.add(["v_Ref": certificate, "labl": "certificate"]) == errSecSuccess)
            let key = try KeySample.anna.reference()
            #expect(keychain.add(["v_Ref": key, "labl": "key", "atag": "tag"]) == errSecSuccess)
            let found = try keychain.attributes(["class": "idnt"])
            #expect(found["labl"] as? String == "certificate")
            #expect(found["atag"] as? String == "tag")
            #expect(found["klbl"] as? Data == KeySample.anna.label)
            #expect(found["kcls"] as? Int == 1)
            #expect(found["pkhh"] as? Data == CertificateSample.anna.publicKeyHash)
            #expect(found["slnr"] as? Data == CertificateSample.anna.serialNumber)
            #expect(found["certdata"] as? Data == CertificateSample.anna.der)
        }
    }
}
