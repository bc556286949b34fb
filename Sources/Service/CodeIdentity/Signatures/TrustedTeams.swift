// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// The teams whose signatures count on a device: one root for each identifier, with what it has
/// revoked.
package struct TrustedTeams: Sendable {
    /// A team.
    package struct Team: Sendable {
        package let root: TeamCertificate
        package let rootDocument: SignedDocument
        package private(set) var revocations: RevocationList?
        package private(set) var revocationDocument: SignedDocument?

        init(_ root: TeamCertificate, _ document: SignedDocument) {
            self.root = root
            rootDocument = document
        }

        mutating func set(_ list: RevocationList, _ document: SignedDocument) {
            revocations = list
            revocationDocument = document
        }
    }

    /// Most bytes of the file.
    package static let byteLimit = 4 * 1024 * 1024
    /// By team identifier.
    package private(set) var teams: [TeamIdentifier: Team] = [:]

    /// No teams.
    package init() {}

    /// Reads the file: root certificates and revocation lists, each list behind its root.
    /// - Throws: when anything in it is damaged; then no team is to be trusted.
    package init(decoding bytes: [UInt8]) throws(SignatureProblem) {
        guard bytes.count <= Self.byteLimit else { throw .malformed }
        var fields = DocumentFields(bytes)
        while !fields.isAtEnd { try add(SignedDocument.next(&fields)) }
    }

    /// The file's bytes.
    package var encoded: [UInt8] {
        teams.sorted { $0.key.text < $1.key.text }.flatMap { _, team in
            team.rootDocument.encoded + (team.revocationDocument?.encoded ?? [])
        }
    }

    /// Adds a root certificate, or a revocation list of a team that is there.
    /// - Throws: ``SignatureProblem/rootNotTrusted`` when the identifier is another root's;
    ///   ``SignatureProblem/revoked`` for a list older than the one that is there.
    package mutating func add(_ document: SignedDocument) throws(SignatureProblem) {
        switch document.kind {
        case .certificate:
            let root = try TeamCertificate(root: document)
            if let known = teams[root.team] {
                guard known.root.key == root.key else { throw .rootNotTrusted }
                return
            }
            teams[root.team] = Team(root, document)
        case .revocations:
            var fields = DocumentFields(document.body)
            let identifier = try fields.team()
            guard var team = teams[identifier] else { throw .teamNotTrusted }
            let list = try RevocationList(document, signedBy: team.root)
            guard list.number >= team.revocations?.number ?? 0 else { throw .revoked }
            team.set(list, document)
            teams[identifier] = team
        case .codeSignature, .profile: throw .malformed
        }
    }

    /// Takes a team's trust away.
    /// - Returns: Whether it had been trusted.
    package mutating func remove(_ team: TeamIdentifier) -> Bool {
        teams.removeValue(forKey: team) != nil
    }

    /// Decides whether a signature counts on this device now.
    /// - Parameters:
    ///   - verified: The signature.
    ///   - now: Seconds since 1970.
    ///   - device: This device's identifier; nil when it has none.
    /// - Returns: The application.
    /// - Throws: why it doesn't count.
    package func admit(
        _ verified: VerifiedSignature, now: Int64, device: [UInt8]?
    ) throws(SignatureProblem) -> SignedApplication {
        guard let team = teams[verified.signature.team] else { throw .teamNotTrusted }
        guard team.root.key == verified.root.key else { throw .rootNotTrusted }
        guard team.root.isValid(at: now), verified.developer.isValid(at: now) else {
            throw .outsideValidity
        }
        guard team.revocations?.serials.contains(verified.developer.serial) != true else {
            throw .revoked
        }
        return SignedApplication(verified, now: now, device: device)
    }
}
