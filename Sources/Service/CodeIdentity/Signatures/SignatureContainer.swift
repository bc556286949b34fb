// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// The content of a `.codesig` section, or of a detached signature's file (CODE-SIGNING.md,
/// "Containers").
package struct SignatureContainer: Sendable {
    /// Most bytes of a whole container.
    package static let byteLimit = 1024 * 1024
    private static let magic = Array("LLVRSIGN".utf8)

    package let root: SignedDocument
    package let developer: SignedDocument
    package let signature: SignedDocument
    package let profile: SignedDocument?
    /// The entitlements of a detached signature; nil where they have a section of their own.
    package let entitlements: [UInt8]?

    package init(
        root: SignedDocument, developer: SignedDocument, signature: SignedDocument,
        profile: SignedDocument?, entitlements: [UInt8]? = nil
    ) {
        self.root = root
        self.developer = developer
        self.signature = signature
        self.profile = profile
        self.entitlements = entitlements
    }

    /// Reads a container. Nothing in it is checked yet but its shape.
    package init(decoding bytes: [UInt8]) throws(SignatureProblem) {
        guard bytes.count <= Self.byteLimit else { throw .malformed }
        var fields = DocumentFields(bytes)
        guard try fields.bytes(8) == Self.magic, try fields.integer(UInt32.self) == 1 else {
            throw .malformed
        }
        var counts: [Int] = []
        for _ in 0..<5 { counts.append(Int(try fields.integer(UInt32.self))) }
        root = try SignedDocument(decoding: fields.bytes(counts[0]))
        developer = try SignedDocument(decoding: fields.bytes(counts[1]))
        signature = try SignedDocument(decoding: fields.bytes(counts[2]))
        let profile = try fields.bytes(counts[3])
        self.profile = profile.isEmpty ? nil : try SignedDocument(decoding: profile)
        let entitlements = try fields.bytes(counts[4])
        self.entitlements = entitlements.isEmpty ? nil : entitlements
        try fields.finish()
    }

    /// The container's bytes.
    package var encoded: [UInt8] {
        let parts = [
            root.encoded, developer.encoded, signature.encoded, profile?.encoded ?? [],
            entitlements ?? [],
        ]
        var body = DocumentBody()
        body.bytes(Self.magic)
        body.integer(UInt32(1))
        for part in parts { body.integer(UInt32(part.count)) }
        for part in parts { body.bytes(part) }
        return body.bytes
    }
}
