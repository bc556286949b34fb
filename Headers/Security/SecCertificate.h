// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors
// Made by Scripts/generate-c-interface; edits here are lost.

// Certificates.

#ifndef SECURITY_SECCERTIFICATE_H
#define SECURITY_SECCERTIFICATE_H

#include <Security/SecBase.h>

CF_EXTERN_C_BEGIN
CF_ASSUME_NONNULL_BEGIN

/// What a certificate's key may be used for.
typedef CF_OPTIONS(uint32_t, SecKeyUsage) {
    /// None.
    kSecKeyUsageUnspecified = 0,
    /// Signatures.
    kSecKeyUsageDigitalSignature = 1,
    /// Nonrepudiation.
    kSecKeyUsageNonRepudiation = 2,
    /// The same as nonrepudiation.
    kSecKeyUsageContentCommitment = 2,
    /// Encrypting keys.
    kSecKeyUsageKeyEncipherment = 4,
    /// Encrypting data.
    kSecKeyUsageDataEncipherment = 8,
    /// Agreeing on keys.
    kSecKeyUsageKeyAgreement = 16,
    /// Signing certificates.
    kSecKeyUsageKeyCertSign = 32,
    /// Signing revocation lists.
    kSecKeyUsageCRLSign = 64,
    /// Agreement, to encrypt only.
    kSecKeyUsageEncipherOnly = 128,
    /// Agreement, to decrypt only.
    kSecKeyUsageDecipherOnly = 256,
    /// The certificate is critical: a program that doesn't support the key usage must refuse it.
    kSecKeyUsageCritical = 0x80000000U,
    /// Everything.
    kSecKeyUsageAll = 2147483647,
};

CF_ENUM(uint32_t) {
    /// The subject.
    kSecSubjectItemAttr = 1937072746,
    /// The issuer.
    kSecIssuerItemAttr = 1769173877,
    /// The serial number.
    kSecSerialNumberItemAttr = 1936614002,
    /// The digest of the public key.
    kSecPublicKeyHashItemAttr = 1752198009,
    /// The subject's key identifier.
    kSecSubjectKeyIdentifierItemAttr = 1936419172,
    /// The certificate's type.
    kSecCertTypeItemAttr = 1668577648,
    /// Its encoding.
    kSecCertEncodingItemAttr = 1667591779,
};

/// The kind of value; kSecPropertyType….
CF_EXPORT const CFStringRef kSecPropertyKeyType;

/// Its name.
CF_EXPORT const CFStringRef kSecPropertyKeyLabel;

/// Its name in the language of the user.
CF_EXPORT const CFStringRef kSecPropertyKeyLocalizedLabel;

/// Its value.
CF_EXPORT const CFStringRef kSecPropertyKeyValue;

/// A warning.
CF_EXPORT const CFStringRef kSecPropertyTypeWarning;

/// That all is well.
CF_EXPORT const CFStringRef kSecPropertyTypeSuccess;

/// A list of properties.
CF_EXPORT const CFStringRef kSecPropertyTypeSection;

/// Bytes.
CF_EXPORT const CFStringRef kSecPropertyTypeData;

/// Text.
CF_EXPORT const CFStringRef kSecPropertyTypeString;

/// A URL.
CF_EXPORT const CFStringRef kSecPropertyTypeURL;

/// A point in time.
CF_EXPORT const CFStringRef kSecPropertyTypeDate;

/// A list of values.
CF_EXPORT const CFStringRef kSecPropertyTypeArray;

/// A number.
CF_EXPORT const CFStringRef kSecPropertyTypeNumber;

/// The subject's public key, in the older form of SecCertificateCopyKey.
/// - Returns: errSecSuccess; errSecUnsupportedKeyFormat for an unknown kind of key.
CF_EXPORT OSStatus SecCertificateCopyPublicKey(
    SecCertificateRef certificate, SecKeyRef _Nullable *_Nonnull key);

/// The serial number, in the older form of SecCertificateCopySerialNumberData.
CF_EXPORT CFDataRef _Nullable SecCertificateCopySerialNumber(
    SecCertificateRef certificate, CFErrorRef _Nullable *_Nullable error);

/// A short description of a certificate.
/// - Parameters:
///   - alloc: Ignored.
///   - certificate: The certificate.
///   - error: Set if the subject has no text.
/// - Returns: As SecCertificateCopySubjectSummary.
CF_EXPORT CFStringRef _Nullable SecCertificateCopyShortDescription(
    CFAllocatorRef _Nullable alloc, SecCertificateRef certificate,
    CFErrorRef _Nullable *_Nullable error);

/// A long description of a certificate: the same as the short one, as in Apple's implementation.
/// - Parameters:
///   - alloc: Ignored.
///   - certificate: The certificate.
///   - error: Set if the subject has no text.
/// - Returns: As SecCertificateCopySubjectSummary.
CF_EXPORT CFStringRef _Nullable SecCertificateCopyLongDescription(
    CFAllocatorRef _Nullable alloc, SecCertificateRef certificate,
    CFErrorRef _Nullable *_Nullable error);

