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

/// The settings of a certificate in a domain.
/// - Returns: errSecSuccess; errSecItemNotFound when the certificate has none there;
///   errSecNoTrustSettings when nothing has; errSecNotAvailable.
CF_EXPORT OSStatus SecTrustSettingsCopyTrustSettings(
    SecCertificateRef certRef, SecTrustSettingsDomain domain,
    CFArrayRef _Nullable *_Nonnull trustSettings);

/// Sets or replaces the settings of a certificate.
/// - Parameters:
///   - certRef: The certificate.
///   - domain: Whose settings.
///   - trustSettingsDictOrArray: A dictionary of kSecTrustSettings… keys, or an array of them; NULL
///     or empty for a root that is trusted for everything.
/// - Returns: errSecSuccess; errSecParam for other values, for trustRoot of a certificate that
///   isn't self-signed and trustAsRoot of one that is; errSecAuthFailed for the machine's
///   settings without its administrator. Where a passcode is set, the person is asked for it:
///   errSecUserCanceled, and errSecInteractionNotAllowed where nobody can be asked;
///   errSecDataNotModifiable for the system's.
CF_EXPORT OSStatus SecTrustSettingsSetTrustSettings(
    SecCertificateRef certRef, SecTrustSettingsDomain domain,
    CFTypeRef _Nullable trustSettingsDictOrArray);

/// Removes the settings of a certificate.
/// - Returns: errSecSuccess; errSecItemNotFound; otherwise as
///   SecTrustSettingsSetTrustSettings.
CF_EXPORT OSStatus SecTrustSettingsRemoveTrustSettings(
    SecCertificateRef certRef, SecTrustSettingsDomain domain);

/// The certificates that have settings.
/// - Returns: errSecSuccess; errSecNoTrustSettings when none has. In the domain of the system
///   these are its roots.
CF_EXPORT OSStatus SecTrustSettingsCopyCertificates(
    SecTrustSettingsDomain domain, CFArrayRef _Nullable *_Nullable certArray);

/// When a certificate's settings were changed.
/// - Returns: As SecTrustSettingsCopyTrustSettings.
CF_EXPORT OSStatus SecTrustSettingsCopyModificationDate(
    SecCertificateRef certRef, SecTrustSettingsDomain domain,
    CFDateRef _Nullable *_Nonnull modificationDate);

/// All settings of a domain as an XML property list.
/// - Returns: errSecSuccess; errSecNoTrustSettings when there are none. The domain of the system
///   has no settings to export.
CF_EXPORT OSStatus SecTrustSettingsCreateExternalRepresentation(
    SecTrustSettingsDomain domain, CFDataRef _Nullable *_Nonnull trustSettings);

/// Replaces all settings of a domain by those of a property list.
/// - Returns: errSecSuccess; errSecInvalidTrustSettings for other bytes, and then nothing is
///   changed; otherwise as SecTrustSettingsSetTrustSettings.
CF_EXPORT OSStatus SecTrustSettingsImportExternalRepresentation(
    SecTrustSettingsDomain domain, CFDataRef trustSettings);

CF_ASSUME_NONNULL_END
CF_EXTERN_C_END

#endif
