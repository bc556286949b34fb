// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

// Object identifiers in certificates: keys of the dictionary of `SecCertificateCopyValues`, and
// labels and values in it.

// MARK: - Names in subjects and issuers

/// State or province of a group.
@safe public nonisolated(unsafe) let kSecOIDCollectiveStateProvinceName: CFString = "2.5.4.8.1"
/// Street address of a group.
@safe public nonisolated(unsafe) let kSecOIDCollectiveStreetAddress: CFString = "2.5.4.9.1"
/// Common name.
@safe public nonisolated(unsafe) let kSecOIDCommonName: CFString = "2.5.4.3"
/// Country.
@safe public nonisolated(unsafe) let kSecOIDCountryName: CFString = "2.5.4.6"
/// Description.
@safe public nonisolated(unsafe) let kSecOIDDescription: CFString = "2.5.4.13"
/// E-mail address.
@safe public nonisolated(unsafe) let kSecOIDEmailAddress: CFString = "1.2.840.113549.1.9.1"
/// Given name.
@safe public nonisolated(unsafe) let kSecOIDGivenName: CFString = "2.5.4.42"
/// Locality.
@safe public nonisolated(unsafe) let kSecOIDLocalityName: CFString = "2.5.4.7"
/// Organization.
@safe public nonisolated(unsafe) let kSecOIDOrganizationName: CFString = "2.5.4.10"
/// Organizational unit.
@safe public nonisolated(unsafe) let kSecOIDOrganizationalUnitName: CFString = "2.5.4.11"
/// Serial number of a subject.
@safe public nonisolated(unsafe) let kSecOIDSerialNumber: CFString = "2.5.4.5"
/// State or province.
@safe public nonisolated(unsafe) let kSecOIDStateProvinceName: CFString = "2.5.4.8"
/// Street address.
@safe public nonisolated(unsafe) let kSecOIDStreetAddress: CFString = "2.5.4.9"
/// Surname.
@safe public nonisolated(unsafe) let kSecOIDSurname: CFString = "2.5.4.4"
/// Title.
@safe public nonisolated(unsafe) let kSecOIDTitle: CFString = "2.5.4.12"
/// Name of a service.
@safe public nonisolated(unsafe) let kSecOIDSRVName: CFString = "1.3.6.1.5.5.7.8.7"
/// Principal name of Windows.
@safe public nonisolated(unsafe) let kSecOIDMS_NTPrincipalName: CFString = "1.3.6.1.4.1.311.20.2.3"

// MARK: - Extensions