/// The fields of a certificate.
///
/// Each value is a dictionary with kSecPropertyKeyType, kSecPropertyKeyLabel,
/// kSecPropertyKeyLocalizedLabel and kSecPropertyKeyValue. Sections contain arrays of such
/// dictionaries; in names their labels are the attributes' identifiers. The beginning and the end
/// of the validity are numbers, in seconds since 2001-01-01 00:00:00 UTC. The key usage is a
/// number, of SecKeyUsage; 0 without the extension. The extended key usage is an array of data,
/// the contents of object identifiers. kSecOIDCommonName, kSecOIDEmailAddress, DNSNAMES and
/// IPADDRESSES are arrays of texts. Other extensions have their identifiers as keys.
/// - Parameters:
///   - certificate: The certificate.
///   - keys: The keys whose values are returned, such as kSecOIDX509V1SubjectName; unknown ones
///     are left out. NULL: all.
///   - error: Set to errSecParam for a key that isn't text.
/// - Returns: A dictionary by identifier; NULL for such a key.
CF_EXPORT CFDictionaryRef _Nullable SecCertificateCopyValues(
    SecCertificateRef certificate, CFArrayRef _Nullable keys, CFErrorRef _Nullable *_Nullable error);

/// Stores a certificate.
/// - Parameters:
///   - certificate: The certificate.
///   - keychain: Where; NULL is the default keychain.
/// - Returns: As SecItemAdd.
CF_EXPORT OSStatus SecCertificateAddToKeychain(
    SecCertificateRef certificate, SecKeychainRef _Nullable keychain);

/// Makes a certificate from CDSA bytes.
/// - Returns: errSecUnimplemented: there is no CDSA.
CF_EXPORT OSStatus SecCertificateCreateFromData(
    const CSSM_DATA *data, CSSM_CERT_TYPE type, CSSM_CERT_ENCODING encoding,
    SecCertificateRef _Nullable *_Nonnull certificate);

/// A certificate's bytes, for CDSA.
/// - Returns: errSecUnimplemented: there is no CDSA.
CF_EXPORT OSStatus SecCertificateGetData(SecCertificateRef certificate, CSSM_DATA *data);

/// A certificate's type, for CDSA.
/// - Returns: errSecUnimplemented: there is no CDSA.
CF_EXPORT OSStatus SecCertificateGetType(
    SecCertificateRef certificate, CSSM_CERT_TYPE *certificateType);

/// The subject, for CDSA.
/// - Returns: errSecUnimplemented: there is no CDSA.
CF_EXPORT OSStatus SecCertificateGetSubject(
    SecCertificateRef certificate, const CSSM_X509_NAME *_Nullable *_Nonnull subject);

/// The issuer, for CDSA.
/// - Returns: errSecUnimplemented: there is no CDSA.
CF_EXPORT OSStatus SecCertificateGetIssuer(
    SecCertificateRef certificate, const CSSM_X509_NAME *_Nullable *_Nonnull issuer);

/// The CDSA module of a certificate.
/// - Returns: errSecUnimplemented: there is no CDSA.
CF_EXPORT OSStatus SecCertificateGetCLHandle(
    SecCertificateRef certificate, CSSM_CL_HANDLE *clHandle);

/// The algorithm of the public key, for CDSA.
/// - Returns: errSecUnimplemented: there is no CDSA.
CF_EXPORT OSStatus SecCertificateGetAlgorithmID(
    SecCertificateRef certificate, const CSSM_X509_ALGORITHM_IDENTIFIER *_Nullable *_Nonnull algid);

/// Makes a certificate from its DER bytes.
/// - Returns: NULL for bytes that aren't an X.509 certificate. Its signature isn't verified.
CF_EXPORT SecCertificateRef _Nullable SecCertificateCreateWithData(
    CFAllocatorRef _Nullable allocator, CFDataRef data);

/// The DER bytes of a certificate.
CF_EXPORT CFDataRef SecCertificateCopyData(SecCertificateRef certificate);

/// The type of certificates.
CF_EXPORT CFTypeID SecCertificateGetTypeID(void);

/// The summary of a certificate, in one line.
/// - Returns: The subject's common names (with its description in parentheses); without one the
///   first e-mail address, else the first DNS name, else its organizational units, organizations,
///   or any other attribute. Several values of a kind are joined by ", ", the last first. NULL for
///   an empty subject.
CF_EXPORT CFStringRef _Nullable SecCertificateCopySubjectSummary(SecCertificateRef certificate);

/// The issuer's name in the form that names are compared in, as a whole SEQUENCE. The attribute
/// kSecAttrIssuer is its content.
CF_EXPORT CFDataRef _Nullable SecCertificateCopyNormalizedIssuerSequence(
    SecCertificateRef certificate);

