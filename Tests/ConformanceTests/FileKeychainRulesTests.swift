// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import LlaveroSecurity
import Security
import Testing

/// Values that the file keychain of the Mac accepts and the data protection keychain refuses. A
/// call is for the file keychain unless it asks for the other one. Source: Apple's SecItem, as
/// observed.
@Suite struct FileKeychainRulesTests {
    private static let passwords: [ItemKind] = [.genericPassword, .internetPassword]
    /// Ways to select the file keychain, and the other one.
    private static var lax: [Entries] { [[:], ["nleg": false], ["sync": "syna"]] }
    private static var strict: [Entries] { [["nleg": true], ["sync": true], ["tkid": "token"]] }

    private static func add(_ keychain: ConformanceKeychain, _ item: Entries) -> OSStatus {
        unsafe keychain.calls.add(item as NSDictionary, nil)
    }

    private static func copy(
        _ keychain: ConformanceKeychain, _ query: Entries
    ) -> (status: OSStatus, object: AnyObject?) {
        var result: CFTypeRef?
        let status = unsafe keychain.calls.copyMatching(query as NSDictionary, &result)
        return (status, result)
    }

    private static func update(
        _ keychain: ConformanceKeychain, _ query: Entries, _ changes: Entries
    ) -> OSStatus {
        keychain.calls.update(query as NSDictionary, changes as NSDictionary)
    }

    private static func delete(_ keychain: ConformanceKeychain, _ query: Entries) -> OSStatus {
        keychain.calls.delete(query as NSDictionary)
    }