/// Where to ask about the authority.
@safe public nonisolated(unsafe) let kSecOIDAuthorityInfoAccess: CFString = "1.3.6.1.5.5.7.1.1"
/// Identifier of the authority's key.
@safe public nonisolated(unsafe) let kSecOIDAuthorityKeyIdentifier: CFString = "2.5.29.35"
/// Whether it is an authority.
@safe public nonisolated(unsafe) let kSecOIDBasicConstraints: CFString = "2.5.29.19"
/// Biometric information.
@safe public nonisolated(unsafe) let kSecOIDBiometricInfo: CFString = "1.3.6.1.5.5.7.1.2"
/// Issuer of an entry in a revocation list.
@safe public nonisolated(unsafe) let kSecOIDCertIssuer: CFString = "2.5.29.29"
/// Certificate policies.
@safe public nonisolated(unsafe) let kSecOIDCertificatePolicies: CFString = "2.5.29.32"
/// Where revocation lists are.
@safe public nonisolated(unsafe) let kSecOIDCrlDistributionPoints: CFString = "2.5.29.31"
/// Number of a revocation list.
@safe public nonisolated(unsafe) let kSecOIDCrlNumber: CFString = "2.5.29.20"
/// Reason of a revocation.
@safe public nonisolated(unsafe) let kSecOIDCrlReason: CFString = "2.5.29.21"
/// Mark of a list of changes.
@safe public nonisolated(unsafe) let kSecOIDDeltaCrlIndicator: CFString = "2.5.29.27"
/// Extended key usage.
@safe public nonisolated(unsafe) let kSecOIDExtendedKeyUsage: CFString = "2.5.29.37"
/// What to do with a suspended certificate.
@safe public nonisolated(unsafe) let kSecOIDHoldInstructionCode: CFString = "2.5.29.23"
/// Since when it is invalid.
@safe public nonisolated(unsafe) let kSecOIDInvalidityDate: CFString = "2.5.29.24"
/// Other names of the issuer.
@safe public nonisolated(unsafe) let kSecOIDIssuerAltName: CFString = "2.5.29.18"
/// Scope of a revocation list.
@safe public nonisolated(unsafe) let kSecOIDIssuingDistributionPoint: CFString = "2.5.29.28"
/// Scope of a revocation list, in the plural.
@safe public nonisolated(unsafe) let kSecOIDIssuingDistributionPoints: CFString = "2.5.29.28"
/// Key usage.
@safe public nonisolated(unsafe) let kSecOIDKeyUsage: CFString = "2.5.29.15"
/// Constraints of names.
@safe public nonisolated(unsafe) let kSecOIDNameConstraints: CFString = "2.5.29.30"
/// Sequence of certificates, of Netscape.
@safe public nonisolated(unsafe) let kSecOIDNetscapeCertSequence: CFString = "2.16.840.1.113730.2.5"
/// Type of certificate, of Netscape.
@safe public nonisolated(unsafe) let kSecOIDNetscapeCertType: CFString = "2.16.840.1.113730.1.1"
/// Constraints of policies.
@safe public nonisolated(unsafe) let kSecOIDPolicyConstraints: CFString = "2.5.29.36"
/// Policies that are equivalent.
@safe public nonisolated(unsafe) let kSecOIDPolicyMappings: CFString = "2.5.29.33"
/// When the private key is used.
@safe public nonisolated(unsafe) let kSecOIDPrivateKeyUsagePeriod: CFString = "2.5.29.16"
/// Statements of qualified certificates.
@safe public nonisolated(unsafe) let kSecOIDQC_Statements: CFString = "1.3.6.1.5.5.7.1.3"
/// Other names of the subject.
@safe public nonisolated(unsafe) let kSecOIDSubjectAltName: CFString = "2.5.29.17"
/// Attributes of the subject in a directory.
@safe public nonisolated(unsafe) let kSecOIDSubjectDirectoryAttributes: CFString = "2.5.29.9"
/// Where to ask about the subject.
@safe public nonisolated(unsafe) let kSecOIDSubjectInfoAccess: CFString = "1.3.6.1.5.5.7.1.11"
/// Identifier of the subject's key.
@safe public nonisolated(unsafe) let kSecOIDSubjectKeyIdentifier: CFString = "2.5.29.14"
/// Exemptions of use.
@safe public nonisolated(unsafe) let kSecOIDUseExemptions: CFString =
    "2.16.840.1.113741.2.1.1.1.50.4"

// MARK: - Purposes in the extension of extended key usage

/// Client of TLS.
@safe public nonisolated(unsafe) let kSecOIDClientAuth: CFString = "1.3.6.1.5.5.7.3.2"
/// IPsec.
@safe public nonisolated(unsafe) let kSecOIDEKU_IPSec: CFString = "1.3.6.1.5.5.8.2.2"
/// E-mail.
@safe public nonisolated(unsafe) let kSecOIDEmailProtection: CFString = "1.3.6.1.5.5.7.3.4"
/// Any purpose.
@safe public nonisolated(unsafe) let kSecOIDExtendedKeyUsageAny: CFString = "2.5.29.37.0"
/// Signatures of code.
@safe public nonisolated(unsafe) let kSecOIDExtendedUseCodeSigning: CFString = "1.3.6.1.5.5.7.3.3"
/// Client of Kerberos.
@safe public nonisolated(unsafe) let kSecOIDKERBv5_PKINIT_KP_CLIENT_AUTH: CFString =
    "1.3.6.1.5.2.3.4"
/// Key distribution center of Kerberos.
@safe public nonisolated(unsafe) let kSecOIDKERBv5_PKINIT_KP_KDC: CFString = "1.3.6.1.5.2.3.5"
/// Strong encryption of servers, by Microsoft.
@safe public nonisolated(unsafe) let kSecOIDMicrosoftSGC: CFString = "1.3.6.1.4.1.311.10.3.3"
/// Strong encryption of servers, by Netscape.
@safe public nonisolated(unsafe) let kSecOIDNetscapeSGC: CFString = "2.16.840.1.113730.4.1"
/// Answers about revocation.
@safe public nonisolated(unsafe) let kSecOIDOCSPSigning: CFString = "1.3.6.1.5.5.7.3.9"
/// Server of TLS.
@safe public nonisolated(unsafe) let kSecOIDServerAuth: CFString = "1.3.6.1.5.5.7.3.1"
/// Time stamps.
@safe public nonisolated(unsafe) let kSecOIDTimeStamping: CFString = "1.3.6.1.5.5.7.3.8"

// MARK: - Apple's own

