// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto

/// A program's signature whose chain holds, from its own root down to the program's bytes. Whether
/// that root is anybody's whom this device trusts, and whether it counts now, is for
/// ``TrustedTeams`` to say.
package struct VerifiedSignature: Sendable {
    package let root: TeamCertificate
    package let developer: TeamCertificate
    package let signature: CodeSignature
    package let profile: ProvisioningProfile?
    /// Why the profile that is there doesn't count.
    package let profileProblem: SignatureProblem?
    /// What the program asks for.
    package let requested: Entitlements

    /// Checks everything that doesn't depend on this device or the time.
    /// - Parameters:
    ///   - container: The signature.
    ///   - codeDigest: What the program's bytes come to.
    ///   - entitlements: The `.entitlements` section; nil when they are in the container.
    /// - Throws: what doesn't hold.
    package init(
        _ container: SignatureContainer, codeDigest: [UInt8], entitlements: [UInt8]?
    ) throws(SignatureProblem) {
        root = try TeamCertificate(root: container.root)
        developer = try TeamCertificate(container.developer, issuedBy: root)
        signature = try CodeSignature(container.signature)
        guard signature.team == developer.team else { throw .wrongTeam }
        guard signature.signer == developer.key.digest else { throw .signatureInvalid }
        try container.signature.verify(developer.key)
        guard signature.codeDigest == codeDigest else { throw .codeChanged }
        let xml = entitlements ?? container.entitlements ?? []
        guard [UInt8](SHA256.hash(data: xml)) == signature.entitlementsDigest else {
            throw .entitlementsChanged
        }
        if xml.isEmpty {
            requested = Entitlements()
        } else {
            guard let read = Entitlements(propertyList: xml) else { throw .entitlementsUnreadable }
            requested = read
        }
        guard let document = container.profile else {
            profile = nil
            profileProblem = nil
            return
        }
        do throws(SignatureProblem) {
            profile = try ProvisioningProfile(document, signedBy: root)
            profileProblem = nil
        } catch {
            profile = nil
            profileProblem = error
        }
    }

    /// The application's identifier with its team's prefix.
    package var applicationIdentifier: String { signature.team.prefix + signature.identifier }
}
