// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import CodeSigning
import Crypto
import Foundation
import Testing

@Suite struct CodeSignatureTests {
    private static let group = "ABCDE12345.shared"

    @Test func aSignedProgramOfATrustedTeamIsItsApplication() throws {
        let team = try TestTeam()
        let signed = try team.sign(try TestTeam.program())
        let application = try admit(signed, team.trusted)
        #expect(application.applicationIdentifier == "ABCDE12345.com.example.app")
        #expect(AccessGroups.of(application.entitlements) == ["ABCDE12345.com.example.app"])
    }

    @Test func groupsCountAsFarAsTheProfileAllows() throws {
        let team = try TestTeam()
        let program = TestTeam.smallProgram()
        let asked = [
            Self.group, "ABCDE12345.other", "ZZZZZ99999.victim", "unsigned.0", "path:/usr/bin/x",
            "*", "ABCDE12345.", "com.apple.token",
        ]
        let profile = try team.profile(
            applications: "ABCDE12345.com.example.*",
            groups: [Self.group, "ZZZZZ99999.*", "unsigned.*", "path:*", "com.apple.token"])
        let signed = try team.sign(program, groups: asked, profile: profile)
        let application = try admit(signed, team.trusted)
        #expect(
            AccessGroups.of(application.entitlements) == [
                Self.group, "ABCDE12345.com.example.app", "com.apple.token",
            ])
        let everything = try team.profile(applications: "ABCDE12345.*", groups: ["*"])
        let greedy = try admit(
            team.sign(program, groups: asked, profile: everything), team.trusted)
        #expect(
            AccessGroups.of(greedy.entitlements) == [
                Self.group, "ABCDE12345.other", "ABCDE12345.com.example.app", "com.apple.token",
            ])
        // Without a profile only the identifier counts.
        let alone = try admit(team.sign(program, groups: asked), team.trusted)
        #expect(AccessGroups.of(alone.entitlements) == ["ABCDE12345.com.example.app"])
    }

    @Test func aProfileThatIsNotForThisCountsForNothing() throws {
        let team = try TestTeam()
        let here = [UInt8](repeating: 7, count: 32)
        let cases: [(SignedDocument, SignatureProblem)] = [
            (
                try team.profile(
                    applications: "ABCDE12345.*", groups: ["*"], expiresAt: TestTeam.now - 1),
                .profileExpired
            ),
            (
                try team.profile(applications: "ABCDE12345.net.*", groups: ["*"]),
                .profileForOtherApplications
            ),
            (
                try team.profile(applications: "*", groups: ["*"]), .profileForOtherApplications
            ),
            (
                try team.profile(
                    applications: "ABCDE12345.*", groups: ["*"],
                    devices: [[UInt8](repeating: 8, count: 32)]),
                .profileForOtherDevices
            ),
            (
                try TestTeam("ZZZZZ99999").profile(applications: "ABCDE12345.*", groups: ["*"]),
                .profileOfAnotherTeam
            ),
            (
                try TestTeam().profile(applications: "ABCDE12345.*", groups: ["*"]),
                .profileOfAnotherTeam
            ),
        ]
        for (profile, problem) in cases {
            let signed = try team.sign(
                TestTeam.smallProgram(), groups: [Self.group], profile: profile)
            let application = try admit(signed, team.trusted, device: here)
            #expect(AccessGroups.of(application.entitlements) == ["ABCDE12345.com.example.app"])
            #expect(application.profileProblem == problem)
        }
        let mine = try team.profile(applications: "ABCDE12345.*", groups: ["*"], devices: [here])
        let signed = try team.sign(TestTeam.smallProgram(), groups: [Self.group], profile: mine)
        let application = try admit(signed, team.trusted, device: here)
        #expect(AccessGroups.of(application.entitlements).first == Self.group)
    }

    @Test func noOtherTeamsSignatureCounts() throws {
        let victim = try TestTeam()
        let program = TestTeam.smallProgram()
        // A root that the attacker made, with the victim's identifier.
        let selfMade = try TestTeam()
        #expect(throws: SignatureProblem.rootNotTrusted) {
            try admit(selfMade.sign(program), victim.trusted)
        }
        #expect(throws: SignatureProblem.teamNotTrusted) {
            try admit(TestTeam("ZZZZZ99999").sign(program), victim.trusted)
        }
        #expect(throws: SignatureProblem.teamNotTrusted) {
            try admit(victim.sign(program), TrustedTeams())
        }
        var teams = try victim.trusted
        #expect(throws: SignatureProblem.rootNotTrusted) {
            try teams.add(selfMade.authority.rootDocument)
        }
    }

    @Test func aCertificateCountsForWhatItIsForAndWhileItIsValid() throws {
        let team = try TestTeam()
        let program = TestTeam.smallProgram()
        for moment in [TestTeam.now - 1001, TestTeam.now + 1_000_001] {
            #expect(throws: SignatureProblem.outsideValidity) {
                try admit(team.sign(program), team.trusted, now: moment)
            }
        }
        let expired = try TestTeam(validity: (TestTeam.now - 10)...(TestTeam.now - 1))
        #expect(throws: SignatureProblem.outsideValidity) {
            try admit(expired.sign(program), expired.trusted)
        }
        // The developer's certificate used as a root that signs another developer's.
        let second = P256.Signing.PrivateKey()
        let certificate = TeamCertificate(
            usage: .codeSigning, team: team.authority.root.team,
            serial: [UInt8](repeating: 1, count: 16), notBefore: 0, notAfter: .max,
            issuer: SigningKey(team.developerKey.publicKey).digest,
            key: SigningKey(second.publicKey), name: "")
        let signer = try ProgramSigner(
            key: second,
            certificate: team.developerKey.document(.certificate, certificate.body),
            root: team.developer)
        let options = ProgramSigner.Options(identifier: "a", signedAt: 0)
        #expect(throws: SignatureProblem.wrongUsage) {
            try inspect(signer.signed(program, options)).signature.get()
        }
        // The root's own certificate signs a program.
        let byRoot = try team.authority.issue(
            to: SigningKey(second.publicKey), name: "", validity: TestTeam.validity, usage: .root)
        let rootSigner = try ProgramSigner(
            key: second, certificate: byRoot, root: team.authority.rootDocument)
        #expect(throws: SignatureProblem.wrongUsage) {
            try inspect(rootSigner.signed(program, options)).signature.get()
        }
        // A certificate with another team's name.
        let other = try team.authority.issue(
            to: SigningKey(second.publicKey), name: "", validity: TestTeam.validity,
            team: TeamIdentifier("ZZZZZ99999"))
        let otherSigner = try ProgramSigner(
            key: second, certificate: other, root: team.authority.rootDocument)
        #expect(throws: SignatureProblem.wrongTeam) {
            try inspect(otherSigner.signed(program, options)).signature.get()
        }
    }

    @Test func aRevokedCertificateCountsNoMore() throws {
        let team = try TestTeam()
        let signed = try team.sign(TestTeam.smallProgram())
        var teams = try team.trusted
        let serial = try TeamCertificate(team.developer).serial
        try teams.add(team.authority.revocations([serial], number: 2, issuedAt: 0))
        #expect(throws: SignatureProblem.revoked) { try admit(signed, teams) }
        // Neither an older list nor another root's list restores it.
        #expect(throws: SignatureProblem.revoked) {
            try teams.add(team.authority.revocations([], number: 1, issuedAt: 0))
        }
        #expect(throws: SignatureProblem.signatureInvalid) {
            try teams.add(TestTeam().authority.revocations([], number: 3, issuedAt: 0))
        }
        let stored = try TrustedTeams(decoding: teams.encoded)
        #expect(throws: SignatureProblem.revoked) { try admit(signed, stored) }
        // Another certificate of the team counts.
        let key = P256.Signing.PrivateKey()
        let certificate = try team.authority.issue(
            to: SigningKey(key.publicKey), name: "", validity: TestTeam.validity)
        let signer = try ProgramSigner(
            key: key, certificate: certificate, root: team.authority.rootDocument)
        let again = try signer.signed(
            TestTeam.smallProgram(), .init(identifier: "com.example.app", signedAt: 0))
        #expect(try admit(again, stored).team == team.authority.root.team)
    }

    @Test func everyChangedByteOfASignatureIsNoticed() throws {
        let team = try TestTeam()
        let profile = try team.profile(applications: "ABCDE12345.*", groups: ["*"])
        let program = TestTeam.smallProgram()
        let signed = try team.sign(program, groups: [Self.group], profile: profile)
        let granted = try AccessGroups.of(admit(signed, team.trusted).entitlements)
        let sections = try ELFFile(ByteSource(signed)).sections()
        let names = [".codesig", ".entitlements"]
        for section in sections where names.contains(String(decoding: section.name, as: UTF8.self))
        {
            for place in section.offset..<section.offset + section.byteCount {
                var changed = signed
                changed[place] ^= 0x20
                let application = try? admit(changed, team.trusted)
                // A damaged profile removes groups; other damage invalidates the signature.
                if let application {
                    #expect(application.profileProblem != nil, "byte \(place)")
                    #expect(AccessGroups.of(application.entitlements).count < granted.count)
                }
            }
        }
        for place in 0..<program.count
        where ![0x28..<0x30, 0x3A..<0x40, 72..<80].contains(
            where: { $0.contains(place) })
        {
            var changed = signed
            changed[place] ^= 0x01
            #expect((try? admit(changed, team.trusted)) == nil, "byte \(place)")
        }
    }

    @Test func aSignatureIsReplacedAndTakenOut() throws {
        let team = try TestTeam()
        let program = try TestTeam.program()
        let options = ProgramSigner.Options(identifier: "com.example.app", signedAt: 0)
        let signed = try team.signer.signed(program, options)
        #expect(throws: SigningProblem.self) { try team.signer.signed(signed, options) }
        let again = try team.signer.signed(signed, options, replacing: true)
        #expect(abs(again.count - signed.count) <= 8)
        #expect(try admit(again, team.trusted).team == team.authority.root.team)
        let bare = try SectionWriter.unsigned(again)
        #expect(try !SectionWriter.isSigned(bare))
        #expect(try inspect(bare).codeDigest == inspect(program).codeDigest)
        #expect(throws: SigningProblem.self) {
            try team.signer.signed(program + Array(repeating: 1, count: 99), options)
        }
    }

    @Test func aDetachedSignatureIsFoundByTheDigest() throws {
        let team = try TestTeam()
        let profile = try team.profile(applications: "ABCDE12345.*", groups: ["*"])
        var options = ProgramSigner.Options(identifier: "com.example.app", signedAt: 0)
        options.entitlements = TestTeam.groupList([Self.group])
        options.profile = profile
        let program = try TestTeam.program()
        let container = try team.signer.sign(program, options, isDetached: true).encoded
        let digest = try inspect(program).codeDigest
        let found = try SignedExecutable(ByteSource(program)) { $0 == digest ? container : nil }
        let application = try team.trusted.admit(
            found.signature.get(), now: TestTeam.now, device: nil)
        #expect(AccessGroups.of(application.entitlements).first == Self.group)
        // For another program it doesn't count.
        let other = try SignedExecutable(ByteSource(TestTeam.smallProgram())) { _ in container }
        #expect(throws: SignatureProblem.codeChanged) { try other.signature.get() }
    }
}
