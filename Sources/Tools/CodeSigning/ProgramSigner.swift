// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import CodeIdentity
package import Crypto
import FoundationEssentials

/// Why a program can't be signed.
package enum SigningProblem: Error, Sendable, CustomStringConvertible {
    /// It carries a signature already.
    case alreadySigned
    /// It has bytes after the part that its tables describe; they would be lost.
    case trailingData
    /// No section can be added to its section table.
    case unusualSections
    /// A size is over a limit.
    case tooLarge
    /// The entitlements file isn't a property list with entitlements.
    case entitlementsUnreadable
    /// The text can't be an identifier.
    case badIdentifier(String)
    /// The entitlements contain an application group that the profile doesn't list, or there is no
    /// profile for the program.
    case groupNotInProfile(String)
    /// The entitlements contain a group whose name is reserved for an application group.
    case nameOfApplicationGroup(String)

    /// For people.
    package var description: String {
        switch self {
        case .alreadySigned: "is already signed"
        case .trailingData: "has data behind the program, which a signature would cut off"
        case .unusualSections: "has a section table that can't be added to"
        case .tooLarge: "the signature or the entitlements are too large"
        case .entitlementsUnreadable: "the entitlements aren't an XML property list"
        case .badIdentifier(let text): "\(text) can't be an identifier"
        case .groupNotInProfile(let group):
            "the provisioning profile doesn't give this program the application group \(group)"
        case .nameOfApplicationGroup(let group):
            "\(group) is the stored name of an application group; ask for it by its name without "
                + "the team's identifier, in com.apple.security.application-groups"
        }
    }
}

/// Signs programs with a developer's certificate.
package struct ProgramSigner {
    private let key: P256.Signing.PrivateKey
    private let root: SignedDocument
    private let developerDocument: SignedDocument
    private let developer: TeamCertificate

    /// Takes a developer's key and its certificate, as the team's root issued it.
    package init(
        key: P256.Signing.PrivateKey, certificate: SignedDocument, root: SignedDocument
    ) throws {
        self.key = key
        self.root = root
        developerDocument = certificate
        developer = try TeamCertificate(certificate)
    }

    /// The contents of a signature besides the program.
    package struct Options {
        package var identifier: String
        package var entitlements: [UInt8] = []
        package var profile: SignedDocument?
        package var flags: CodeSignature.Flags = []
        /// Seconds since 1970.
        package var signedAt: Int64

        package init(identifier: String, signedAt: Int64) {
            self.identifier = identifier
            self.signedAt = signedAt
        }
    }

    /// The signature of a program, for a section or a file beside it.
    package func sign(
        _ program: [UInt8], _ options: Options, isDetached: Bool = false
    ) throws -> SignatureContainer {
        // An identifier that begins with "group." would be the stored name of an application group.
        guard CodeSignature.isIdentifier(options.identifier),
            !GroupNames.isStored(developer.team.prefix + options.identifier)
        else { throw SigningProblem.badIdentifier(options.identifier) }
        if !options.entitlements.isEmpty {
            guard let asked = Entitlements(propertyList: options.entitlements) else {
                throw SigningProblem.entitlementsUnreadable
            }
            try checkGroups(asked, options)
        }
        let digest = try CodeDigest.of(ELFFile(ByteSource(program)))
        let signature = CodeSignature(
            team: developer.team, signer: developer.key.digest, signedAt: options.signedAt,
            flags: options.flags, codeDigest: digest,
            entitlementsDigest: [UInt8](SHA256.hash(data: options.entitlements)),
            identifier: options.identifier)
        return SignatureContainer(
            root: root, developer: developerDocument,
            signature: try key.document(.codeSignature, signature.body), profile: options.profile,
            entitlements: isDetached && !options.entitlements.isEmpty ? options.entitlements : nil)
    }

    /// Refuses entitlements that no service would grant, since that would show only when the
    /// program runs: an application group that the profile doesn't give the program.
    private func checkGroups(
        _ asked: Entitlements, _ options: Options
    ) throws(SigningProblem) {
        for list in AccessGroups.lists {
            for group in asked.texts(list) ?? [] where GroupNames.isStored(group) {
                throw .nameOfApplicationGroup(group)
            }
        }
        let groups = asked.texts(AccessGroups.applicationGroups) ?? []
        guard let first = groups.first else { return }
        guard let profile = profile(options.profile),
            profile.isFor(applicationIdentifier: developer.team.prefix + options.identifier)
        else { throw .groupNotInProfile(first) }
        for group in groups
        where !profile.allows(group, by: AccessGroups.applicationGroups) {
            throw .groupNotInProfile(group)
        }
    }

    /// A profile of the developer's own team; nil for anything else.
    private func profile(_ document: SignedDocument?) -> ProvisioningProfile? {
        guard let document, let root = try? TeamCertificate(root: root) else { return nil }
        return try? ProvisioningProfile(document, signedBy: root)
    }

    /// The program with its signature in it.
    package func signed(
        _ program: [UInt8], _ options: Options, replacing: Bool = false
    ) throws -> [UInt8] {
        var program = program
        if try SectionWriter.isSigned(program) {
            guard replacing else { throw SigningProblem.alreadySigned }
            program = try SectionWriter.unsigned(program)
        }
        let container = try sign(program, options)
        return try SectionWriter.adding(
            signature: container.encoded, entitlements: options.entitlements, to: program)
    }
}
