// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import CodeSigning
import Crypto
import Foundation

/// A team with one developer, and programs that it signs.
struct TestTeam {
    static let now: Int64 = 1_800_000_000
    static let validity = (now - 1000)...(now + 1_000_000)

    let authority: TeamAuthority
    let developerKey = P256.Signing.PrivateKey()
    let developer: SignedDocument

    init(
        _ team: String = "ABCDE12345", validity: ClosedRange<Int64> = Self.validity
    ) throws {
        guard let identifier = TeamIdentifier(team) else { throw CocoaError(.coderInvalidValue) }
        authority = try TeamAuthority(team: identifier, name: "Team", validity: Self.validity)
        developer = try authority.issue(
            to: SigningKey(developerKey.publicKey), name: "Developer", validity: validity)
    }

    var signer: ProgramSigner {
        get throws {
            try ProgramSigner(
                key: developerKey, certificate: developer, root: authority.rootDocument)
        }
    }

    var trusted: TrustedTeams {
        get throws {
            var teams = TrustedTeams()
            try teams.add(authority.rootDocument)
            return teams
        }
    }

    func profile(
        applications: String, groups: [String] = [], devices: [[UInt8]]? = nil,
        expiresAt: Int64 = now + 100
    ) throws -> SignedDocument {
        try authority.profile(
            name: "Profile", applications: applications,
            entitlements: Self.groupList(groups), devices: devices, createdAt: Self.now,
            expiresAt: expiresAt)
    }

    /// An entitlements file with access groups.
    static func groupList(_ groups: [String]) -> [UInt8] {
        let list = groups.map { "<string>\($0)</string>" }.joined()
        return Array(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict><key>keychain-access-groups</key><array>\(list)</array></dict></plist>
            """.utf8)
    }

    /// A program that every machine has.
    static func program(_ path: String = "/bin/true") throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    /// The smallest program with a section table, for tests in which its content doesn't matter.
    static func smallProgram() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 64 + 56 + 8)
        bytes.replaceSubrange(0..<7, with: [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1])
        bytes[16] = 2
        bytes[18] = 62
        bytes[20] = 1
        bytes[32] = 64
        bytes[52] = 64
        bytes[54] = 56
        bytes[56] = 1
        bytes[64] = 1
        bytes[68] = 5
        bytes[64 + 32] = 128
        bytes[64 + 40] = 128
        return bytes
    }

    func sign(
        _ program: [UInt8], identifier: String = "com.example.app", groups: [String] = [],
        profile: SignedDocument? = nil
    ) throws -> [UInt8] {
        var options = ProgramSigner.Options(identifier: identifier, signedAt: Self.now)
        if !groups.isEmpty { options.entitlements = Self.groupList(groups) }
        options.profile = profile
        return try signer.signed(program, options, replacing: true)
    }
}

/// The signature information of a program's file.
func inspect(_ program: [UInt8]) throws -> SignedExecutable {
    try SignedExecutable(ByteSource(program))
}

/// The identity of a program on a device that trusts some teams.
func admit(
    _ program: [UInt8], _ teams: TrustedTeams, now: Int64 = TestTeam.now, device: [UInt8]? = nil
) throws -> SignedApplication {
    try teams.admit(inspect(program).signature.get(), now: now, device: device)
}
