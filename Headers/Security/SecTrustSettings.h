// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors
// Made by Scripts/generate-c-interface; edits here are lost.

// The user's word on certificates.

#ifndef SECURITY_SECTRUSTSETTINGS_H
#define SECURITY_SECTRUSTSETTINGS_H

#include <Security/SecBase.h>

CF_EXTERN_C_BEGIN
CF_ASSUME_NONNULL_BEGIN

// Keys of a dictionary of trust settings.

#define kSecTrustSettingsPolicy CFSTR("kSecTrustSettingsPolicy")
#define kSecTrustSettingsApplication CFSTR("kSecTrustSettingsApplication")
#define kSecTrustSettingsPolicyString CFSTR("kSecTrustSettingsPolicyString")
#define kSecTrustSettingsKeyUsage CFSTR("kSecTrustSettingsKeyUsage")
#define kSecTrustSettingsAllowedError CFSTR("kSecTrustSettingsAllowedError")
#define kSecTrustSettingsResult CFSTR("kSecTrustSettingsResult")

/// The owner of settings.
typedef CF_ENUM(uint32_t, SecTrustSettingsDomain) {
    /// The user's.
    kSecTrustSettingsDomainUser = 0,
    /// The machine's.
    kSecTrustSettingsDomainAdmin = 1,
    /// The system's.
    kSecTrustSettingsDomainSystem = 2,
};

/// The uses of a certificate's key to which a setting applies.
typedef CF_OPTIONS(uint32_t, SecTrustSettingsKeyUsage) {
    /// Signatures.
    kSecTrustSettingsKeyUseSignature = 1,
    /// Data.
    kSecTrustSettingsKeyUseEnDecryptData = 2,
    /// Keys.
    kSecTrustSettingsKeyUseEnDecryptKey = 4,
    /// Certificates.
    kSecTrustSettingsKeyUseSignCert = 8,
    /// Revocation.
    kSecTrustSettingsKeyUseSignRevocation = 16,
    /// Agreement.
    kSecTrustSettingsKeyUseKeyExchange = 32,
    /// All.
    kSecTrustSettingsKeyUseAny = 0xffffffffU,
};

/// The result that a setting gives.
typedef CF_ENUM(uint32_t, SecTrustSettingsResult) {
    /// Nothing.
    kSecTrustSettingsResultInvalid = 0,
    /// Trust this root.
    kSecTrustSettingsResultTrustRoot = 1,
    /// Trust this certificate as if it were a root.
    kSecTrustSettingsResultTrustAsRoot = 2,
    /// Don't trust it.
    kSecTrustSettingsResultDeny = 3,
    /// Neither.
    kSecTrustSettingsResultUnspecified = 4,
};

/// The settings of a user, or of the machine, for a certificate.
/// - Returns: errSecUnimplemented.
CF_EXPORT OSStatus SecTrustSettingsCopyTrustSettings(
    SecCertificateRef certRef, SecTrustSettingsDomain domain,
    CFArrayRef _Nullable *_Nonnull trustSettings);

/// Sets the trust settings of a certificate.
/// - Returns: errSecUnimplemented; nothing is set.
CF_EXPORT OSStatus SecTrustSettingsSetTrustSettings(
    SecCertificateRef certRef, SecTrustSettingsDomain domain,
    CFTypeRef _Nullable trustSettingsDictOrArray);

/// Removes settings.
/// - Returns: errSecUnimplemented.
CF_EXPORT OSStatus SecTrustSettingsRemoveTrustSettings(
    SecCertificateRef certRef, SecTrustSettingsDomain domain);

/// The certificates that have settings.
/// - Returns: errSecUnimplemented.
CF_EXPORT OSStatus SecTrustSettingsCopyCertificates(
    SecTrustSettingsDomain domain, CFArrayRef _Nullable *_Nullable certArray);

/// When a certificate's settings were changed.
/// - Returns: errSecUnimplemented.
CF_EXPORT OSStatus SecTrustSettingsCopyModificationDate(
    SecCertificateRef certRef, SecTrustSettingsDomain domain,
    CFDateRef _Nullable *_Nonnull modificationDate);

/// All settings of a domain as bytes.
/// - Returns: errSecUnimplemented.
CF_EXPORT OSStatus SecTrustSettingsCreateExternalRepresentation(
    SecTrustSettingsDomain domain, CFDataRef _Nullable *_Nonnull trustSettings);

/// Imports settings from bytes.
/// - Returns: errSecUnimplemented; nothing is set.
CF_EXPORT OSStatus SecTrustSettingsImportExternalRepresentation(
    SecTrustSettingsDomain domain, CFDataRef trustSettings);

CF_ASSUME_NONNULL_END
CF_EXTERN_C_END

#endif
