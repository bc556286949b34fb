// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Security
import TestSupport
import Testing

extension ServiceTests {
    /// What entitlements and access groups mean for the calls, with programs whose signatures say
    /// so. The same is shown in process, with planted entitlements, by ConformanceTests.
    @Suite struct EntitledPrograms {
        private static let own = "TEAMAAAAAA.org.example.app"
        private static let first = "TEAMAAAAAA.first"
        private static let second = "TEAMAAAAAA.second"
        private static let foreign = "TEAMBBBBBB.other"
        private static let token = "com.apple.token"
        private static let groups = "keychain-access-groups"
        private static let associated = "com.apple.developer.associated-application-identifier"
        private static let applicationGroups = "com.apple.security.application-groups"
        private static let clip = "com.apple.developer.on-demand-install-capable"
        private static var identity: Entries {
            ["v_Ref": ["certificate": SampleItem.der, "key": SampleItem.privateKey]]
        }

        /// Lends a world with a trusted team and an owner of two groups.
        private func run(
            _ body: (SignedWorld, SignedWorld.Team, _ owner: ItemProgram) throws -> Void
        ) throws {
            try SignedWorld.run { world in
                let team = try SignedWorld.Team("TEAMAAAAAA")
                try world.trust(team)
                let groups: Entries = [Self.groups: [Self.first, Self.second]]
                try body(world, team, try world.itemProgram(team, "owner", groups))
            }
        }

        // MARK: - Where groups come from

        @Test func everySourceOfGroupsIsReachedAndTheFirstIsTheDefault() throws {
            try run { world, team, _ in
                let sources = [
                    (Self.groups, "TEAMAAAAAA.group"), (Self.associated, "TEAMAAAAAA.associated"),
                    ("application-identifier", Self.own),
                    (Self.applicationGroups, "TEAMAAAAAA.shared"),
                ]
                // Which application it is, the signature says.
                for start in 0..<3 {
                    let held = sources[start...]
                    var entitlements: Entries = [:]
                    for (name, group) in held where group != Self.own {
                        entitlements[name] = [group]
                    }
                    let program = try world.itemProgram(team, "app", entitlements)
                    for item in SampleItem.allCases {
                        for (_, group) in held {
                            let named = item.item + ["agrp": group]
                            #expect(try program.add(named) == errSecSuccess)
                            let query = item.query + ["agrp": group]
                            #expect(try program.data(query) == item.secret)
                        }
                        #expect(try program.count(item.query) == held.count)
                        let byDefault = item.query + ["agrp": sources[start].1]
                        #expect(try program.delete(byDefault) == errSecSuccess)
                        #expect(try program.add(item.item) == errSecSuccess)
                        #expect(try program.find(byDefault) == errSecSuccess)
                        for (_, group) in sources[..<start] {
                            let named = item.query + ["agrp": group]
                            #expect(try program.all(named) == every(errSecMissingEntitlement))
                        }
                        #expect(try program.delete(item.any) == errSecSuccess)
                    }
                }
            }
        }

        /// A signed program always has its own group; a list of the wrong type adds none.
        @Test func anEntitlementOfTheWrongTypeLeavesTheProgramsOwnGroup() throws {
            try run { world, team, owner in
                for item in SampleItem.allCases {
                    #expect(try owner.add(item.item) == errSecSuccess)
                }
                let lists = [Self.groups, Self.associated, Self.applicationGroups]
                let wrong: [Any] = [
                    Self.first, [Self.first, 7], [Self.first, [Self.first]], [String](),
                ]
                for value in wrong {
                    let program = try world.itemProgram(
                        team, "app", Dictionary(uniqueKeysWithValues: lists.map { ($0, value) }))
                    for item in SampleItem.allCases {
                        let named = item.item + ["agrp": Self.first]
                        #expect(try program.all(named) == every(errSecMissingEntitlement))
                        let reference = try owner.reference(item.query)
                        #expect(
                            try program.find(["v_PersistentRef": reference]) == errSecItemNotFound)
                        #expect(try program.find(item.query) == errSecItemNotFound)
                        #expect(try program.add(item.item) == errSecSuccess)
                        #expect(try program.text("agrp", item.query) == Self.own)
                        #expect(try program.update(item.query, ["labl": "x"]) == errSecSuccess)
                        #expect(try program.delete(item.any) == errSecSuccess)
                        #expect(try owner.data(item.query) == item.secret)
                    }
                }
            }
        }

        // MARK: - The token group

