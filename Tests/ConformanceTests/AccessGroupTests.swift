// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import Foundation
import Keychain
import Security
import SecurityWire
import Testing

/// Access groups: which items a program may see and where it stores. The tests that set
/// entitlements run only in process, since the released programs take a program's identity from the
/// kernel. Source of each claim: Apple's SecItem, as observed.
@Suite struct AccessGroupTests {
    private static let first = "ABCDE12345.first"
    private static let second = "ABCDE12345.second"
    private static let foreign = "ZYXWV98765.other"

    // MARK: - Both kinds

    @Test(arguments: KeychainKind.allCases, ItemKind.stored)
    func theDefaultGroupNamedIsTheSame(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            let group: Entries = ["agrp": keychain.defaultGroup]
            try item.put(into: keychain, group)
            #expect(keychain.add(item.sample()) == errSecDuplicateItem)
            #expect(keychain.data(item.query()) == item.secret())
            #expect(keychain.data(item.query() + group) == item.secret())
            #expect(keychain.update(item.query() + group, ["labl": "x"]) == errSecSuccess)
            #expect(keychain.update(item.query(), group) == errSecSuccess)
            #expect(keychain.delete(item.query() + group) == errSecSuccess)
        }
    }

    @Test(arguments: KeychainKind.allCases, ItemKind.allCases)
    func aForeignGroupNamedIsRefusedWhateverExists(_ kind: KeychainKind, _ item: ItemKind) throws {
        try ConformanceKeychain.run(kind) { keychain in
            for isThere in [false, true] {
                if isThere { try item.put(into: keychain) }
                for group in [Self.foreign, "", "*", "apple", "unsigned.4294967295"] {
                    let query = item.query() + ["agrp": group]
                    #expect(keychain.copy(query).status == errSecMissingEntitlement, "\(group)")
                    let status = keychain.update(query, ["labl": "x"])
                    #expect(status == errSecMissingEntitlement, "\(group)")
                    #expect(keychain.delete(query) == errSecMissingEntitlement, "\(group)")
                }
            }
        }
    }

    // MARK: - Entitlements set by the test

    @Test(arguments: ItemKind.stored)
    func aQueryWithoutAGroupReachesAllGroups(_ item: ItemKind) throws {
        try ConformanceKeychain.run(.inProcess) { keychain in
            for (number, group) in ConformanceKeychain.groups.enumerated() {
                try item.put(number + 1, into: keychain, ["agrp": group])
            }
            #expect(keychain.count(["class": item.rawValue]) == 3)
            for group in ConformanceKeychain.groups {
                #expect(keychain.count(["class": item.rawValue, "agrp": group]) == 1)
            }
            let query: Entries = ["class": item.rawValue]
            #expect(keychain.update(query + ["agrp": Self.second], ["labl": "x"]) == errSecSuccess)
            #expect(keychain.count(query + ["labl": "x"]) == 1)
            #expect(keychain.delete(query + ["agrp": Self.first]) == errSecSuccess)
            #expect(keychain.count(query) == 2)
            #expect(keychain.delete(query) == errSecSuccess)
            #expect(keychain.count(query) == 0)
        }
    }

    @Test(arguments: ItemKind.stored)
    func anItemInAForeignGroupIsNotThere(_ item: ItemKind) throws {
        try ConformanceKeychain.run(.inProcess) { keychain in
            let other = try keychain.other(groups: [Self.foreign])
            try item.put(into: other)
            let query = item.query()
            #expect(keychain.copy(query + ["r_Data": true]).status == errSecItemNotFound)
            #expect(keychain.find(query) == errSecItemNotFound)
            #expect(keychain.update(query, ["labl": "x"]) == errSecItemNotFound)
            #expect(keychain.delete(query) == errSecItemNotFound)
            #expect(keychain.delete(["class": item.rawValue]) == errSecItemNotFound)
            // Its primary key is free.
            try item.put(into: keychain)
            #expect(keychain.delete(["class": item.rawValue]) == errSecSuccess)
            #expect(other.data(query) == item.secret())
            #expect(other.attribute("labl", query) as? String != "x")
        }
    }

    @Test(arguments: ItemKind.stored)
    func anItemMovesBetweenHeldGroups(_ item: ItemKind) throws {
        try ConformanceKeychain.run(.inProcess) { keychain in
            try item.put(into: keychain)
            let reference = try keychain.reference(item.query())
            let other = try keychain.other(groups: [Self.second])
            #expect(other.find(item.query()) == errSecItemNotFound)
            #expect(keychain.update(item.query(), ["agrp": Self.second]) == errSecSuccess)
            #expect(keychain.find(item.query() + ["agrp": Self.first]) == errSecItemNotFound)
            #expect(keychain.data(item.query() + ["agrp": Self.second]) == item.secret())
            #expect(other.data(item.query()) == item.secret())
            #expect(try other.reference(item.query()) == reference)
            #expect(other.attribute("agrp", item.query()) as? String == Self.second)
        }
    }

    @Test(arguments: ItemKind.stored)
    func aMoveOntoAnotherItemIsADuplicate(_ item: ItemKind) throws {
        try ConformanceKeychain.run(.inProcess) { keychain in
            try item.put(into: keychain)
            try item.put(into: keychain, ["agrp": Self.second, "v_Data": Data([2])])
            let query = item.query() + ["agrp": Self.first]
            #expect(keychain.update(query, ["agrp": Self.second]) == errSecDuplicateItem)
            #expect(keychain.data(query) == item.secret())
            #expect(keychain.data(item.query() + ["agrp": Self.second]) == Data([2]))
        }
    }

    // MARK: - The token group

    @Test(arguments: ItemKind.stored)
    func theTokenGroupIsReadOnly(_ item: ItemKind) throws {
        let groups = [Self.first, "com.apple.token"]
        try ConformanceKeychain.run(.inProcess, groups: groups) { keychain in
            try item.put(into: keychain)
            let token: Entries = ["agrp": "com.apple.token"]
            #expect(keychain.added(item.sample() + token).status == errSecMissingEntitlement)
            #expect(keychain.copy(item.query() + token).status == errSecItemNotFound)
            let query = item.query() + token
            #expect(keychain.update(query, ["labl": "x"]) == errSecMissingEntitlement)
            #expect(keychain.delete(query) == errSecMissingEntitlement)
            #expect(keychain.update(item.query(), token) == errSecMissingEntitlement)
            #expect(keychain.data(item.query()) == item.secret())
        }
    }

    @Test(arguments: ItemKind.stored)
    func theTokenGroupIsNeverTheDefault(_ item: ItemKind) throws {
        let groups = ["com.apple.token", Self.first]
        try ConformanceKeychain.run(.inProcess, groups: groups) { keychain in
            try item.put(into: keychain)
            #expect(keychain.attribute("agrp", item.query()) as? String == Self.first)
        }
    }

    @Test(arguments: ItemKind.stored)
    func theTokenGroupAloneMakesNothingWritable(_ item: ItemKind) throws {
        try ConformanceKeychain.run(.inProcess, groups: ["com.apple.token"]) { keychain in
            #expect(keychain.added(item.sample()).status == errSecMissingEntitlement)
            #expect(keychain.find(item.query()) == errSecItemNotFound)
        }
    }

    // MARK: - None, and many

    @Test(arguments: ItemKind.stored)
    func withoutAnyGroupNothingIsAllowed(_ item: ItemKind) throws {
        try ConformanceKeychain.run(.inProcess) { keychain in
            try item.put(into: keychain)
            let nobody = try keychain.other(groups: [])
            #expect(nobody.all(item.sample(2)) == every(errSecMissingEntitlement))
            let own = item.query() + ["agrp": Self.first]
            #expect(nobody.copy(own).status == errSecMissingEntitlement)
            let reference = try keychain.reference(item.query())
            #expect(nobody.copy(["v_PersistentRef": reference]).status == errSecMissingEntitlement)
            #expect(keychain.data(item.query()) == item.secret())
        }
    }

    @Test(arguments: ItemKind.stored)
    func aHundredAndFiftyGroupsAreAllReached(_ item: ItemKind) throws {
        let groups = (0..<150).map { "ABCDE12345.shared.\($0)" }
        try ConformanceKeychain.run(.inProcess, groups: groups) { keychain in
            for (number, group) in groups.enumerated() {
                let new: Entries = ["agrp": group, "v_Data": Data([UInt8(number)])]
                try item.put(into: keychain, new)
            }
            #expect(keychain.count(item.query()) == 150)
            for number in [0, 1, 99, 100, 101, 149] {
                let query = item.query() + ["agrp": groups[number]]
                #expect(keychain.data(query) == Data([UInt8(number)]))
            }
            #expect(keychain.copy(item.query() + ["r_Data": true]).data == Data([0]))
            let last = try keychain.other(groups: [groups[149]])
            #expect(last.count(item.query()) == 1)
            #expect(keychain.update(item.query(), ["labl": "x"]) == errSecSuccess)
            #expect(keychain.count(item.query() + ["labl": "x"]) == 150)
            #expect(keychain.delete(item.query()) == errSecSuccess)
            #expect(keychain.count(item.query()) == 0)
        }
    }

    // MARK: - Entitlements

    @Test func groupsComeInTheirOrder() {
        let entitlements = Entitlements([
            "com.apple.security.application-groups": .list([.text("app.group")]),
            "application-identifier": .text("TEAM.app"),
            "com.apple.developer.associated-application-identifier": .list([.text("TEAM.other")]),
            "keychain-access-groups": .list([.text("TEAM.b"), .text("TEAM.a")]),
        ])
        let groups = ["TEAM.b", "TEAM.a", "TEAM.other", "TEAM.app", "app.group"]
        #expect(AccessGroups.of(entitlements) == groups)
    }

    @Test func theApplicationIdentifierHasTwoNames() {
        let both = Entitlements([
            "com.apple.application-identifier": .text("second"),
            "application-identifier": .text("first"),
        ])
        #expect(AccessGroups.of(both) == ["first"])
        let one = Entitlements(["com.apple.application-identifier": .text("second")])
        #expect(AccessGroups.of(one) == ["second"])
    }

    @Test func anEntitlementOfTheWrongTypeCountsForNothing() {
        let wrong: [Entitlements.Value] = [
            .text("TEAM.a"), .flag(true), .other, .list([.text("TEAM.a"), .other]),
            .list([.text("TEAM.a"), .list([])]),
        ]
        for value in wrong {
            let entitlements = Entitlements([
                "keychain-access-groups": value, "application-identifier": .text("TEAM.app"),
            ])
            #expect(AccessGroups.of(entitlements) == ["TEAM.app"])
        }
        #expect(AccessGroups.of(Entitlements(["application-identifier": .list([])])) == [])
        #expect(AccessGroups.of(Entitlements()) == [])
    }

    @Test func theTokenGroupComesLast() {
        let entitlements = Entitlements([
            "keychain-access-groups": .list([.text("com.apple.token"), .text("TEAM.a")]),
            "application-identifier": .text("TEAM.app"),
        ])
        #expect(AccessGroups.of(entitlements) == ["TEAM.a", "TEAM.app", "com.apple.token"])
    }

    @Test func anAppClipHasNoApplicationGroups() {
        let entitlements = Entitlements([
            "com.apple.developer.on-demand-install-capable": .flag(true),
            "com.apple.security.application-groups": .list([.text("app.group")]),
            "application-identifier": .text("TEAM.app"),
        ])
        #expect(AccessGroups.of(entitlements) == ["TEAM.app"])
    }

    // MARK: - Saving items that may exist

    /// The choice of the item to change instead is a query, with the same limits.
    @Test func aReplacementReachesTheCallersGroupsAlone() throws {
        try ConformanceKeychain.run(.inProcess) { keychain in
            func save(of group: String?, to target: String? = nil) -> Int32 {
                var filter = ItemAttributes()
                filter[.generic] = .text("g")
                filter[.accessGroup] = group.map { .text($0) }
                var item = NewItem(.genericPassword)
                item.attributes[.generic] = .text("g")
                item.attributes[.accessGroup] = group.map { .text($0) }
                var changes = ItemAttributes()
                changes[.label] = .text("changed")
                changes[.accessGroup] = target.map { .text($0) }
                do {
                    try keychain.connection.save(
                        item, orChange: ItemReplacement(of: filter, changes: changes))
                    return 0
                } catch { return error.status }
            }
            #expect(save(of: Self.foreign) == errSecMissingEntitlement)
            #expect(save(of: "com.apple.token") == errSecMissingEntitlement)
            let here: Entries = ["class": "genp", "gena": "g", "r_Attributes": true]
            #expect(keychain.copy(here).status == errSecItemNotFound)
            // It is found in another group of the caller's than the first, and stays there.
            #expect(keychain.add(["class": "genp", "gena": "g", "agrp": Self.second]) == 0)
            #expect(save(of: nil) == 0)
            #expect(keychain.copy(here + ["agrp": Self.second, "labl": "changed"]).status == 0)
            #expect(keychain.copy(here + ["agrp": Self.first]).status == errSecItemNotFound)
            #expect(save(of: nil, to: Self.foreign) == errSecMissingEntitlement)
            // An item in another named group is a different item.
            #expect(save(of: Self.first) == 0)
            #expect(keychain.copy(here + ["agrp": Self.first]).status == 0)
        }
    }
}
