// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Numbers of trust settings. Source: Apple's `SecTrustSettings.h`, under the names that Swift gives
// them.

/// The owner of settings.
public enum SecTrustSettingsDomain: UInt32, Sendable {
    /// The user's.
    case user = 0
    /// The machine's.
    case admin = 1
    /// The system's.
    case system = 2
}

/// The result that a setting gives.
public enum SecTrustSettingsResult: UInt32, Sendable {
    /// Nothing.
    case invalid = 0
    /// Trust this root.
    case trustRoot = 1
    /// Trust this certificate as if it were a root.
    case trustAsRoot = 2
    /// Don't trust it.
    case deny = 3
    /// Neither.
    case unspecified = 4
}

/// The uses of a certificate's key to which a setting applies.
public struct SecTrustSettingsKeyUsage: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt32

    /// A set from its bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Signatures.
    public static let useSignature = SecTrustSettingsKeyUsage(rawValue: 0x01)
    /// Data.
    public static let useEnDecryptData = SecTrustSettingsKeyUsage(rawValue: 0x02)
    /// Keys.
    public static let useEnDecryptKey = SecTrustSettingsKeyUsage(rawValue: 0x04)
    /// Certificates.
    public static let useSignCert = SecTrustSettingsKeyUsage(rawValue: 0x08)
    /// Revocation.
    public static let useSignRevocation = SecTrustSettingsKeyUsage(rawValue: 0x10)
    /// Agreement.
    public static let useKeyExchange = SecTrustSettingsKeyUsage(rawValue: 0x20)
    /// All.
    public static let useAny = SecTrustSettingsKeyUsage(rawValue: 0xffff_ffff)
}
