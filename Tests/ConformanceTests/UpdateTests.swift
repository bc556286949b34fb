// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import LocalAuthentication
import Security
import Testing

/// `SecItemUpdate`, line by line. Source of each claim: Apple's SecItem, as observed.
@Suite struct UpdateTests {
    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func everyMatchIsChanged(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(1, into: keychain, ["labl": "x"])
            try item.put(2, into: keychain, ["labl": "x"])
            try item.put(3, into: keychain, ["labl": "other"])
            let query: Entries = ["class": item.rawValue, "labl": "x"]
            let changes: Entries = ["labl": "y", "v_Data": Data([1])]
            #expect(keychain.update(query, changes) == errSecSuccess)
            for number in 1...2 {
                let found = try keychain.attributes(item.query(number))
                #expect(found["labl"] as? String == "y")
                #expect(keychain.data(item.query(number)) == Data([1]))
            }
            #expect(keychain.attribute("labl", item.query(3)) as? String == "other")
            #expect(keychain.data(item.query(3)) == item.secret(3))
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func theClassAloneUpdatesEveryItemOfIt(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for other in ItemKind.stored {
                for number in 1...2 { try other.put(number, into: keychain, ["labl": "old"]) }
            }
            try item.put(3, into: keychain, ["labl": "old", "sync": true])
            #expect(keychain.update(["class": item.rawValue], ["labl": "new"]) == errSecSuccess)
            for other in ItemKind.stored {
                for number in 1...2 {
                    let label = keychain.attribute("labl", other.query(number)) as? String
                    #expect(label == (other == item ? "new" : "old"), "\(other) \(number)")
                    #expect(keychain.data(other.query(number)) == other.secret(number))
                }
            }
            let synced = item.query(3) + ["sync": true]
            #expect(keychain.attribute("labl", synced) as? String == "old")
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.allCases)
    func nothingToUpdateIsNotFound(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(1, into: keychain)
            #expect(keychain.update(item.query(2), ["labl": "x"]) == errSecItemNotFound)
            #expect(keychain.attribute("labl", item.query(1)) as? String != "x")
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func oneRowThatFailsUndoesAll(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for number in 1...3 { try item.put(number, into: keychain, ["labl": "old"]) }
            // The first two rows could be changed; the third has the new primary key.
            let taken = item.query(3).without("class")
            let changes = taken + ["labl": "new", "v_Data": Data([1])]
            let all: Entries = ["class": item.rawValue]
            #expect(keychain.update(all, changes) == errSecDuplicateItem)
            for number in 1...3 {
                let found = try keychain.attributes(item.query(number))
                #expect(found["labl"] as? String == "old", "\(number)")
                #expect(keychain.data(item.query(number)) == item.secret(number), "\(number)")
            }
        }
    }

    // MARK: - The query

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func aLimitOtherThanAllIsRefused(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain, ["labl": "old"])
            for limit: Any in ["m_LimitOne", 1, 2, 0] {
                let query = item.query() + ["m_Limit": limit]
                #expect(keychain.update(query, ["labl": "x"]) == errSecParam, "\(limit)")
            }
            #expect(keychain.attribute("labl", item.query()) as? String == "old")
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func theLimitAllAndReturnsHaveNoEffect(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            let returns = ReturnFlags(ReturnFlag.allCases).entries
            let query = item.query() + ["m_Limit": "m_LimitAll"] + returns
            #expect(keychain.update(query, ["labl": "x"]) == errSecSuccess)
            #expect(keychain.attribute("labl", item.query()) as? String == "x")
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func anyOtherMatchKeyIsRefused(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain, ["labl": "old"])
            let keys: [Entries] = [
                ["m_CaseInsensitive": true], ["m_SubjectContains": "x"], ["m_ItemList": []],
                ["m_Anything": 1], ["u_ItemList": []],
            ]
            for key in keys {
                #expect(keychain.update(item.query() + key, ["labl": "x"]) == errSecParam, "\(key)")
            }
            #expect(keychain.attribute("labl", item.query()) as? String == "old")
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func aPersistentReferenceAndAttributesMustBothMatch(
        _ kind: KeychainKind, _ item: ItemKind
    ) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain, ["labl": "old"])
            let reference: Entries = ["v_PersistentRef": try keychain.reference(item.query())]
            #expect(
                keychain.update(reference + ["labl": "no"], ["labl": "x"]) == errSecItemNotFound)
            #expect(keychain.update(reference + ["labl": "old"], ["labl": "x"]) == errSecSuccess)
            #expect(keychain.attribute("labl", item.query()) as? String == "x")
        }
    }

    // MARK: - The changes

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func newDataMustBeData(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            for value: Any in ["text", NSNull(), 1, true, [1]] {
                #expect(keychain.update(item.query(), ["v_Data": value]) == errSecParam, "\(value)")
            }
            #expect(keychain.data(item.query()) == item.secret())
            #expect(keychain.update(item.query(), ["v_Data": Data()]) == errSecSuccess)
            #expect(keychain.data(item.query()) == Data())
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func anItemWithoutDataCanGetSome(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            #expect(keychain.add(item.query()) == errSecSuccess)
            #expect(keychain.update(item.query(), ["v_Data": Data([1, 2])]) == errSecSuccess)
            #expect(keychain.data(item.query()) == Data([1, 2]))
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func dataOverTheLimitIsTooLarge(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            let tooLarge = Data(count: 1024 * 1024 + 1)
            #expect(keychain.update(item.query(), ["v_Data": tooLarge]) == errSecDataTooLarge)
            #expect(keychain.data(item.query()) == item.secret())
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func keysThatAreNoAttributesAreNotThere(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain, ["labl": "old"])
            let keys: [(String, Any)] = [
                ("class", item.rawValue), ("class", "cert"), ("r_Data", true),
                ("r_Attributes", false), ("m_Limit", "m_LimitAll"), ("m_Anything", 1),
                ("u_ItemList", []), ("u_AuthUI", "u_AuthUIS"), ("u_AuthCtx", "x"),
                ("u_CallerName", "x"), ("v_Ref", "x"), ("v_PersistentRef", Data()),
                ("v_PersistentRef", try keychain.reference(item.query())), ("zzzz", 1),
            ]
            for (key, value) in keys {
                let changes: Entries = ["labl": "x", key: value]
                #expect(keychain.update(item.query(), changes) == errSecNoSuchAttr, "\(key)")
            }
            let certificate = try CertificateSample.anna.reference()
            let changes: Entries = ["v_Ref": certificate]
            #expect(keychain.update(item.query(), changes) == errSecNoSuchAttr)
            #expect(keychain.attribute("labl", item.query()) as? String == "old")
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func someKeysAreIgnored(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            let before = try keychain.attributes(item.query())
            let ignored: Entries = [
                "nleg": true, "musr": Data(repeating: 1, count: 16),
                "mdat": Date(timeIntervalSinceReferenceDate: 0), "sync": "syna",
            ]
            #expect(keychain.update(item.query(), ignored) == errSecSuccess)
            let after = try keychain.attributes(item.query())
            #expect(after["musr"] as? Data == Data())
            #expect(after["sync"] as? Int == 0)
            let (old, new) = (before["mdat"] as? Date, after["mdat"] as? Date)
            #expect(try #require(new) > #require(old))
            // A synchronizable item stays synchronizable.
            let synced: Entries = ["sync": true]
            try item.put(into: keychain, synced)
            #expect(keychain.update(item.query() + synced, ignored) == errSecSuccess)
            #expect(keychain.attribute("sync", item.query() + synced) as? Int == 1)
            #expect(keychain.count(item.query() + ["sync": "syna"]) == 2)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func theCreationDateCanBeSet(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            let date = Date(timeIntervalSinceReferenceDate: 12_345.5)
            #expect(keychain.update(item.query(), ["cdat": date]) == errSecSuccess)
            #expect(keychain.attribute("cdat", item.query()) as? Date == date)
            #expect(keychain.find(item.query() + ["cdat": date]) == errSecSuccess)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func noChangesMoveTheModificationDateOnly(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain, ["labl": "x"])
            var before = try keychain.attributes(item.query())
            for _ in 0..<3 {
                #expect(keychain.update(item.query(), [:]) == errSecSuccess)
                let after = try keychain.attributes(item.query())
                let old = try #require(before["mdat"] as? Date)
                #expect(try #require(after["mdat"] as? Date).timeIntervalSince(old) >= 0.0009)
                #expect(after["cdat"] as? Date == before["cdat"] as? Date)
                #expect(after["labl"] as? String == "x")
                before = after
            }
            #expect(keychain.data(item.query()) == item.secret())
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func theSameValueIsAChangeToo(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain, ["labl": "x"])
            let before = try #require(try keychain.attributes(item.query())["mdat"] as? Date)
            let same: Entries = ["labl": "x", "v_Data": item.secret()]
            #expect(keychain.update(item.query(), same) == errSecSuccess)
            let after = try #require(try keychain.attributes(item.query())["mdat"] as? Date)
            #expect(after > before)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func aValueOfTheWrongTypeIsRefused(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            let wrong: [Entries] = [
                ["labl": true], ["labl": NSNull()], ["cdat": 1], ["agrp": 1], ["pdmn": "zz"],
                ["accc": "ak"], ["sync": "maybe"], ["labl": NSObject()],
            ]
            for changes in wrong {
                #expect(keychain.update(item.query(), changes) == errSecParam, "\(changes)")
            }
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func aGroupThatIsNotHeldIsRefused(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            for group in ["ZYXWV98765.other", "com.apple.token", "", "*"] {
                let changes: Entries = ["agrp": group]
                let status = keychain.update(item.query(), changes)
                #expect(status == errSecMissingEntitlement, "\(group)")
                let query = item.query() + changes
                #expect(keychain.update(query, ["labl": "x"]) == errSecMissingEntitlement)
            }
            let found = try keychain.attributes(item.query())
            #expect(found["agrp"] as? String == keychain.defaultGroup)
        }
    }

    // MARK: - Primary key

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func aPrimaryKeyThatIsTakenIsADuplicate(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(1, into: keychain)
            try item.put(2, into: keychain)
            let taken = item.query(2).filter { $0.key != "class" }
            let changes = taken + ["labl": "x", "v_Data": Data([1])]
            #expect(keychain.update(item.query(1), changes) == errSecDuplicateItem)
            for number in 1...2 {
                #expect(keychain.data(item.query(number)) == item.secret(number))
                #expect(keychain.attribute("labl", item.query(number)) as? String != "x")
            }
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func anItemMovesToAFreePrimaryKey(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(1, into: keychain)
            let reference = try keychain.reference(item.query(1))
            let free = item.query(2).filter { $0.key != "class" }
            #expect(keychain.update(item.query(1), free) == errSecSuccess)
            #expect(keychain.find(item.query(1)) == errSecItemNotFound)
            #expect(keychain.data(item.query(2)) == item.secret(1))
            #expect(try keychain.reference(item.query(2)) == reference)
            try item.put(1, into: keychain)
            #expect(keychain.count(["class": item.rawValue]) == 2)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func severalItemsCanNotHaveOnePrimaryKey(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(1, into: keychain)
            try item.put(2, into: keychain)
            let free = item.query(3).filter { $0.key != "class" }
            #expect(keychain.update(["class": item.rawValue], free) == errSecDuplicateItem)
            for number in 1...2 {
                #expect(keychain.data(item.query(number)) == item.secret(number))
            }
            #expect(keychain.find(item.query(3)) == errSecItemNotFound)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func aTombstoneIsReplaced(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(1, into: keychain, ["sync": true])
            #expect(keychain.delete(item.query(1) + ["sync": true]) == errSecSuccess)
            try item.put(2, into: keychain, ["sync": true])
            let taken = item.query(1).filter { $0.key != "class" }
            #expect(keychain.update(item.query(2) + ["sync": true], taken) == errSecSuccess)
            #expect(keychain.data(item.query(1) + ["sync": true]) == item.secret(2))
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func synchronizationIsAMove(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            #expect(keychain.update(item.query(), ["sync": true]) == errSecSuccess)
            #expect(keychain.find(item.query()) == errSecItemNotFound)
            #expect(keychain.data(item.query() + ["sync": true]) == item.secret())
            #expect(keychain.update(item.query() + ["sync": true], ["sync": 0]) == errSecSuccess)
            #expect(keychain.data(item.query()) == item.secret())
            #expect(keychain.find(item.query() + ["sync": true]) == errSecItemNotFound)
        }
    }

    // MARK: - Protection

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func anAccessibilityReplacesTheOldOne(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            for code in ["ck", "dk", "aku", "cku", "dku", "ak"] {
                #expect(keychain.update(item.query(), ["pdmn": code]) == errSecSuccess)
                #expect(keychain.attribute("pdmn", item.query()) as? String == code)
                #expect(keychain.find(item.query() + ["pdmn": code]) == errSecSuccess)
                #expect(keychain.data(item.query()) == item.secret(), "\(code)")
            }
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func anAccessControlReplacesTheOldOne(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            let access = try accessControl("cku")
            #expect(keychain.update(item.query(), ["accc": access]) == errSecSuccess)
            let found = try keychain.attributes(item.query())
            #expect(found["pdmn"] as? String == "cku")
            #expect(found["accc"] is SecAccessControl)
            #expect(keychain.data(item.query()) == item.secret())
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func anAccessControlDoesNotGoWithSynchronization(
        _ kind: KeychainKind, _ item: ItemKind
    ) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let access = try accessControl("ck")
            try item.put(1, into: keychain)
            let both: Entries = ["accc": access, "sync": true]
            #expect(keychain.update(item.query(1), both) == errSecParam)
            #expect(keychain.find(item.query(1)) == errSecSuccess)
            // Only one dictionary is checked: the item may be synchronizable already.
            try item.put(2, into: keychain, ["sync": true])
            let query = item.query(2) + ["sync": true]
            #expect(keychain.update(query, ["accc": access]) == errSecSuccess)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func anAuthenticationContextIsNoChange(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain, ["labl": "old"])
            let ended = LAContext()
            ended.invalidate()
            for context in [LAContext(), ended] {
                let changes: Entries = ["labl": "new", "u_AuthCtx": context]
                #expect(keychain.update(item.query(), changes) == errSecNoSuchAttr)
            }
            #expect(keychain.attribute("labl", item.query()) as? String == "old")
        }
    }
}
