// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// What a developer signs of a program (CODE-SIGNING.md, "Code signatures").
package struct CodeSignature: Sendable {
    /// What a signature asks for beside itself. An unknown bit makes it invalid.
    package struct Flags: OptionSet, Sendable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }

        /// Libraries of root's count only if they lie where programs of the system lie.
        package static let libraryValidation = Flags(rawValue: 1)
        /// All that there are.
        package static let all: Flags = [.libraryValidation]
    }

    /// Most bytes of an identifier.
    package static let identifierByteCount = 155

    package let team: TeamIdentifier
    /// The digest of the signer's key.
    package let signer: [UInt8]
    /// When it was signed, by the signer's own clock: nothing is decided by it.
    package let signedAt: Int64
    package let flags: Flags
    /// ``CodeDigest`` of the program.
    package let codeDigest: [UInt8]
    /// SHA-256 of the entitlements; of nothing when there are none.
    package let entitlementsDigest: [UInt8]
    /// What the application is called, without the team's prefix.
    package let identifier: String

    package init(
        team: TeamIdentifier, signer: [UInt8], signedAt: Int64, flags: Flags,
        codeDigest: [UInt8], entitlementsDigest: [UInt8], identifier: String
    ) {
        precondition(signer.count == 32 && codeDigest.count == 32)
        precondition(entitlementsDigest.count == 32 && Self.isIdentifier(identifier))
        self.team = team
        self.signer = signer
        self.signedAt = signedAt
        self.flags = flags
        self.codeDigest = codeDigest
        self.entitlementsDigest = entitlementsDigest
        self.identifier = identifier
    }

    /// Reads a signature. The document's own signature is the caller's to check.
    package init(_ document: SignedDocument) throws(SignatureProblem) {
        guard document.kind == .codeSignature else { throw .malformed }
        var fields = DocumentFields(document.body)
        team = try fields.team()
        signer = try fields.bytes(32)
        signedAt = try fields.integer(Int64.self)
        flags = Flags(rawValue: try fields.integer(UInt32.self))
        guard flags.isSubset(of: .all) else { throw .malformed }
        codeDigest = try fields.bytes(32)
        entitlementsDigest = try fields.bytes(32)
        identifier = try fields.shortText()
        guard Self.isIdentifier(identifier) else { throw .malformed }
        try fields.finish()
    }

    /// The fields, as they are signed.
    package var body: [UInt8] {
        var body = DocumentBody()
        body.bytes(team.text.utf8)
        body.bytes(signer)
        body.integer(signedAt)
        body.integer(flags.rawValue)
        body.bytes(codeDigest)
        body.bytes(entitlementsDigest)
        body.shortText(identifier)
        return body.bytes
    }

    /// Whether a text can be an application's identifier: letters, digits, `.`, `-` and `_`.
    package static func isIdentifier(_ text: String) -> Bool {
        (1...identifierByteCount).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
                    UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
