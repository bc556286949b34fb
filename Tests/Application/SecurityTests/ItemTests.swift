// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import Testing

/// The four calls against a service. Source of each claim: Apple's SecItem, as observed.
@Suite struct ItemTests {
    private let service = UUID().uuidString

    init() throws { _ = try EphemeralKeychain.shared.get() }

    private func item(_ more: [AnyHashable: Any] = [:]) -> CFDictionary {
        ["class": "genp", "svce": service, "nleg": true].merging(more) { $1 } as NSDictionary
    }

    private func copy(_ more: [AnyHashable: Any]) -> (OSStatus, CFTypeRef?) {
        var result: CFTypeRef?
        let status = unsafe SecItemCopyMatching(item(more), &result)
        return (status, result)
    }

    private func add(_ more: [AnyHashable: Any] = [:]) -> OSStatus { SecItemAdd(item(more), nil) }

    @Test func whatIsStoredIsFound() {
        #expect(add(["acct": "me", "v_Data": Data("secret".utf8)]) == errSecSuccess)
        let (status, result) = copy(["acct": "me", "r_Data": true])
        #expect(status == errSecSuccess)
        #expect(result as? Data == Data("secret".utf8))
    }

    @Test func nothingIsNotFoundAndLeavesTheResultAlone() {
        var result: CFTypeRef? = kSecClass
        #expect(unsafe SecItemCopyMatching(item(["r_Data": true]), &result) == errSecItemNotFound)
        #expect(result === kSecClass)
        #expect(SecItemDelete(item()) == errSecItemNotFound)
        #expect(SecItemUpdate(item(), ["labl": "x"] as NSDictionary) == errSecItemNotFound)
    }

    @Test func thePrimaryKeyLeavesOutLabelGenericAndAccessibility() {
        #expect(add(["acct": "me"]) == errSecSuccess)
        for more in [["labl": "x"], ["gena": "x"], ["pdmn": "dk"]] {
            #expect(add(more.merging(["acct": "me"]) { $1 }) == errSecDuplicateItem)
        }
        #expect(add(["acct": Data("me".utf8)]) == errSecDuplicateItem)
        #expect(add(["acct": "me", "sync": true]) == errSecSuccess)
    }

    @Test func addGivesWhatIsAskedFor() throws {
        var result: CFTypeRef?
        let secret = Data([1, 2, 3])
        let withData = item(["acct": "1", "r_Data": true, "v_Data": secret])
        #expect(unsafe SecItemAdd(withData, &result) == 0)
        #expect(result as? Data == secret)
        #expect(unsafe SecItemAdd(item(["acct": "2", "r_Data": true]), &result) == 0)
        #expect(result as? Data == Data())
        #expect(unsafe SecItemAdd(item(["acct": "3", "r_PersistentRef": true]), &result) == 0)
        #expect((result as? Data)?.count == 20)
        #expect(unsafe SecItemAdd(item(["acct": "4", "r_Ref": true]), &result) == 0)
        #expect(result == nil)
        #expect(unsafe SecItemAdd(item(["acct": "5", "r_Attributes": true]), &result) == 0)
        let attributes = try #require(result as? [String: Any])
        #expect(attributes["acct"] as? String == "5")
        #expect(attributes["pdmn"] as? String == "ak")
        for key in ["agrp", "cdat", "mdat", "sync"] {
            #expect(attributes[key] != nil, "\(key)")
        }
        for key in ["v_Data", "class", "v_PersistentRef", "tomb", "musr", "accc"] {
            #expect(attributes[key] == nil, "\(key)")
        }
    }

    @Test func everyCombinationOfReturnsHasItsShape() throws {
        #expect(add(["acct": "me", "v_Data": Data([7])]) == errSecSuccess)
        let flags = ["r_Data", "r_Attributes", "r_Ref", "r_PersistentRef"]
        for bits in 0..<16 {
            let chosen = Set((0..<4).filter { bits & (1 << $0) != 0 }.map { flags[$0] })
            let (status, result) = copy(Dictionary(uniqueKeysWithValues: chosen.map { ($0, true) }))
            #expect(status == errSecSuccess)
            switch chosen {
            case [], ["r_Ref"]: #expect(result == nil)
            case ["r_Data"]: #expect(result as? Data == Data([7]))
            case ["r_PersistentRef"]: #expect((result as? Data)?.count == 20)
            default:
                let found = try #require(result as? [String: Any], "\(chosen)")
                #expect((found["v_Data"] as? Data == Data([7])) == chosen.contains("r_Data"))
                #expect((found["v_PersistentRef"] != nil) == chosen.contains("r_PersistentRef"))
                #expect((found["class"] as? String == "genp") == chosen.contains("r_Ref"))
                let showsAttributes =
                    chosen.contains("r_Attributes")
                    || chosen.isSuperset(of: ["r_Data", "r_PersistentRef"])
                #expect((found["acct"] as? String == "me") == showsAttributes, "\(chosen)")
                #expect(found["v_Ref"] == nil)
            }
        }
    }

