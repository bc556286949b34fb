// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import CodeSigning
import Crypto
import Foundation
import Testing

/// Application groups: the groups that a signature and its profile grant, and their names.
@Suite struct ApplicationGroupTests {
    private static let application = "ABCDE12345.com.example.app"
    private static let lists = [
        "keychain-access-groups", "com.apple.developer.associated-application-identifier",
        "com.apple.security.application-groups",
    ]
    private static let applicationGroups = lists[2]

    // MARK: - Names

    private static func names(_ team: String) throws -> GroupNames {
        let identifier: TeamIdentifier = try #require(TeamIdentifier(team))
        return GroupNames(of: identifier)
    }

    @Test func aTeamsShortNameAndItsStoredNameAreOneGroup() throws {
        let names = try Self.names("ABCDE12345")
        for short in ["group.x", "group.com.example.shared", "group.é", "group..", "group.group.x"]
        {
            #expect(names.stored(short) == "ABCDE12345." + short)
            #expect(names.told("ABCDE12345." + short) == short)
            #expect(GroupNames.short(ofStored: "ABCDE12345." + short) == short)
            // No program's own name for a group equals the stored name.
            #expect(names.stored("ABCDE12345." + short) == nil)
        }
        let other = try Self.names("ZZZZZ99999")
        #expect(other.stored("group.x") == "ZZZZZ99999.group.x")
        // A group that only the passcode opens keeps its name: it isn't the program's own
        // "group.x".
        #expect(other.stored("ABCDE12345.group.x") == "ABCDE12345.group.x")
        #expect(other.told("ABCDE12345.group.x") == "ABCDE12345.group.x")
    }

    @Test func otherGroupsHaveOneName() throws {
        let names = try Self.names("ABCDE12345")
        for name in [
            "ABCDE12345.shared", "ABCDE12345.groups.x", "ABCDE12345.Group.x", "unsigned.1000",
            "path:/usr/bin/x", "com.apple.token", "groups.x", "Group.x", "", "group",
        ] {
            #expect(names.stored(name) == name)
            #expect(names.told(name) == name)
            #expect(GroupNames.short(ofStored: name) == nil)
        }
    }

    @Test func withoutATeamThereIsNoShortName() {
        let names = GroupNames(of: nil)
        #expect(names.stored("group.x") == nil)
        #expect(names.stored("group.") == nil)
        #expect(names.stored("ABCDE12345.group.x") == "ABCDE12345.group.x")
        #expect(names.told("ABCDE12345.group.x") == "ABCDE12345.group.x")
    }

    @Test func aNameWithNothingBehindThePrefixIsNone() throws {
        let names = try Self.names("ABCDE12345")
        #expect(names.stored("group.") == nil)
        #expect(names.stored("ABCDE12345.group.") == nil)
        #expect(!GroupNames.isShort("group.") && GroupNames.isStored("ABCDE12345.group."))
        // No team has such an identifier.
        for name in ["abcde12345.group.x", "ABCDE1234.group.x", "ABCDE123456.group.x"] {
            #expect(!GroupNames.isStored(name))
        }
    }

    // MARK: - What entitlements give

