// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import Testing

/// `SecItemAdd`: what it accepts and refuses. Source of each claim: Apple's SecItem, as observed.
@Suite struct AddTests {
    @Test(arguments: KeychainKind.allCases)
    func aClassIsRequired(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            #expect(keychain.added(["acct": "me", "v_Data": Data()]).status == errSecParam)
            #expect(keychain.itemCount == 0)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func everythingButTheClassIsOptional(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            #expect(keychain.add(["class": item.rawValue]) == errSecSuccess)
            #expect(keychain.added(["class": item.rawValue]).status == errSecDuplicateItem)
            #expect(keychain.itemCount == 1)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func anIdentityNeedsAReference(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            #expect(keychain.added(["class": "idnt"]).status == errSecParam)
            #expect(keychain.added(["class": "idnt", "v_Data": Data([1])]).status == errSecParam)
            #expect(keychain.itemCount == 0)
        }
    }

    // MARK: - kSecValueData

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func dataMustBeData(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let wrong: [Any] = ["text", 1, true, NSNull(), Date(), [1], ["a": 1]]
            for value in wrong {
                let answer = keychain.added(item.sample() + ["v_Data": value, "r_Data": true])
                #expect(answer.status == errSecParam, "\(value)")
            }
            #expect(keychain.itemCount == 0)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func noDataIsLegal(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            #expect(keychain.add(item.query()) == errSecSuccess)
            let answer = keychain.copy(item.query() + ["r_Data": true])
            #expect(answer.status == errSecSuccess)
            #expect(answer.object == nil)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func emptyDataIsKept(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            #expect(keychain.add(item.query() + ["v_Data": Data()]) == errSecSuccess)
            #expect(keychain.data(item.query()) == Data())
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func aMebibyteIsTakenAndMoreIsTooLarge(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let largest = Data((0..<1024 * 1024).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            #expect(keychain.add(item.query(1) + ["v_Data": largest]) == errSecSuccess)
            #expect(keychain.data(item.query(1)) == largest)
            let tooLarge = largest + [0]
            let answer = keychain.added(item.query(2) + ["v_Data": tooLarge, "r_Data": true])
            #expect(answer.status == errSecDataTooLarge)
            #expect(keychain.find(item.query(2)) == errSecItemNotFound)
        }
    }

    // MARK: - kSecValueRef

    @Test(arguments: KeychainKind.allCases)
    func aReferenceImpliesItsClass(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let certificate = try CertificateSample.anna.reference()
            let key = try KeySample.anna.reference()
            #expect(keychain.add(["v_Ref": certificate]) == errSecSuccess)
            #expect(keychain.add(["v_Ref": key]) == errSecSuccess)
            #expect(keychain.data(["class": "cert"]) == CertificateSample.anna.der)
            #expect(keychain.data(["class": "keys"]) == KeySample.anna.privateKey)
            #expect(keychain.count(["class": "idnt"]) == 1)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func anIdentityReferenceStoresBothHalves(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let anna = try identity(.anna, .anna)
            #expect(keychain.add(["v_Ref": anna]) == errSecSuccess)
            #expect(keychain.count(["class": "cert"]) == 1)
            #expect(keychain.count(["class": "keys"]) == 1)
            #expect(keychain.count(["class": "idnt"]) == 1)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func explicitAttributesOverrideDerivedOnes(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let certificate = try CertificateSample.anna.reference()
            let mine: Entries = ["v_Ref": certificate, "labl": "mine", "skid": Data([1, 2])]
            #expect(keychain.add(mine) == errSecSuccess)
            let attributes = try keychain.attributes(["class": "cert"])
            #expect(attributes["labl"] as? String == "mine")
            #expect(attributes["skid"] as? Data == Data([1, 2]))
            #expect(attributes["slnr"] as? Data == CertificateSample.anna.serialNumber)
            let key = try KeySample.anna.reference()
            #expect(keychain.add(["v_Ref": key, "klbl": Data([3]), "extr": 0]) == errSecSuccess)
            let found = try keychain.attributes(["class": "keys"])
            #expect(found["klbl"] as? Data == Data([3]))
            #expect(found["extr"] as? Int == 0)
            #expect(found["bsiz"] as? Int == 256)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func aReferenceOfAnotherTypeIsRefused(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let access = try accessControl("ak")
            let wrong: [Any] = ["text", Data([1]), 1, NSNull(), access, NSObject()]
            for value in wrong {
                #expect(keychain.added(["v_Ref": value]).status == errSecParam, "\(value)")
                for item in ItemKind.stored {
                    let answer = keychain.added(["class": item.rawValue, "v_Ref": value])
                    #expect(answer.status == errSecParam, "\(item): \(value)")
                }
            }
            #expect(keychain.itemCount == 0)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func theCallersClassWinsOverTheReferences(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let key = try KeySample.anna.reference()
            let certificate = try CertificateSample.anna.reference()
            for item in [ItemKind.genericPassword, .internetPassword, .certificate] {
                let answer = keychain.added(["class": item.rawValue, "v_Ref": key])
                #expect(answer.status == errSecNoSuchAttr, "\(item)")
            }
            for item in [ItemKind.genericPassword, .internetPassword, .key] {
                let answer = keychain.added(["class": item.rawValue, "v_Ref": certificate])
                #expect(answer.status == errSecNoSuchAttr, "\(item)")
            }
            #expect(keychain.itemCount == 0)
        }
    }

    // MARK: - What an item can't have

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func aPersistentReferenceIsRefused(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let byUUID = bytes(item.rawValue) + Data(repeating: 7, count: 16)
            let byRow = bytes(item.rawValue) + Data(repeating: 0, count: 7) + [1]
            // For a token's object: the class, the token and the object as DER.
            let byToken =
                bytes("tkpr") + Data([0x30, 9, 0x0c, 4]) + bytes("keys") + Data([4, 1, 7])
            let byUnknownToken = bytes("tkpr") + Data(count: 16)
            for reference in [byUUID, byRow, byToken, byUnknownToken] {
                let answer = keychain.added(item.sample() + ["v_PersistentRef": reference])
                #expect(answer.status == errSecParam, "\(reference.count) bytes")
            }
            #expect(keychain.itemCount == 0)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func matchKeysAreRefused(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let keys: [Entries] = [
                ["m_CaseInsensitive": true], ["m_SubjectContains": "x"], ["m_ItemList": []],
                ["m_SearchList": []], ["m_Anything": 1], ["u_ItemList": []],
            ]
            for key in keys {
                #expect(keychain.added(item.sample() + key).status == errSecParam, "\(key)")
            }
            #expect(keychain.itemCount == 0)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func anyLimitIsRefused(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let limits: [Any] = ["m_LimitOne", "m_LimitAll", 1, 0, 2]
            for limit in limits {
                let answer = keychain.added(item.sample() + ["m_Limit": limit])
                #expect(answer.status == errSecParam, "\(limit)")
            }
            #expect(keychain.itemCount == 0)
        }
    }

    // MARK: - Duplicates

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func aDuplicateIsRefusedAndTheItemStaysAsItIs(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain, ["labl": "old"])
            let before = try keychain.attributes(item.query())
            let other: Entries = ["labl": "new", "v_Data": Data([9]), "r_Attributes": true]
            #expect(keychain.added(item.sample() + other).status == errSecDuplicateItem)
            #expect(keychain.data(item.query()) == item.secret())
            let after = try keychain.attributes(item.query())
            #expect(after["labl"] as? String == "old")
            #expect(after["mdat"] as? Date == before["mdat"] as? Date)
            #expect(keychain.itemCount == 1)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func certificatesAndKeysByReferenceCollideWithThemselves(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let objects: [Any] = [
                try CertificateSample.anna.reference(), try KeySample.anna.reference(),
            ]
            for object in objects {
                #expect(keychain.add(["v_Ref": object]) == errSecSuccess)
                let again: Entries = ["v_Ref": object, "r_Ref": true]
                #expect(keychain.added(again).status == errSecDuplicateItem)
            }
            #expect(keychain.itemCount == 2)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func anItemThatWasDeletedCanBeAddedAgain(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for isSynchronizable in [false, true] {
                let more: Entries = ["sync": isSynchronizable]
                try item.put(into: keychain, more)
                #expect(keychain.delete(item.query() + more) == errSecSuccess)
                #expect(keychain.find(item.query() + more) == errSecItemNotFound)
                try item.put(into: keychain, more)
                #expect(keychain.data(item.query() + more) == item.secret())
            }
        }
    }

    // MARK: - Group, synchronization, accessibility

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func withoutAGroupTheFirstOneIsTaken(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain)
            let attributes = try keychain.attributes(item.query())
            #expect(attributes["agrp"] as? String == keychain.defaultGroup)
            let named = item.query() + ["agrp": keychain.defaultGroup]
            #expect(keychain.find(named) == errSecSuccess)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func aGroupThatIsNotHeldIsRefused(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for group in ["ZYXWV98765.other", "com.apple.token", "", "*"] {
                let answer = keychain.added(item.sample() + ["agrp": group, "r_Data": true])
                #expect(answer.status == errSecMissingEntitlement, "\(group)")
            }
            #expect(keychain.itemCount == 0)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func synchronizableAnyIsStoredAsNo(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain, ["sync": "syna"])
            #expect(keychain.attribute("sync", item.query()) as? Int == 0)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func thePasscodeClassNeedsAPasscode(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let demanding = item.sample() + ["pdmn": "akpu", "r_Data": true]
            #expect(keychain.added(demanding).status == errSecNotAvailable)
            #expect(keychain.itemCount == 0)
            try keychain.setPasscode()
            #expect(keychain.add(demanding) == errSecSuccess)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func untilRebootIsNoAccessibilityOfAnItem(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            #expect(keychain.added(item.sample() + ["pdmn": "f"]).status == errSecParam)
            let access = try accessControl("f")
            #expect(keychain.added(item.sample() + ["accc": access]).status == errSecParam)
            #expect(keychain.itemCount == 0)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func skippedAuthenticationIsRefused(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            #expect(keychain.added(item.sample() + ["u_AuthUI": "u_AuthUIS"]).status == errSecParam)
            #expect(keychain.itemCount == 0)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func aResultThatIsAskedForNeedNotBeTaken(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let all: Entries = [
                "r_Data": true, "r_Attributes": true, "r_Ref": true, "r_PersistentRef": true,
            ]
            #expect(keychain.add(item.sample() + all) == errSecSuccess)
            #expect(keychain.itemCount == 1)
        }
    }
}
