// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import Testing

/// `SecItemCopyMatching`: limits, order, and selection. Source of each claim: Apple's SecItem, as
/// observed.
@Suite struct CopyTests {
    private static let everything = ReturnFlags(ReturnFlag.allCases)

    @Test(arguments: KeychainKind.allCases, ItemKind.allCases)
    func noMatchIsNotFoundWhateverIsAskedFor(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for flags in ReturnFlags.combinations {
                for limit: Any in ["m_LimitOne", "m_LimitAll", 1, 2, -1] {
                    let answer = keychain.copy(item.query() + flags.entries + ["m_Limit": limit])
                    #expect(answer.status == errSecItemNotFound, "\(flags) \(limit)")
                }
            }
        }
    }

    // MARK: - Limits

    @Test(arguments: KeychainKind.allCases, ItemKind.allCases)
    func theLimitOneGivesOneAndNoArray(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(1, into: keychain)
            try item.put(2, into: keychain)
            let limits: [Entries] = [[:], ["m_Limit": "m_LimitOne"], ["m_Limit": 1]]
            for limit in limits {
                let query: Entries = ["class": item.rawValue, "r_Attributes": true]
                #expect(keychain.copy(query + limit).object is NSDictionary, "\(limit)")
            }
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.allCases)
    func anyOtherLimitGivesAnArrayEvenOfOne(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(1, into: keychain)
            for limit: Any in ["m_LimitAll", 2, 100, -1] {
                let query: Entries = ["class": item.rawValue, "r_Attributes": true]
                let answer = keychain.copy(query + ["m_Limit": limit])
                #expect(answer.dictionaries?.count == 1, "\(limit)")
            }
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.allCases)
    func aNumberIsTheMost(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for number in 1...3 { try item.put(number, into: keychain) }
            let query: Entries = ["class": item.rawValue, "r_PersistentRef": true]
            let counts: [(Any, Int)] = [
                (2, 2), (3, 3), (4, 3), (1000, 3), (-1, 3), ("m_LimitAll", 3),
            ]
            for (limit, count) in counts {
                #expect(keychain.copy(query + ["m_Limit": limit]).array?.count == count, "\(limit)")
            }
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.allCases)
    func theLimitZeroFindsNothing(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(1, into: keychain)
            let query: Entries = ["class": item.rawValue, "m_Limit": 0, "r_Data": true]
            #expect(keychain.copy(query).status == errSecItemNotFound)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.allCases)
    func aLimitIsANumberOrAConstant(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(1, into: keychain)
            let limits: [Any] = [
                "all", "", "1", NSNull(), Data([1]), Date(), [1], true, false, Double.nan,
                Double.infinity,
            ]
            for limit in limits {
                let query: Entries = ["class": item.rawValue, "m_Limit": limit]
                #expect(keychain.copy(query).status == errSecParam, "\(limit)")
            }
        }
    }

    // MARK: - Order

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func theOldestComesFirst(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for number in [2, 3, 1] { try item.put(number, into: keychain) }
            let query: Entries = ["class": item.rawValue, "r_Data": true]
            #expect(keychain.copy(query).data == item.secret(2))
            let all = keychain.copy(query + ["m_Limit": "m_LimitAll"]).object as? [Data]
            #expect(all == [item.secret(2), item.secret(3), item.secret(1)])
            // Changing an item doesn't change its place in the order.
            #expect(keychain.update(item.query(2), ["labl": "x"]) == errSecSuccess)
            #expect(keychain.copy(query).data == item.secret(2))
        }
    }

    // MARK: - Selection

    @Test(arguments: KeychainKind.allCases, ItemKind.allCases)
    func theClassAloneSelectsEveryItemOfIt(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for other in ItemKind.stored { try other.put(3, into: keychain) }
            for number in 1...2 { try item.put(number, into: keychain) }
            let pairs = item == .identity ? 2 : 3
            #expect(keychain.count(["class": item.rawValue]) == pairs)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.allCases)
    func attributesSelectTogether(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(1, into: keychain, ["labl": "x"])
            try item.put(2, into: keychain, ["labl": "x"])
            #expect(keychain.count(["class": item.rawValue, "labl": "x"]) == 2)
            #expect(keychain.count(["class": item.rawValue, "labl": "y"]) == 0)
            #expect(keychain.count(item.query(1) + ["labl": "x"]) == 1)
            #expect(keychain.count(item.query(1) + ["labl": "y"]) == 0)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func theSecretDoesNotSelect(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            #expect(keychain.data(item.query() + ["v_Data": Data([9])]) == item.secret())
            for wrong: Any in ["text", 1, NSNull()] {
                let answer = keychain.copy(item.query() + ["v_Data": wrong])
                #expect(answer.status == errSecParam, "\(wrong)")
            }
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func aReferenceSelectsByItsDerivedAttributes(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for sample in [CertificateSample.anna, .future, .berta] {
                #expect(try keychain.add(["v_Ref": sample.reference()]) == errSecSuccess)
            }
            for sample in [KeySample.anna, .other, .berta] {
                #expect(try keychain.add(["v_Ref": sample.reference()]) == errSecSuccess)
                #expect(try keychain.add(["v_Ref": sample.publicReference()]) == errSecSuccess)
            }
            for sample in [CertificateSample.anna, .future, .berta] {
                let query: Entries = ["v_Ref": try sample.reference()]
                #expect(keychain.data(query) == sample.der)
                #expect(keychain.count(query) == 1)
            }
            for sample in [KeySample.anna, .other, .berta] {
                #expect(try keychain.data(["v_Ref": sample.reference()]) == sample.privateKey)
                #expect(try keychain.data(["v_Ref": sample.publicReference()]) == sample.publicKey)
                #expect(try keychain.count(["v_Ref": sample.reference()]) == 1)
            }
            let absent = try CertificateSample.expired.reference()
            #expect(keychain.find(["v_Ref": absent]) == errSecItemNotFound)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func anIdentitysReferenceSelectsItsPersistentReference(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try ItemKind.identity.put(1, into: keychain)
            try ItemKind.identity.put(2, into: keychain)
            let query: Entries = ["v_Ref": try identity(.anna, .anna), "r_PersistentRef": true]
            let answer = keychain.copy(query)
            #expect(answer.status == errSecSuccess)
            #expect(answer.data?.prefix(4) == bytes("idnt"))
            let expected = try keychain.reference(ItemKind.identity.query(1))
            #expect(answer.data == expected)
        }
    }

    // MARK: - No requested results

    @Test(arguments: KeychainKind.allCases, ItemKind.allCases)
    func withoutReturnsItIsATestOfExistence(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(1, into: keychain)
            try item.put(2, into: keychain)
            let query: Entries = ["class": item.rawValue]
            let one = keychain.copy(query)
            #expect(one.status == errSecSuccess)
            #expect(one.object == nil)
            let all = keychain.copy(query + ["m_Limit": "m_LimitAll"])
            #expect(all.status == errSecSuccess)
            #expect(all.array?.count == 0)
            let off: Entries = [
                "r_Data": false, "r_Attributes": false, "r_Ref": false, "r_PersistentRef": false,
            ]
            #expect(keychain.copy(query + off).object == nil)
            #expect(keychain.find(item.query(3)) == errSecItemNotFound)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.allCases)
    func everyReturnGoesWithEveryLimit(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(1, into: keychain)
            try item.put(2, into: keychain)
            let query = ["class": item.rawValue, "m_Limit": "m_LimitAll"] + Self.everything.entries
            #expect(keychain.copy(query).dictionaries?.count == 2)
            let data: Entries = ["class": item.rawValue, "m_Limit": "m_LimitAll", "r_Data": true]
            #expect((keychain.copy(data).object as? [Data])?.count == 2)
        }
    }

    // MARK: - Invalid keys of a query

    @Test(arguments: KeychainKind.allCases, ItemKind.allCases)
    func aListOfItemsToUseIsRefused(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            #expect(keychain.copy(item.query() + ["u_ItemList": []]).status == errSecParam)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.allCases)
    func skippedAuthenticationPassesItemsThatNeedNone(_ kind: KeychainKind, _ item: ItemKind) throws
    {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            for value in ["u_AuthUIA", "u_AuthUIF", "u_AuthUIS", "anything"] {
                let query = item.query() + ["u_AuthUI": value]
                #expect(keychain.find(query) == errSecSuccess, "\(value)")
            }
            #expect(keychain.find(item.query(2) + ["u_AuthUI": "u_AuthUIS"]) == errSecItemNotFound)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.allCases)
    func unknownMatchKeysHaveNoEffect(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            let ignored: Entries = ["m_Anything": "x", "m_SearchList": [], "m_": 1]
            #expect(keychain.find(item.query() + ignored) == errSecSuccess)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.allCases)
    func theDataProtectionKeyHasNoEffect(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for value: Any in [true, false, 1, "x"] {
                try item.put(into: keychain, ["nleg": value])
                #expect(keychain.find(item.query() + ["nleg": value]) == errSecSuccess)
                #expect(keychain.find(item.query()) == errSecSuccess)
                let changes: Entries = ["labl": "y", "nleg": value]
                #expect(keychain.update(item.query() + ["nleg": value], changes) == errSecSuccess)
                #expect(keychain.delete(item.query() + ["nleg": value]) == errSecSuccess)
                for half in ItemKind.stored { _ = keychain.delete(["class": half.rawValue]) }
            }
        }
    }
}
