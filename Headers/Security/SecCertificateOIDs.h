// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors
// Made by Scripts/generate-c-interface; edits here are lost.

// Object identifiers in certificates.

#ifndef SECURITY_SECCERTIFICATEOIDS_H
#define SECURITY_SECCERTIFICATEOIDS_H

#include <Security/SecBase.h>

CF_EXTERN_C_BEGIN
CF_ASSUME_NONNULL_BEGIN

/// State or province of a group.
CF_EXPORT const CFStringRef kSecOIDCollectiveStateProvinceName;

/// Street address of a group.
CF_EXPORT const CFStringRef kSecOIDCollectiveStreetAddress;

/// Common name.
CF_EXPORT const CFStringRef kSecOIDCommonName;

/// Country.
CF_EXPORT const CFStringRef kSecOIDCountryName;

/// Description.
CF_EXPORT const CFStringRef kSecOIDDescription;

/// E-mail address.
CF_EXPORT const CFStringRef kSecOIDEmailAddress;

/// Given name.
CF_EXPORT const CFStringRef kSecOIDGivenName;

/// Locality.
CF_EXPORT const CFStringRef kSecOIDLocalityName;

/// Organization.
CF_EXPORT const CFStringRef kSecOIDOrganizationName;

/// Organizational unit.
CF_EXPORT const CFStringRef kSecOIDOrganizationalUnitName;

/// Serial number of a subject.
CF_EXPORT const CFStringRef kSecOIDSerialNumber;

/// State or province.
CF_EXPORT const CFStringRef kSecOIDStateProvinceName;

/// Street address.
CF_EXPORT const CFStringRef kSecOIDStreetAddress;

/// Surname.
CF_EXPORT const CFStringRef kSecOIDSurname;

/// Title.
CF_EXPORT const CFStringRef kSecOIDTitle;

/// Name of a service.
CF_EXPORT const CFStringRef kSecOIDSRVName;

/// Principal name of Windows.
CF_EXPORT const CFStringRef kSecOIDMS_NTPrincipalName;

/// Where to ask about the authority.
CF_EXPORT const CFStringRef kSecOIDAuthorityInfoAccess;

/// Identifier of the authority's key.
CF_EXPORT const CFStringRef kSecOIDAuthorityKeyIdentifier;

/// Whether it is an authority.
CF_EXPORT const CFStringRef kSecOIDBasicConstraints;

/// Biometric information.
CF_EXPORT const CFStringRef kSecOIDBiometricInfo;

/// Issuer of an entry in a revocation list.
CF_EXPORT const CFStringRef kSecOIDCertIssuer;

/// Certificate policies.
CF_EXPORT const CFStringRef kSecOIDCertificatePolicies;

/// Where revocation lists are.
CF_EXPORT const CFStringRef kSecOIDCrlDistributionPoints;

/// Number of a revocation list.
CF_EXPORT const CFStringRef kSecOIDCrlNumber;

/// Reason of a revocation.
CF_EXPORT const CFStringRef kSecOIDCrlReason;

/// Mark of a list of changes.
CF_EXPORT const CFStringRef kSecOIDDeltaCrlIndicator;

/// Extended key usage.
CF_EXPORT const CFStringRef kSecOIDExtendedKeyUsage;

/// What to do with a suspended certificate.
CF_EXPORT const CFStringRef kSecOIDHoldInstructionCode;

/// Since when it is invalid.
CF_EXPORT const CFStringRef kSecOIDInvalidityDate;

/// Other names of the issuer.
CF_EXPORT const CFStringRef kSecOIDIssuerAltName;

/// Scope of a revocation list.
CF_EXPORT const CFStringRef kSecOIDIssuingDistributionPoint;

/// Scope of a revocation list, in the plural.
CF_EXPORT const CFStringRef kSecOIDIssuingDistributionPoints;

/// Key usage.
CF_EXPORT const CFStringRef kSecOIDKeyUsage;

/// Constraints of names.
CF_EXPORT const CFStringRef kSecOIDNameConstraints;

