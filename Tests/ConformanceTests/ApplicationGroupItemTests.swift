// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import Foundation
import Keychain
import Security
import SecurityWire
import Testing

/// Application groups as callers name and see them (CODE-SIGNING.md, "Application groups"). The
/// tests set entitlements, which is possible only in process. ServiceTests have programs with these
/// entitlements in their signatures.
@Suite struct ApplicationGroupItemTests {
    private static let stored = "TEAMAAAAAA.group.x"
    private static var group: Entries { ["agrp": "group.x"] }

    /// A program of a team, with application groups besides its own.
    private func program(
        _ keychain: ConformanceKeychain, of team: String, _ groups: [String] = ["group.x"],
        application: String = "app", lists: [String: [String]] = [:]
    ) throws -> ConformanceKeychain {
        var entitlements: [String: Entitlements.Value] = [
            "com.apple.developer.team-identifier": .text(team),
            "application-identifier": .text(team + "." + application),
            "com.apple.security.application-groups": .list(groups.map { .text($0) }),
        ]
        for (name, list) in lists { entitlements[name] = .list(list.map { .text($0) }) }
        return try keychain.other(entitlements: Entitlements(entitlements))
    }

    /// Makes programs of two teams.
    private func run(
        _ body: (ConformanceKeychain, _ first: ConformanceKeychain, _ second: ConformanceKeychain)
            throws -> Void
    ) throws {
        try ConformanceKeychain.run(.inProcess) { keychain in
            try body(
                keychain, program(keychain, of: "TEAMAAAAAA"), program(keychain, of: "TEAMBBBBBB"))
        }
    }

    // MARK: - Two teams

    @Test(arguments: ItemKind.stored)
    func oneNameOfTwoTeamsIsTwoGroups(_ item: ItemKind) throws {
        try run { _, first, second in
            for (number, program) in [first, second].enumerated() {
                let more: Entries = ["v_Data": Data([UInt8(number)])]
                try item.put(into: program, Self.group + more)
                #expect(program.add(item.sample() + Self.group) == errSecDuplicateItem)
            }
            for (number, program) in [first, second].enumerated() {
                #expect(program.count(["class": item.rawValue]) == 1)
                #expect(program.data(item.query() + Self.group) == Data([UInt8(number)]))
                #expect(program.attribute("agrp", item.query()) as? String == "group.x")
            }
            let reference: Entries = ["v_PersistentRef": try first.reference(item.query())]
            #expect(second.find(reference) == errSecItemNotFound)
            #expect(second.update(reference, ["labl": "x"]) == errSecItemNotFound)
            #expect(second.delete(reference) == errSecItemNotFound)
            #expect(second.delete(["class": item.rawValue] + Self.group) == errSecSuccess)
            #expect(second.count(["class": item.rawValue]) == 0)
            #expect(first.data(item.query() + Self.group) == Data([0]))
        }
    }

    @Test(arguments: ItemKind.stored)
    func twoProgramsOfATeamShareAndAThirdOneDoesNot(_ item: ItemKind) throws {
        try run { keychain, first, _ in
            let partner = try program(keychain, of: "TEAMAAAAAA", application: "partner")
            let outsider = try program(keychain, of: "TEAMAAAAAA", ["group.y"])
            try item.put(into: first, Self.group)
            #expect(partner.data(item.query()) == item.secret())
            #expect(partner.data(item.query() + Self.group) == item.secret())
            #expect(outsider.find(item.query()) == errSecItemNotFound)
            #expect(outsider.all(item.sample() + Self.group) == every(errSecMissingEntitlement))
            #expect(partner.delete(item.query() + Self.group) == errSecSuccess)
            #expect(first.find(item.query()) == errSecItemNotFound)
        }
    }

    // MARK: - Names

