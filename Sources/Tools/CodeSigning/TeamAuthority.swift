// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import CodeIdentity
package import Crypto
import FoundationEssentials

/// A team's root, which issues its certificates, profiles and revocation lists.
package struct TeamAuthority {
    private let key: P256.Signing.PrivateKey
    /// The root certificate.
    package let root: TeamCertificate
    /// The root certificate's document.
    package let rootDocument: SignedDocument

    /// Makes a new team.
    /// - Parameters:
    ///   - team: The identifier.
    ///   - name: For people.
    ///   - validity: The start and the end, in seconds since 1970.
    ///   - key: The root's key.
    /// - Throws: when the key can't sign.
    package init(
        team: TeamIdentifier, name: String, validity: ClosedRange<Int64>,
        key: P256.Signing.PrivateKey = P256.Signing.PrivateKey()
    ) throws {
        let signingKey = SigningKey(key.publicKey)
        let root = TeamCertificate(
            usage: .root, team: team, serial: Self.random(TeamCertificate.serialByteCount),
            notBefore: validity.lowerBound, notAfter: validity.upperBound,
            issuer: signingKey.digest, key: signingKey, name: name)
        self.key = key
        self.root = root
        rootDocument = try key.document(.certificate, root.body)
    }

    /// Uses an existing team.
    package init(_ document: SignedDocument, key: P256.Signing.PrivateKey) throws {
        root = try TeamCertificate(root: document)
        guard root.key == SigningKey(key.publicKey) else { throw SignatureProblem.signatureInvalid }
        self.key = key
        rootDocument = document
    }

    /// Issues a developer's certificate.
    package func issue(
        to developer: SigningKey, name: String, validity: ClosedRange<Int64>,
        usage: TeamCertificate.Usage = .codeSigning, team: TeamIdentifier? = nil
    ) throws -> SignedDocument {
        let certificate = TeamCertificate(
            usage: usage, team: team ?? root.team,
            serial: Self.random(TeamCertificate.serialByteCount), notBefore: validity.lowerBound,
            notAfter: validity.upperBound, issuer: root.key.digest, key: developer, name: name)
        return try key.document(.certificate, certificate.body)
    }

    /// Signs a profile.
    /// - Parameters:
    ///   - name: For people.
    ///   - applications: The pattern, with the team's prefix.
    ///   - entitlements: The allowed ones: a property list.
    ///   - devices: Their identifiers; nil is all.
    ///   - createdAt: Seconds since 1970.
    ///   - expiresAt: Seconds since 1970.
    /// - Returns: The profile.
    /// - Throws: ``SignatureProblem/entitlementsUnreadable``; ``SignatureProblem/malformed`` when
    ///   a size is over a limit.
    package func profile(
        name: String, applications: String, entitlements: [UInt8], devices: [[UInt8]]?,
        createdAt: Int64, expiresAt: Int64
    ) throws -> SignedDocument {
        let profile = try ProvisioningProfile(
            team: root.team, signer: root.key.digest, uuid: Self.random(16),
            createdAt: createdAt, expiresAt: expiresAt, devices: devices, name: name,
            applicationPattern: applications, entitlementsXML: entitlements)
        return try key.document(.profile, profile.body)
    }

    /// Signs a revocation list.
    package func revocations(
        _ serials: Set<[UInt8]>, number: UInt64, issuedAt: Int64
    ) throws -> SignedDocument {
        let list = RevocationList(
            team: root.team, signer: root.key.digest, number: number, issuedAt: issuedAt,
            serials: serials)
        return try key.document(.revocations, list.body)
    }

    private static func random(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }
}

extension TeamIdentifier {
    /// A new identifier.
    package static func random() -> TeamIdentifier {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
        while true {
            var generator = SystemRandomNumberGenerator()
            let text = (0..<byteCount).map { _ in
                letters[Int.random(in: 0..<letters.count, using: &generator)]
            }
            if let team = TeamIdentifier(String(text)) { return team }
        }
    }
}

extension P256.Signing.PrivateKey {
    /// Signs a document's body.
    package func document(
        _ kind: SignedDocument.Kind, _ body: [UInt8]
    ) throws -> SignedDocument {
        guard body.count <= SignedDocument.bodyLimit else { throw SigningProblem.tooLarge }
        let signature = try signature(for: SignedDocument.signedBytes(kind, body))
        return SignedDocument(kind, body: body, signature: [UInt8](signature.rawRepresentation))
    }
}
