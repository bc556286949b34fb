// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import CodeSigning
import Crypto
import Foundation

/// The parts of any program: its file, and the documents in it.
enum ProgramEntries {
    static func program(_ data: Data) {
        let bytes = [UInt8](data)
        guard let executable = try? SignedExecutable(ByteSource(bytes), detached: { _ in bytes })
        else { return }
        // A valid signature covers the current content.
        if case .success(let verified) = executable.signature {
            precondition(verified.signature.codeDigest == executable.codeDigest)
            precondition(verified.developer.team == verified.root.team)
        }
        _ = try? SectionWriter.unsigned(bytes)
    }

    static func entitlements(_ data: Data) { _ = Entitlements(propertyList: [UInt8](data)) }

    static func documents(_ data: Data) {
        let bytes = [UInt8](data)
        if let teams = try? TrustedTeams(decoding: bytes) {
            guard let again = try? TrustedTeams(decoding: teams.encoded) else {
                preconditionFailure("What was written can't be read.")
            }
            precondition(again.encoded == teams.encoded)
        }
        if let container = try? SignatureContainer(decoding: bytes) {
            precondition(container.encoded == bytes)
        }
        _ = try? SignedDocument(decoding: bytes)
    }

    static func identity(_ data: Data) {
        guard let identity = IdentityCoding.decode([UInt8](data), userID: seedUser) else { return }
        let bytes = IdentityCoding.encode(identity)
        guard let again = IdentityCoding.decode(bytes, userID: seedUser) else {
            preconditionFailure("What was written can't be read.")
        }
        precondition(IdentityCoding.encode(again) == bytes)
        precondition(again.accessGroups == identity.accessGroups)
    }

    // MARK: - Seeds

    private static let seedUser: UInt32 = 7

    static var identities: [Data] {
        let entitlements = propertyLists.compactMap { Entitlements(propertyList: [UInt8]($0)) }
        let signed = entitlements.map {
            ClientIdentity(userID: seedUser, grade: .signed, entitlements: $0)
        }
        let others: [ClientIdentity] = [
            .unsigned(seedUser, [.notInspectable]),
            ClientIdentity(userID: seedUser, path: "/usr/bin/a", reasons: []),
        ]
        return (signed + others).map { Data(IdentityCoding.encode($0)) }
    }

    static var programs: [Data] {
        let made = try? Samples()
        return made.map { [$0.program, $0.signed].map { Data($0) } } ?? []
    }

    static var documentFiles: [Data] {
        let made = try? Samples()
        return made.map { [$0.teams, $0.container].map { Data($0) } } ?? []
    }

    static var propertyLists: [Data] {
        [
            Samples.entitlements,
            "<plist><dict/></plist>",
            "<?xml version=\"1.0\"?><!-- c --><plist version='1.0'><dict><key>a&amp;</key>"
                + "<array><true/><dict><key>&#x41;</key><data>AA==</data></dict></array></dict></plist>",
        ].map { Data($0.utf8) }
    }

    private struct Samples {
        static let entitlements = """
            <plist version="1.0"><dict><key>keychain-access-groups</key><array>\
            <string>ABCDE12345.a</string></array></dict></plist>
            """
        let program: [UInt8]
        let signed: [UInt8]
        let container: [UInt8]
        let teams: [UInt8]

        init() throws {
            guard let team = TeamIdentifier("ABCDE12345") else { throw SignatureProblem.malformed }
            let authority = try TeamAuthority(team: team, name: "T", validity: 0...(.max))
            let key = P256.Signing.PrivateKey()
            let certificate = try authority.issue(
                to: SigningKey(key.publicKey), name: "D", validity: 0...(.max))
            let signer = try ProgramSigner(
                key: key, certificate: certificate, root: authority.rootDocument)
            var options = ProgramSigner.Options(identifier: "a.b", signedAt: 1)
            options.entitlements = Array(Self.entitlements.utf8)
            options.profile = try authority.profile(
                name: "P", applications: "ABCDE12345.*", entitlements: options.entitlements,
                devices: [[UInt8](repeating: 1, count: 32)], createdAt: 0, expiresAt: .max)
            program = Self.smallest
            signed = try signer.signed(program, options)
            container = try signer.sign(program, options, isDetached: true).encoded
            let list = try authority.revocations(
                [[UInt8](repeating: 2, count: 16)], number: 1, issuedAt: 0)
            teams = authority.rootDocument.encoded + list.encoded
        }

        /// An ELF header, one segment and its 8 bytes.
        private static var smallest: [UInt8] {
            var bytes = [UInt8](repeating: 0, count: 64 + 56 + 8)
            let set: [(Int, UInt8)] = [
                (0, 0x7F), (1, 0x45), (2, 0x4C), (3, 0x46), (4, 2), (5, 1), (6, 1), (16, 2),
                (18, 62), (20, 1), (32, 64), (52, 64), (54, 56), (56, 1), (64, 1), (68, 5),
                (96, 128), (104, 128),
            ]
            for (place, byte) in set { bytes[place] = byte }
            return bytes
        }
    }
}
