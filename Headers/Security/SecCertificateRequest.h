// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors
// Made by Scripts/generate-c-interface; edits here are lost.

// Requests for certificates, and certificates that sign themselves.

#ifndef SECURITY_SECCERTIFICATEREQUEST_H
#define SECURITY_SECCERTIFICATEREQUEST_H

#include <Security/SecBase.h>

CF_EXTERN_C_BEGIN
CF_ASSUME_NONNULL_BEGIN

/// The common name, in a subject.
CF_EXPORT const CFStringRef kSecOidCommonName;

/// The country, in a subject.
CF_EXPORT const CFStringRef kSecOidCountryName;

/// The state or province, in a subject.
CF_EXPORT const CFStringRef kSecOidStateProvinceName;

/// The locality, in a subject.
CF_EXPORT const CFStringRef kSecOidLocalityName;

/// The organization, in a subject.
CF_EXPORT const CFStringRef kSecOidOrganization;

/// The organizational unit, in a subject.
CF_EXPORT const CFStringRef kSecOidOrganizationalUnit;

/// A password in a request; text.
CF_EXPORT const CFStringRef kSecCSRChallengePassword;

/// Alternative names; a dictionary with the keys below.
CF_EXPORT const CFStringRef kSecSubjectAltName;

/// The key usage; a number of SecKeyUsage.
CF_EXPORT const CFStringRef kSecCertificateKeyUsage;

/// The purposes; an array of object identifiers as texts.
CF_EXPORT const CFStringRef kSecCertificateExtendedKeyUsage;

/// Whether it is an authority's; a truth value. True if only a path length is there.
CF_EXPORT const CFStringRef kSecCSRBasicConstraintsCA;

/// How many authorities may be below it; a number from 0 to 255, another is no limit.
CF_EXPORT const CFStringRef kSecCSRBasicContraintsPathLen;

/// Other extensions: texts and data by identifier, which are encoded.
CF_EXPORT const CFStringRef kSecCertificateExtensions;

/// Other extensions: data by identifier, which are encoded already.
CF_EXPORT const CFStringRef kSecCertificateExtensionsEncoded;

/// The seconds that a certificate is valid; a number.
CF_EXPORT const CFStringRef kSecCertificateLifetime;

/// The serial number; data.
CF_EXPORT const CFStringRef kSecCertificateSerialNumber;

/// The digest of the signature; one of those below.
CF_EXPORT const CFStringRef kSecCMSSignHashAlgorithm;

/// SHA-1.
CF_EXPORT const CFStringRef kSecCMSHashingAlgorithmSHA1;

/// SHA-256.
CF_EXPORT const CFStringRef kSecCMSHashingAlgorithmSHA256;

/// SHA-384.
CF_EXPORT const CFStringRef kSecCMSHashingAlgorithmSHA384;

/// SHA-512.
CF_EXPORT const CFStringRef kSecCMSHashingAlgorithmSHA512;

/// Hosts; text or an array of texts.
CF_EXPORT const CFStringRef kSecSubjectAltNameDNSName;

/// Mail addresses; text or an array of texts.
CF_EXPORT const CFStringRef kSecSubjectAltNameEmailAddress;

/// URIs; text or an array of texts.
CF_EXPORT const CFStringRef kSecSubjectAltNameURI;

/// A principal name of Windows; text.
CF_EXPORT const CFStringRef kSecSubjectAltNameNTPrincipalName;

/// Server of TLS.
CF_EXPORT const CFStringRef kSecEKUServerAuth;

/// Client of TLS.
CF_EXPORT const CFStringRef kSecEKUClientAuth;

/// Signatures of code.
CF_EXPORT const CFStringRef kSecEKUCodesigning;

/// E-mail.
CF_EXPORT const CFStringRef kSecEKUEmailProtection;

/// Time stamps.
CF_EXPORT const CFStringRef kSecEKUTimeStamping;

/// Answers about revocation.
CF_EXPORT const CFStringRef kSecEKUOCSPSigning;

/// Makes a certificate request (PKCS #10, RFC 2986), signed by the key.
/// - Parameters:
///   - subject: The relative names of the subject: an array of arrays of pairs, each an array of a
///     type (kSecOidCommonName or another, an object identifier as text, or its content as data)
///     and a text.
///   - parameters: NULL, or what is asked for: kSecSubjectAltName, kSecCertificateKeyUsage,
///     kSecCertificateExtendedKeyUsage, kSecCSRBasicConstraintsCA,
///     kSecCSRBasicContraintsPathLen, kSecCertificateExtensions,
///     kSecCertificateExtensionsEncoded, kSecCSRChallengePassword, and by which digest it is
///     signed: kSecCMSSignHashAlgorithm, SHA-256 if there is none.
///   - publicKey: The public half of the key; NULL for that.
///   - privateKey: The key, of RSA, on a curve of NIST, or Ed25519; it may be in the enclave.
/// - Returns: Its DER; NULL for arguments of a wrong type, for a public key that isn't the private
///   one's, and when the key doesn't sign.
CF_EXPORT CFDataRef _Nullable SecGenerateCertificateRequest(
    CFArrayRef subject, CFDictionaryRef _Nullable parameters, SecKeyRef _Nullable publicKey,
    SecKeyRef privateKey);

/// Makes a certificate that its own key signs.
/// - Parameters:
///   - subject: As in SecGenerateCertificateRequest.
///   - parameters: As there, without a challenge. kSecCertificateLifetime: seconds from now, 365
///     days if there is none. kSecCertificateSerialNumber: 1 to 20 bytes; 1 if there is none.
///   - publicKey: Ignored, as in Apple's implementation.
///   - privateKey: The key.
/// - Returns: NULL as there, and for a lifetime or serial number that is out of bounds.
CF_EXPORT SecCertificateRef _Nullable SecGenerateSelfSignedCertificate(
    CFArrayRef subject, CFDictionaryRef _Nullable parameters, SecKeyRef _Nullable publicKey,
    SecKeyRef privateKey);

CF_ASSUME_NONNULL_END
CF_EXTERN_C_END

#endif
