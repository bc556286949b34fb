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
/// - Parameters:
///   - secItemOrArray: A SecKey, SecCertificate or SecIdentity, or an array of them.
///   - outputFormat: The format; formatUnknown is the usual one: OpenSSL's of a key, the bytes of a
///     symmetric key, DER of a certificate, a sequence of PEM for several.
///   - flags: Whether DER is put into PEM.
///   - keyParams: The passphrase, for PKCS #12 and encrypted PKCS #8.
///   - exportedData: Set to the bytes; left alone when the call fails.
/// - Returns: errSecSuccess; errSecPassphraseRequired; errSecDataNotAvailable for a key that isn't
///   extractable or is the enclave's; errSecUnsupportedFormat for a format that isn't written, or
///   can't have these objects; errSecParam for other objects; errSecNotAvailable when no service
///   answers.
CF_EXPORT OSStatus SecItemExport(
    CFTypeRef secItemOrArray, SecExternalFormat outputFormat, SecItemImportExportFlags flags,
    const SecItemImportExportKeyParameters *_Nullable keyParams,
    CFDataRef _Nullable *_Nonnull exportedData);

/// Reads objects in a format of other programs. Nothing is stored.
/// - Parameters:
///   - importedData: The bytes.
///   - fileNameOrExtension: Ignored: the format is found by looking.
///   - inputFormat: The expected format, formatUnknown for any; set to the format that it has.
///   - itemType: The expected type, itemTypeUnknown for any; set to the type that it has.
///   - flags: Ignored: PEM is found by looking.
///   - keyParams: The passphrase; importOnlyOne; attributes: without any, keys are extractable.
///   - importKeychain: NULL; a keychain: errSecUnimplemented, and nothing is read.
///   - outItems: Set to the objects, in their order; the pairs of a PKCS #12 file are identities. Left
///     alone when the call fails.
/// - Returns: errSecSuccess; errSecPassphraseRequired; errSecPkcs12VerifyFailure for a wrong
///   passphrase; errSecUnknownFormat for data of no known format, or of another one than expected;
///   errSecMultiplePrivKeys when only one was expected; errSecUnsupportedFormat for algorithms that
///   aren't supported and for an encrypted key of OpenSSH, whose passphrase ssh-keygen -p removes;
///   errSecDecode for more than 10⁷ rounds of key derivation; errSecNotAvailable when no service
///   answers.
CF_EXPORT OSStatus SecItemImport(
    CFDataRef importedData, CFStringRef _Nullable fileNameOrExtension,
    SecExternalFormat *_Nullable inputFormat, SecExternalItemType *_Nullable itemType,
    SecItemImportExportFlags flags, const SecItemImportExportKeyParameters *_Nullable keyParams,
    SecKeychainRef _Nullable importKeychain, CFArrayRef _Nullable *_Nullable outItems);

/// The older form of SecItemExport.
/// - Returns: The same.
CF_EXPORT OSStatus SecKeychainItemExport(
    CFTypeRef keychainItemOrArray, SecExternalFormat outputFormat, SecItemImportExportFlags flags,
    const SecKeyImportExportParameters *_Nullable keyParams,
    CFDataRef _Nullable *_Nonnull exportedData);

/// The older form of SecItemImport.
/// - Returns: The same.
CF_EXPORT OSStatus SecKeychainItemImport(
    CFDataRef importedData, CFStringRef _Nullable fileNameOrExtension,
    SecExternalFormat *_Nullable inputFormat, SecExternalItemType *_Nullable itemType,
    SecItemImportExportFlags flags, const SecKeyImportExportParameters *_Nullable keyParams,
    SecKeychainRef _Nullable importKeychain, CFArrayRef _Nullable *_Nullable outItems);

/// Reads the identities of a PKCS #12 file.
///
/// They are stored only where kSecUseDataProtectionKeychain is true and kSecImportToMemoryOnly
/// isn't: all of them, or none.
/// - Parameters:
///   - pkcs12_data: The file.
///   - options: kSecImportExportPassphrase: text or data; without it, the empty one is tried.
///   - items: Set to an array with a dictionary for each private key that has its certificate, in the
///     order of the file: kSecImportItemIdentity, kSecImportItemTrust (evaluated by the basic
///     policy), kSecImportItemCertChain, kSecImportItemLabel, kSecImportItemKeyID (the SHA-1
///     digest of the public key). Left alone when the call fails.
/// - Returns: errSecSuccess; errSecAuthFailed for a passphrase that is missing or wrong;
///   errSecDecode for data that isn't PKCS #12, and for a file whose key derivation takes more than
///   10⁷ rounds; errSecUnsupportedFormat for an algorithm that isn't supported;
///   errSecDuplicateItem when an identity is stored already; errSecNotAvailable when no service
///   answers.
CF_EXPORT OSStatus SecPKCS12Import(
    CFDataRef pkcs12_data, CFDictionaryRef options, CFArrayRef _Nullable *_Nonnull items);

CF_ASSUME_NONNULL_END
CF_EXTERN_C_END

#endif
