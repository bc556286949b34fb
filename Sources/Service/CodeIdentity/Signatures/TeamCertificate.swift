// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// A certificate of a team: its root, or one of its developers' (CODE-SIGNING.md, "Certificates").
package struct TeamCertificate: Sendable {
    /// What a certificate's key may sign. Exactly one.
    package enum Usage: UInt8, Sendable {
        /// Certificates, profiles and revocation lists of its team; signed by itself.
        case root = 1
        /// Programs.
        case codeSigning = 2
    }

    /// Bytes of a serial number.
    package static let serialByteCount = 16

    /// What it is for.
    package let usage: Usage
    /// Whose it is: the subject.
    package let team: TeamIdentifier
    /// 16 random bytes.
    package let serial: [UInt8]
    /// From when it counts, in seconds since 1970.
    package let notBefore: Int64
    /// Until when it counts, this second included.
    package let notAfter: Int64
    /// The digest of the key that signs it.
    package let issuer: [UInt8]
    /// The certified key.
    package let key: SigningKey
    /// A name for people; nothing is decided by it.
    package let name: String

    /// Puts a certificate together, to be signed.
    package init(
        usage: Usage, team: TeamIdentifier, serial: [UInt8], notBefore: Int64, notAfter: Int64,
        issuer: [UInt8], key: SigningKey, name: String
    ) {
        precondition(serial.count == Self.serialByteCount && name.utf8.count <= 255)
        self.usage = usage
        self.team = team
        self.serial = serial
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.issuer = issuer
        self.key = key
        self.name = name
    }

    /// Reads a certificate. Its signature is the caller's to check.
    package init(_ document: SignedDocument) throws(SignatureProblem) {
        guard document.kind == .certificate else { throw .malformed }
        var fields = DocumentFields(document.body)
        guard let usage = Usage(rawValue: try fields.integer(UInt8.self)) else {
            throw .wrongUsage
        }
        self.usage = usage
        team = try fields.team()
        serial = try fields.bytes(Self.serialByteCount)
        notBefore = try fields.integer(Int64.self)
        notAfter = try fields.integer(Int64.self)
        issuer = try fields.bytes(32)
        guard let key = SigningKey(try fields.bytes(SigningKey.byteCount)) else {
            throw .malformed
        }
        self.key = key
        name = try fields.shortText()
        try fields.finish()
    }

    /// Reads a root certificate and checks that it signed itself.
    package init(root document: SignedDocument) throws(SignatureProblem) {
        self = try TeamCertificate(document)
        guard usage == .root else { throw .wrongUsage }
        guard issuer == key.digest else { throw .signatureInvalid }
        try document.verify(key)
    }

    /// Reads a developer's certificate and checks that a root issued it.
    package init(
        _ document: SignedDocument, issuedBy root: TeamCertificate
    ) throws(SignatureProblem) {
        self = try TeamCertificate(document)
        guard usage == .codeSigning, root.usage == .root else { throw .wrongUsage }
        guard team == root.team else { throw .wrongTeam }
        guard issuer == root.key.digest else { throw .signatureInvalid }
        try document.verify(root.key)
    }

    /// The fields, as they are signed.
    package var body: [UInt8] {
        var body = DocumentBody()
        body.integer(usage.rawValue)
        body.bytes(team.text.utf8)
        body.bytes(serial)
        body.integer(notBefore)
        body.integer(notAfter)
        body.bytes(issuer)
        body.bytes(key.bytes)
        body.shortText(name)
        return body.bytes
    }

    /// Whether it counts at a moment.
    package func isValid(at moment: Int64) -> Bool { notBefore <= moment && moment <= notAfter }
}