    @Test func aLimitOtherThanOneGivesAnArray() {
        for account in ["1", "2", "3"] { #expect(add(["acct": account]) == errSecSuccess) }
        func count(_ limit: Any) -> Int? {
            (copy(["r_Attributes": true, "m_Limit": limit]).1 as? [[String: Any]])?.count
        }
        #expect(count("m_LimitAll") == 3)
        #expect(count(-1) == 3)
        #expect(count(2) == 2)
        #expect(count(100) == 3)
        #expect(copy(["r_Attributes": true, "m_Limit": 1]).1 is NSDictionary)
        #expect(copy(["r_Attributes": true, "m_Limit": "m_LimitOne"]).1 is NSDictionary)
        #expect(copy(["r_Attributes": true, "m_Limit": 0]).0 == errSecItemNotFound)
        let (status, result) = copy(["m_Limit": "m_LimitAll"])
        #expect(status == errSecSuccess)
        #expect((result as? NSArray)?.count == 0)
    }

    @Test func anItemWithoutASecretHasNoData() throws {
        #expect(add(["acct": "none"]) == errSecSuccess)
        #expect(add(["acct": "empty", "v_Data": Data()]) == errSecSuccess)
        let (status, result) = copy(["acct": "none", "r_Data": true])
        #expect(status == errSecSuccess && result == nil)
        #expect(copy(["acct": "empty", "r_Data": true]).1 as? Data == Data())
        let all = copy(["r_Data": true, "r_Attributes": true, "m_Limit": "m_LimitAll"]).1
        let items = try #require(all as? [[String: Any]])
        #expect(items.count == 2)
        #expect(items.filter { $0["v_Data"] != nil }.count == 1)
        #expect((copy(["r_Data": true, "m_Limit": "m_LimitAll"]).1 as? [Data])?.count == 1)
    }

    @Test func attributesKeepTheTypeThatWasGiven() throws {
        let given: [AnyHashable: Any] = [
            "acct": Data([0xff, 0]), "labl": "Grüße 👋", "gena": Data([1, 2]), "desc": 42,
            "icmt": 1.5, "crtr": 0x6161_706c, "type": "77", "scrp": "utf8", "invi": true,
            "nega": false,
        ]
        #expect(add(given) == errSecSuccess)
        let found = try #require(copy(["r_Attributes": true]).1 as? [String: Any])
        #expect(found["acct"] as? Data == Data([0xff, 0]))
        #expect(found["labl"] as? String == "Grüße 👋")
        #expect(found["gena"] as? Data == Data([1, 2]))
        #expect(found["desc"] as? Int == 42)
        #expect(found["icmt"] as? Double == 1.5)
        #expect(found["crtr"] as? Int == 0x6161_706c)
        #expect(found["type"] as? Int == 77)
        #expect(found["scrp"] as? String == "utf8")
        #expect(found["invi"] as? Int == 1)
        #expect(found["invi"] as? Bool == true)
        #expect(found["nega"] as? Int == 0)
        #expect(found["cdat"] is Date)
        #expect(CFGetTypeID(found["accc"] as AnyObject) == SecAccessControlGetTypeID())
    }

    @Test func aReturnedDictionaryFindsTheSameItem() throws {
        #expect(add(["acct": "a", "labl": "x", "v_Data": Data([1])]) == errSecSuccess)
        #expect(add(["acct": "b", "v_Data": Data([2])]) == errSecSuccess)
        let found = try #require(
            copy(["acct": "a", "r_Attributes": true]).1 as? [AnyHashable: Any])
        let (status, result) = copy(found.merging(["r_Data": true]) { $1 })
        #expect(status == errSecSuccess)
        #expect(result as? Data == Data([1]))
    }

    @Test func aMissingServiceIsAnEmptyOne() {
        let account = UUID().uuidString
        let query: NSDictionary = ["class": "genp", "acct": account]
        let empty: NSDictionary = ["class": "genp", "acct": account, "svce": ""]
        #expect(SecItemAdd(query, nil) == errSecSuccess)
        #expect(SecItemAdd(empty, nil) == errSecDuplicateItem)
        #expect(SecItemCopyMatching(empty, nil) == errSecSuccess)
    }