        @Test func theTokenGroupIsReadOnlyAndNeverTheDefault() throws {
            try run { world, team, _ in
                let held: Entries = [Self.groups: [Self.token, Self.first]]
                let program = try world.itemProgram(team, "app", held)
                // Who has nothing else to write to but its own group.
                let alone = try world.itemProgram(team, "alone", [Self.groups: [Self.token]])
                let without = try world.itemProgram(team, "without")
                let token: Entries = ["agrp": Self.token]
                for item in SampleItem.allCases {
                    #expect(try program.add(item.item) == errSecSuccess)
                    #expect(try program.text("agrp", item.query) == Self.first)
                    for holder in [program, alone] {
                        #expect(try holder.add(item.item + token) == errSecMissingEntitlement)
                        let query = item.query + token
                        #expect(try holder.find(query) == errSecItemNotFound)
                        #expect(
                            try holder.update(query, ["labl": "x"]) == errSecMissingEntitlement)
                        #expect(try holder.delete(query) == errSecMissingEntitlement)
                        #expect(try holder.delete(item.any + token) == errSecMissingEntitlement)
                        #expect(try holder.update(item.query, token) == errSecMissingEntitlement)
                    }
                    #expect(try without.find(item.query + token) == errSecMissingEntitlement)
                    #expect(try program.data(item.query) == item.secret)
                    #expect(try program.update(item.any, ["labl": "x"]) == errSecSuccess)
                    #expect(try program.delete(item.any) == errSecSuccess)
                }
            }
        }

        // MARK: - Programs with less

        @Test func aDeniedProgramIsToldThatThereIsNoKeychain() throws {
            try run { world, team, owner in
                let deny = "com.apple.private.keychain.deny"
                let held = [Self.first]
                let denied = try world.itemProgram(
                    team, "denied", [deny: true, Self.groups: held])
                let allowed = try world.itemProgram(
                    team, "allowed", [deny: false, Self.groups: held])
                for item in SampleItem.allCases {
                    #expect(try owner.add(item.item) == errSecSuccess)
                    #expect(try denied.all(item.item) == every(errSecNotAvailable))
                    let reference: Entries = ["v_PersistentRef": try owner.reference(item.query)]
                    #expect(try denied.find(reference) == errSecNotAvailable)
                    // Whether a group is held comes later.
                    let foreign = item.item + ["agrp": Self.foreign]
                    #expect(try denied.all(foreign) == every(errSecNotAvailable))
                    #expect(try owner.data(item.query) == item.secret)
                    #expect(try allowed.data(item.query) == item.secret)
                }
            }
        }

        @Test func anAppClipStoresNothingSynchronizable() throws {
            try run { world, team, _ in
                let clip = try world.itemProgram(
                    team, "app", [Self.clip: true, Self.applicationGroups: ["TEAMAAAAAA.shared"]])
                for item in SampleItem.allCases {
                    #expect(try clip.add(item.item + ["sync": true]) == errSecRestrictedAPI)
                    #expect(try clip.find(item.query + ["sync": "syna"]) == errSecItemNotFound)
                    #expect(try clip.add(item.item + ["sync": false]) == errSecSuccess)
                    #expect(try clip.text("agrp", item.query) == Self.own)
                    #expect(try clip.update(item.query, ["sync": true]) == errSecRestrictedAPI)
                    #expect(try clip.update(item.query, ["labl": "x"]) == errSecSuccess)
                    #expect(try clip.find(item.query + ["sync": true]) == errSecItemNotFound)
                    let shared = item.query + ["agrp": "TEAMAAAAAA.shared"]
                    #expect(try clip.find(shared) == errSecMissingEntitlement)
                    #expect(try clip.delete(item.query) == errSecSuccess)
                }
            }
        }

        @Test func anAppClipWithOtherGroupsHasNoItems() throws {
            try run { world, team, owner in
                let clip = try world.itemProgram(
                    team, "clip", [Self.clip: true, Self.groups: [Self.first]])
                for item in SampleItem.allCases {
                    #expect(try owner.add(item.item) == errSecSuccess)
                    #expect(try clip.all(item.item) == every(errSecRestrictedAPI))
                    #expect(try owner.data(item.query) == item.secret)
                }
            }
        }

        // MARK: - Items in groups

        @Test func theSameNameInTwoGroupsIsTwoItems() throws {
            try run { world, team, owner in
                let other = try world.itemProgram(team, "other", [Self.groups: [Self.second]])
                for item in SampleItem.allCases {
                    for (number, group) in [Self.first, Self.second].enumerated() {
                        let more: Entries = ["agrp": group, "v_Data": Data([UInt8(number)])]
                        #expect(try owner.add(item.item + more) == errSecSuccess)
                        #expect(try owner.add(item.item + more) == errSecDuplicateItem)
                    }
                    for (number, group) in [Self.first, Self.second].enumerated() {
                        let query = item.query + ["agrp": group]
                        #expect(try owner.data(query) == Data([UInt8(number)]))
                    }
                    #expect(try owner.count(item.query) == 2)
                    #expect(try other.count(item.query) == 1)
                    #expect(try other.data(item.query) == Data([1]))
                    let query = item.query + ["agrp": Self.first]
                    #expect(try owner.update(query, ["agrp": Self.second]) == errSecDuplicateItem)
                    #expect(try owner.data(query) == Data([0]))
                }
            }
        }

        @Test func aGroupIsDeletedAlone() throws {
            try run { world, team, owner in
                let other = try world.itemProgram(team, "other", [Self.groups: [Self.second]])
                for item in SampleItem.allCases {
                    for group in [Self.first, Self.second, "TEAMAAAAAA.org.example.owner"] {
                        #expect(try owner.add(item.item + ["agrp": group]) == errSecSuccess)
                    }
                    let first = item.any + ["agrp": Self.first]
                    #expect(try other.delete(first) == errSecMissingEntitlement)
                    let second = item.any + ["agrp": Self.second]
                    #expect(try owner.delete(second) == errSecSuccess)
                    #expect(try owner.count(second) == 0)
                    #expect(try other.find(item.any) == errSecItemNotFound)
                    #expect(try owner.count(first) == 1)
                    #expect(try owner.count(item.any) == 2)
                }
            }
        }

        /// A program of the same team has the persistent reference of an item in a group that it doesn't
        /// hold.
        /// Red team: ephemeral; S, refused.
        /// Before: not tried.
        @Test func anItemInAForeignGroupIsNotFoundByItsReference() throws {
            try run { world, team, owner in
                let stranger = try world.itemProgram(team, "stranger")
                for item in SampleItem.allCases {
                    #expect(try owner.add(item.item) == errSecSuccess)
                    let query: Entries = ["v_PersistentRef": try owner.reference(item.query)]
                    let wanted = query + ["r_Data": true]
                    #expect(try stranger.find(wanted) == errSecItemNotFound)
                    #expect(try stranger.update(query, ["labl": "x"]) == errSecItemNotFound)
                    #expect(try stranger.delete(query) == errSecItemNotFound)
                    #expect(try owner.data(query) == item.secret)
                }
            }
        }

        @Test func anItemMovesByItsReferenceToAHeldGroup() throws {
            try run { world, team, owner in
                let other = try world.itemProgram(team, "other", [Self.groups: [Self.second]])
                for item in SampleItem.allCases {
                    #expect(try owner.add(item.item) == errSecSuccess)
                    let query: Entries = ["v_PersistentRef": try owner.reference(item.query)]
                    let foreign: Entries = ["agrp": Self.foreign]
                    #expect(try owner.update(query, foreign) == errSecMissingEntitlement)
                    #expect(try other.find(item.query) == errSecItemNotFound)
                    #expect(try owner.update(query, ["agrp": Self.second]) == errSecSuccess)
                    #expect(try owner.data(query) == item.secret)
                    #expect(try owner.text("agrp", item.query) == Self.second)
                    #expect(try other.data(query) == item.secret)
                    #expect(try other.data(item.query) == item.secret)
                }
            }
        }

        // MARK: - Identities

        @Test func bothHalvesOfAnIdentityMustBeInGroupsOfTheCaller() throws {
            try run { world, team, owner in
                let certificate: Entries = ["v_Ref": ["certificate": SampleItem.der]]
                let key: Entries = ["v_Ref": ["key": SampleItem.privateKey]]
                #expect(try owner.add(certificate + ["agrp": Self.first]) == errSecSuccess)
                #expect(try owner.add(key + ["agrp": Self.second]) == errSecSuccess)
                #expect(try owner.count(["class": "idnt"]) == 1)
                for (group, half) in [(Self.first, "cert"), (Self.second, "keys")] {
                    let other = try world.itemProgram(team, "holder", [Self.groups: [group]])
                    #expect(try other.find(["class": "idnt"]) == errSecItemNotFound)
                    #expect(try other.find(["class": half]) == errSecSuccess)
                    #expect(try other.delete(["class": "idnt"]) == errSecItemNotFound)
                }
                #expect(try owner.count(["class": "idnt"]) == 1)
            }
        }

        @Test func anIdentityMovesWithBothHalves() throws {
            try run { world, team, owner in
                let other = try world.itemProgram(team, "other", [Self.groups: [Self.second]])
                #expect(try owner.add(Self.identity) == errSecSuccess)
                let all: Entries = ["class": "idnt"]
                let reference: Entries = ["v_PersistentRef": try owner.reference(all)]
                let changes: Entries = ["agrp": Self.second]
                // A reference to it is the certificate's alone.
                #expect(try owner.update(reference, changes) == -26276)
                #expect(try other.find(all) == errSecItemNotFound)
                #expect(try other.update(all, changes) == errSecItemNotFound)
                #expect(try owner.update(Self.identity, changes) == errSecSuccess)
                #expect(try owner.find(all + ["agrp": Self.first]) == errSecItemNotFound)
                for half in ["cert", "keys"] {
                    #expect(try other.count(["class": half]) == 1)
                }
                let moved = try other.call("copy", all + ["r_Ref": true])
                #expect(
                    moved.result as? [String: Data]
                        == ["certificate": SampleItem.der, "key": SampleItem.privateKey])
            }
        }
    }
}