/// The subject's name in the form that names are compared in, as a whole SEQUENCE. The attribute
/// kSecAttrSubject is its content.
CF_EXPORT CFDataRef _Nullable SecCertificateCopyNormalizedSubjectSequence(
    SecCertificateRef certificate);

/// The issuer's name in the form that names are compared in, without the header of its SEQUENCE.
/// - Parameters:
///   - certificate: The certificate.
///   - error: Never set.
/// - Returns: The value of the attribute kSecAttrIssuer.
CF_EXPORT CFDataRef _Nullable SecCertificateCopyNormalizedIssuerContent(
    SecCertificateRef certificate, CFErrorRef _Nullable *_Nullable error);

/// The subject's name in the form that names are compared in, without the header of its SEQUENCE.
/// - Parameters:
///   - certificate: The certificate.
///   - error: Never set.
/// - Returns: The value of the attribute kSecAttrSubject.
CF_EXPORT CFDataRef _Nullable SecCertificateCopyNormalizedSubjectContent(
    SecCertificateRef certificate, CFErrorRef _Nullable *_Nullable error);

/// The serial number.
/// - Parameters:
///   - certificate: The certificate.
///   - error: Never set.
/// - Returns: The content of its DER INTEGER, with its sign byte.
CF_EXPORT CFDataRef _Nullable SecCertificateCopySerialNumberData(
    SecCertificateRef certificate, CFErrorRef _Nullable *_Nullable error);

/// The subject's common name; the last if there are several.
/// - Parameters:
///   - certificate: The certificate.
///   - commonName: Where to put it.
/// - Returns: errSecSuccess; errSecInternal if the subject has none, as in Apple's
///   implementation.
CF_EXPORT OSStatus SecCertificateCopyCommonName(
    SecCertificateRef certificate, CFStringRef _Nullable *_Nonnull commonName);

/// The e-mail addresses of the subject: those among its alternative names, then those in its name.
/// - Parameters:
///   - certificate: The certificate.
///   - emailAddresses: Where to put the texts; an empty array if there are none.
/// - Returns: errSecSuccess.
CF_EXPORT OSStatus SecCertificateCopyEmailAddresses(
    SecCertificateRef certificate, CFArrayRef _Nullable *_Nonnull emailAddresses);

/// The subject's public key.
/// - Returns: NULL for a malformed key, and for a key that is neither RSA nor on a curve that
///   SecKeyCreateWithData accepts.
CF_EXPORT SecKeyRef _Nullable SecCertificateCopyKey(SecCertificateRef certificate);

/// When a certificate becomes valid.
CF_EXPORT CFDateRef _Nullable SecCertificateCopyNotValidBeforeDate(SecCertificateRef certificate);

/// The last second at which a certificate is valid.
CF_EXPORT CFDateRef _Nullable SecCertificateCopyNotValidAfterDate(SecCertificateRef certificate);

/// The certificate that is preferred for a name.
/// - Parameters:
///   - name: The name, exactly.
///   - keyUsage: kSecAttrCan…; NULL or empty for any. A preference for the use is taken first, then
///     one for any use, then one without a constraint.
/// - Returns: NULL if there is none, and if the preferred one was deleted.
CF_EXPORT SecCertificateRef _Nullable SecCertificateCopyPreferred(
    CFStringRef name, CFArrayRef _Nullable keyUsage);

/// The certificate that is preferred for a name and exactly this use.
/// - Parameters:
///   - name: The name.
///   - keyUsage: Bits of CSSM_KEYUSE; 0 for any preference.
///   - certificate: Where to put it.
/// - Returns: errSecSuccess; errSecItemNotFound; errSecParam for an empty name; else as
///   SecItemCopyMatching.
CF_EXPORT OSStatus SecCertificateCopyPreference(
    CFStringRef name, CSSM_KEYUSE keyUsage, SecCertificateRef _Nullable *_Nonnull certificate);

/// Prefers a certificate for a name.
/// - Parameters:
///   - certificate: The certificate, which must be stored; NULL deletes the preference.
///   - name: The name.
///   - keyUsage: kSecAttrCan…; NULL or empty for any.
/// - Returns: As SecCertificateSetPreference.
CF_EXPORT OSStatus SecCertificateSetPreferred(
    SecCertificateRef _Nullable certificate, CFStringRef name, CFArrayRef _Nullable keyUsage);

/// Prefers a certificate for a name.
/// - Parameters:
///   - certificate: The certificate, which must be stored.
///   - name: The name.
///   - keyUsage: Bits of CSSM_KEYUSE; 0 for any.
///   - date: Ignored, as in Apple's implementation.
/// - Returns: errSecSuccess; errSecInvalidItemRef for a certificate that isn't stored;
///   errSecParam for an empty name; else as SecItemAdd.
CF_EXPORT OSStatus SecCertificateSetPreference(
    SecCertificateRef certificate, CFStringRef name, CSSM_KEYUSE keyUsage, CFDateRef _Nullable date);

CF_ASSUME_NONNULL_END
CF_EXTERN_C_END

#endif