/// Apple: a policy.
@safe public nonisolated(unsafe) let kSecOIDADC_CERT_POLICY: CFString = "1.2.840.113635.100.5.3"
/// Apple: a policy.
@safe public nonisolated(unsafe) let kSecOIDAPPLE_CERT_POLICY: CFString = "1.2.840.113635.100.5.1"
/// Apple: a purpose, code signing.
@safe public nonisolated(unsafe) let kSecOIDAPPLE_EKU_CODE_SIGNING: CFString =
    "1.2.840.113635.100.4.1"
/// Apple: a purpose, code signing dev.
@safe public nonisolated(unsafe) let kSecOIDAPPLE_EKU_CODE_SIGNING_DEV: CFString =
    "1.2.840.113635.100.4.1.1"
/// Apple: a purpose, iChat encryption.
@safe public nonisolated(unsafe) let kSecOIDAPPLE_EKU_ICHAT_ENCRYPTION: CFString =
    "1.2.840.113635.100.4.3"
/// Apple: a purpose, iChat signing.
@safe public nonisolated(unsafe) let kSecOIDAPPLE_EKU_ICHAT_SIGNING: CFString =
    "1.2.840.113635.100.4.2"
/// Apple: a purpose, resource signing.
@safe public nonisolated(unsafe) let kSecOIDAPPLE_EKU_RESOURCE_SIGNING: CFString =
    "1.2.840.113635.100.4.1.4"
/// Apple: a purpose, system identity.
@safe public nonisolated(unsafe) let kSecOIDAPPLE_EKU_SYSTEM_IDENTITY: CFString =
    "1.2.840.113635.100.4.4"
/// Apple: an extension.
@safe public nonisolated(unsafe) let kSecOIDAPPLE_EXTENSION: CFString = "1.2.840.113635.100.6"
/// Apple: an extension, ADC apple signing.
@safe public nonisolated(unsafe) let kSecOIDAPPLE_EXTENSION_ADC_APPLE_SIGNING: CFString =
    "1.2.840.113635.100.6.1.2.0.0"
/// Apple: an extension, ADC dev signing.
@safe public nonisolated(unsafe) let kSecOIDAPPLE_EXTENSION_ADC_DEV_SIGNING: CFString =
    "1.2.840.113635.100.6.1.2.0"
/// Apple: an extension, apple signing.
@safe public nonisolated(unsafe) let kSecOIDAPPLE_EXTENSION_APPLE_SIGNING: CFString =
    "1.2.840.113635.100.6.1.1"
/// Apple: an extension, code signing.
@safe public nonisolated(unsafe) let kSecOIDAPPLE_EXTENSION_CODE_SIGNING: CFString =
    "1.2.840.113635.100.6.1"
/// Apple: an extension, intermediate marker.
@safe public nonisolated(unsafe) let kSecOIDAPPLE_EXTENSION_INTERMEDIATE_MARKER: CFString =
    "1.2.840.113635.100.6.2"
/// Apple: an extension, WWDR intermediate.
@safe public nonisolated(unsafe) let kSecOIDAPPLE_EXTENSION_WWDR_INTERMEDIATE: CFString =
    "1.2.840.113635.100.6.2.1"
/// Apple: an extension, iTMS intermediate.
@safe public nonisolated(unsafe) let kSecOIDAPPLE_EXTENSION_ITMS_INTERMEDIATE: CFString =
    "1.2.840.113635.100.6.2.2"
/// Apple: an extension, AAI intermediate.
@safe public nonisolated(unsafe) let kSecOIDAPPLE_EXTENSION_AAI_INTERMEDIATE: CFString =
    "1.2.840.113635.100.6.2.3"
/// Apple: an extension, Apple ID intermediate.
@safe public nonisolated(unsafe) let kSecOIDAPPLE_EXTENSION_APPLEID_INTERMEDIATE: CFString =
    "1.2.840.113635.100.6.2.7"
/// Apple: a certificate of MobileMe, email encrypt.
@safe public nonisolated(unsafe) let kSecOIDDOTMAC_CERT_EMAIL_ENCRYPT: CFString =
    "1.2.840.113635.100.3.2.3"
/// Apple: a certificate of MobileMe, email sign.
@safe public nonisolated(unsafe) let kSecOIDDOTMAC_CERT_EMAIL_SIGN: CFString =
    "1.2.840.113635.100.3.2.2"
/// Apple: a certificate of MobileMe, extension.
@safe public nonisolated(unsafe) let kSecOIDDOTMAC_CERT_EXTENSION: CFString =
    "1.2.840.113635.100.3.2"