    @Test func applicationGroupsComeLastAndUnderTheTeamsPrefix() {
        let entitlements = Entitlements([
            Self.applicationGroups: .list([.text("group.b"), .text("group.a")]),
            "application-identifier": .text("ABCDE12345.app"),
            "com.apple.developer.team-identifier": .text("ABCDE12345"),
            "keychain-access-groups": .list([.text("com.apple.token"), .text("ABCDE12345.k")]),
        ])
        #expect(
            AccessGroups.of(entitlements) == [
                "ABCDE12345.k", "ABCDE12345.app", "ABCDE12345.group.b", "ABCDE12345.group.a",
                "com.apple.token",
            ])
    }

    @Test func withoutATeamOrOfAnAppClipThereAreNone() {
        let groups: [String: Entitlements.Value] = [
            Self.applicationGroups: .list([.text("group.x")]),
            "application-identifier": .text("ABCDE12345.app"),
        ]
        #expect(AccessGroups.of(Entitlements(groups)) == ["ABCDE12345.app"])
        let clip = groups.merging([
            "com.apple.developer.team-identifier": .text("ABCDE12345"),
            "com.apple.developer.on-demand-install-capable": .flag(true),
        ]) { $1 }
        #expect(AccessGroups.of(Entitlements(clip)) == ["ABCDE12345.app"])
    }

    @Test func noOtherEntitlementGivesAGroupWithSuchAName() {
        for name in ["ABCDE12345.group.x", "ZZZZZ99999.group.x", "group.x"] {
            for list in Self.lists {
                // In the list of application groups, the short form is the right one.
                if list == Self.applicationGroups, name == "group.x" { continue }
                let entitlements = Entitlements([
                    "com.apple.developer.team-identifier": .text("ABCDE12345"),
                    list: .list([.text(name)]),
                ])
                #expect(AccessGroups.of(entitlements).isEmpty, "\(name) \(list)")
            }
        }
        // Neither has an identifier that would be a group's name.
        let named = Entitlements([
            "com.apple.developer.team-identifier": .text("ABCDE12345"),
            "application-identifier": .text("ABCDE12345.group.x"),
        ])
        #expect(AccessGroups.of(named).isEmpty)
    }

    // MARK: - What profiles allow

    private static func propertyList(_ lists: [String: [String]]) throws -> [UInt8] {
        Array(
            try PropertyListSerialization.data(
                fromPropertyList: lists, format: .xml, options: 0))
    }

    private func profile(
        _ team: TestTeam, _ lists: [String: [String]], applications: String = "ABCDE12345.*"
    ) throws -> SignedDocument {
        try team.authority.profile(
            name: "Profile", applications: applications,
            entitlements: Self.propertyList(lists), devices: nil, createdAt: TestTeam.now,
            expiresAt: TestTeam.now + 100)
    }

    private func options(
        _ lists: [String: [String]], _ profile: SignedDocument?,
        identifier: String = "com.example.app"
    ) throws -> ProgramSigner.Options {
        var options = ProgramSigner.Options(identifier: identifier, signedAt: TestTeam.now)
        options.entitlements = try Self.propertyList(lists)
        options.profile = profile
        return options
    }

    /// Signs with a profile that lists everything, and replaces the profile: the signature doesn't
    /// cover which profile is there.
    private func signed(
        _ team: TestTeam, _ lists: [String: [String]], under other: SignedDocument?
    ) throws -> [UInt8] {
        let all = try profile(
            team, Dictionary(uniqueKeysWithValues: Self.lists.map { ($0, ["*"]) }))
        let options = try options(lists, all)
        let container = try team.signer.sign(TestTeam.smallProgram(), options)
        let changed = SignatureContainer(
            root: container.root, developer: container.developer, signature: container.signature,
            profile: other)
        return try SectionWriter.adding(
            signature: changed.encoded, entitlements: options.entitlements,
            to: TestTeam.smallProgram())
    }

    @Test func aGroupThatTheProfileListsIsGranted() throws {
        let team = try TestTeam()
        for allowed in [["group.x"], ["group.*"], ["*"], ["group.y", "group.x"]] {
            let profile = try profile(team, [Self.applicationGroups: allowed])
            let program = try team.signer.signed(
                TestTeam.smallProgram(), options([Self.applicationGroups: ["group.x"]], profile))
            let application = try admit(program, team.trusted)
            #expect(
                AccessGroups.of(application.entitlements)
                    == [Self.application, "ABCDE12345.group.x"])
            // The program gets the group's name in the form of its request.
            #expect(application.entitlements.texts(Self.applicationGroups) == ["group.x"])
        }
    }

    @Test func anUnlistedGroupIsNeitherSignedNorGranted() throws {
        let team = try TestTeam()
        let wanted = [Self.applicationGroups: ["group.x", "group.y"]]
        let profiles: [SignedDocument?] = [
            nil, try profile(team, [:]), try profile(team, [Self.applicationGroups: ["group.y"]]),
            try profile(team, [Self.applicationGroups: ["group.y", "ABCDE12345.*"]]),
            try profile(team, [Self.applicationGroups: ["group.y", "ABCDE12345.group.x"]]),
            // An entry of keychain-access-groups doesn't grant an application group.
            try profile(
                team,
                [
                    "keychain-access-groups": ["*", "group.x"], Self.applicationGroups: ["group.y"],
                ]),
            try profile(
                team, [Self.applicationGroups: ["*"]], applications: "ABCDE12345.net.*"),
            try TestTeam("ZZZZZ99999").authority.profile(
                name: "", applications: "ZZZZZ99999.*",
                entitlements: Self.propertyList([Self.applicationGroups: ["*"]]), devices: nil,
                createdAt: TestTeam.now, expiresAt: TestTeam.now + 100),
        ]
        for profile in profiles {
            let program = TestTeam.smallProgram()
            #expect(throws: SigningProblem.self) {
                try team.signer.signed(program, options(wanted, profile))
            }
            let application = try admit(signed(team, wanted, under: profile), team.trusted)
            let groups = AccessGroups.of(application.entitlements)
            #expect(!groups.contains("ABCDE12345.group.x") && !groups.contains("group.x"))
            #expect(groups.first == Self.application)
        }
    }

    @Test func theStoredNameIsNeitherSignedNorGranted() throws {
        let team = try TestTeam()
        let all = try profile(
            team, Dictionary(uniqueKeysWithValues: Self.lists.map { ($0, ["*"]) }))
        for name in ["ABCDE12345.group.x", "ABCDE12345.group.", "ZZZZZ99999.group.x"] {
            for list in Self.lists {
                #expect(throws: SigningProblem.self) {
                    try team.signer.signed(TestTeam.smallProgram(), options([list: [name]], all))
                }
                let xml = try Self.propertyList([list: [name]])
                let program = try unchecked(team, "com.example.app", xml, all)
                let application = try admit(program, team.trusted)
                #expect(AccessGroups.of(application.entitlements) == [Self.application])
            }
        }
    }

    /// The identifier needs no profile, so it would be a way around every profile.
    @Test func anIdentifierThatWouldBeAGroupIsNeitherSignedNorAGroup() throws {
        let team = try TestTeam()
        for identifier in ["group.x", "group."] {
            #expect(throws: SigningProblem.self) {
                try team.signer.signed(
                    TestTeam.smallProgram(), options([:], nil, identifier: identifier))
            }
            let program = try unchecked(team, identifier, [], nil)
            let application = try admit(program, team.trusted)
            #expect(application.applicationIdentifier == "ABCDE12345." + identifier)
            #expect(AccessGroups.of(application.entitlements).isEmpty)
        }
        // The control: such a name further behind is an ordinary identifier.
        let fine = try options([:], nil, identifier: "com.group.x")
        #expect(throws: Never.self) { try team.signer.signed(TestTeam.smallProgram(), fine) }
    }

    /// Signs entitlements that the signer refuses, as a developer's own program could.
    private func unchecked(
        _ team: TestTeam, _ identifier: String, _ entitlements: [UInt8], _ profile: SignedDocument?
    ) throws -> [UInt8] {
        let plain = ProgramSigner.Options(identifier: "a", signedAt: TestTeam.now)
        let template = try team.signer.sign(TestTeam.smallProgram(), plain)
        let old = try CodeSignature(template.signature)
        let signature = CodeSignature(
            team: old.team, signer: old.signer, signedAt: old.signedAt, flags: old.flags,
            codeDigest: old.codeDigest,
            entitlementsDigest: [UInt8](SHA256.hash(data: entitlements)), identifier: identifier)
        let container = SignatureContainer(
            root: template.root, developer: template.developer,
            signature: try team.developerKey.document(.codeSignature, signature.body),
            profile: profile)
        return try SectionWriter.adding(
            signature: container.encoded, entitlements: entitlements, to: TestTeam.smallProgram())
    }

    // MARK: - Identities

    @Test func theNamesSurviveTheWayFromTheInspector() throws {
        let team = try TestTeam()
        let profile = try profile(team, [Self.applicationGroups: ["group.x"]])
        let program = try team.signer.signed(
            TestTeam.smallProgram(), options([Self.applicationGroups: ["group.x"]], profile))
        let identity = ClientIdentity(
            userID: 7, grade: .signed, application: try admit(program, team.trusted))
        let decoded = try #require(
            IdentityCoding.decode(IdentityCoding.encode(identity), userID: 7))
        for identity in [identity, decoded] {
            #expect(identity.accessGroups == [Self.application, "ABCDE12345.group.x"])
            #expect(identity.groupNames.stored("group.x") == "ABCDE12345.group.x")
            #expect(identity.hasOtherNames)
        }
        #expect(!ClientIdentity.unsigned(7, .ended).hasOtherNames)
        #expect(ClientIdentity.unsigned(7, .ended).groupNames.stored("group.x") == nil)
    }

    @Test func aGroupThatThePasscodeOpensHasTheNameOfItsTeam() throws {
        let own = Entitlements([
            "application-identifier": .text("ABCDE12345.app"),
            "com.apple.developer.team-identifier": .text("ABCDE12345"),
        ])
        let identity = ClientIdentity(userID: 7, grade: .signed, entitlements: own)
        #expect(!identity.hasOtherNames)
        #expect(!identity.opening("ZZZZZ99999.group.x").hasOtherNames)
        #expect(identity.opening("ABCDE12345.group.x").hasOtherNames)
    }
}
