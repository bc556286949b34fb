// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import Foundation
import Security
import Testing

/// The effect of entitlements on the calls. The tests set them, which is possible only in process:
/// the released programs take a program's identity from the kernel. Source of each claim: Apple's
/// SecItem, as observed.
@Suite struct EntitlementTests {
    private static let own = "ABCDE12345.app"
    private static let associated = "com.apple.developer.associated-application-identifier"
    private static let applicationGroups = "com.apple.security.application-groups"
    private static let clip = "com.apple.developer.on-demand-install-capable"

    // MARK: - Where groups come from

    @Test(arguments: ItemKind.stored)
    func theApplicationIdentifierIsAGroup(_ item: ItemKind) throws {
        try ConformanceKeychain.run(.inProcess) { keychain in
            for name in ["application-identifier", "com.apple.application-identifier"] {
                let program = try keychain.other(
                    entitlements: Entitlements([name: .text(Self.own)]))
                try item.put(into: program)
                #expect(program.attribute("agrp", item.query()) as? String == Self.own, "\(name)")
                #expect(program.data(item.query() + ["agrp": Self.own]) == item.secret())
                #expect(program.update(item.query(), ["labl": "x"]) == errSecSuccess)
                #expect(program.delete(item.query()) == errSecSuccess)
            }
        }
    }

    @Test(arguments: ItemKind.stored)
    func anEntitlementOfTheWrongTypeGivesNoGroup(_ item: ItemKind) throws {
        let wrong: [(String, Entitlements.Value)] = [
            ("application-identifier", .list([.text(Self.own)])),
            ("application-identifier", .flag(true)), ("application-identifier", .other),
            ("keychain-access-groups", .text(Self.own)),
            ("keychain-access-groups", .list([.text(Self.own), .other])),
            ("keychain-access-groups", .list([.text(Self.own), .list([.text(Self.own)])])),
            (Self.associated, .text(Self.own)), (Self.applicationGroups, .text(Self.own)),
            ("keychain-access-groups", .list([])),
        ]
        try ConformanceKeychain.run(.inProcess) { keychain in
            try item.put(into: keychain, ["agrp": Self.own])
            for (name, value) in wrong {
                let program = try keychain.other(entitlements: Entitlements([name: value]))
                #expect(program.all(item.sample()) == every(errSecMissingEntitlement), "\(name)")
                let named = item.sample() + ["agrp": Self.own]
                #expect(program.all(named) == every(errSecMissingEntitlement), "\(name)")
            }
            #expect(keychain.data(item.query()) == item.secret())
        }
    }

    @Test(arguments: ItemKind.stored)
    func everySourceOfGroupsIsReachedAndTheFirstIsTheDefault(_ item: ItemKind) throws {
        let sources: [(String, Entitlements.Value, String)] = [
            ("keychain-access-groups", .list([.text("TEAM.group")]), "TEAM.group"),
            (Self.associated, .list([.text("TEAM.associated")]), "TEAM.associated"),
            ("application-identifier", .text("TEAM.own"), "TEAM.own"),
            (Self.applicationGroups, .list([.text("group.shared")]), "group.shared"),
        ]
        try ConformanceKeychain.run(.inProcess) { keychain in
            for start in sources.indices {
                let held = sources[start...]
                let program = try keychain.other(
                    entitlements: Entitlements(
                        Dictionary(uniqueKeysWithValues: held.map { ($0.0, $0.1) })
                            // Without a team there are no application groups.
                            .merging(["com.apple.developer.team-identifier": .text("ABCDE12345")]) {
                                $1
                            }))
                for (_, _, group) in held {
                    try item.put(into: program, ["agrp": group])
                    #expect(program.data(item.query() + ["agrp": group]) == item.secret())
                }
                #expect(program.count(item.query()) == held.count)
                let first = item.query() + ["agrp": sources[start].2]
                #expect(program.delete(first) == errSecSuccess)
                try item.put(into: program)
                #expect(program.find(first) == errSecSuccess)
                for (_, _, group) in sources[..<start] {
                    let foreign = item.query() + ["agrp": group]
                    #expect(program.copy(foreign).status == errSecMissingEntitlement)
                }
                #expect(program.delete(["class": item.rawValue]) == errSecSuccess)
            }
        }
    }