/// Sequence of certificates, of Netscape.
CF_EXPORT const CFStringRef kSecOIDNetscapeCertSequence;

/// Type of certificate, of Netscape.
CF_EXPORT const CFStringRef kSecOIDNetscapeCertType;

/// Constraints of policies.
CF_EXPORT const CFStringRef kSecOIDPolicyConstraints;

/// Policies that are equivalent.
CF_EXPORT const CFStringRef kSecOIDPolicyMappings;

/// When the private key is used.
CF_EXPORT const CFStringRef kSecOIDPrivateKeyUsagePeriod;

/// Statements of qualified certificates.
CF_EXPORT const CFStringRef kSecOIDQC_Statements;

/// Other names of the subject.
CF_EXPORT const CFStringRef kSecOIDSubjectAltName;

/// Attributes of the subject in a directory.
CF_EXPORT const CFStringRef kSecOIDSubjectDirectoryAttributes;

/// Where to ask about the subject.
CF_EXPORT const CFStringRef kSecOIDSubjectInfoAccess;

/// Identifier of the subject's key.
CF_EXPORT const CFStringRef kSecOIDSubjectKeyIdentifier;

/// Exemptions of use.
CF_EXPORT const CFStringRef kSecOIDUseExemptions;

/// Client of TLS.
CF_EXPORT const CFStringRef kSecOIDClientAuth;

/// IPsec.
CF_EXPORT const CFStringRef kSecOIDEKU_IPSec;

/// E-mail.
CF_EXPORT const CFStringRef kSecOIDEmailProtection;

/// Any purpose.
CF_EXPORT const CFStringRef kSecOIDExtendedKeyUsageAny;

/// Signatures of code.
CF_EXPORT const CFStringRef kSecOIDExtendedUseCodeSigning;

/// Client of Kerberos.
CF_EXPORT const CFStringRef kSecOIDKERBv5_PKINIT_KP_CLIENT_AUTH;

/// Key distribution center of Kerberos.
CF_EXPORT const CFStringRef kSecOIDKERBv5_PKINIT_KP_KDC;

/// Strong encryption of servers, by Microsoft.
CF_EXPORT const CFStringRef kSecOIDMicrosoftSGC;

/// Strong encryption of servers, by Netscape.
CF_EXPORT const CFStringRef kSecOIDNetscapeSGC;

/// Answers about revocation.
CF_EXPORT const CFStringRef kSecOIDOCSPSigning;

/// Server of TLS.
CF_EXPORT const CFStringRef kSecOIDServerAuth;

/// Time stamps.
CF_EXPORT const CFStringRef kSecOIDTimeStamping;

/// Apple: a policy.
CF_EXPORT const CFStringRef kSecOIDADC_CERT_POLICY;

/// Apple: a policy.
CF_EXPORT const CFStringRef kSecOIDAPPLE_CERT_POLICY;

/// Apple: a purpose, code signing.
CF_EXPORT const CFStringRef kSecOIDAPPLE_EKU_CODE_SIGNING;

/// Apple: a purpose, code signing dev.
CF_EXPORT const CFStringRef kSecOIDAPPLE_EKU_CODE_SIGNING_DEV;

/// Apple: a purpose, iChat encryption.
CF_EXPORT const CFStringRef kSecOIDAPPLE_EKU_ICHAT_ENCRYPTION;

/// Apple: a purpose, iChat signing.
CF_EXPORT const CFStringRef kSecOIDAPPLE_EKU_ICHAT_SIGNING;

/// Apple: a purpose, resource signing.
CF_EXPORT const CFStringRef kSecOIDAPPLE_EKU_RESOURCE_SIGNING;

/// Apple: a purpose, system identity.
CF_EXPORT const CFStringRef kSecOIDAPPLE_EKU_SYSTEM_IDENTITY;

/// Apple: an extension.
CF_EXPORT const CFStringRef kSecOIDAPPLE_EXTENSION;