/// Apple: a certificate of MobileMe, identity.
@safe public nonisolated(unsafe) let kSecOIDDOTMAC_CERT_IDENTITY: CFString =
    "1.2.840.113635.100.3.2.1"
/// Apple: a certificate of MobileMe, policy.
@safe public nonisolated(unsafe) let kSecOIDDOTMAC_CERT_POLICY: CFString = "1.2.840.113635.100.5.2"

// MARK: - Fields

/// CSSM key struct.
@safe public nonisolated(unsafe) let kSecOIDCSSMKeyStruct: CFString = "2.16.840.1.113741.2.1.1.1.20"
/// Subject email address.
@safe public nonisolated(unsafe) let kSecOIDSubjectEmailAddress: CFString =
    "2.16.840.1.113741.2.1.1.1.50.3"
/// Subject picture.
@safe public nonisolated(unsafe) let kSecOIDSubjectPicture: CFString =
    "2.16.840.1.113741.2.1.1.1.50.2"
/// Subject signature bitmap.
@safe public nonisolated(unsafe) let kSecOIDSubjectSignatureBitmap: CFString =
    "2.16.840.1.113741.2.1.1.1.50.1"
/// X.509 version 1: certificate issuer unique id.
@safe public nonisolated(unsafe) let kSecOIDX509V1CertificateIssuerUniqueId: CFString =
    "2.16.840.1.113741.2.1.1.1.11"
/// X.509 version 1: certificate subject unique id.
@safe public nonisolated(unsafe) let kSecOIDX509V1CertificateSubjectUniqueId: CFString =
    "2.16.840.1.113741.2.1.1.1.12"
/// X.509 version 1: issuer name.
@safe public nonisolated(unsafe) let kSecOIDX509V1IssuerName: CFString =
    "2.16.840.1.113741.2.1.1.1.5"
/// X.509 version 1: issuer name c struct.
@safe public nonisolated(unsafe) let kSecOIDX509V1IssuerNameCStruct: CFString =
    "2.16.840.1.113741.2.1.1.1.5.1"
/// X.509 version 1: issuer name LDAP.
@safe public nonisolated(unsafe) let kSecOIDX509V1IssuerNameLDAP: CFString =
    "2.16.840.1.113741.2.1.1.1.5.2"
/// X.509 version 1: issuer name std.
@safe public nonisolated(unsafe) let kSecOIDX509V1IssuerNameStd: CFString =
    "2.16.840.1.113741.2.1.1.1.23"
/// X.509 version 1: serial number.
@safe public nonisolated(unsafe) let kSecOIDX509V1SerialNumber: CFString =
    "2.16.840.1.113741.2.1.1.1.3"
/// X.509 version 1: signature.
@safe public nonisolated(unsafe) let kSecOIDX509V1Signature: CFString =
    "2.16.840.1.113741.2.1.3.2.2"
/// X.509 version 1: signature algorithm.
@safe public nonisolated(unsafe) let kSecOIDX509V1SignatureAlgorithm: CFString =
    "2.16.840.1.113741.2.1.3.2.1"
/// X.509 version 1: signature algorithm parameters.
@safe public nonisolated(unsafe) let kSecOIDX509V1SignatureAlgorithmParameters: CFString =
    "2.16.840.1.113741.2.1.3.2.3"
/// X.509 version 1: signature algorithm TBS.
@safe public nonisolated(unsafe) let kSecOIDX509V1SignatureAlgorithmTBS: CFString =
    "2.16.840.1.113741.2.1.3.2.10"
/// X.509 version 1: signature c struct.
@safe public nonisolated(unsafe) let kSecOIDX509V1SignatureCStruct: CFString =
    "2.16.840.1.113741.2.1.3.2.0.1"
/// X.509 version 1: signature struct.
@safe public nonisolated(unsafe) let kSecOIDX509V1SignatureStruct: CFString =
    "2.16.840.1.113741.2.1.3.2.0"
/// X.509 version 1: subject name.
@safe public nonisolated(unsafe) let kSecOIDX509V1SubjectName: CFString =
    "2.16.840.1.113741.2.1.1.1.8"
/// X.509 version 1: subject name c struct.
@safe public nonisolated(unsafe) let kSecOIDX509V1SubjectNameCStruct: CFString =
    "2.16.840.1.113741.2.1.1.1.8.1"
/// X.509 version 1: subject name LDAP.
@safe public nonisolated(unsafe) let kSecOIDX509V1SubjectNameLDAP: CFString =
    "2.16.840.1.113741.2.1.1.1.8.2"
