// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// What a certificate request (RFC 2986 §4) or a self-signed certificate (RFC 5280 §4.1) says,
/// before it is signed.
package struct CertificateDraft {
    /// The subject's `Name`.
    private let subject: [UInt8]
    /// The subject's public key, as a `SubjectPublicKeyInfo`.
    private let publicKey: [UInt8]
    /// Each is an `Extension`.
    private let extensions: [[UInt8]]
    /// For a request: a password by which its sender is known to the authority.
    package var challengePassword: String?

    /// What is said of a subject and its key.
    package init(subject: [UInt8], publicKey: [UInt8], extensions: [[UInt8]]) {
        self.subject = subject
        self.publicKey = publicKey
        self.extensions = extensions
    }

    /// The part of a request that is signed.
    package var requestInfo: [UInt8] {
        var attributes: [UInt8] = []
        if let challengePassword {
            attributes += attribute(
                "1.2.840.113549.1.9.7", DERText.encode(challengePassword))
        }
        if !extensions.isEmpty {
            attributes += attribute(
                "1.2.840.113549.1.9.14", DERText.element(0x30, extensions.joined()))
        }
        return DERText.element(
            0x30,
            [0x02, 0x01, 0x00] + subject + publicKey + DERText.element(0xa0, attributes))
    }

    private func attribute(_ name: String, _ value: [UInt8]) -> [UInt8] {
        DERText.element(
            0x30, (DERText.identifier(name) ?? []) + DERText.element(0x31, value))
    }

    /// The part of a certificate that is signed.
    /// - Parameters:
    ///   - serialNumber: The content of an INTEGER.
    ///   - algorithm: The signature's `AlgorithmIdentifier`.
    ///   - notBefore: When it becomes valid, as a `Time`.
    ///   - notAfter: The last second at which it is valid, as a `Time`.
    /// - Returns: A `TBSCertificate` of version 3, whose issuer is its subject.
    package func certificateInfo(
        serialNumber: [UInt8], algorithm: [UInt8], notBefore: [UInt8], notAfter: [UInt8]
    ) -> [UInt8] {
        var content: [UInt8] = [0xa0, 0x03, 0x02, 0x01, 0x02]
        content += DERText.element(0x02, serialNumber) + algorithm + subject
        content += DERText.element(0x30, notBefore + notAfter) + subject + publicKey
        if !extensions.isEmpty {
            content += DERText.element(0xa3, DERText.element(0x30, extensions.joined()))
        }
        return DERText.element(0x30, content)
    }

    /// A signed part with its signature.
    package static func signed(_ info: [UInt8], _ algorithm: [UInt8], _ signature: [UInt8])
        -> [UInt8]
    {
        DERText.element(0x30, info + algorithm + DERText.element(0x03, [0] + signature))
    }

    /// An extension.
    package static func makeExtension(
        _ identifier: [UInt8], isCritical: Bool, _ value: [UInt8]
    ) -> [UInt8] {
        DERText.element(
            0x30,
            identifier + (isCritical ? [0x01, 0x01, 0xff] : []) + DERText.element(0x04, value))
    }
}