/// Apple: an extension, ADC apple signing.
CF_EXPORT const CFStringRef kSecOIDAPPLE_EXTENSION_ADC_APPLE_SIGNING;

/// Apple: an extension, ADC dev signing.
CF_EXPORT const CFStringRef kSecOIDAPPLE_EXTENSION_ADC_DEV_SIGNING;

/// Apple: an extension, apple signing.
CF_EXPORT const CFStringRef kSecOIDAPPLE_EXTENSION_APPLE_SIGNING;

/// Apple: an extension, code signing.
CF_EXPORT const CFStringRef kSecOIDAPPLE_EXTENSION_CODE_SIGNING;

/// Apple: an extension, intermediate marker.
CF_EXPORT const CFStringRef kSecOIDAPPLE_EXTENSION_INTERMEDIATE_MARKER;

/// Apple: an extension, WWDR intermediate.
CF_EXPORT const CFStringRef kSecOIDAPPLE_EXTENSION_WWDR_INTERMEDIATE;

/// Apple: an extension, iTMS intermediate.
CF_EXPORT const CFStringRef kSecOIDAPPLE_EXTENSION_ITMS_INTERMEDIATE;

/// Apple: an extension, AAI intermediate.
CF_EXPORT const CFStringRef kSecOIDAPPLE_EXTENSION_AAI_INTERMEDIATE;

/// Apple: an extension, Apple ID intermediate.
CF_EXPORT const CFStringRef kSecOIDAPPLE_EXTENSION_APPLEID_INTERMEDIATE;

/// Apple: a certificate of MobileMe, email encrypt.
CF_EXPORT const CFStringRef kSecOIDDOTMAC_CERT_EMAIL_ENCRYPT;

/// Apple: a certificate of MobileMe, email sign.
CF_EXPORT const CFStringRef kSecOIDDOTMAC_CERT_EMAIL_SIGN;

/// Apple: a certificate of MobileMe, extension.
CF_EXPORT const CFStringRef kSecOIDDOTMAC_CERT_EXTENSION;

/// Apple: a certificate of MobileMe, identity.
CF_EXPORT const CFStringRef kSecOIDDOTMAC_CERT_IDENTITY;

/// Apple: a certificate of MobileMe, policy.
CF_EXPORT const CFStringRef kSecOIDDOTMAC_CERT_POLICY;

/// CSSM key struct.
CF_EXPORT const CFStringRef kSecOIDCSSMKeyStruct;

/// Subject email address.
CF_EXPORT const CFStringRef kSecOIDSubjectEmailAddress;

/// Subject picture.
CF_EXPORT const CFStringRef kSecOIDSubjectPicture;

/// Subject signature bitmap.
CF_EXPORT const CFStringRef kSecOIDSubjectSignatureBitmap;

/// X.509 version 1: certificate issuer unique id.
CF_EXPORT const CFStringRef kSecOIDX509V1CertificateIssuerUniqueId;

/// X.509 version 1: certificate subject unique id.
CF_EXPORT const CFStringRef kSecOIDX509V1CertificateSubjectUniqueId;

/// X.509 version 1: issuer name.
CF_EXPORT const CFStringRef kSecOIDX509V1IssuerName;

/// X.509 version 1: issuer name c struct.
CF_EXPORT const CFStringRef kSecOIDX509V1IssuerNameCStruct;

/// X.509 version 1: issuer name LDAP.
CF_EXPORT const CFStringRef kSecOIDX509V1IssuerNameLDAP;

/// X.509 version 1: issuer name std.
CF_EXPORT const CFStringRef kSecOIDX509V1IssuerNameStd;

/// X.509 version 1: serial number.
CF_EXPORT const CFStringRef kSecOIDX509V1SerialNumber;

/// X.509 version 1: signature.
CF_EXPORT const CFStringRef kSecOIDX509V1Signature;

/// X.509 version 1: signature algorithm.
CF_EXPORT const CFStringRef kSecOIDX509V1SignatureAlgorithm;

