// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import Testing

@Suite struct RemoteInspectionTests {
    private static let entitlements = Entitlements([
        "keychain-access-groups": .list([.text("ABCDE12345.shared"), .text("")]),
        "application-identifier": .text("ABCDE12345.app"),
        "flag": .flag(true), "other": .other, "off": .flag(false),
        "mixed": .list([.flag(true), .list([.text("x")])]),
    ])

    /// All possible identities.
    private static var identities: [ClientIdentity] {
        get throws {
            let team = try TestTeam()
            let expired = try team.profile(
                applications: "ABCDE12345.*", groups: ["*"], expiresAt: TestTeam.now - 1)
            let signed = try team.sign(
                TestTeam.smallProgram(), groups: ["ABCDE12345.x"], profile: expired)
            let application = try admit(signed, team.trusted)
            let reasons: [IdentityReason] = [
                .notInspectable, .ended, .changed, .traced, .sharedProgram, .anonymousCode,
                .foreignLibrary, .replacedLibrary, .notRootsPath,
            ]
            let problems = SignatureProblem.allCases
            return [
                .unsigned(7, reasons + problems.map { .signature($0) }),
                .unsigned(7, problems.map { .profile($0) }),
                ClientIdentity(userID: 7, path: "/usr/bin/tool", reasons: [.signature(.absent)]),
                ClientIdentity(userID: 7, grade: .signed, application: application),
                ClientIdentity(userID: 7, grade: .signedAndProtected, application: application),
            ]
        }
    }

    private func expectSame(_ left: ClientIdentity, _ right: ClientIdentity) {
        #expect(left.userID == right.userID && left.grade == right.grade)
        #expect(left.accessGroups == right.accessGroups)
        #expect(left.application == right.application)
        #expect(left.reasons.map(\.text) == right.reasons.map(\.text))
        #expect(left.entitlements.names == right.entitlements.names)
        for name in left.entitlements.names {
            #expect(left.entitlements.value(name) == right.entitlements.value(name))
        }
    }

    @Test func everyIdentitySurvivesTheWay() throws {
        for identity in try Self.identities {
            let bytes = IdentityCoding.encode(identity)
            let decoded = try #require(IdentityCoding.decode(bytes, userID: 7))
            expectSame(identity, decoded)
            // It is always an identity of the requested user.
            #expect(IdentityCoding.decode(bytes, userID: 8) == nil)
        }
        let rich = ClientIdentity(userID: 7, grade: .signed, entitlements: Self.entitlements)
        let decoded = try #require(
            IdentityCoding.decode(IdentityCoding.encode(rich), userID: 7))
        #expect(decoded.entitlements.names == Self.entitlements.names)
        #expect(decoded.entitlements.value("mixed") == Self.entitlements.value("mixed"))
    }

    @Test func cutOrChangedBytesAreNobodyOrSomebodyButNoTrap() throws {
        for identity in try Self.identities {
            let bytes = IdentityCoding.encode(identity)
            for count in bytes.indices {
                #expect(IdentityCoding.decode(Array(bytes[..<count]), userID: 7) == nil)
            }
            #expect(IdentityCoding.decode(bytes + [0], userID: 7) == nil)
            for place in bytes.indices {
                for bit in [0x01, 0x80, 0xFF] as [UInt8] {
                    var changed = bytes
                    changed[place] ^= bit
                    _ = IdentityCoding.decode(changed, userID: 7)
                }
            }
        }
    }
}
