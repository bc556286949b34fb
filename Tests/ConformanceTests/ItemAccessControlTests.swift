// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import Testing

/// Access controls of items: those without requirements are an accessibility; the others are judged in
/// enclaved. Source of each claim: Apple's SecItem, as observed; for those about constraints:
/// Documentation/differences.md.
@Suite struct ItemAccessControlTests {
    private static let codes = ["ak", "ck", "dk", "aku", "cku", "dku"]

    private func copied(_ keychain: ConformanceKeychain, _ query: Entries) throws
        -> SecAccessControl
    {
        try #require(keychain.attribute("accc", query) as? SecAccessControl)
    }

    // MARK: - Without constraints

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func itComesBackEqual(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for code in Self.codes {
                let given = try accessControl(code)
                let answer = keychain.added(
                    item.sample() + ["accc": given, "r_Attributes": true])
                #expect(answer.dictionary?["accc"] as? SecAccessControl == given, "\(code)")
                let found = try copied(keychain, item.query())
                #expect(found == given, "\(code)")
                #expect(CFEqual(found, given), "\(code)")
                #expect(CFHash(found) == CFHash(given), "\(code)")
                for other in Self.codes where other != code {
                    #expect(try found != accessControl(other), "\(code) \(other)")
                }
                #expect(keychain.attribute("pdmn", item.query()) as? String == code)
                #expect(keychain.delete(item.query()) == errSecSuccess)
            }
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func itSaysTheItemsAccessibility(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for code in Self.codes {
                try item.put(into: keychain, ["pdmn": code])
                let found = try copied(keychain, item.query())
                #expect(try found == accessControl(code), "\(code)")
                #expect(keychain.delete(item.query()) == errSecSuccess)
            }
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func aReturnedOneGoesWithItsOwnAccessibilityOnly(
        _ kind: KeychainKind, _ item: ItemKind
    ) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(2, into: keychain, ["accc": try accessControl("ck")])
            let found = try copied(keychain, item.query(2))
            #expect(keychain.delete(item.query(2)) == errSecSuccess)
            for code in Self.codes {
                let both: Entries = ["accc": found, "pdmn": code]
                let isSame = code == "ck"
                let statuses = keychain.all(item.sample() + both)
                #expect(statuses == every(isSame ? errSecSuccess : errSecParam), "\(code)")
                try item.put(into: keychain)
                let change = keychain.update(item.query(), both)
                #expect(change == (isSame ? errSecSuccess : errSecParam), "\(code)")
                let accessibility = keychain.attribute("pdmn", item.query()) as? String
                #expect((accessibility == "ck") == isSame, "\(code)")
                #expect(keychain.delete(item.query()) == errSecSuccess)
            }
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func anAccessibilityReplacesIt(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain, ["accc": try accessControl("ck")])
            #expect(keychain.update(item.query(), ["pdmn": "aku"]) == errSecSuccess)
            let found = try copied(keychain, item.query())
            #expect(try found == accessControl("aku"))
            #expect(keychain.find(item.query() + ["accc": found, "pdmn": "aku"]) == errSecSuccess)
            #expect(keychain.copy(item.query() + ["accc": found, "pdmn": "ck"]).status == -50)
            #expect(keychain.data(item.query()) == item.secret())
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func anotherOneReplacesIt(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain, ["accc": try accessControl("ck")])
            let new = try accessControl("aku")
            #expect(try copied(keychain, item.query()) != new)
            #expect(keychain.update(item.query(), ["accc": new]) == errSecSuccess)
            #expect(try copied(keychain, item.query()) == new)
            // Other changes don't affect it.
            #expect(keychain.update(item.query(), ["labl": "x"]) == errSecSuccess)
            #expect(try copied(keychain, item.query()) == new)
            #expect(keychain.data(item.query()) == item.secret())
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func itAsksForNothing(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for value in ["u_AuthUIA", "u_AuthUIF", "u_AuthUIS"] {
                try item.put(into: keychain, ["accc": try accessControl("ck")])
                let query = item.query() + ["u_AuthUI": value]
                #expect(keychain.find(query) == errSecSuccess, "\(value)")
                #expect(keychain.data(query) == item.secret(), "\(value)")
                let isSkip = value == "u_AuthUIS"
                let status = isSkip ? errSecParam : errSecSuccess
                #expect(keychain.update(query, ["labl": "x"]) == status, "\(value)")
                #expect(keychain.delete(query) == status, "\(value)")
                if isSkip { #expect(keychain.delete(item.query()) == errSecSuccess) }
            }
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func itIsNoFilter(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            try item.put(into: keychain, ["accc": try accessControl("ck")])
            let others: [SecAccessControl?] = [
                try accessControl("dku"),
                SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleAlways, .userPresence, nil),
            ]
            for other in others {
                let query = item.query() + ["accc": try #require(other)]
                #expect(keychain.data(query) == item.secret())
                #expect(keychain.update(query, ["labl": "x"]) == errSecSuccess)
            }
            #expect(try copied(keychain, item.query()) == accessControl("ck"))
        }
    }

    // MARK: - With constraints

    private static let flags: [SecAccessControlCreateFlags] = [
        .userPresence, .biometryAny, .biometryCurrentSet, .devicePasscode, .companion, .or, .and,
        .privateKeyUsage, .applicationPassword,
    ]

    /// Every valid combination of flags.
    private static let combinations:
        [(access: SecAccessControl, flags: SecAccessControlCreateFlags, name: String)] =
            (0..<(1 << flags.count)).compactMap { bits in
                var chosen: SecAccessControlCreateFlags = []
                for (index, flag) in flags.enumerated() where bits & (1 << index) != 0 {
                    chosen.insert(flag)
                }
                let access = SecAccessControlCreateWithFlags(
                    nil, kSecAttrAccessibleAfterFirstUnlock, chosen, nil)
                return access.map { ($0, chosen, "\(chosen.rawValue)") }
            }

    /// What storing an item with these flags answers where nobody gives a password.
    private static func status(_ flags: SecAccessControlCreateFlags) -> OSStatus {
        if flags.contains(.privateKeyUsage) { return errSecAuthFailed }
        let biometry: SecAccessControlCreateFlags = [
            .biometryAny, .biometryCurrentSet, .companion,
        ]
        // There is no biometry to bind it to, and no paired device.
        if !flags.isDisjoint(with: biometry) { return errSecAuthFailed }
        return flags.contains(.applicationPassword)
            ? errSecInteractionNotAllowed : errSecSuccess
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func whatAsksForSomethingIsNotStoredWithoutIt(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for hasPasscode in [false, true] {
                if hasPasscode { try keychain.setPasscode() }
                for (access, flags, name) in Self.combinations {
                    let asks = !flags.isSubset(of: [.or, .and])
                    let status = asks ? Self.status(flags) : errSecSuccess
                    let silent: Entries = ["u_AuthUI": "u_AuthUIF"]
                    let new = item.sample() + ["accc": access] + silent
                    #expect(keychain.add(new) == status, "\(name)")
                    let found = keychain.find(item.query() + silent)
                    if status != errSecSuccess {
                        #expect(found == errSecItemNotFound, "\(name)")
                    } else {
                        #expect(
                            found == (asks ? errSecInteractionNotAllowed : errSecSuccess),
                            "\(name)")
                        #expect(keychain.delete(item.query()) == errSecSuccess)
                    }
                    try item.put(2, into: keychain, ["labl": "old"])
                    let query = item.query(2) + silent
                    #expect(
                        keychain.update(query, ["labl": "old", "accc": access]) == status, "\(name)"
                    )
                    if asks, status == errSecSuccess {
                        #expect(keychain.find(query) == errSecInteractionNotAllowed, "\(name)")
                        let again = keychain.update(query, ["labl": "new"])
                        #expect(again == errSecInteractionNotAllowed, "\(name)")
                    } else {
                        #expect(keychain.data(item.query(2)) == item.secret(2), "\(name)")
                    }
                    // Synchronizing it would be a contradiction anyway.
                    #expect(keychain.added(new + ["sync": true]).status == errSecParam, "\(name)")
                    #expect(keychain.delete(item.query(2)) == errSecSuccess)
                    #expect(keychain.itemCount == 0)
                }
            }
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func authenticationThatMayNotBeAskedForHidesNoOtherItem(
        _ kind: KeychainKind, _ item: ItemKind
    ) throws {
        let access = SecAccessControlCreateWithFlags(
            nil, kSecAttrAccessibleWhenUnlocked, .userPresence, nil)
        try ConformanceKeychain.run(kind) { keychain in
            let new = item.sample(1) + ["accc": try #require(access)]
            #expect(keychain.add(new) == errSecSuccess)
            try item.put(2, into: keychain)
            for (value, status) in [
                ("u_AuthUIF", errSecInteractionNotAllowed), ("u_AuthUIS", errSecItemNotFound),
            ] {
                let one = item.query(1) + ["u_AuthUI": value]
                #expect(keychain.find(one) == status, "\(value)")
                let all: Entries = [
                    "class": item.rawValue, "u_AuthUI": value, "m_Limit": "m_LimitAll",
                    "r_Data": true,
                ]
                let found = keychain.copy(all)
                if value == "u_AuthUIS" {
                    #expect(found.object as? [Data] == [item.secret(2)])
                } else {
                    #expect(found.status == errSecInteractionNotAllowed)
                }
            }
            // Adding over it asks nothing, and deleting it neither.
            #expect(keychain.add(item.sample(1)) == errSecDuplicateItem)
            #expect(keychain.delete(item.query(1)) == errSecSuccess)
        }
    }
}
