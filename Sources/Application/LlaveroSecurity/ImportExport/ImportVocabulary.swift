// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Numbers of import and export. Source: Apple's `SecImportExport.h`, under the names that Swift
// gives them.

/// The format of objects.
public enum SecExternalFormat: UInt32, Sendable {
    /// Unknown on import, the default on export.
    case formatUnknown = 0
    /// OpenSSL's keys.
    case formatOpenSSL = 1
    /// OpenSSH's public keys.
    case formatSSH = 2
    /// BSAFE's keys.
    case formatBSAFE = 3
    /// The bytes of a symmetric key.
    case formatRawKey = 4
    /// PKCS #8, encrypted.
    case formatWrappedPKCS8 = 5
    /// OpenSSL's, encrypted.
    case formatWrappedOpenSSL = 6
    /// OpenSSH's, encrypted.
    case formatWrappedSSH = 7
    /// LSH, encrypted.
    case formatWrappedLSH = 8
    /// DER.
    case formatX509Cert = 9
    /// PEM, several.
    case formatPEMSequence = 10
    /// PKCS #7.
    case formatPKCS7 = 11
    /// PKCS #12.
    case formatPKCS12 = 12
    /// Netscape's sequence.
    case formatNetscapeCertSequence = 13
    /// OpenSSH's, version 2.
    case formatSSHv2 = 14
}

/// The kind of object.
public enum SecExternalItemType: UInt32, Sendable {
    /// Unknown.
    case itemTypeUnknown = 0
    /// A private key.
    case itemTypePrivateKey = 1
    /// A public key.
    case itemTypePublicKey = 2
    /// A symmetric key.
    case itemTypeSessionKey = 3
    /// A certificate.
    case itemTypeCertificate = 4
    /// Several.
    case itemTypeAggregate = 5
}

/// Options of an export.
public struct SecItemImportExportFlags: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt32

    /// A set from its bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// With PEM's lines around it.
    public static let pemArmour = SecItemImportExportFlags(rawValue: 1 << 0)
}

/// Options for keys.
public struct SecKeyImportExportFlags: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt32

    /// A set from its bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// At most one key.
    public static let importOnlyOne = SecKeyImportExportFlags(rawValue: 1 << 0)
    /// The user is asked for the passphrase.
    public static let securePassphrase = SecKeyImportExportFlags(rawValue: 1 << 1)
    /// No access control.
    public static let noAccessControl = SecKeyImportExportFlags(rawValue: 1 << 2)
}