    @Test func updateChangesEveryMatchOrNone() throws {
        for account in ["1", "2"] {
            #expect(add(["acct": account, "v_Data": Data([1])]) == errSecSuccess)
        }
        let changes: NSDictionary = ["labl": "both", "v_Data": Data([9])]
        #expect(SecItemUpdate(item(["m_Limit": "m_LimitAll", "r_Data": true]), changes) == 0)
        let all = copy(["r_Data": true, "m_Limit": "m_LimitAll"]).1 as? [Data]
        #expect(all == [Data([9]), Data([9])])
        #expect(SecItemUpdate(item(), ["acct": "same"] as NSDictionary) == errSecDuplicateItem)
        #expect(copy(["acct": "1", "labl": "both"]).0 == errSecSuccess)
        #expect(copy(["acct": "2"]).0 == errSecSuccess)
    }

    @Test func anEmptyUpdateMovesTheModificationDateOnly() throws {
        #expect(add() == errSecSuccess)
        let before = try #require(copy(["r_Attributes": true]).1 as? [String: Any])
        #expect(SecItemUpdate(item(), [:] as NSDictionary) == errSecSuccess)
        let after = try #require(copy(["r_Attributes": true]).1 as? [String: Any])
        let old = try #require(before["mdat"] as? Date)
        let new = try #require(after["mdat"] as? Date)
        #expect(new > old)
        #expect(before["cdat"] as? Date == after["cdat"] as? Date)
    }

    @Test func aPersistentReferenceSurvivesARename() throws {
        var result: CFTypeRef?
        let new = item(["r_PersistentRef": true, "v_Data": Data([5])])
        #expect(unsafe SecItemAdd(new, &result) == 0)
        let reference = try #require(result as? Data)
        #expect(SecItemUpdate(item(), ["acct": "renamed"] as NSDictionary) == errSecSuccess)
        let query: NSDictionary = ["v_PersistentRef": reference, "r_Data": true]
        #expect(unsafe SecItemCopyMatching(query, &result) == errSecSuccess)
        #expect(result as? Data == Data([5]))
        let other: NSDictionary = ["v_PersistentRef": reference, "acct": "other"]
        #expect(SecItemDelete(other) == errSecItemNotFound)
        #expect(SecItemDelete(["v_PersistentRef": reference] as NSDictionary) == errSecSuccess)
        #expect(SecItemCopyMatching(query, nil) == errSecItemNotFound)
    }

    @Test func synchronizableItemsAreSeenOnRequestOnly() {
        #expect(add(["sync": true]) == errSecSuccess)
        #expect(copy([:]).0 == errSecItemNotFound)
        #expect(copy(["sync": true]).0 == errSecSuccess)
        #expect(copy(["sync": "syna"]).0 == errSecSuccess)
        #expect(copy(["sync": 0]).0 == errSecItemNotFound)
        #expect(SecItemDelete(item()) == errSecItemNotFound)
        #expect(SecItemDelete(item(["sync": "syna"])) == errSecSuccess)
    }

    @Test func anAccessGroupThatIsNotHeldIsRefused() {
        for group in ["", "*", "ABCDE12345.other"] {
            #expect(add(["agrp": group]) == errSecMissingEntitlement, "\(group)")
            #expect(copy(["agrp": group]).0 == errSecMissingEntitlement, "\(group)")
        }
    }

    @Test func anAccessControlWithoutConstraintsIsItsAccessibility() throws {
        let made = SecAccessControlCreateWithFlags(
            nil, kSecAttrAccessibleAfterFirstUnlock, [], nil)
        let access = try #require(made)
        var result: CFTypeRef?
        let new = item(["accc": access, "r_Attributes": true])
        #expect(unsafe SecItemAdd(new, &result) == errSecSuccess)
        let attributes = try #require(result as? [String: Any])
        #expect(attributes["pdmn"] as? String == "ck")
        #expect(attributes["accc"] as? SecAccessControl == access)
        #expect(copy(["pdmn": "ck"]).0 == errSecSuccess)
        #expect(copy(["pdmn": "ak"]).0 == errSecItemNotFound)
    }

    @Test func keysWithoutEffectAreTaken() {
        #expect(add(["nleg": false, "fear": 1, "u_CallerName": "x"]) == errSecNoSuchAttr)
        #expect(add(["nleg": false, "feature": 1, "u_CallerName": "x", "u_Tomb": false]) == 0)
        let ignored: [AnyHashable: Any] = [
            "nleg": true, "m_CaseInsensitive": true, "m_Foo": 1, "m_SearchList": [],
            "u_OpPrompt": "why", "u_AuthUI": "u_AuthUIF", "v_Data": Data([9]),
            "m_TrustedOnly": true, "m_ValidOnDate": NSNull(),
        ]
        #expect(copy(ignored).0 == errSecSuccess)
    }
}
