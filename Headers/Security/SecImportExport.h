// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors
// Made by Scripts/generate-c-interface; edits here are lost.

// Import and export.

#ifndef SECURITY_SECIMPORTEXPORT_H
#define SECURITY_SECIMPORTEXPORT_H

#include <Security/SecBase.h>

CF_EXTERN_C_BEGIN
CF_ASSUME_NONNULL_BEGIN

/// The format of objects.
typedef CF_ENUM(uint32_t, SecExternalFormat) {
    /// Unknown on import, the default on export.
    kSecFormatUnknown = 0,
    /// OpenSSL's keys.
    kSecFormatOpenSSL = 1,
    /// OpenSSH's public keys.
    kSecFormatSSH = 2,
    /// BSAFE's keys.
    kSecFormatBSAFE = 3,
    /// The bytes of a symmetric key.
    kSecFormatRawKey = 4,
    /// PKCS #8, encrypted.
    kSecFormatWrappedPKCS8 = 5,
    /// OpenSSL's, encrypted.
    kSecFormatWrappedOpenSSL = 6,
    /// OpenSSH's, encrypted.
    kSecFormatWrappedSSH = 7,
    /// LSH, encrypted.
    kSecFormatWrappedLSH = 8,
    /// DER.
    kSecFormatX509Cert = 9,
    /// PEM, several.
    kSecFormatPEMSequence = 10,
    /// PKCS #7.
    kSecFormatPKCS7 = 11,
    /// PKCS #12.
    kSecFormatPKCS12 = 12,
    /// Netscape's sequence.
    kSecFormatNetscapeCertSequence = 13,
    /// OpenSSH's, version 2.
    kSecFormatSSHv2 = 14,
};

/// The kind of object.
typedef CF_ENUM(uint32_t, SecExternalItemType) {
    /// Unknown.
    kSecItemTypeUnknown = 0,
    /// A private key.
    kSecItemTypePrivateKey = 1,
    /// A public key.
    kSecItemTypePublicKey = 2,
    /// A symmetric key.
    kSecItemTypeSessionKey = 3,
    /// A certificate.
    kSecItemTypeCertificate = 4,
    /// Several.
    kSecItemTypeAggregate = 5,
};

/// Options of an export.
typedef CF_OPTIONS(uint32_t, SecItemImportExportFlags) {
    /// With PEM's lines around it.
    kSecItemPemArmour = 1,
};

/// Options for keys.
typedef CF_OPTIONS(uint32_t, SecKeyImportExportFlags) {
    /// At most one key.
    kSecKeyImportOnlyOne = 1,
    /// The user is asked for the passphrase.
    kSecKeySecurePassphrase = 2,
    /// No access control.
    kSecKeyNoAccessControl = 4,
};

/// Who is asked when a key is imported or exported, and how it is protected.
typedef struct SecItemImportExportKeyParameters {
    uint32_t version;
    SecKeyImportExportFlags flags;
    CFTypeRef _Nullable passphrase;
    CFStringRef _Nullable alertTitle;
    CFStringRef _Nullable alertPrompt;
    SecAccessRef _Nullable accessRef;
    CFArrayRef _Nullable keyUsage;
    CFArrayRef _Nullable keyAttributes;
} SecItemImportExportKeyParameters;

/// The older form of SecItemImportExportKeyParameters.
typedef struct SecKeyImportExportParameters {
    uint32_t version;
    SecKeyImportExportFlags flags;
    CFTypeRef _Nullable passphrase;
    CFStringRef _Nullable alertTitle;
    CFStringRef _Nullable alertPrompt;
    SecAccessRef _Nullable accessRef;
    CSSM_KEYUSE keyUsage;
    uint32_t keyAttributes;
} SecKeyImportExportParameters;

/// The passphrase; text or data.
CF_EXPORT const CFStringRef kSecImportExportPassphrase;

/// The keychain to import to.
CF_EXPORT const CFStringRef kSecImportExportKeychain;

/// The access rights of the imported items.
CF_EXPORT const CFStringRef kSecImportExportAccess;

/// Whether nothing is stored.
CF_EXPORT const CFStringRef kSecImportToMemoryOnly;

/// The name.
CF_EXPORT const CFStringRef kSecImportItemLabel;

/// The digest of the public key.
CF_EXPORT const CFStringRef kSecImportItemKeyID;

/// A trust object over the chain.
CF_EXPORT const CFStringRef kSecImportItemTrust;

/// The certificates.
CF_EXPORT const CFStringRef kSecImportItemCertChain;

/// The identity.
CF_EXPORT const CFStringRef kSecImportItemIdentity;

/// Writes objects in a format of other programs.
/// - Returns: errSecUnimplemented; nothing is written.
CF_EXPORT OSStatus SecItemExport(
    CFTypeRef secItemOrArray, SecExternalFormat outputFormat, SecItemImportExportFlags flags,
    const SecItemImportExportKeyParameters *_Nullable keyParams,
    CFDataRef _Nullable *_Nonnull exportedData);

/// Reads objects in a format of other programs.
/// - Returns: errSecUnimplemented; nothing is read or stored.
CF_EXPORT OSStatus SecItemImport(
    CFDataRef importedData, CFStringRef _Nullable fileNameOrExtension,
    SecExternalFormat *_Nullable inputFormat, SecExternalItemType *_Nullable itemType,
    SecItemImportExportFlags flags, const SecItemImportExportKeyParameters *_Nullable keyParams,
    SecKeychainRef _Nullable importKeychain, CFArrayRef _Nullable *_Nullable outItems);

/// The older form of SecItemExport.
/// - Returns: errSecUnimplemented.
CF_EXPORT OSStatus SecKeychainItemExport(
    CFTypeRef keychainItemOrArray, SecExternalFormat outputFormat, SecItemImportExportFlags flags,
    const SecKeyImportExportParameters *_Nullable keyParams,
    CFDataRef _Nullable *_Nonnull exportedData);

/// The older form of SecItemImport.
/// - Returns: errSecUnimplemented.
CF_EXPORT OSStatus SecKeychainItemImport(
    CFDataRef importedData, CFStringRef _Nullable fileNameOrExtension,
    SecExternalFormat *_Nullable inputFormat, SecExternalItemType *_Nullable itemType,
    SecItemImportExportFlags flags, const SecKeyImportExportParameters *_Nullable keyParams,
    SecKeychainRef _Nullable importKeychain, CFArrayRef _Nullable *_Nullable outItems);

/// Reads identities and certificates from a PKCS #12 file.
/// - Returns: errSecUnimplemented; nothing is read or stored.
CF_EXPORT OSStatus SecPKCS12Import(
    CFDataRef pkcs12_data, CFDictionaryRef options, CFArrayRef _Nullable *_Nonnull items);

CF_ASSUME_NONNULL_END
CF_EXTERN_C_END

#endif
