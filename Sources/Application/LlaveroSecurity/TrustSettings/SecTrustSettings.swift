// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

// There is no evaluation of trust yet that settings could change; every function returns an error.

/// The settings of a user, or of the machine, for a certificate.
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func SecTrustSettingsCopyTrustSettings(
    _ certRef: SecCertificate, _ domain: SecTrustSettingsDomain,
    _ trustSettings: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    errSecUnimplemented
}

/// Sets the trust settings of a certificate.
/// - Returns: `errSecUnimplemented`; nothing is set.
@discardableResult
public func SecTrustSettingsSetTrustSettings(
    _ certRef: SecCertificate, _ domain: SecTrustSettingsDomain,
    _ trustSettingsDictOrArray: CFTypeRef?
) -> OSStatus {
    errSecUnimplemented
}

/// Removes settings.
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func SecTrustSettingsRemoveTrustSettings(
    _ certRef: SecCertificate, _ domain: SecTrustSettingsDomain
) -> OSStatus {
    errSecUnimplemented
}

/// The certificates that have settings.
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func SecTrustSettingsCopyCertificates(
    _ domain: SecTrustSettingsDomain, _ certArray: UnsafeMutablePointer<CFArray?>?
) -> OSStatus {
    errSecUnimplemented
}

/// When a certificate's settings were changed.
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func SecTrustSettingsCopyModificationDate(
    _ certRef: SecCertificate, _ domain: SecTrustSettingsDomain,
    _ modificationDate: UnsafeMutablePointer<CFDate?>
) -> OSStatus {
    errSecUnimplemented
}

/// All settings of a domain as bytes.
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func SecTrustSettingsCreateExternalRepresentation(
    _ domain: SecTrustSettingsDomain, _ trustSettings: UnsafeMutablePointer<CFData?>
) -> OSStatus {
    errSecUnimplemented
}

/// Imports settings from bytes.
/// - Returns: `errSecUnimplemented`; nothing is set.
@discardableResult
public func SecTrustSettingsImportExternalRepresentation(
    _ domain: SecTrustSettingsDomain, _ trustSettings: CFData
) -> OSStatus {
    errSecUnimplemented
}
