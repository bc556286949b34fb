// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import Testing

/// Tests that Apple's suite lacks and that follow from its source, with their numbers in our list.
/// Number 14 is `LockTests`; 15 is about items that can't be made yet.
@Suite struct OwnTests {
    private static var genp: Entries { ["class": "genp", "acct": "me"] }

    @Test(arguments: KeychainKind.allCases)
    func number1NoServiceIsTheEmptyService(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            #expect(keychain.add(Self.genp) == errSecSuccess)
            #expect(keychain.added(Self.genp + ["svce": ""]).status == errSecDuplicateItem)
            #expect(keychain.find(Self.genp + ["svce": ""]) == errSecSuccess)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func number2GenericAloneDoesNotSeparate(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            #expect(keychain.add(Self.genp + ["gena": Data([1])]) == errSecSuccess)
            let other = keychain.added(Self.genp + ["gena": Data([2])])
            #expect(other.status == errSecDuplicateItem)
            #expect(keychain.attribute("gena", Self.genp) as? Data == Data([1]))
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func number3TextAndDataOfTheSameBytesAreOneAccount(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            #expect(keychain.add(Self.genp) == errSecSuccess)
            let data = keychain.added(Self.genp + ["acct": bytes("me")])
            #expect(data.status == errSecDuplicateItem)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func number4AllWithoutReturnsIsAnEmptyArray(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for account in ["a", "b"] {
                #expect(keychain.add(Self.genp + ["acct": account]) == errSecSuccess)
            }
            let answer = keychain.copy(["class": "genp", "m_Limit": "m_LimitAll"])
            #expect(answer.status == errSecSuccess)
            #expect(answer.array?.count == 0)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func number5TheNumberOneIsOneAndTwoIsAnArray(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            #expect(keychain.add(Self.genp + ["v_Data": Data([1])]) == errSecSuccess)
            let one = keychain.copy(Self.genp + ["m_Limit": 1, "r_Data": true])
            #expect(one.data == Data([1]))
            let two = keychain.copy(Self.genp + ["m_Limit": 2, "r_Data": true])
            #expect(two.object as? [Data] == [Data([1])])
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func number6UpdatingAllIntoOnePrimaryKeyChangesNothing(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for account in ["a", "b"] {
                let item = Self.genp + ["acct": account, "v_Data": bytes(account)]
                #expect(keychain.add(item) == errSecSuccess)
            }
            #expect(keychain.update(["class": "genp"], ["acct": "c"]) == errSecDuplicateItem)
            for account in ["a", "b"] {
                #expect(keychain.data(Self.genp + ["acct": account]) == bytes(account))
            }
            #expect(keychain.find(Self.genp + ["acct": "c"]) == errSecItemNotFound)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func number7AnEmptyUpdateMovesTheModificationDate(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            #expect(keychain.add(Self.genp) == errSecSuccess)
            var last = try #require(try keychain.attributes(Self.genp)["mdat"] as? Date)
            for _ in 0..<10 {
                #expect(keychain.update(Self.genp, [:]) == errSecSuccess)
                let next = try #require(try keychain.attributes(Self.genp)["mdat"] as? Date)
                #expect(next > last)
                last = next
            }
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func number8AReferenceAndAnAttribute(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            #expect(keychain.add(Self.genp + ["svce": "s"]) == errSecSuccess)
            let reference: Entries = ["v_PersistentRef": try keychain.reference(Self.genp)]
            #expect(keychain.copy(reference + ["svce": "s"]).status == errSecParam)
            #expect(keychain.delete(reference + ["svce": "other"]) == errSecItemNotFound)
            #expect(keychain.delete(reference + ["svce": "s"]) == errSecSuccess)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func number9DeleteTakesTheLimitAllAndNoOther(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            #expect(keychain.add(Self.genp) == errSecSuccess)
            #expect(keychain.delete(Self.genp + ["m_Limit": "m_LimitOne"]) == errSecParam)
            #expect(keychain.delete(Self.genp + ["m_Limit": "m_LimitAll"]) == errSecSuccess)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func number10KeysThatAreRefused(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            #expect(keychain.add(Self.genp) == errSecSuccess)
            #expect(keychain.update(Self.genp, ["class": "genp"]) == errSecNoSuchAttr)
            #expect(keychain.copy(Self.genp + ["r_Foo": true]).status == errSecParam)
            let number = mutable(Self.genp as NSDictionary)
            number.setObject("x", forKey: NSNumber(value: 7))
            #expect(keychain.copy(number).status == errSecNoSuchAttr)
            #expect(keychain.copy(Self.genp + ["abcde": 1]).status == errSecParam)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func number11AReturnKeyIsATruthValue(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            #expect(keychain.add(Self.genp) == errSecSuccess)
            let one = NSNumber(value: 1 as Int32)
            #expect(keychain.copy(Self.genp + ["r_Data": one]).status == errSecParam)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func number12AnAccountIsNoTruthValue(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let query: Entries = ["class": "genp", "acct": true]
            #expect(keychain.all(query) == every(errSecParam))
            #expect(keychain.itemCount == 0)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func number13PortsAsTextAndAsNumbers(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let item: Entries = ["class": "inet", "srvr": "s"]
            #expect(keychain.add(item + ["port": "8080"]) == errSecSuccess)
            #expect(keychain.add(item + ["port": 8080]) == errSecDuplicateItem)
            #expect(keychain.find(item + ["port": 8080]) == errSecSuccess)
            #expect(keychain.add(item) == errSecSuccess)
            #expect(keychain.add(item + ["port": ""]) == errSecSuccess)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func number15AnItemThatDemandsThePersonIsDeniedOrSkipped(_ kind: KeychainKind) throws {
        let access = SecAccessControlCreateWithFlags(
            nil, kSecAttrAccessibleWhenUnlocked, .userPresence, nil)
        try ConformanceKeychain.run(kind) { keychain in
            let item = Self.genp + ["accc": try #require(access)]
            #expect(keychain.add(item) == errSecSuccess)
            let denied = keychain.find(Self.genp + ["u_AuthUI": "u_AuthUIF"])
            #expect(denied == errSecInteractionNotAllowed)
            let skipped = keychain.find(Self.genp + ["u_AuthUI": "u_AuthUIS"])
            #expect(skipped == errSecItemNotFound)
            #expect(keychain.delete(Self.genp) == errSecSuccess)
            #expect(keychain.itemCount == 0)
        }
    }

    @Test(arguments: KeychainKind.allCases)
    func number16DeleteWorksWhileLocked(_ kind: KeychainKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try keychain.setPasscode()
            #expect(keychain.add(Self.genp) == errSecSuccess)
            try keychain.lock()
            #expect(keychain.find(Self.genp) == errSecInteractionNotAllowed)
            #expect(keychain.delete(Self.genp) == errSecSuccess)
            #expect(keychain.find(Self.genp) == errSecItemNotFound)
            try keychain.unlock()
            #expect(keychain.find(Self.genp) == errSecItemNotFound)
        }
    }
}
