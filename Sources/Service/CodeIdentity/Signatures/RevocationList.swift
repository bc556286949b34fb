// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// The certificates that a team takes back (CODE-SIGNING.md, "Revocation lists").
package struct RevocationList: Sendable {
    /// Most certificates of one list.
    package static let limit = 4096

    package let team: TeamIdentifier
    /// The digest of the team's root key.
    package let signer: [UInt8]
    /// Larger with each list; a device doesn't go back to a smaller one.
    package let number: UInt64
    package let issuedAt: Int64
    /// Serial numbers.
    package let serials: Set<[UInt8]>

    package init(
        team: TeamIdentifier, signer: [UInt8], number: UInt64, issuedAt: Int64,
        serials: Set<[UInt8]>
    ) {
        precondition(serials.count <= Self.limit)
        self.team = team
        self.signer = signer
        self.number = number
        self.issuedAt = issuedAt
        self.serials = serials
    }

    /// Reads a list and checks that a root signed it.
    package init(
        _ document: SignedDocument, signedBy root: TeamCertificate
    ) throws(SignatureProblem) {
        guard document.kind == .revocations else { throw .malformed }
        var fields = DocumentFields(document.body)
        team = try fields.team()
        guard team == root.team else { throw .wrongTeam }
        signer = try fields.bytes(32)
        guard root.usage == .root else { throw .wrongUsage }
        guard signer == root.key.digest else { throw .signatureInvalid }
        try document.verify(root.key)
        number = try fields.integer(UInt64.self)
        issuedAt = try fields.integer(Int64.self)
        let count = Int(try fields.integer(UInt16.self))
        guard count <= Self.limit else { throw .malformed }
        var serials: Set<[UInt8]> = []
        for _ in 0..<count {
            serials.insert(try fields.bytes(TeamCertificate.serialByteCount))
        }
        self.serials = serials
        try fields.finish()
    }

    /// The fields, as they are signed.
    package var body: [UInt8] {
        var body = DocumentBody()
        body.bytes(team.text.utf8)
        body.bytes(signer)
        body.integer(number)
        body.integer(issuedAt)
        body.integer(UInt16(serials.count))
        for serial in serials.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            body.bytes(serial)
        }
        return body.bytes
    }
}
