// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import TrustWire

/// Contents of object identifiers.
enum OID {
    // Extensions (RFC 5280 §4.2).
    static let subjectKeyIdentifier: [UInt8] = [0x55, 0x1D, 0x0E]
    static let keyUsage: [UInt8] = [0x55, 0x1D, 0x0F]
    static let subjectAlternativeName: [UInt8] = [0x55, 0x1D, 0x11]
    static let basicConstraints: [UInt8] = [0x55, 0x1D, 0x13]
    static let nameConstraints: [UInt8] = [0x55, 0x1D, 0x1E]
    static let certificatePolicies: [UInt8] = [0x55, 0x1D, 0x20]
    static let authorityKeyIdentifier: [UInt8] = [0x55, 0x1D, 0x23]
    static let policyConstraints: [UInt8] = [0x55, 0x1D, 0x24]
    static let extendedKeyUsage: [UInt8] = [0x55, 0x1D, 0x25]
    /// 1.3.6.1.5.5.7.1.1.
    static let authorityInformation: [UInt8] = [0x2B, 6, 1, 5, 5, 7, 1, 1]

    // Extended key usages.
    static let anyUsage: [UInt8] = [0x55, 0x1D, 0x25, 0]
    static let serverAuthentication: [UInt8] = [0x2B, 6, 1, 5, 5, 7, 3, 1]
    static let clientAuthentication: [UInt8] = [0x2B, 6, 1, 5, 5, 7, 3, 2]
    static let codeSigning: [UInt8] = [0x2B, 6, 1, 5, 5, 7, 3, 3]
    static let mailProtection: [UInt8] = [0x2B, 6, 1, 5, 5, 7, 3, 4]
    static let timeStamping: [UInt8] = [0x2B, 6, 1, 5, 5, 7, 3, 8]
    /// Server-gated cryptography of Netscape, 2.16.840.1.113730.4.1, and of Microsoft,
    /// 1.3.6.1.4.1.311.10.3.3.
    static let serverGated: Set<[UInt8]> = [
        [0x60, 0x86, 0x48, 1, 0x86, 0xF8, 0x42, 4, 1], [0x2B, 6, 1, 4, 1, 0x82, 0x37, 10, 3, 3],
    ]

    // Keys.
    private static let rsaPrefix: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1]
    static let rsa = rsaPrefix + [1]
    static let rsaPSS = rsaPrefix + [10]
    static let curveKey: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1]
    static let ed25519: [UInt8] = [0x2B, 0x65, 0x70]
    static let ed448: [UInt8] = [0x2B, 0x65, 0x71]
    /// Named curves, and their sizes in bits.
    static let curves: [[UInt8]: Int] = [
        [0x2A, 0x86, 0x48, 0xCE, 0x3D, 3, 1, 1]: 192, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 3, 1, 7]: 256,
        [0x2B, 0x81, 4, 0, 33]: 224, [0x2B, 0x81, 4, 0, 34]: 384, [0x2B, 0x81, 4, 0, 35]: 521,
        [0x2B, 0x81, 4, 0, 10]: 256, [0x2B, 0x24, 3, 3, 2, 8, 1, 1, 7]: 256,
        [0x2B, 0x24, 3, 3, 2, 8, 1, 1, 11]: 384, [0x2B, 0x24, 3, 3, 2, 8, 1, 1, 13]: 512,
    ]

    // Signatures.
    private static let curvePrefix: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 4]
    private static let sha1Signatures: Set<[UInt8]> = [
        rsaPrefix + [5], curvePrefix + [1], [0x2A, 0x86, 0x48, 0xCE, 0x38, 4, 3],
        [0x2B, 14, 3, 2, 29],
    ]
    private static let strongSignatures: Set<[UInt8]> = [
        rsaPrefix + [11], rsaPrefix + [12], rsaPrefix + [13], rsaPrefix + [14],
        curvePrefix + [3, 1], curvePrefix + [3, 2], curvePrefix + [3, 3], curvePrefix + [3, 4],
        [0x60, 0x86, 0x48, 1, 0x65, 3, 4, 3, 1], [0x60, 0x86, 0x48, 1, 0x65, 3, 4, 3, 2], ed25519,
        ed448,
    ]

    /// How strong the digest of a signature is.
    enum Strength { case weak, sha1, strong }

    /// The strength of an AlgorithmIdentifier of a signature; unknown ones count as weak.
    static func strength(_ algorithm: [DERElement]) -> Strength {
        guard let name = algorithm.first?.content(DERTag.objectIdentifier) else { return .weak }
        let oid = Array(name)
        if strongSignatures.contains(oid) { return .strong }
        if sha1Signatures.contains(oid) { return .sha1 }
        guard oid == rsaPSS else { return .weak }
        // The digest of PSS is the first parameter; without one it is SHA-1 (RFC 4055 §3.1).
        guard let parameters = algorithm.dropFirst().first?.elements(DERTag.sequence),
            let digest = parameters.first?.elements(DERTag.contextElements(0))?.first?
                .elements(DERTag.sequence)?.first?.content(DERTag.objectIdentifier)
        else { return .sha1 }
        // SHA-224, 256, 384 and 512: 2.16.840.1.101.3.4.2.N.
        let isStrong = digest.starts(with: [0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2])
        return isStrong ? .strong : .weak
    }
}