    @Test(arguments: KeychainKind.allCases, passwords)
    func textIsASecretAndANumberATruthValue(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for way in Self.lax {
                let query = item.query() + way
                let text = item.sample().without("v_Data") + way + ["v_Data": "zażółć"]
                #expect(Self.add(keychain, text) == errSecSuccess, "\(way)")
                let data = Self.copy(keychain, query + ["r_Data": 1])
                #expect(data.status == errSecSuccess)
                #expect(data.object as? Data == Data("zażółć".utf8))
                #expect(Self.copy(keychain, query + ["r_Data": 0]).object == nil)
                #expect(Self.update(keychain, query, ["v_Data": "other"]) == errSecSuccess)
                #expect(keychain.data(item.query()) == Data("other".utf8))
                // Only text is accepted as a secret, and text isn't a truth value.
                for value: Any in [1, NSNull(), true, Date()] {
                    #expect(Self.update(keychain, query, ["v_Data": value]) == errSecParam)
                }
                #expect(Self.copy(keychain, query + ["r_Data": "1"]).status == errSecParam)
                #expect(keychain.data(item.query()) == Data("other".utf8))
                #expect(Self.delete(keychain, query) == errSecSuccess)
            }
        }
    }

    @Test(arguments: KeychainKind.allCases, passwords)
    func theDataProtectionKeychainTakesNeither(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            for way in Self.strict {
                let text = item.sample(2).without("v_Data") + way + ["v_Data": "text"]
                #expect(Self.add(keychain, text) == errSecParam, "\(way)")
                let query = item.query() + way
                #expect(Self.copy(keychain, query + ["r_Data": 1]).status == errSecParam)
                #expect(Self.update(keychain, query, ["v_Data": "text"]) == errSecParam)
                let changes: Entries = ["class": item.rawValue, "labl": "x"]
                #expect(Self.update(keychain, query, changes) == errSecNoSuchAttr)
            }
            #expect(keychain.data(item.query()) == item.secret())
            #expect(keychain.itemCount == 1)
        }
    }

    @Test(arguments: KeychainKind.allCases, passwords)
    func theClassAmongTheChangesIsPassedOverIfItIsTheSame(
        _ kind: KeychainKind, _ item: ItemKind
    ) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            let same: Entries = ["class": item.rawValue, "labl": "x", "v_Data": Data([7])]
            #expect(Self.update(keychain, item.query(), same) == errSecSuccess)
            #expect(keychain.data(item.query()) == Data([7]))
            let other: Entries = ["class": "cert", "labl": "y"]
            #expect(Self.update(keychain, item.query(), other) == errSecNoSuchAttr)
            #expect(keychain.attribute("labl", item.query()) as? String == "x")
        }
    }

    @Test(arguments: KeychainKind.allCases, passwords)
    func aPasswordHasAnObject(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for number in [1, 2] { try item.put(number, into: keychain) }
            let found = Self.copy(keychain, item.query(1) + ["r_Ref": true])
            let object = try #require(found.object as? SecKeychainItem)
            #expect(CFGetTypeID(object) == SecKeychainItemGetTypeID())
            let again = Self.copy(keychain, item.query(1) + ["r_Ref": true]).object
            #expect(object.isEqual(again))
            let another = Self.copy(keychain, item.query(2) + ["r_Ref": true]).object
            #expect(!object.isEqual(another))
            // It refers to its item, alone and in a list, and attributes can be requested, too.
            let byObject: Entries = ["v_Ref": object]
            let byList: Entries = ["class": item.rawValue, "m_ItemList": [object]]
            for query in [byObject, byList] {
                let data = Self.copy(keychain, query + ["r_Data": true])
                #expect(data.object as? Data == item.secret(1))
                let other = query + item.query(2).without("class")
                #expect(Self.copy(keychain, other).status == errSecItemNotFound)
                #expect(Self.delete(keychain, other) == errSecItemNotFound)
            }
            #expect(Self.update(keychain, byList, ["labl": "x"]) == errSecSuccess)
            #expect(keychain.attribute("labl", item.query(1)) as? String == "x")
            #expect(keychain.attribute("labl", item.query(2)) as? String != "x")
            #expect(Self.delete(keychain, byList) == errSecSuccess)
            #expect(keychain.find(item.query(1)) == errSecItemNotFound)
            #expect(keychain.data(item.query(2)) == item.secret(2))
            // It refers to no item any more.
            for query in [byObject, byList] {
                #expect(Self.copy(keychain, query).status == errSecItemNotFound)
                #expect(Self.delete(keychain, query) == errSecItemNotFound)
            }
            let empty: Entries = ["class": item.rawValue, "m_ItemList": [] as [Any]]
            #expect(Self.delete(keychain, empty) == errSecItemNotFound)
            #expect(keychain.data(item.query(2)) == item.secret(2))
            #expect(Self.delete(keychain, ["v_Ref": try #require(another)]) == errSecSuccess)
            #expect(keychain.itemCount == 0)
        }
    }

    /// A delete with a reference to a missing item deletes nothing, and returns an error.
    @Test(arguments: KeychainKind.allCases, passwords)
    func theDataProtectionKeychainHasNoObjectsOfPasswords(
        _ kind: KeychainKind, _ item: ItemKind
    ) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            let strict = item.query() + ["nleg": true]
            let alone = Self.copy(keychain, strict + ["r_Ref": true])
            #expect(alone.status == errSecSuccess)
            #expect(alone.object == nil)
            let list: Entries = ["class": item.rawValue, "m_ItemList": [] as [Any], "nleg": true]
            #expect(Self.delete(keychain, list) == errSecParam)
            #expect(Self.update(keychain, list, ["labl": "x"]) == errSecParam)
            #expect(keychain.data(item.query()) == item.secret())
        }
    }

    // MARK: - Lists of items

    /// The object of a password.
    private static func object(_ keychain: ConformanceKeychain, _ query: Entries) throws
        -> AnyObject
    {
        try #require(copy(keychain, query + ["r_Ref": true]).object)
    }

    /// Source: Apple's SecItem.cpp, which deletes what the list has, and needs no class for that.
    @Test(arguments: KeychainKind.allCases, passwords)
    func aListOfItemsToUseIsWhatADeleteMeans(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for number in 1...3 { try item.put(number, into: keychain) }
            let object = try Self.object(keychain, item.query(1))
            let all: Entries = ["class": item.rawValue]
            #expect(Self.delete(keychain, all + ["u_ItemList": [object]]) == errSecSuccess)
            #expect(keychain.find(item.query(1)) == errSecItemNotFound)
            #expect(keychain.itemCount == 2)
            // It is gone, and the list means nothing else.
            #expect(Self.delete(keychain, all + ["u_ItemList": [object]]) == errSecItemNotFound)
            #expect(Self.delete(keychain, all + ["u_ItemList": []]) == errSecItemNotFound)
            #expect(Self.delete(keychain, ["u_ItemList": []]) == errSecItemNotFound)
            // Attributes hold as well.
            let second = try Self.object(keychain, item.query(2))
            let other = item.query(3) + ["u_ItemList": [second]]
            #expect(Self.delete(keychain, other) == errSecItemNotFound)
            for value: Any in ["x", ["x"], [1], [Data()], 1] {
                #expect(Self.delete(keychain, all + ["u_ItemList": value]) == errSecParam)
            }
            let both: Entries = ["u_ItemList": [second], "m_ItemList": [second]]
            #expect(Self.delete(keychain, all + both) == errSecParam)
            #expect(keychain.itemCount == 2)
            // A persistent reference is an element too.
            let reference = try keychain.reference(item.query(2))
            #expect(Self.delete(keychain, ["u_ItemList": [reference]]) == errSecSuccess)
            #expect(keychain.find(item.query(2)) == errSecItemNotFound)
            #expect(keychain.data(item.query(3)) == item.secret(3))
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func aListWithoutAClassHasItemsOfAllClasses(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let certificate = try CertificateSample.anna.reference()
            let key = try KeySample.berta.reference()
            #expect(keychain.add(["v_Ref": certificate]) == errSecSuccess)
            #expect(keychain.add(["v_Ref": key]) == errSecSuccess)
            for item in Self.passwords {
                for number in [1, 2] { try item.put(number, into: keychain) }
            }
            let list =
                [certificate, key] as [AnyObject]
                + (try Self.passwords.map { try Self.object(keychain, $0.query(1)) })
            // With a class only its items are meant.
            let generic: Entries = ["class": "genp", "u_ItemList": list]
            #expect(Self.delete(keychain, generic) == errSecSuccess)
            #expect(keychain.itemCount == 5)
            #expect(Self.delete(keychain, generic) == errSecItemNotFound)
            // An attribute that one of the classes doesn't have stops it.
            #expect(Self.delete(keychain, ["u_ItemList": list, "srvr": "x"]) == errSecNoSuchAttr)
            #expect(keychain.itemCount == 5)
            #expect(Self.delete(keychain, ["u_ItemList": list]) == errSecSuccess)
            for item in Self.passwords { #expect(keychain.count(["class": item.rawValue]) == 1) }
            #expect(keychain.itemCount == 2)
            let pair: Entries = ["u_ItemList": [try identity(.anna, .anna)]]
            #expect(Self.delete(keychain, pair) == errSecParam)
            #expect(keychain.itemCount == 2)
        }
    }

    /// Refused rather than passed over; Apple's file keychain takes it in a copy and an update as well.
    @Test(arguments: KeychainKind.allCases, passwords)
    func aListOfItemsToUseIsRefusedByTheOtherCalls(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            let object = try Self.object(keychain, item.query())
            for query: Entries in [item.query(), [:]] {
                let list = query + ["u_ItemList": [object]]
                #expect(Self.copy(keychain, list).status == errSecParam)
                #expect(Self.update(keychain, list, ["labl": "x"]) == errSecParam)
            }
            let added = item.sample(2) + ["u_ItemList": [object]]
            #expect(Self.add(keychain, added) == errSecParam)
            #expect(Self.update(keychain, item.query(), ["u_ItemList": []]) == errSecNoSuchAttr)
            #expect(keychain.itemCount == 1)
            #expect(keychain.attribute("labl", item.query()) as? String != "x")
        }
    }

    /// A list that finds an item deletes it, and the other way round.
    @Test(arguments: KeychainKind.allCases, passwords)
    func aReferenceInAListMeansAlsoAnItemThatSynchronizes(
        _ kind: KeychainKind, _ item: ItemKind
    ) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let synced: Entries = ["sync": "syna"]
            try item.put(1, into: keychain, ["sync": true])
            try item.put(2, into: keychain)
            let object = try Self.object(keychain, item.query(1) + synced)
            let reference = try keychain.reference(item.query(1) + ["sync": true])
            for element in [object, reference as NSData] {
                let list: Entries = ["class": item.rawValue, "m_ItemList": [element]]
                let found = Self.copy(keychain, list + ["r_Data": true, "m_Limit": "m_LimitAll"])
                #expect(found.object as? [Data] == [item.secret(1)])
                // Unless the caller says which ones.
                #expect(Self.copy(keychain, list + ["sync": false]).status == errSecItemNotFound)
                #expect(Self.copy(keychain, list + ["sync": true]).status == errSecSuccess)
            }
            let list: Entries = ["class": item.rawValue, "m_ItemList": [object]]
            #expect(Self.delete(keychain, list) == errSecSuccess)
            #expect(Self.copy(keychain, list).status == errSecItemNotFound)
            #expect(keychain.data(item.query(2)) == item.secret(2))
        }
    }

    /// An object of a certificate or key means no item in particular, so that local ones are meant, as by
    /// itself; beside a reference, too.
    @Test(arguments: KeychainKind.allCases)
    func anObjectInAListMeansALocalItem(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let certificate = try CertificateSample.anna.reference()
            #expect(keychain.add(["v_Ref": certificate, "sync": true]) == errSecSuccess)
            try ItemKind.certificate.put(3, into: keychain, ["sync": true])
            let reference = try keychain.reference(
                ItemKind.certificate.query(3) + ["sync": true])
            let list: Entries = [
                "class": "cert", "m_ItemList": [certificate, reference as NSData],
            ]
            let all = list + ["r_Data": true, "m_Limit": "m_LimitAll"]
            let berta = ItemKind.certificate.secret(3)
            #expect(Self.copy(keychain, all).object as? [Data] == [berta])
            let both = Self.copy(keychain, all + ["sync": "syna"]).object as? [Data]
            #expect(Set(both ?? []) == [berta, CertificateSample.anna.der])
        }
    }
}
