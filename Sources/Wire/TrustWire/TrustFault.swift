// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// A check of a certificate that failed. Its number is part of the wire.
///
/// Source of the checks, their codes and texts: Apple's published `SecPolicy` and `SecTrust` sources.
package enum TrustFault: UInt8, CaseIterable, Sendable {
    /// The certificate doesn't name the host.
    case hostName = 1
    /// The certificate doesn't name the mail address.
    case mailAddress = 2
    /// Expired, or not valid yet.
    case validity = 3
    /// A key that is weak whatever it is used for.
    case weakKey = 4
    /// A signature that is weak whatever it is used for.
    case weakSignature = 5
    /// The key usage doesn't allow this use.
    case keyUsage = 6
    /// The extended key usage doesn't allow this use.
    case extendedKeyUsage = 7
    /// The key is smaller than the policy allows.
    case keySize = 8
    /// The signature uses a digest that the policy doesn't allow.
    case signatureDigest = 9
    /// An authority without basic constraints.
    case noBasicConstraints = 10
    /// An issuer whose basic constraints say that it is none.
    case notAnAuthority = 11
    /// More authorities follow than an authority allows.
    case pathLength = 12
    /// The chain ends with a self-signed certificate that isn't trusted.
    case notTrusted = 13
    /// No issuer was found.
    case noIssuer = 14
    /// Neither a subject nor another name.
    case emptySubject = 15
    /// The key identifiers of issuer and certificate don't fit.
    case keyIdentifiers = 16
    /// A critical extension that isn't known.
    case criticalExtension = 17
    /// An extension that can't be parsed.
    case extensionUnreadable = 18
    /// An extension that occurs twice.
    case extensionTwice = 19
    /// A name that an authority doesn't permit.
    case nameConstraints = 20
    /// The policies of the chain don't fit together.
    case policyConstraints = 21
    /// The validity period is longer than the policy allows.
    case validityPeriod = 22
    /// Revoked.
    case revoked = 23
    /// A positive answer on revocation is required, and there is none.
    case revocationUnknown = 24
    /// A trust setting says so.
    case denied = 25
}

extension TrustFault {
    /// What a person is told first: of several faults, the one whose kind comes first is the worst.
    package enum Kind: Int, Comparable, Sendable {
        case revoked
        case keySize
        case weakDigest
        case denied
        case compliance
        case pinning
        case trust
        case usage
        case name
        case expired

        package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    private typealias Facts = (status: Int32, kind: Kind, key: String, detail: String)

    private var facts: Facts {
        switch self {
        case .hostName:
            (-67602, .name, "SSLHostname", "SSL hostname does not match name(s) in certificate")
        case .mailAddress:
            (-67623, .name, "Email", "Email address does not match name(s) in certificate")
        case .validity:
            (-67818, .expired, "TemporalValidity", "Certificate is not temporally valid")
        case .weakKey:
            (-67735, .keySize, "WeakKeySize", "Key size is not permitted for any use")
        case .weakSignature:
            (-67815, .weakDigest, "WeakSignature", "Signature algorithm is not permitted")
        case .keyUsage:
            (-67608, .usage, "KeyUsage", "Key usage does not match certificate usage")
        case .extendedKeyUsage:
            (
                -67609, .usage, "ExtendedKeyUsage",
                "Extended key usage does not match certificate usage"
            )
        case .keySize:
            (-67735, .keySize, "KeySize", "Key size is not permitted for this use")
        case .signatureDigest:
            (
                -67815, .weakDigest, "SignatureHashAlgorithms",
                "Signature hash algorithm is not permitted for this use"
            )
        case .noBasicConstraints:
            (
                -67604, .compliance, "BasicConstraints",
                "Basic constraints are required but missing"
            )
        case .notAnAuthority:
            (-67605, .compliance, "BasicConstraintsCA", "Issuer is not a certificate authority")
        case .pathLength:
            (
                -67611, .compliance, "BasicConstraintsPathLen",
                "Path length constraint of a certificate authority exceeded"
            )
        case .notTrusted: (-67843, .trust, "AnchorTrusted", "Root is not trusted")
        case .noIssuer:
            (
                -25318, .trust, "MissingIntermediate",
                "Unable to build chain to root (possible missing intermediate)"
            )
        case .emptySubject: (-67655, .compliance, "NonEmptySubject", "Subject is empty")
        case .keyIdentifiers:
            (-67610, .compliance, "IdLinkage", "Key identifiers of the chain do not match")
        case .criticalExtension:
            (-67603, .compliance, "CriticalExtensions", "Unknown critical extension")
        case .extensionUnreadable:
            (-67618, .compliance, "UnparseableExtension", "Extension cannot be parsed")
        case .extensionTwice:
            (-67903, .compliance, "DuplicateExtension", "Extension occurs more than once")
        case .nameConstraints:
            (-67689, .compliance, "NameConstraints", "Name constraints violated")
        case .policyConstraints:
            (-67835, .compliance, "PolicyConstraints", "Policy constraints violated")
        case .validityPeriod:
            (
                -67901, .compliance, "ValidityPeriodMaximums",
                "Certificate exceeds maximum temporal validity period"
            )
        case .revoked: (-67820, .revoked, "Revocation", "Certificate is revoked")
        case .revocationUnknown:
            (
                -67635, .pinning, "RevocationResponseRequired",
                "Revocation response is required but missing"
            )
        case .denied:
            (-67654, .denied, "TrustSettingDeny", "Trust settings deny this certificate")
        }
    }

    /// The `OSStatus` of the failed check.
    package var status: Int32 { facts.status }
    /// Its kind.
    package var kind: Kind { facts.kind }
    /// Its key in a result's details and in exceptions.
    package var key: String { facts.key }
    /// What failed, for an error that lists everything.
    package var detail: String { facts.detail }

    /// Whether neither exceptions nor trust settings override it.
    package var isFatal: Bool {
        switch self {
        case .weakKey, .weakSignature, .revoked: true
        case .hostName, .mailAddress, .validity, .keyUsage, .extendedKeyUsage, .keySize,
            .signatureDigest, .noBasicConstraints, .notAnAuthority, .pathLength, .notTrusted,
            .noIssuer, .emptySubject, .keyIdentifiers, .criticalExtension, .extensionUnreadable,
            .extensionTwice, .nameConstraints, .policyConstraints, .validityPeriod,
            .revocationUnknown, .denied:
            false
        }
    }

    /// The sentence for a person about a certificate.
    /// - Parameter summary: The certificate's subject summary.
    /// - Returns: Apple's sentence, in English.
    package func sentence(about summary: String) -> String {
        let name = "\u{201C}\(summary)\u{201D}"
        return switch kind {
        case .revoked: "\(name) certificate is revoked"
        case .keySize: "\(name) certificate is using a broken key size"
        case .weakDigest: "\(name) certificate is using a broken signature algorithm"
        case .denied: "User or administrator set \(name) certificate as distrusted"
        case .compliance: "\(name) certificate is not standards compliant"
        case .pinning: "\(summary) certificates do not meet pinning requirements"
        case .trust: "\(name) certificate is not trusted"
        case .usage: "\(name) certificate is not permitted for this usage"
        case .name: "\(name) certificate name does not match input"
        case .expired: "\(name) certificate is expired"
        }
    }
}