/// X.509 version 1: subject name std.
@safe public nonisolated(unsafe) let kSecOIDX509V1SubjectNameStd: CFString =
    "2.16.840.1.113741.2.1.1.1.22"
/// X.509 version 1: subject public key.
@safe public nonisolated(unsafe) let kSecOIDX509V1SubjectPublicKey: CFString =
    "2.16.840.1.113741.2.1.1.1.10"
/// X.509 version 1: subject public key algorithm.
@safe public nonisolated(unsafe) let kSecOIDX509V1SubjectPublicKeyAlgorithm: CFString =
    "2.16.840.1.113741.2.1.1.1.9"
/// X.509 version 1: subject public key algorithm parameters.
@safe public nonisolated(unsafe) let kSecOIDX509V1SubjectPublicKeyAlgorithmParameters: CFString =
    "2.16.840.1.113741.2.1.1.1.18"
/// X.509 version 1: subject public key c struct.
@safe public nonisolated(unsafe) let kSecOIDX509V1SubjectPublicKeyCStruct: CFString =
    "2.16.840.1.113741.2.1.1.1.20.1"
/// X.509 version 1: validity not after.
@safe public nonisolated(unsafe) let kSecOIDX509V1ValidityNotAfter: CFString =
    "2.16.840.1.113741.2.1.1.1.7"
/// X.509 version 1: validity not before.
@safe public nonisolated(unsafe) let kSecOIDX509V1ValidityNotBefore: CFString =
    "2.16.840.1.113741.2.1.1.1.6"
/// X.509 version 1: version.
@safe public nonisolated(unsafe) let kSecOIDX509V1Version: CFString = "2.16.840.1.113741.2.1.1.1.2"
/// X.509 version 3: certificate.
@safe public nonisolated(unsafe) let kSecOIDX509V3Certificate: CFString =
    "2.16.840.1.113741.2.1.1.1.1"
/// X.509 version 3: certificate c struct.
@safe public nonisolated(unsafe) let kSecOIDX509V3CertificateCStruct: CFString =
    "2.16.840.1.113741.2.1.1.1.1.1"
/// X.509 version 3: certificate extension c struct.
@safe public nonisolated(unsafe) let kSecOIDX509V3CertificateExtensionCStruct: CFString =
    "2.16.840.1.113741.2.1.1.1.13.1"
/// X.509 version 3: certificate extension critical.
@safe public nonisolated(unsafe) let kSecOIDX509V3CertificateExtensionCritical: CFString =
    "2.16.840.1.113741.2.1.1.1.16"
/// X.509 version 3: certificate extension id.
@safe public nonisolated(unsafe) let kSecOIDX509V3CertificateExtensionId: CFString =
    "2.16.840.1.113741.2.1.1.1.15"
/// X.509 version 3: certificate extension struct.
@safe public nonisolated(unsafe) let kSecOIDX509V3CertificateExtensionStruct: CFString =
    "2.16.840.1.113741.2.1.1.1.13"
/// X.509 version 3: certificate extension type.
@safe public nonisolated(unsafe) let kSecOIDX509V3CertificateExtensionType: CFString =
    "2.16.840.1.113741.2.1.1.1.19"
/// X.509 version 3: certificate extension value.
@safe public nonisolated(unsafe) let kSecOIDX509V3CertificateExtensionValue: CFString =
    "2.16.840.1.113741.2.1.1.1.17"
/// X.509 version 3: certificate extensions c struct.
@safe public nonisolated(unsafe) let kSecOIDX509V3CertificateExtensionsCStruct: CFString =
    "2.16.840.1.113741.2.1.1.1.21.1"
/// X.509 version 3: certificate extensions struct.
@safe public nonisolated(unsafe) let kSecOIDX509V3CertificateExtensionsStruct: CFString =
    "2.16.840.1.113741.2.1.1.1.21"
/// X.509 version 3: certificate number of extensions.
@safe public nonisolated(unsafe) let kSecOIDX509V3CertificateNumberOfExtensions: CFString =
    "2.16.840.1.113741.2.1.1.1.14"
/// X.509 version 3: signed certificate.
@safe public nonisolated(unsafe) let kSecOIDX509V3SignedCertificate: CFString =
    "2.16.840.1.113741.2.1.1.1.0"
/// X.509 version 3: signed certificate c struct.
@safe public nonisolated(unsafe) let kSecOIDX509V3SignedCertificateCStruct: CFString =
    "2.16.840.1.113741.2.1.1.1.0.1"