/// X.509 version 1: signature algorithm parameters.
CF_EXPORT const CFStringRef kSecOIDX509V1SignatureAlgorithmParameters;

/// X.509 version 1: signature algorithm TBS.
CF_EXPORT const CFStringRef kSecOIDX509V1SignatureAlgorithmTBS;

/// X.509 version 1: signature c struct.
CF_EXPORT const CFStringRef kSecOIDX509V1SignatureCStruct;

/// X.509 version 1: signature struct.
CF_EXPORT const CFStringRef kSecOIDX509V1SignatureStruct;

/// X.509 version 1: subject name.
CF_EXPORT const CFStringRef kSecOIDX509V1SubjectName;

/// X.509 version 1: subject name c struct.
CF_EXPORT const CFStringRef kSecOIDX509V1SubjectNameCStruct;

/// X.509 version 1: subject name LDAP.
CF_EXPORT const CFStringRef kSecOIDX509V1SubjectNameLDAP;

/// X.509 version 1: subject name std.
CF_EXPORT const CFStringRef kSecOIDX509V1SubjectNameStd;

/// X.509 version 1: subject public key.
CF_EXPORT const CFStringRef kSecOIDX509V1SubjectPublicKey;

/// X.509 version 1: subject public key algorithm.
CF_EXPORT const CFStringRef kSecOIDX509V1SubjectPublicKeyAlgorithm;

/// X.509 version 1: subject public key algorithm parameters.
CF_EXPORT const CFStringRef kSecOIDX509V1SubjectPublicKeyAlgorithmParameters;

/// X.509 version 1: subject public key c struct.
CF_EXPORT const CFStringRef kSecOIDX509V1SubjectPublicKeyCStruct;

/// X.509 version 1: validity not after.
CF_EXPORT const CFStringRef kSecOIDX509V1ValidityNotAfter;

/// X.509 version 1: validity not before.
CF_EXPORT const CFStringRef kSecOIDX509V1ValidityNotBefore;

/// X.509 version 1: version.
CF_EXPORT const CFStringRef kSecOIDX509V1Version;

/// X.509 version 3: certificate.
CF_EXPORT const CFStringRef kSecOIDX509V3Certificate;

/// X.509 version 3: certificate c struct.
CF_EXPORT const CFStringRef kSecOIDX509V3CertificateCStruct;

/// X.509 version 3: certificate extension c struct.
CF_EXPORT const CFStringRef kSecOIDX509V3CertificateExtensionCStruct;

/// X.509 version 3: certificate extension critical.
CF_EXPORT const CFStringRef kSecOIDX509V3CertificateExtensionCritical;

/// X.509 version 3: certificate extension id.
CF_EXPORT const CFStringRef kSecOIDX509V3CertificateExtensionId;

/// X.509 version 3: certificate extension struct.
CF_EXPORT const CFStringRef kSecOIDX509V3CertificateExtensionStruct;

/// X.509 version 3: certificate extension type.
CF_EXPORT const CFStringRef kSecOIDX509V3CertificateExtensionType;

/// X.509 version 3: certificate extension value.
CF_EXPORT const CFStringRef kSecOIDX509V3CertificateExtensionValue;

/// X.509 version 3: certificate extensions c struct.
CF_EXPORT const CFStringRef kSecOIDX509V3CertificateExtensionsCStruct;

/// X.509 version 3: certificate extensions struct.
CF_EXPORT const CFStringRef kSecOIDX509V3CertificateExtensionsStruct;

/// X.509 version 3: certificate number of extensions.
CF_EXPORT const CFStringRef kSecOIDX509V3CertificateNumberOfExtensions;

/// X.509 version 3: signed certificate.
CF_EXPORT const CFStringRef kSecOIDX509V3SignedCertificate;

/// X.509 version 3: signed certificate c struct.
CF_EXPORT const CFStringRef kSecOIDX509V3SignedCertificateCStruct;

CF_ASSUME_NONNULL_END
CF_EXTERN_C_END

#endif