    @Test(arguments: ItemKind.stored)
    func everyCallTakesAndGivesTheShortName(_ item: ItemKind) throws {
        try run { _, first, _ in
            let wanted: Entries = ["r_Attributes": true, "r_Data": true]
            let added = first.added(item.sample() + Self.group + wanted)
            #expect(added.status == errSecSuccess)
            #expect(added.dictionary?["agrp"] as? String == "group.x")
            for query in [item.query(), item.query() + Self.group] {
                let found = first.copy(query + wanted)
                #expect(found.dictionary?["agrp"] as? String == "group.x")
                #expect(found.dictionary?["v_Data"] as? Data == item.secret())
                let list = first.copy(query + wanted + ["m_Limit": "m_LimitAll"])
                let groups = list.dictionaries?.compactMap { $0["agrp"] as? String }
                // Secrets of several items can't be returned in one result: Apple's rule for
                // passwords.
                if list.status == errSecSuccess { #expect(groups == ["group.x"]) }
                let all = first.copy(
                    query + ["m_Limit": "m_LimitAll", "r_Attributes": true])
                #expect(all.dictionaries?.compactMap { $0["agrp"] as? String } == ["group.x"])
            }
            let reference: Entries = ["v_PersistentRef": try first.reference(item.query())]
            #expect(first.attribute("agrp", reference) as? String == "group.x")
            // Out of the group and back.
            let own: Entries = ["agrp": "TEAMAAAAAA.app"]
            #expect(first.update(item.query() + Self.group, own) == errSecSuccess)
            #expect(first.attribute("agrp", item.query()) as? String == "TEAMAAAAAA.app")
            #expect(first.find(item.query() + Self.group) == errSecItemNotFound)
            #expect(first.update(item.query() + own, Self.group) == errSecSuccess)
            #expect(first.attribute("agrp", item.query()) as? String == "group.x")
            #expect(first.update(item.query(), Self.group) == errSecSuccess)
            #expect(first.delete(item.query() + Self.group) == errSecSuccess)
        }
    }

    /// An item's returned attributes can be used to find it, and in an add.
    @Test(arguments: ItemKind.stored)
    func attributesOfAResultAreAttributesOfAnItem(_ item: ItemKind) throws {
        try run { _, first, _ in
            try item.put(into: first, Self.group)
            let attributes = try first.attributes(item.query())
            #expect(first.delete(item.query()) == errSecSuccess)
            var again = attributes.filter { ["agrp", "labl"].contains($0.key) }
            again.merge(item.sample()) { $1 }
            #expect(first.add(again) == errSecSuccess)
            #expect(first.data(item.query() + Self.group) == item.secret())
        }
    }

    @Test(arguments: ItemKind.stored)
    func theStoredNameIsNobodysName(_ item: ItemKind) throws {
        try run { keychain, first, second in
            try item.put(into: first, Self.group)
            let stranger = try program(keychain, of: "TEAMBBBBBB", [])
            // A program without a team has no application group of any name.
            let teamless = try keychain.other(
                entitlements: Entitlements([
                    "application-identifier": .text("app"),
                    "com.apple.security.application-groups": .list([.text("group.x")]),
                ]))
            for program in [first, second, stranger, teamless, keychain] {
                let query = item.sample() + ["agrp": Self.stored]
                #expect(program.all(query) == every(errSecMissingEntitlement))
            }
            for program in [stranger, teamless, keychain] {
                let query = item.sample() + Self.group
                #expect(program.all(query) == every(errSecMissingEntitlement))
                #expect(program.find(item.query()) == errSecItemNotFound)
            }
            for name in ["group.", "group", "group.y", "TEAMAAAAAA.group.", "GROUP.x"] {
                let query = item.sample() + ["agrp": name]
                #expect(first.all(query) == every(errSecMissingEntitlement), "\(name)")
            }
            let changes: Entries = ["agrp": Self.stored]
            #expect(first.update(item.query(), changes) == errSecMissingEntitlement)
            #expect(second.update(item.query(), changes) == errSecMissingEntitlement)
            #expect(first.data(item.query() + Self.group) == item.secret())
        }
    }

    @Test(arguments: ItemKind.stored)
    func noOtherEntitlementOpensTheGroup(_ item: ItemKind) throws {
        try run { keychain, first, _ in
            try item.put(into: first, Self.group)
            for list in [
                "keychain-access-groups",
                "com.apple.developer.associated-application-identifier",
            ] {
                for team in ["TEAMAAAAAA", "TEAMBBBBBB"] {
                    let thief = try program(
                        keychain, of: team, [], lists: [list: [Self.stored, "group.x"]])
                    for name in ["group.x", Self.stored] {
                        let query = item.sample() + ["agrp": name]
                        #expect(thief.all(query) == every(errSecMissingEntitlement))
                    }
                    #expect(thief.find(item.query()) == errSecItemNotFound)
                }
            }
            let named = try program(keychain, of: "TEAMAAAAAA", [], application: "group.x")
            #expect(named.all(item.sample()) == every(errSecMissingEntitlement))
            #expect(named.all(item.sample() + Self.group) == every(errSecMissingEntitlement))
            #expect(first.data(item.query()) == item.secret())
        }
    }

    @Test(arguments: ItemKind.stored)
    func applicationGroupsAreTheLastDefault(_ item: ItemKind) throws {
        try ConformanceKeychain.run(.inProcess) { keychain in
            let usual = try program(
                keychain, of: "TEAMAAAAAA",
                lists: ["keychain-access-groups": ["TEAMAAAAAA.first"]])
            try item.put(1, into: usual)
            #expect(usual.attribute("agrp", item.query(1)) as? String == "TEAMAAAAAA.first")
            let second = try program(keychain, of: "TEAMAAAAAA")
            try item.put(2, into: second)
            #expect(second.attribute("agrp", item.query(2)) as? String == "TEAMAAAAAA.app")
            // A program without any other group.
            let last = try keychain.other(
                entitlements: Entitlements([
                    "com.apple.developer.team-identifier": .text("TEAMAAAAAA"),
                    "com.apple.security.application-groups": .list([
                        .text("group.y"), .text("group.x"),
                    ]),
                ]))
            try item.put(3, into: last)
            #expect(last.attribute("agrp", item.query(3)) as? String == "group.y")
            #expect(second.find(item.query(3)) == errSecItemNotFound)
        }
    }

    /// A program that has no keychain gets the same error, whatever it names.
    @Test func aDeniedProgramIsToldThatThereIsNoKeychain() throws {
        try ConformanceKeychain.run(.inProcess) { keychain in
            let denied = try keychain.other(
                entitlements: Entitlements([
                    "com.apple.private.keychain.deny": .flag(true),
                    "com.apple.developer.team-identifier": .text("TEAMAAAAAA"),
                    "com.apple.security.application-groups": .list([.text("group.x")]),
                ]))
            let item = ItemKind.genericPassword
            for name in ["group.x", "group.", Self.stored, "TEAMAAAAAA.other"] {
                let query = item.sample() + ["agrp": name]
                #expect(denied.all(query) == every(errSecNotAvailable), "\(name)")
            }
        }
    }

    // MARK: - Identities and references

    @Test func bothHalvesOfAnIdentityHaveTheShortName() throws {
        try run { _, first, second in
            try ItemKind.identity.put(into: first, Self.group)
            for half in ["cert", "keys", "idnt"] {
                let query: Entries = ["class": half]
                #expect(first.attribute("agrp", query) as? String == "group.x", "\(half)")
                #expect(first.count(query + Self.group) == 1)
                #expect(second.find(query) == errSecItemNotFound)
            }
        }
    }

    @Test func aKeyOfTheEnclaveIsTheGroupsByItsShortName() throws {
        try run { _, first, second in
            let made = try first.connection.makeKey(.whenUnlocked, accessGroup: "group.x")
            #expect(made.accessGroup == "group.x")
            let digest = [UInt8](repeating: 7, count: 32)
            func sign(_ program: ConformanceKeychain, _ group: String) -> Int32 {
                do {
                    _ = try program.connection.sign(
                        digest: digest, sealed: made.sealed, accessGroup: group)
                    return 0
                } catch { return error.status }
            }
            #expect(sign(first, "group.x") == 0)
            #expect(sign(first, Self.stored) == errSecMissingEntitlement)
            #expect(sign(first, "TEAMAAAAAA.app") != 0)
            // The key is bound to the stored name, so the other team's "group.x" can't open it.
            #expect(sign(second, "group.x") != 0)
            #expect(sign(second, Self.stored) == errSecMissingEntitlement)
        }
    }

    @Test func itemsMoveByTheShortName() throws {
        try run { _, first, second in
            let item = ItemKind.genericPassword
            try item.put(into: first)
            try item.put(into: second)
            let connection = first.connection
            #expect(try connection.moveItems(from: "TEAMAAAAAA.app", to: "group.x") == 1)
            #expect(first.attribute("agrp", item.query()) as? String == "group.x")
            #expect(throws: KeychainError.self) {
                try connection.moveItems(from: Self.stored, to: "TEAMAAAAAA.app")
            }
            #expect(throws: KeychainError.self) {
                try second.connection.moveItems(from: Self.stored, to: "group.x")
            }
            #expect(second.attribute("agrp", item.query()) as? String == "TEAMBBBBBB.app")
            #expect(try connection.moveItems(from: "group.x", to: "TEAMAAAAAA.app") == 1)
            #expect(first.attribute("agrp", item.query()) as? String == "TEAMAAAAAA.app")
        }
    }

    @Test func aReplacementNamesTheGroupByItsShortName() throws {
        try run { _, first, second in
            func save(_ program: ConformanceKeychain, _ group: String, _ label: String) -> Int32 {
                var filter = ItemAttributes()
                filter[.generic] = .text("g")
                filter[.accessGroup] = .text(group)
                var item = NewItem(.genericPassword)
                item.attributes = filter
                var changes = ItemAttributes()
                changes[.label] = .text(label)
                changes[.accessGroup] = .text(group)
                do {
                    try program.connection.save(
                        item, orChange: ItemReplacement(of: filter, changes: changes))
                    return 0
                } catch { return error.status }
            }
            let here: Entries = ["class": "genp", "gena": "g"]
            for program in [first, second] {
                #expect(save(program, "group.x", "new") == 0)
                #expect(save(program, "group.x", "changed") == 0)
                #expect(save(program, Self.stored, "stolen") == errSecMissingEntitlement)
                #expect(program.count(here) == 1)
                #expect(program.attribute("agrp", here) as? String == "group.x")
                #expect(program.attribute("labl", here) as? String == "changed")
            }
        }
    }

    @Test func aProgramIsToldBothNamesOfItsGroups() throws {
        try run { keychain, first, _ in
            let identity = try first.connection.callerIdentity()
            #expect(identity.accessGroups == ["TEAMAAAAAA.app", "group.x"])
            #expect(identity.storedGroups == ["TEAMAAAAAA.app", Self.stored])
            let other = try keychain.connection.callerIdentity()
            #expect(other.storedGroups == other.accessGroups)
        }
    }
}