    // MARK: - The token group

    @Test(arguments: ItemKind.stored)
    func theTokenGroupBesideOthersChangesNothingForThem(_ item: ItemKind) throws {
        try ConformanceKeychain.run(.inProcess) { keychain in
            let token: Entries = ["agrp": "com.apple.token"]
            try item.put(1, into: keychain)
            // No call stores anything there.
            let program = try keychain.other(
                groups: ConformanceKeychain.groups + ["com.apple.token"])
            #expect(program.count(["class": item.rawValue] + token) == 0)
            #expect(program.find(item.query()) == errSecSuccess)
            #expect(program.add(item.sample(2) + token) == errSecMissingEntitlement)
            #expect(program.update(item.query(), token) == errSecMissingEntitlement)
            #expect(program.update(["class": item.rawValue], ["labl": "x"]) == errSecSuccess)
            #expect(program.delete(["class": item.rawValue] + token) == errSecMissingEntitlement)
            #expect(program.delete(["class": item.rawValue]) == errSecSuccess)
            #expect(program.itemCount == 0)
        }
    }

    // MARK: - Programs with fewer rights

    @Test(arguments: ItemKind.stored)
    func aDeniedProgramIsToldThatThereIsNoKeychain(_ item: ItemKind) throws {
        let denied = Entitlements([
            "com.apple.private.keychain.deny": .flag(true),
            "keychain-access-groups": .list(ConformanceKeychain.groups.map { .text($0) }),
        ])
        try ConformanceKeychain.run(.inProcess) { keychain in
            try item.put(into: keychain)
            let reference = try keychain.reference(item.query())
            let program = try keychain.other(entitlements: denied)
            #expect(program.all(item.sample()) == every(errSecNotAvailable))
            let byReference: Entries = ["v_PersistentRef": reference]
            #expect(program.copy(byReference).status == errSecNotAvailable)
            // Whether the caller holds the group is checked later.
            let foreign = item.sample() + ["agrp": "ZYXWV98765.other"]
            #expect(program.all(foreign) == every(errSecNotAvailable))
            #expect(keychain.data(item.query()) == item.secret())
            let allowed = Entitlements([
                "com.apple.private.keychain.deny": .flag(false),
                "keychain-access-groups": .list(ConformanceKeychain.groups.map { .text($0) }),
            ])
            let other = try keychain.other(entitlements: allowed)
            #expect(other.data(item.query()) == item.secret())
        }
    }

    @Test(arguments: ItemKind.stored)
    func anAppClipStoresNothingSynchronizable(_ item: ItemKind) throws {
        let clip = Entitlements([
            Self.clip: .flag(true), "application-identifier": .text(Self.own),
            Self.applicationGroups: .list([.text("group.shared")]),
        ])
        try ConformanceKeychain.run(.inProcess) { keychain in
            let program = try keychain.other(entitlements: clip)
            #expect(program.added(item.sample() + ["sync": true]).status == errSecRestrictedAPI)
            #expect(program.find(item.query() + ["sync": "syna"]) == errSecItemNotFound)
            try item.put(into: program, ["sync": false])
            #expect(program.attribute("agrp", item.query()) as? String == Self.own)
            #expect(program.update(item.query(), ["sync": true]) == errSecRestrictedAPI)
            #expect(program.update(item.query(), ["labl": "x"]) == errSecSuccess)
            #expect(program.find(item.query() + ["sync": true]) == errSecItemNotFound)
            let shared = item.query() + ["agrp": "group.shared"]
            #expect(program.copy(shared).status == errSecMissingEntitlement)
            #expect(program.delete(item.query()) == errSecSuccess)
        }
    }

    @Test(arguments: ItemKind.stored)
    func anAppClipWithOtherGroupsHasNoItems(_ item: ItemKind) throws {
        let clip = Entitlements([
            Self.clip: .flag(true), "application-identifier": .text(Self.own),
            "keychain-access-groups": .list([.text(ConformanceKeychain.groups[0])]),
        ])
        try ConformanceKeychain.run(.inProcess) { keychain in
            try item.put(into: keychain)
            let program = try keychain.other(entitlements: clip)
            #expect(program.all(item.sample()) == every(errSecRestrictedAPI))
            #expect(keychain.data(item.query()) == item.secret())
        }
    }
}
