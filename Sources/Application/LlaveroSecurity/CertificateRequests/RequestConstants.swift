// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

// Parameters of certificate requests. Source: Apple's SecCertificateRequest.h and SecCMS.h, and the
// texts that its implementation was observed to read.

/// The common name, in a subject.
@safe public nonisolated(unsafe) let kSecOidCommonName: CFString = "CN"
/// The country, in a subject.
@safe public nonisolated(unsafe) let kSecOidCountryName: CFString = "C"
/// The state or province, in a subject.
@safe public nonisolated(unsafe) let kSecOidStateProvinceName: CFString = "ST"
/// The locality, in a subject.
@safe public nonisolated(unsafe) let kSecOidLocalityName: CFString = "L"
/// The organization, in a subject.
@safe public nonisolated(unsafe) let kSecOidOrganization: CFString = "O"
/// The organizational unit, in a subject.
@safe public nonisolated(unsafe) let kSecOidOrganizationalUnit: CFString = "OU"
/// A password in a request; text.
@safe public nonisolated(unsafe) let kSecCSRChallengePassword: CFString = "csrChallengePassword"
/// Alternative names; a dictionary with the keys below.
@safe public nonisolated(unsafe) let kSecSubjectAltName: CFString = "subjectAltName"
/// The key usage; a number of `SecKeyUsage`.
@safe public nonisolated(unsafe) let kSecCertificateKeyUsage: CFString = "keyUsage"
/// The purposes; an array of object identifiers as texts.
@safe public nonisolated(unsafe) let kSecCertificateExtendedKeyUsage: CFString = "extendedKeyUsage"
/// Whether it is an authority's; a truth value. True if only a path length is there.
@safe public nonisolated(unsafe) let kSecCSRBasicConstraintsCA: CFString = "basicConstraintsCA"
/// How many authorities may be below it; a number from 0 to 255, another is no limit.
@safe public nonisolated(unsafe) let kSecCSRBasicContraintsPathLen: CFString = "basicConstraints"
/// Other extensions: texts and data by identifier, which are encoded.
@safe public nonisolated(unsafe) let kSecCertificateExtensions: CFString = "certificateExtensions"
/// Other extensions: data by identifier, which are encoded already.
@safe public nonisolated(unsafe) let kSecCertificateExtensionsEncoded: CFString =
    "certificateExtensionsEncoded"
/// The seconds that a certificate is valid; a number.
@safe public nonisolated(unsafe) let kSecCertificateLifetime: CFString = "certificateLifetime"
/// The serial number; data.
@safe public nonisolated(unsafe) let kSecCertificateSerialNumber: CFString = "certificateSerial"
/// The digest of the signature; one of those below.
@safe public nonisolated(unsafe) let kSecCMSSignHashAlgorithm: CFString = "kSecCMSSignHashAlgorithm"
/// SHA-1.
@safe public nonisolated(unsafe) let kSecCMSHashingAlgorithmSHA1: CFString = "sha1"
/// SHA-256.
@safe public nonisolated(unsafe) let kSecCMSHashingAlgorithmSHA256: CFString = "sha256"
/// SHA-384.
@safe public nonisolated(unsafe) let kSecCMSHashingAlgorithmSHA384: CFString = "sha384"
/// SHA-512.
@safe public nonisolated(unsafe) let kSecCMSHashingAlgorithmSHA512: CFString = "sha512"
/// Hosts; text or an array of texts.
@safe public nonisolated(unsafe) let kSecSubjectAltNameDNSName: CFString = "dNSName"
/// Mail addresses; text or an array of texts.
@safe public nonisolated(unsafe) let kSecSubjectAltNameEmailAddress: CFString = "rfc822Name"
/// URIs; text or an array of texts.
@safe public nonisolated(unsafe) let kSecSubjectAltNameURI: CFString = "uniformResourceIdentifier"
/// A principal name of Windows; text.
@safe public nonisolated(unsafe) let kSecSubjectAltNameNTPrincipalName: CFString = "ntPrincipalName"
/// Server of TLS.
@safe public nonisolated(unsafe) let kSecEKUServerAuth: CFString = "1.3.6.1.5.5.7.3.1"
/// Client of TLS.
@safe public nonisolated(unsafe) let kSecEKUClientAuth: CFString = "1.3.6.1.5.5.7.3.2"
/// Signatures of code.
@safe public nonisolated(unsafe) let kSecEKUCodesigning: CFString = "1.3.6.1.5.5.7.3.3"
/// E-mail.
@safe public nonisolated(unsafe) let kSecEKUEmailProtection: CFString = "1.3.6.1.5.5.7.3.4"
/// Time stamps.
@safe public nonisolated(unsafe) let kSecEKUTimeStamping: CFString = "1.3.6.1.5.5.7.3.8"
/// Answers about revocation.
@safe public nonisolated(unsafe) let kSecEKUOCSPSigning: CFString = "1.3.6.1.5.5.7.3.9"
