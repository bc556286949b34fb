// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import Testing

/// `SecItemDelete`, line by line. Source of each claim: Apple's SecItem, as observed.
@Suite struct DeleteTests {
    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func everyMatchIsDeletedAndNothingElse(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(1, into: keychain, ["labl": "x"])
            try item.put(2, into: keychain, ["labl": "x"])
            try item.put(3, into: keychain, ["labl": "other"])
            #expect(keychain.delete(["class": item.rawValue, "labl": "x"]) == errSecSuccess)
            for number in 1...2 {
                #expect(keychain.find(item.query(number)) == errSecItemNotFound)
            }
            #expect(keychain.data(item.query(3)) == item.secret(3))
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func theClassAloneDeletesEveryItemOfIt(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for other in ItemKind.stored {
                for number in 1...2 { try other.put(number, into: keychain) }
            }
            #expect(keychain.delete(["class": item.rawValue]) == errSecSuccess)
            #expect(keychain.count(["class": item.rawValue]) == 0)
            #expect(keychain.itemCount == 6)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.allCases)
    func nothingToDeleteIsNotFound(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            #expect(keychain.delete(["class": item.rawValue]) == errSecItemNotFound)
            try item.put(1, into: keychain)
            let count = keychain.itemCount
            #expect(keychain.delete(item.query(2)) == errSecItemNotFound)
            #expect(keychain.itemCount == count)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func aLimitOtherThanAllIsRefused(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            for limit: Any in ["m_LimitOne", 1, 2, 0] {
                #expect(keychain.delete(item.query() + ["m_Limit": limit]) == errSecParam)
            }
            #expect(keychain.find(item.query()) == errSecSuccess)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func theLimitAllHasNoEffect(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(1, into: keychain)
            try item.put(2, into: keychain)
            #expect(keychain.delete(item.query(1) + ["m_Limit": "m_LimitAll"]) == errSecSuccess)
            #expect(keychain.find(item.query(1)) == errSecItemNotFound)
            #expect(keychain.find(item.query(2)) == errSecSuccess)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func anyOtherMatchKeyIsRefused(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            let keys: [Entries] = [
                ["m_CaseInsensitive": true], ["m_SubjectContains": "x"], ["m_ItemList": []],
                ["m_Anything": 1],
            ]
            for key in keys {
                #expect(keychain.delete(item.query() + key) == errSecParam, "\(key)")
            }
            #expect(keychain.find(item.query()) == errSecSuccess)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func returnsHaveNoEffect(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            let returns = ReturnFlags(ReturnFlag.allCases).entries
            #expect(keychain.delete(item.query() + returns) == errSecSuccess)
            #expect(keychain.itemCount == 0)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func aClassOrAReferenceIsNeeded(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try ItemKind.genericPassword.put(into: keychain)
            #expect(keychain.delete(["acct": "account 1"]) == errSecParam)
            #expect(keychain.delete([:]) == errSecParam)
            #expect(keychain.itemCount == 1)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func aPersistentReferenceNeedsNoClass(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(1, into: keychain)
            try item.put(2, into: keychain)
            let reference = try keychain.reference(item.query(1))
            #expect(keychain.delete(["v_PersistentRef": reference]) == errSecSuccess)
            #expect(keychain.find(item.query(1)) == errSecItemNotFound)
            #expect(keychain.find(item.query(2)) == errSecSuccess)
            #expect(keychain.delete(["v_PersistentRef": reference]) == errSecItemNotFound)
            let other = try keychain.reference(item.query(2))
            let query: Entries = ["class": item.rawValue, "v_PersistentRef": other]
            #expect(keychain.delete(query) == errSecSuccess)
            #expect(keychain.itemCount == 0)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func aPersistentReferenceAndAttributesMustBothMatch(
        _ kind: KeychainKind, _ item: ItemKind
    ) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain, ["labl": "x"])
            let reference: Entries = ["v_PersistentRef": try keychain.reference(item.query())]
            #expect(keychain.delete(reference + ["labl": "y"]) == errSecItemNotFound)
            #expect(keychain.find(item.query()) == errSecSuccess)
            #expect(keychain.delete(reference + ["labl": "x"]) == errSecSuccess)
            #expect(keychain.itemCount == 0)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func anAttributeOfAnotherClassIsNotThere(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            for key in ["zzzz", item.isPassword ? "kcls" : "acct"] {
                #expect(keychain.delete(item.query() + [key: "x"]) == errSecNoSuchAttr, "\(key)")
            }
            #expect(keychain.itemCount == 1)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func theSecretIsCheckedAndDoesNotSelect(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            #expect(keychain.delete(item.query() + ["v_Data": "text"]) == errSecParam)
            #expect(keychain.itemCount == 1)
            #expect(keychain.delete(item.query() + ["v_Data": Data([9])]) == errSecSuccess)
            #expect(keychain.itemCount == 0)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func aGroupThatIsNotHeldIsRefused(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            for group in ["ZYXWV98765.other", "com.apple.token", "", "*"] {
                let status = keychain.delete(item.query() + ["agrp": group])
                #expect(status == errSecMissingEntitlement, "\(group)")
            }
            #expect(keychain.itemCount == 1)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func skippedAuthenticationIsRefused(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            #expect(keychain.delete(item.query() + ["u_AuthUI": "u_AuthUIS"]) == errSecParam)
            let query = item.query() + ["u_AuthUI": "u_AuthUIS"]
            #expect(keychain.update(query, ["labl": "x"]) == errSecParam)
            #expect(keychain.itemCount == 1)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func aListOfItemsToUseIsNotExamined(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            #expect(keychain.delete(item.query() + ["u_ItemList": []]) == errSecSuccess)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func aReturnedDictionaryDeletesItsItem(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(1, into: keychain)
            try item.put(2, into: keychain)
            let found = try keychain.attributes(item.query(1))
            #expect(keychain.delete(found + ["class": item.rawValue]) == errSecSuccess)
            #expect(keychain.find(item.query(1)) == errSecItemNotFound)
            #expect(keychain.find(item.query(2)) == errSecSuccess)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func aReferenceDeletesItsItem(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for sample in [CertificateSample.anna, .berta] {
                #expect(keychain.add(["v_Ref": sample.object]) == errSecSuccess)
            }
            for sample in [KeySample.other, .berta] {
                #expect(keychain.add(["v_Ref": sample.object]) == errSecSuccess)
            }
            let certificate = try CertificateSample.anna.reference()
            #expect(keychain.delete(["v_Ref": certificate]) == errSecSuccess)
            #expect(keychain.delete(["v_Ref": certificate]) == errSecItemNotFound)
            #expect(keychain.count(["class": "cert"]) == 1)
            let key = try KeySample.other.reference()
            #expect(keychain.delete(["v_Ref": key]) == errSecSuccess)
            #expect(keychain.delete(["v_Ref": key]) == errSecItemNotFound)
            #expect(keychain.count(["class": "keys"]) == 1)
        }
    }
}
