// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Numbers of trust. Source: Apple's `SecTrust.h`, under the names that Swift gives them.

/// The result of an evaluation of trust.
public enum SecTrustResultType: UInt32, Sendable {
    /// There was none, or it isn't complete.
    case invalid = 0
    /// Trusted, by the user's decision.
    case proceed = 1
    /// The user must be asked.
    case confirm = 2
    /// Not trusted, by the user's decision.
    case deny = 3
    /// Trusted.
    case unspecified = 4
    /// Not trusted, but may be with other parameters.
    case recoverableTrustFailure = 5
    /// Not trusted.
    case fatalTrustFailure = 6
    /// It failed.
    case otherError = 7
}

/// The faults that an evaluation of trust accepts.
public struct SecTrustOptionFlags: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt32

    /// A set from its bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Expired certificates.
    public static let allowExpired = SecTrustOptionFlags(rawValue: 0x01)
    /// A leaf that is an authority.
    public static let leafIsCA = SecTrustOptionFlags(rawValue: 0x02)
    /// Issuers from the network.
    public static let fetchIssuerFromNet = SecTrustOptionFlags(rawValue: 0x04)
    /// An expired root.
    public static let allowExpiredRoot = SecTrustOptionFlags(rawValue: 0x08)
    /// An answer on revocation for each certificate.
    public static let requireRevPerCert = SecTrustOptionFlags(rawValue: 0x10)
    /// The user's settings.
    public static let useTrustSettings = SecTrustOptionFlags(rawValue: 0x20)
    /// Self-signed certificates as anchors.
    public static let implicitAnchors = SecTrustOptionFlags(rawValue: 0x40)
}
