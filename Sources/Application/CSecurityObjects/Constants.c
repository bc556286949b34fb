// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors
// Made by Scripts/generate-c-interface; edits here are lost.

// The constants that are objects, and the texts that they are made of. Objects.c makes them before
// anything that uses the library runs. They aren't `const` here as they are in the headers: a
// program that isn't position-independent has a copy of each, which must be one that can be written.

#include "Objects.h"

const void *kSecAttrAFPServerSignature;
const void *kSecAttrAccess;
const void *kSecAttrAccessControl;
const void *kSecAttrAccessGroup;
const void *kSecAttrAccessGroupToken;
const void *kSecAttrAccessible;
const void *kSecAttrAccessibleAfterFirstUnlock;
const void *kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly;
const void *kSecAttrAccessibleAlways;
const void *kSecAttrAccessibleAlwaysPrivate;
const void *kSecAttrAccessibleAlwaysThisDeviceOnly;
const void *kSecAttrAccessibleAlwaysThisDeviceOnlyPrivate;
const void *kSecAttrAccessibleUntilReboot;
const void *kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly;
const void *kSecAttrAccessibleWhenUnlocked;
const void *kSecAttrAccessibleWhenUnlockedThisDeviceOnly;
const void *kSecAttrAccount;
const void *kSecAttrAddress;
const void *kSecAttrAlias;
const void *kSecAttrApplicationLabel;
const void *kSecAttrApplicationTag;
const void *kSecAttrAuthenticationType;
const void *kSecAttrAuthenticationTypeDPA;
const void *kSecAttrAuthenticationTypeDefault;
const void *kSecAttrAuthenticationTypeHTMLForm;
const void *kSecAttrAuthenticationTypeHTTPBasic;
const void *kSecAttrAuthenticationTypeHTTPDigest;
const void *kSecAttrAuthenticationTypeMSN;
const void *kSecAttrAuthenticationTypeNTLM;
const void *kSecAttrAuthenticationTypeRPA;
const void *kSecAttrCRLEncoding;
const void *kSecAttrCRLType;
const void *kSecAttrCanDecrypt;
const void *kSecAttrCanDerive;
const void *kSecAttrCanEncrypt;
const void *kSecAttrCanSign;
const void *kSecAttrCanSignRecover;
const void *kSecAttrCanUnwrap;
const void *kSecAttrCanVerify;
const void *kSecAttrCanVerifyRecover;
const void *kSecAttrCanWrap;
const void *kSecAttrCertificateEncoding;
const void *kSecAttrCertificateType;
const void *kSecAttrComment;
const void *kSecAttrCreationDate;
const void *kSecAttrCreator;
const void *kSecAttrDeriveSyncIDFromItemAttributes;
const void *kSecAttrDescription;
const void *kSecAttrEffectiveKeySize;
const void *kSecAttrEndDate;
const void *kSecAttrGeneric;
const void *kSecAttrHasCustomIcon;
const void *kSecAttrIsExtractable;
const void *kSecAttrIsInvisible;
const void *kSecAttrIsModifiable;
const void *kSecAttrIsNegative;
const void *kSecAttrIsPermanent;
const void *kSecAttrIsPrivate;
const void *kSecAttrIsSensitive;
const void *kSecAttrIssuer;
const void *kSecAttrKeyClass;
const void *kSecAttrKeyClassPrivate;
const void *kSecAttrKeyClassPublic;
const void *kSecAttrKeyClassSymmetric;
const void *kSecAttrKeyCreator;
const void *kSecAttrKeySizeInBits;
const void *kSecAttrKeySizeMLDSA65;
const void *kSecAttrKeySizeMLDSA87;
const void *kSecAttrKeySizeMLKEM1024;
const void *kSecAttrKeySizeMLKEM768;
const void *kSecAttrKeyType;
const void *kSecAttrKeyType3DES;
const void *kSecAttrKeyTypeAES;
const void *kSecAttrKeyTypeCAST;
const void *kSecAttrKeyTypeDES;
const void *kSecAttrKeyTypeDSA;
const void *kSecAttrKeyTypeEC;
const void *kSecAttrKeyTypeECDSA;
const void *kSecAttrKeyTypeECSECPrimeRandom;
const void *kSecAttrKeyTypeECSECPrimeRandomPKA;
const void *kSecAttrKeyTypeEd25519;
const void *kSecAttrKeyTypeEd448;
const void *kSecAttrKeyTypeKyber;
const void *kSecAttrKeyTypeMLDSA;
const void *kSecAttrKeyTypeMLKEM;
const void *kSecAttrKeyTypeRC2;
const void *kSecAttrKeyTypeRC4;
const void *kSecAttrKeyTypeRSA;
const void *kSecAttrKeyTypeSecureEnclaveAnonymousAttestation;
const void *kSecAttrKeyTypeSecureEnclaveAttestation;
const void *kSecAttrKeyTypeX25519;
const void *kSecAttrKeyTypeX448;
const void *kSecAttrLabel;
const void *kSecAttrModificationDate;
const void *kSecAttrMultiUser;
const void *kSecAttrNoLegacy;
const void *kSecAttrPCSPlaintextPublicIdentity;
const void *kSecAttrPCSPlaintextPublicKey;
const void *kSecAttrPCSPlaintextServiceIdentifier;
const void *kSecAttrPRF;
const void *kSecAttrPRFHmacAlgSHA1;
const void *kSecAttrPRFHmacAlgSHA224;
const void *kSecAttrPRFHmacAlgSHA256;
const void *kSecAttrPRFHmacAlgSHA384;
const void *kSecAttrPRFHmacAlgSHA512;
const void *kSecAttrPath;
const void *kSecAttrPersistantReference;
const void *kSecAttrPersistentReference;
const void *kSecAttrPort;
const void *kSecAttrProtocol;
const void *kSecAttrProtocolAFP;
const void *kSecAttrProtocolAppleTalk;
const void *kSecAttrProtocolDAAP;
const void *kSecAttrProtocolEPPC;
const void *kSecAttrProtocolFTP;
const void *kSecAttrProtocolFTPAccount;
const void *kSecAttrProtocolFTPProxy;
const void *kSecAttrProtocolFTPS;
const void *kSecAttrProtocolHTTP;
const void *kSecAttrProtocolHTTPProxy;
const void *kSecAttrProtocolHTTPS;
const void *kSecAttrProtocolHTTPSProxy;
const void *kSecAttrProtocolIMAP;
const void *kSecAttrProtocolIMAPS;
const void *kSecAttrProtocolIPP;
const void *kSecAttrProtocolIRC;
const void *kSecAttrProtocolIRCS;
const void *kSecAttrProtocolLDAP;
const void *kSecAttrProtocolLDAPS;
const void *kSecAttrProtocolNNTP;
const void *kSecAttrProtocolNNTPS;
const void *kSecAttrProtocolPOP3;
const void *kSecAttrProtocolPOP3S;
const void *kSecAttrProtocolRTSP;
const void *kSecAttrProtocolRTSPProxy;
const void *kSecAttrProtocolSMB;
const void *kSecAttrProtocolSMTP;
const void *kSecAttrProtocolSOCKS;
const void *kSecAttrProtocolSSH;
const void *kSecAttrProtocolTelnet;
const void *kSecAttrProtocolTelnetS;
const void *kSecAttrPublicKeyHash;
const void *kSecAttrRounds;
const void *kSecAttrSHA1;
const void *kSecAttrSalt;
const void *kSecAttrScriptCode;
const void *kSecAttrSecureEnclaveKeyBlob;
const void *kSecAttrSecurityDomain;
const void *kSecAttrSerialNumber;
const void *kSecAttrServer;
const void *kSecAttrService;
const void *kSecAttrSharingGroup;
const void *kSecAttrSharingGroupNone;
const void *kSecAttrStartDate;
const void *kSecAttrSubject;
const void *kSecAttrSubjectKeyID;
const void *kSecAttrSyncViewHint;
const void *kSecAttrSynchronizable;
const void *kSecAttrSynchronizableAny;
const void *kSecAttrSysBound;
const void *kSecAttrTokenID;
const void *kSecAttrTokenIDAppleKeyStore;
const void *kSecAttrTokenIDSecureElement;
const void *kSecAttrTokenIDSecureEnclave;
const void *kSecAttrTokenOID;
const void *kSecAttrTombstone;
const void *kSecAttrType;
const void *kSecAttrUUID;
const void *kSecAttrVolume;
const void *kSecAttrWasAlwaysSensitive;
const void *kSecAttrWasNeverExtractable;
const void *kSecCMSHashingAlgorithmSHA1;
const void *kSecCMSHashingAlgorithmSHA256;
const void *kSecCMSHashingAlgorithmSHA384;
const void *kSecCMSHashingAlgorithmSHA512;
const void *kSecCMSSignHashAlgorithm;
const void *kSecCSRBasicConstraintsCA;
const void *kSecCSRBasicContraintsPathLen;
const void *kSecCSRChallengePassword;
const void *kSecCertificateExtendedKeyUsage;
const void *kSecCertificateExtensions;
const void *kSecCertificateExtensionsEncoded;
const void *kSecCertificateKeyUsage;
const void *kSecCertificateLifetime;
const void *kSecCertificateSerialNumber;
const void *kSecClass;
const void *kSecClassAppleSharePassword;
const void *kSecClassCertificate;
const void *kSecClassGenericPassword;
const void *kSecClassIdentity;
const void *kSecClassInternetPassword;
const void *kSecClassKey;
const void *kSecDataInetExtraClientDefined0;
const void *kSecDataInetExtraClientDefined1;
const void *kSecDataInetExtraClientDefined2;
const void *kSecDataInetExtraClientDefined3;
const void *kSecDataInetExtraHistory;
const void *kSecDataInetExtraNotes;
const void *kSecEKUClientAuth;
const void *kSecEKUCodesigning;
const void *kSecEKUEmailProtection;
const void *kSecEKUOCSPSigning;
const void *kSecEKUServerAuth;
const void *kSecEKUTimeStamping;
const void *kSecIdentityDomainDefault;
const void *kSecIdentityDomainKerberosKDC;
const void *kSecImportExportAccess;
const void *kSecImportExportKeychain;
const void *kSecImportExportPassphrase;
const void *kSecImportItemCertChain;
const void *kSecImportItemIdentity;
const void *kSecImportItemKeyID;
const void *kSecImportItemLabel;
const void *kSecImportItemTrust;
const void *kSecImportToMemoryOnly;
const void *kSecKeyAlgorithmECDHKeyExchangeCofactor;
const void *kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA1;
const void *kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA224;
const void *kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA256;
const void *kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA384;
const void *kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA512;
const void *kSecKeyAlgorithmECDHKeyExchangeStandard;
const void *kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA1;
const void *kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA224;
const void *kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA256;
const void *kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA384;
const void *kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA512;
const void *kSecKeyAlgorithmECDSASignatureDigestRFC4754;
const void *kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA1;
const void *kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA224;
const void *kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA256;
const void *kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA384;
const void *kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA512;
const void *kSecKeyAlgorithmECDSASignatureDigestX962;
const void *kSecKeyAlgorithmECDSASignatureDigestX962SHA1;
const void *kSecKeyAlgorithmECDSASignatureDigestX962SHA224;
const void *kSecKeyAlgorithmECDSASignatureDigestX962SHA256;
const void *kSecKeyAlgorithmECDSASignatureDigestX962SHA384;
const void *kSecKeyAlgorithmECDSASignatureDigestX962SHA512;
const void *kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA1;
const void *kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA224;
const void *kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA256;
const void *kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA384;
const void *kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA512;
const void *kSecKeyAlgorithmECDSASignatureMessageX962SHA1;
const void *kSecKeyAlgorithmECDSASignatureMessageX962SHA224;
const void *kSecKeyAlgorithmECDSASignatureMessageX962SHA256;
const void *kSecKeyAlgorithmECDSASignatureMessageX962SHA384;
const void *kSecKeyAlgorithmECDSASignatureMessageX962SHA512;
const void *kSecKeyAlgorithmECDSASignatureRFC4754;
const void *kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA224AESGCM;
const void *kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA256AESGCM;
const void *kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA384AESGCM;
const void *kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA512AESGCM;
const void *kSecKeyAlgorithmECIESEncryptionCofactorX963SHA1AESGCM;
const void *kSecKeyAlgorithmECIESEncryptionCofactorX963SHA224AESGCM;
const void *kSecKeyAlgorithmECIESEncryptionCofactorX963SHA256AESGCM;
const void *kSecKeyAlgorithmECIESEncryptionCofactorX963SHA384AESGCM;
const void *kSecKeyAlgorithmECIESEncryptionCofactorX963SHA512AESGCM;
const void *kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA224AESGCM;
const void *kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA256AESGCM;
const void *kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA384AESGCM;
const void *kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA512AESGCM;
const void *kSecKeyAlgorithmECIESEncryptionStandardX963SHA1AESGCM;
const void *kSecKeyAlgorithmECIESEncryptionStandardX963SHA224AESGCM;
const void *kSecKeyAlgorithmECIESEncryptionStandardX963SHA256AESGCM;
const void *kSecKeyAlgorithmECIESEncryptionStandardX963SHA384AESGCM;
const void *kSecKeyAlgorithmECIESEncryptionStandardX963SHA512AESGCM;
const void *kSecKeyAlgorithmEdDSASignatureMessageCurve25519SHA512;
const void *kSecKeyAlgorithmRSAEncryptionOAEPSHA1;
const void *kSecKeyAlgorithmRSAEncryptionOAEPSHA1AESGCM;
const void *kSecKeyAlgorithmRSAEncryptionOAEPSHA224;
const void *kSecKeyAlgorithmRSAEncryptionOAEPSHA224AESGCM;
const void *kSecKeyAlgorithmRSAEncryptionOAEPSHA256;
const void *kSecKeyAlgorithmRSAEncryptionOAEPSHA256AESGCM;
const void *kSecKeyAlgorithmRSAEncryptionOAEPSHA384;
const void *kSecKeyAlgorithmRSAEncryptionOAEPSHA384AESGCM;
const void *kSecKeyAlgorithmRSAEncryptionOAEPSHA512;
const void *kSecKeyAlgorithmRSAEncryptionOAEPSHA512AESGCM;
const void *kSecKeyAlgorithmRSAEncryptionPKCS1;
const void *kSecKeyAlgorithmRSAEncryptionRaw;
const void *kSecKeyAlgorithmRSASignatureDigestPKCS1v15Raw;
const void *kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA1;
const void *kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA224;
const void *kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA256;
const void *kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA384;
const void *kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA512;
const void *kSecKeyAlgorithmRSASignatureDigestPSSSHA1;
const void *kSecKeyAlgorithmRSASignatureDigestPSSSHA224;
const void *kSecKeyAlgorithmRSASignatureDigestPSSSHA256;
const void *kSecKeyAlgorithmRSASignatureDigestPSSSHA384;
const void *kSecKeyAlgorithmRSASignatureDigestPSSSHA512;
const void *kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA1;
const void *kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA224;
const void *kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA256;
const void *kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA384;
const void *kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA512;
const void *kSecKeyAlgorithmRSASignatureMessagePSSSHA1;
const void *kSecKeyAlgorithmRSASignatureMessagePSSSHA224;
const void *kSecKeyAlgorithmRSASignatureMessagePSSSHA256;
const void *kSecKeyAlgorithmRSASignatureMessagePSSSHA384;
const void *kSecKeyAlgorithmRSASignatureMessagePSSSHA512;
const void *kSecKeyAlgorithmRSASignatureRaw;
const void *kSecKeyKeyExchangeParameterRequestedSize;
const void *kSecKeyKeyExchangeParameterSharedInfo;
const void *kSecMatchCaseInsensitive;
const void *kSecMatchDiacriticInsensitive;
const void *kSecMatchEmailAddressIfPresent;
const void *kSecMatchHostOrSubdomainOfHost;
const void *kSecMatchIssuers;
const void *kSecMatchItemList;
const void *kSecMatchLimit;
const void *kSecMatchLimitAll;
const void *kSecMatchLimitOne;
const void *kSecMatchPolicy;
const void *kSecMatchSearchList;
const void *kSecMatchSubjectContains;
const void *kSecMatchSubjectEndsWith;
const void *kSecMatchSubjectStartsWith;
const void *kSecMatchSubjectWholeString;
const void *kSecMatchTrustedOnly;
const void *kSecMatchValidOnDate;
const void *kSecMatchWidthInsensitive;
const void *kSecOIDADC_CERT_POLICY;
const void *kSecOIDAPPLE_CERT_POLICY;
const void *kSecOIDAPPLE_EKU_CODE_SIGNING;
const void *kSecOIDAPPLE_EKU_CODE_SIGNING_DEV;
const void *kSecOIDAPPLE_EKU_ICHAT_ENCRYPTION;
const void *kSecOIDAPPLE_EKU_ICHAT_SIGNING;
const void *kSecOIDAPPLE_EKU_RESOURCE_SIGNING;
const void *kSecOIDAPPLE_EKU_SYSTEM_IDENTITY;
const void *kSecOIDAPPLE_EXTENSION;
const void *kSecOIDAPPLE_EXTENSION_AAI_INTERMEDIATE;
const void *kSecOIDAPPLE_EXTENSION_ADC_APPLE_SIGNING;
const void *kSecOIDAPPLE_EXTENSION_ADC_DEV_SIGNING;
const void *kSecOIDAPPLE_EXTENSION_APPLEID_INTERMEDIATE;
const void *kSecOIDAPPLE_EXTENSION_APPLE_SIGNING;
const void *kSecOIDAPPLE_EXTENSION_CODE_SIGNING;
const void *kSecOIDAPPLE_EXTENSION_INTERMEDIATE_MARKER;
const void *kSecOIDAPPLE_EXTENSION_ITMS_INTERMEDIATE;
const void *kSecOIDAPPLE_EXTENSION_WWDR_INTERMEDIATE;
const void *kSecOIDAuthorityInfoAccess;
const void *kSecOIDAuthorityKeyIdentifier;
const void *kSecOIDBasicConstraints;
const void *kSecOIDBiometricInfo;
const void *kSecOIDCSSMKeyStruct;
const void *kSecOIDCertIssuer;
const void *kSecOIDCertificatePolicies;
const void *kSecOIDClientAuth;
const void *kSecOIDCollectiveStateProvinceName;
const void *kSecOIDCollectiveStreetAddress;
const void *kSecOIDCommonName;
const void *kSecOIDCountryName;
const void *kSecOIDCrlDistributionPoints;
const void *kSecOIDCrlNumber;
const void *kSecOIDCrlReason;
const void *kSecOIDDOTMAC_CERT_EMAIL_ENCRYPT;
const void *kSecOIDDOTMAC_CERT_EMAIL_SIGN;
const void *kSecOIDDOTMAC_CERT_EXTENSION;
const void *kSecOIDDOTMAC_CERT_IDENTITY;
const void *kSecOIDDOTMAC_CERT_POLICY;
const void *kSecOIDDeltaCrlIndicator;
const void *kSecOIDDescription;
const void *kSecOIDEKU_IPSec;
const void *kSecOIDEmailAddress;
const void *kSecOIDEmailProtection;
const void *kSecOIDExtendedKeyUsage;
const void *kSecOIDExtendedKeyUsageAny;
const void *kSecOIDExtendedUseCodeSigning;
const void *kSecOIDGivenName;
const void *kSecOIDHoldInstructionCode;
const void *kSecOIDInvalidityDate;
const void *kSecOIDIssuerAltName;
const void *kSecOIDIssuingDistributionPoint;
const void *kSecOIDIssuingDistributionPoints;
const void *kSecOIDKERBv5_PKINIT_KP_CLIENT_AUTH;
const void *kSecOIDKERBv5_PKINIT_KP_KDC;
const void *kSecOIDKeyUsage;
const void *kSecOIDLocalityName;
const void *kSecOIDMS_NTPrincipalName;
const void *kSecOIDMicrosoftSGC;
const void *kSecOIDNameConstraints;
const void *kSecOIDNetscapeCertSequence;
const void *kSecOIDNetscapeCertType;
const void *kSecOIDNetscapeSGC;
const void *kSecOIDOCSPSigning;
const void *kSecOIDOrganizationName;
const void *kSecOIDOrganizationalUnitName;
const void *kSecOIDPolicyConstraints;
const void *kSecOIDPolicyMappings;
const void *kSecOIDPrivateKeyUsagePeriod;
const void *kSecOIDQC_Statements;
const void *kSecOIDSRVName;
const void *kSecOIDSerialNumber;
const void *kSecOIDServerAuth;
const void *kSecOIDStateProvinceName;
const void *kSecOIDStreetAddress;
const void *kSecOIDSubjectAltName;
const void *kSecOIDSubjectDirectoryAttributes;
const void *kSecOIDSubjectEmailAddress;
const void *kSecOIDSubjectInfoAccess;
const void *kSecOIDSubjectKeyIdentifier;
const void *kSecOIDSubjectPicture;
const void *kSecOIDSubjectSignatureBitmap;
const void *kSecOIDSurname;
const void *kSecOIDTimeStamping;
const void *kSecOIDTitle;
const void *kSecOIDUseExemptions;
const void *kSecOIDX509V1CertificateIssuerUniqueId;
const void *kSecOIDX509V1CertificateSubjectUniqueId;
const void *kSecOIDX509V1IssuerName;
const void *kSecOIDX509V1IssuerNameCStruct;
const void *kSecOIDX509V1IssuerNameLDAP;
const void *kSecOIDX509V1IssuerNameStd;
const void *kSecOIDX509V1SerialNumber;
const void *kSecOIDX509V1Signature;
const void *kSecOIDX509V1SignatureAlgorithm;
const void *kSecOIDX509V1SignatureAlgorithmParameters;
const void *kSecOIDX509V1SignatureAlgorithmTBS;
const void *kSecOIDX509V1SignatureCStruct;
const void *kSecOIDX509V1SignatureStruct;
const void *kSecOIDX509V1SubjectName;
const void *kSecOIDX509V1SubjectNameCStruct;
const void *kSecOIDX509V1SubjectNameLDAP;
const void *kSecOIDX509V1SubjectNameStd;
const void *kSecOIDX509V1SubjectPublicKey;
const void *kSecOIDX509V1SubjectPublicKeyAlgorithm;
const void *kSecOIDX509V1SubjectPublicKeyAlgorithmParameters;
const void *kSecOIDX509V1SubjectPublicKeyCStruct;
const void *kSecOIDX509V1ValidityNotAfter;
const void *kSecOIDX509V1ValidityNotBefore;
const void *kSecOIDX509V1Version;
const void *kSecOIDX509V3Certificate;
const void *kSecOIDX509V3CertificateCStruct;
const void *kSecOIDX509V3CertificateExtensionCStruct;
const void *kSecOIDX509V3CertificateExtensionCritical;
const void *kSecOIDX509V3CertificateExtensionId;
const void *kSecOIDX509V3CertificateExtensionStruct;
const void *kSecOIDX509V3CertificateExtensionType;
const void *kSecOIDX509V3CertificateExtensionValue;
const void *kSecOIDX509V3CertificateExtensionsCStruct;
const void *kSecOIDX509V3CertificateExtensionsStruct;
const void *kSecOIDX509V3CertificateNumberOfExtensions;
const void *kSecOIDX509V3SignedCertificate;
const void *kSecOIDX509V3SignedCertificateCStruct;
const void *kSecOidCommonName;
const void *kSecOidCountryName;
const void *kSecOidLocalityName;
const void *kSecOidOrganization;
const void *kSecOidOrganizationalUnit;
const void *kSecOidStateProvinceName;
const void *kSecPolicyAppleCodeSigning;
const void *kSecPolicyAppleEAP;
const void *kSecPolicyAppleEAPClient;
const void *kSecPolicyAppleEAPServer;
const void *kSecPolicyAppleIDValidation;
const void *kSecPolicyAppleIPSecClient;
const void *kSecPolicyAppleIPSecServer;
const void *kSecPolicyAppleIPsec;
const void *kSecPolicyApplePKINITClient;
const void *kSecPolicyApplePKINITServer;
const void *kSecPolicyApplePassbookSigning;
const void *kSecPolicyApplePayIssuerEncryption;
const void *kSecPolicyAppleRevocation;
const void *kSecPolicyAppleSMIME;
const void *kSecPolicyAppleSSL;
const void *kSecPolicyAppleSSLClient;
const void *kSecPolicyAppleSSLServer;
const void *kSecPolicyAppleTimeStamping;
const void *kSecPolicyAppleX509Basic;
const void *kSecPolicyAppleiChat;
const void *kSecPolicyClient;
const void *kSecPolicyKU_CRLSign;
const void *kSecPolicyKU_DataEncipherment;
const void *kSecPolicyKU_DecipherOnly;
const void *kSecPolicyKU_DigitalSignature;
const void *kSecPolicyKU_EncipherOnly;
const void *kSecPolicyKU_KeyAgreement;
const void *kSecPolicyKU_KeyCertSign;
const void *kSecPolicyKU_KeyEncipherment;
const void *kSecPolicyKU_NonRepudiation;
const void *kSecPolicyMacAppStoreReceipt;
const void *kSecPolicyName;
const void *kSecPolicyOid;
const void *kSecPolicyRevocationFlags;
const void *kSecPolicyTeamIdentifier;
const void *kSecPrivateKeyAttrs;
const void *kSecPropertyKeyLabel;
const void *kSecPropertyKeyLocalizedLabel;
const void *kSecPropertyKeyType;
const void *kSecPropertyKeyValue;
const void *kSecPropertyTypeArray;
const void *kSecPropertyTypeData;
const void *kSecPropertyTypeDate;
const void *kSecPropertyTypeError;
const void *kSecPropertyTypeNumber;
const void *kSecPropertyTypeSection;
const void *kSecPropertyTypeString;
const void *kSecPropertyTypeSuccess;
const void *kSecPropertyTypeTitle;
const void *kSecPropertyTypeURL;
const void *kSecPropertyTypeWarning;
const void *kSecPublicKeyAttrs;
const void *kSecReturnAttributes;
const void *kSecReturnData;
const void *kSecReturnPersistentRef;
const void *kSecReturnRef;
const void *kSecSubjectAltName;
const void *kSecSubjectAltNameDNSName;
const void *kSecSubjectAltNameEmailAddress;
const void *kSecSubjectAltNameNTPrincipalName;
const void *kSecSubjectAltNameURI;
const void *kSecTrustCertificateTransparency;
const void *kSecTrustCertificateTransparencyWhiteList;
const void *kSecTrustEvaluationDate;
const void *kSecTrustExtendedValidation;
const void *kSecTrustOrganizationName;
const void *kSecTrustQCStatements;
const void *kSecTrustQWACValidation;
const void *kSecTrustResultValue;
const void *kSecTrustRevocationChecked;
const void *kSecTrustRevocationValidUntilDate;
const void *kSecUseAuthenticationContext;
const void *kSecUseAuthenticationUI;
const void *kSecUseAuthenticationUIAllow;
const void *kSecUseAuthenticationUIFail;
const void *kSecUseAuthenticationUISkip;
const void *kSecUseCallerName;
const void *kSecUseCertificatesWithMatchIssuers;
const void *kSecUseCredentialReference;
const void *kSecUseDataProtectionKeychain;
const void *kSecUseHardwareBackedStorage;
const void *kSecUseItemList;
const void *kSecUseKeychain;
const void *kSecUseNoAuthenticationUI;
const void *kSecUseOperationPrompt;
const void *kSecUseSyncBubbleKeychain;
const void *kSecUseSystemKeychain;
const void *kSecUseSystemKeychainAlways;
const void *kSecUseTokenRawItems;
const void *kSecUseTombstones;
const void *kSecUseUserIndependentKeychain;
const void *kSecValueData;
const void *kSecValuePersistentRef;
const void *kSecValueRef;

// No source of random bytes but the kernel's.
const void *kSecRandomDefault;

const struct llavero_constant llavero_constants[] = {
    {&kSecAttrAFPServerSignature, "afps"},
    {&kSecAttrAccess, "acls"},
    {&kSecAttrAccessControl, "accc"},
    {&kSecAttrAccessGroup, "agrp"},
    {&kSecAttrAccessGroupToken, "com.apple.token"},
    {&kSecAttrAccessible, "pdmn"},
    {&kSecAttrAccessibleAfterFirstUnlock, "ck"},
    {&kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, "cku"},
    {&kSecAttrAccessibleAlways, "dk"},
    {&kSecAttrAccessibleAlwaysPrivate, "dk"},
    {&kSecAttrAccessibleAlwaysThisDeviceOnly, "dku"},
    {&kSecAttrAccessibleAlwaysThisDeviceOnlyPrivate, "dku"},
    {&kSecAttrAccessibleUntilReboot, "f"},
    {&kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, "akpu"},
    {&kSecAttrAccessibleWhenUnlocked, "ak"},
    {&kSecAttrAccessibleWhenUnlockedThisDeviceOnly, "aku"},
    {&kSecAttrAccount, "acct"},
    {&kSecAttrAddress, "addr"},
    {&kSecAttrAlias, "alis"},
    {&kSecAttrApplicationLabel, "klbl"},
    {&kSecAttrApplicationTag, "atag"},
    {&kSecAttrAuthenticationType, "atyp"},
    {&kSecAttrAuthenticationTypeDPA, "dpaa"},
    {&kSecAttrAuthenticationTypeDefault, "dflt"},
    {&kSecAttrAuthenticationTypeHTMLForm, "form"},
    {&kSecAttrAuthenticationTypeHTTPBasic, "http"},
    {&kSecAttrAuthenticationTypeHTTPDigest, "httd"},
    {&kSecAttrAuthenticationTypeMSN, "msna"},
    {&kSecAttrAuthenticationTypeNTLM, "ntlm"},
    {&kSecAttrAuthenticationTypeRPA, "rpaa"},
    {&kSecAttrCRLEncoding, "crle"},
    {&kSecAttrCRLType, "crlt"},
    {&kSecAttrCanDecrypt, "decr"},
    {&kSecAttrCanDerive, "drve"},
    {&kSecAttrCanEncrypt, "encr"},
    {&kSecAttrCanSign, "sign"},
    {&kSecAttrCanSignRecover, "snrc"},
    {&kSecAttrCanUnwrap, "unwp"},
    {&kSecAttrCanVerify, "vrfy"},
    {&kSecAttrCanVerifyRecover, "vyrc"},
    {&kSecAttrCanWrap, "wrap"},
    {&kSecAttrCertificateEncoding, "cenc"},
    {&kSecAttrCertificateType, "ctyp"},
    {&kSecAttrComment, "icmt"},
    {&kSecAttrCreationDate, "cdat"},
    {&kSecAttrCreator, "crtr"},
    {&kSecAttrDeriveSyncIDFromItemAttributes, "dspk"},
    {&kSecAttrDescription, "desc"},
    {&kSecAttrEffectiveKeySize, "esiz"},
    {&kSecAttrEndDate, "edat"},
    {&kSecAttrGeneric, "gena"},
    {&kSecAttrHasCustomIcon, "cusi"},
    {&kSecAttrIsExtractable, "extr"},
    {&kSecAttrIsInvisible, "invi"},
    {&kSecAttrIsModifiable, "modi"},
    {&kSecAttrIsNegative, "nega"},
    {&kSecAttrIsPermanent, "perm"},
    {&kSecAttrIsPrivate, "priv"},
    {&kSecAttrIsSensitive, "sens"},
    {&kSecAttrIssuer, "issr"},
    {&kSecAttrKeyClass, "kcls"},
    {&kSecAttrKeyClassPrivate, "1"},
    {&kSecAttrKeyClassPublic, "0"},
    {&kSecAttrKeyClassSymmetric, "2"},
    {&kSecAttrKeyCreator, "crtr"},
    {&kSecAttrKeySizeInBits, "bsiz"},
    {&kSecAttrKeySizeMLDSA65, "65"},
    {&kSecAttrKeySizeMLDSA87, "87"},
    {&kSecAttrKeySizeMLKEM1024, "1024"},
    {&kSecAttrKeySizeMLKEM768, "768"},
    {&kSecAttrKeyType, "type"},
    {&kSecAttrKeyType3DES, "17"},
    {&kSecAttrKeyTypeAES, "2147483649"},
    {&kSecAttrKeyTypeCAST, "56"},
    {&kSecAttrKeyTypeDES, "14"},
    {&kSecAttrKeyTypeDSA, "43"},
    {&kSecAttrKeyTypeEC, "73"},
    {&kSecAttrKeyTypeECDSA, "73"},
    {&kSecAttrKeyTypeECSECPrimeRandom, "73"},
    {&kSecAttrKeyTypeECSECPrimeRandomPKA, "2147483678"},
    {&kSecAttrKeyTypeEd25519, "105"},
    {&kSecAttrKeyTypeEd448, "107"},
    {&kSecAttrKeyTypeKyber, "109"},
    {&kSecAttrKeyTypeMLDSA, "111"},
    {&kSecAttrKeyTypeMLKEM, "110"},
    {&kSecAttrKeyTypeRC2, "23"},
    {&kSecAttrKeyTypeRC4, "25"},
    {&kSecAttrKeyTypeRSA, "42"},
    {&kSecAttrKeyTypeSecureEnclaveAnonymousAttestation, "2147483680"},
    {&kSecAttrKeyTypeSecureEnclaveAttestation, "2147483679"},
    {&kSecAttrKeyTypeX25519, "106"},
    {&kSecAttrKeyTypeX448, "108"},
    {&kSecAttrLabel, "labl"},
    {&kSecAttrModificationDate, "mdat"},
    {&kSecAttrMultiUser, "musr"},
    {&kSecAttrNoLegacy, "nleg"},
    {&kSecAttrPCSPlaintextPublicIdentity, "pcsi"},
    {&kSecAttrPCSPlaintextPublicKey, "pcsk"},
    {&kSecAttrPCSPlaintextServiceIdentifier, "pcss"},
    {&kSecAttrPRF, "prf"},
    {&kSecAttrPRFHmacAlgSHA1, "hsha1"},
    {&kSecAttrPRFHmacAlgSHA224, "hsha224"},
    {&kSecAttrPRFHmacAlgSHA256, "hsha256"},
    {&kSecAttrPRFHmacAlgSHA384, "hsha384"},
    {&kSecAttrPRFHmacAlgSHA512, "hsha512"},
    {&kSecAttrPath, "path"},
    {&kSecAttrPersistantReference, "persistref"},
    {&kSecAttrPersistentReference, "persistref"},
    {&kSecAttrPort, "port"},
    {&kSecAttrProtocol, "ptcl"},
    {&kSecAttrProtocolAFP, "afp "},
    {&kSecAttrProtocolAppleTalk, "atlk"},
    {&kSecAttrProtocolDAAP, "daap"},
    {&kSecAttrProtocolEPPC, "eppc"},
    {&kSecAttrProtocolFTP, "ftp "},
    {&kSecAttrProtocolFTPAccount, "ftpa"},
    {&kSecAttrProtocolFTPProxy, "ftpx"},
    {&kSecAttrProtocolFTPS, "ftps"},
    {&kSecAttrProtocolHTTP, "http"},
    {&kSecAttrProtocolHTTPProxy, "htpx"},
    {&kSecAttrProtocolHTTPS, "htps"},
    {&kSecAttrProtocolHTTPSProxy, "htsx"},
    {&kSecAttrProtocolIMAP, "imap"},
    {&kSecAttrProtocolIMAPS, "imps"},
    {&kSecAttrProtocolIPP, "ipp "},
    {&kSecAttrProtocolIRC, "irc "},
    {&kSecAttrProtocolIRCS, "ircs"},
    {&kSecAttrProtocolLDAP, "ldap"},
    {&kSecAttrProtocolLDAPS, "ldps"},
    {&kSecAttrProtocolNNTP, "nntp"},
    {&kSecAttrProtocolNNTPS, "ntps"},
    {&kSecAttrProtocolPOP3, "pop3"},
    {&kSecAttrProtocolPOP3S, "pops"},
    {&kSecAttrProtocolRTSP, "rtsp"},
    {&kSecAttrProtocolRTSPProxy, "rtsx"},
    {&kSecAttrProtocolSMB, "smb "},
    {&kSecAttrProtocolSMTP, "smtp"},
    {&kSecAttrProtocolSOCKS, "sox "},
    {&kSecAttrProtocolSSH, "ssh "},
    {&kSecAttrProtocolTelnet, "teln"},
    {&kSecAttrProtocolTelnetS, "tels"},
    {&kSecAttrPublicKeyHash, "pkhh"},
    {&kSecAttrRounds, "rounds"},
    {&kSecAttrSHA1, "sha1"},
    {&kSecAttrSalt, "salt"},
    {&kSecAttrScriptCode, "scrp"},
    {&kSecAttrSecureEnclaveKeyBlob, "toid"},
    {&kSecAttrSecurityDomain, "sdmn"},
    {&kSecAttrSerialNumber, "slnr"},
    {&kSecAttrServer, "srvr"},
    {&kSecAttrService, "svce"},
    {&kSecAttrSharingGroup, "ggrp"},
    {&kSecAttrSharingGroupNone, ""},
    {&kSecAttrStartDate, "sdat"},
    {&kSecAttrSubject, "subj"},
    {&kSecAttrSubjectKeyID, "skid"},
    {&kSecAttrSyncViewHint, "vwht"},
    {&kSecAttrSynchronizable, "sync"},
    {&kSecAttrSynchronizableAny, "syna"},
    {&kSecAttrSysBound, "sysb"},
    {&kSecAttrTokenID, "tkid"},
    {&kSecAttrTokenIDAppleKeyStore, "com.apple.setoken:aks"},
    {&kSecAttrTokenIDSecureElement, "com.apple.secelemtoken"},
    {&kSecAttrTokenIDSecureEnclave, "com.apple.setoken"},
    {&kSecAttrTokenOID, "toid"},
    {&kSecAttrTombstone, "tomb"},
    {&kSecAttrType, "type"},
    {&kSecAttrUUID, "UUID"},
    {&kSecAttrVolume, "volm"},
    {&kSecAttrWasAlwaysSensitive, "asen"},
    {&kSecAttrWasNeverExtractable, "next"},
    {&kSecCMSHashingAlgorithmSHA1, "sha1"},
    {&kSecCMSHashingAlgorithmSHA256, "sha256"},
    {&kSecCMSHashingAlgorithmSHA384, "sha384"},
    {&kSecCMSHashingAlgorithmSHA512, "sha512"},
    {&kSecCMSSignHashAlgorithm, "kSecCMSSignHashAlgorithm"},
    {&kSecCSRBasicConstraintsCA, "basicConstraintsCA"},
    {&kSecCSRBasicContraintsPathLen, "basicConstraints"},
    {&kSecCSRChallengePassword, "csrChallengePassword"},
    {&kSecCertificateExtendedKeyUsage, "extendedKeyUsage"},
    {&kSecCertificateExtensions, "certificateExtensions"},
    {&kSecCertificateExtensionsEncoded, "certificateExtensionsEncoded"},
    {&kSecCertificateKeyUsage, "keyUsage"},
    {&kSecCertificateLifetime, "certificateLifetime"},
    {&kSecCertificateSerialNumber, "certificateSerial"},
    {&kSecClass, "class"},
    {&kSecClassAppleSharePassword, "apls"},
    {&kSecClassCertificate, "cert"},
    {&kSecClassGenericPassword, "genp"},
    {&kSecClassIdentity, "idnt"},
    {&kSecClassInternetPassword, "inet"},
    {&kSecClassKey, "keys"},
    {&kSecDataInetExtraClientDefined0, "bin0"},
    {&kSecDataInetExtraClientDefined1, "bin1"},
    {&kSecDataInetExtraClientDefined2, "bin2"},
    {&kSecDataInetExtraClientDefined3, "bin3"},
    {&kSecDataInetExtraHistory, "bini"},
    {&kSecDataInetExtraNotes, "binn"},
    {&kSecEKUClientAuth, "1.3.6.1.5.5.7.3.2"},
    {&kSecEKUCodesigning, "1.3.6.1.5.5.7.3.3"},
    {&kSecEKUEmailProtection, "1.3.6.1.5.5.7.3.4"},
    {&kSecEKUOCSPSigning, "1.3.6.1.5.5.7.3.9"},
    {&kSecEKUServerAuth, "1.3.6.1.5.5.7.3.1"},
    {&kSecEKUTimeStamping, "1.3.6.1.5.5.7.3.8"},
    {&kSecIdentityDomainDefault, "com.apple.systemdefault"},
    {&kSecIdentityDomainKerberosKDC, "com.apple.kerberos.kdc"},
    {&kSecImportExportAccess, "access"},
    {&kSecImportExportKeychain, "keychain"},
    {&kSecImportExportPassphrase, "passphrase"},
    {&kSecImportItemCertChain, "chain"},
    {&kSecImportItemIdentity, "identity"},
    {&kSecImportItemKeyID, "keyid"},
    {&kSecImportItemLabel, "label"},
    {&kSecImportItemTrust, "trust"},
    {&kSecImportToMemoryOnly, "memory"},
    {&kSecKeyAlgorithmECDHKeyExchangeCofactor, "algid:keyexchange:ECDHC"},
    {&kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA1, "algid:keyexchange:ECDHC:KDFX963:SHA1"},
    {&kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA224, "algid:keyexchange:ECDHC:KDFX963:SHA224"},
    {&kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA256, "algid:keyexchange:ECDHC:KDFX963:SHA256"},
    {&kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA384, "algid:keyexchange:ECDHC:KDFX963:SHA384"},
    {&kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA512, "algid:keyexchange:ECDHC:KDFX963:SHA512"},
    {&kSecKeyAlgorithmECDHKeyExchangeStandard, "algid:keyexchange:ECDH"},
    {&kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA1, "algid:keyexchange:ECDH:KDFX963:SHA1"},
    {&kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA224, "algid:keyexchange:ECDH:KDFX963:SHA224"},
    {&kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA256, "algid:keyexchange:ECDH:KDFX963:SHA256"},
    {&kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA384, "algid:keyexchange:ECDH:KDFX963:SHA384"},
    {&kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA512, "algid:keyexchange:ECDH:KDFX963:SHA512"},
    {&kSecKeyAlgorithmECDSASignatureDigestRFC4754, "algid:sign:ECDSA:digest-RFC4754"},
    {&kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA1, "algid:sign:ECDSA:digest-RFC4754:SHA1"},
    {&kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA224, "algid:sign:ECDSA:digest-RFC4754:SHA224"},
    {&kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA256, "algid:sign:ECDSA:digest-RFC4754:SHA256"},
    {&kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA384, "algid:sign:ECDSA:digest-RFC4754:SHA384"},
    {&kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA512, "algid:sign:ECDSA:digest-RFC4754:SHA512"},
    {&kSecKeyAlgorithmECDSASignatureDigestX962, "algid:sign:ECDSA:digest-X962"},
    {&kSecKeyAlgorithmECDSASignatureDigestX962SHA1, "algid:sign:ECDSA:digest-X962:SHA1"},
    {&kSecKeyAlgorithmECDSASignatureDigestX962SHA224, "algid:sign:ECDSA:digest-X962:SHA224"},
    {&kSecKeyAlgorithmECDSASignatureDigestX962SHA256, "algid:sign:ECDSA:digest-X962:SHA256"},
    {&kSecKeyAlgorithmECDSASignatureDigestX962SHA384, "algid:sign:ECDSA:digest-X962:SHA384"},
    {&kSecKeyAlgorithmECDSASignatureDigestX962SHA512, "algid:sign:ECDSA:digest-X962:SHA512"},
    {&kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA1, "algid:sign:ECDSA:message-RFC4754:SHA1"},
    {&kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA224, "algid:sign:ECDSA:message-RFC4754:SHA224"},
    {&kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA256, "algid:sign:ECDSA:message-RFC4754:SHA256"},
    {&kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA384, "algid:sign:ECDSA:message-RFC4754:SHA384"},
    {&kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA512, "algid:sign:ECDSA:message-RFC4754:SHA512"},
    {&kSecKeyAlgorithmECDSASignatureMessageX962SHA1, "algid:sign:ECDSA:message-X962:SHA1"},
    {&kSecKeyAlgorithmECDSASignatureMessageX962SHA224, "algid:sign:ECDSA:message-X962:SHA224"},
    {&kSecKeyAlgorithmECDSASignatureMessageX962SHA256, "algid:sign:ECDSA:message-X962:SHA256"},
    {&kSecKeyAlgorithmECDSASignatureMessageX962SHA384, "algid:sign:ECDSA:message-X962:SHA384"},
    {&kSecKeyAlgorithmECDSASignatureMessageX962SHA512, "algid:sign:ECDSA:message-X962:SHA512"},
    {&kSecKeyAlgorithmECDSASignatureRFC4754, "algid:sign:ECDSA:RFC4754"},
    {&kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA224AESGCM, "algid:encrypt:ECIES:ECDHC:KDFX963:SHA224:AESGCM-KDFIV"},
    {&kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA256AESGCM, "algid:encrypt:ECIES:ECDHC:KDFX963:SHA256:AESGCM-KDFIV"},
    {&kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA384AESGCM, "algid:encrypt:ECIES:ECDHC:KDFX963:SHA384:AESGCM-KDFIV"},
    {&kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA512AESGCM, "algid:encrypt:ECIES:ECDHC:KDFX963:SHA512:AESGCM-KDFIV"},
    {&kSecKeyAlgorithmECIESEncryptionCofactorX963SHA1AESGCM, "algid:encrypt:ECIES:ECDHC:KDFX963:SHA1:AESGCM"},
    {&kSecKeyAlgorithmECIESEncryptionCofactorX963SHA224AESGCM, "algid:encrypt:ECIES:ECDHC:KDFX963:SHA224:AESGCM"},
    {&kSecKeyAlgorithmECIESEncryptionCofactorX963SHA256AESGCM, "algid:encrypt:ECIES:ECDHC:KDFX963:SHA256:AESGCM"},
    {&kSecKeyAlgorithmECIESEncryptionCofactorX963SHA384AESGCM, "algid:encrypt:ECIES:ECDHC:KDFX963:SHA384:AESGCM"},
    {&kSecKeyAlgorithmECIESEncryptionCofactorX963SHA512AESGCM, "algid:encrypt:ECIES:ECDHC:KDFX963:SHA512:AESGCM"},
    {&kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA224AESGCM, "algid:encrypt:ECIES:ECDH:KDFX963:SHA224:AESGCM-KDFIV"},
    {&kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA256AESGCM, "algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM-KDFIV"},
    {&kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA384AESGCM, "algid:encrypt:ECIES:ECDH:KDFX963:SHA384:AESGCM-KDFIV"},
    {&kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA512AESGCM, "algid:encrypt:ECIES:ECDH:KDFX963:SHA512:AESGCM-KDFIV"},
    {&kSecKeyAlgorithmECIESEncryptionStandardX963SHA1AESGCM, "algid:encrypt:ECIES:ECDH:KDFX963:SHA1:AESGCM"},
    {&kSecKeyAlgorithmECIESEncryptionStandardX963SHA224AESGCM, "algid:encrypt:ECIES:ECDH:KDFX963:SHA224:AESGCM"},
    {&kSecKeyAlgorithmECIESEncryptionStandardX963SHA256AESGCM, "algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM"},
    {&kSecKeyAlgorithmECIESEncryptionStandardX963SHA384AESGCM, "algid:encrypt:ECIES:ECDH:KDFX963:SHA384:AESGCM"},
    {&kSecKeyAlgorithmECIESEncryptionStandardX963SHA512AESGCM, "algid:encrypt:ECIES:ECDH:KDFX963:SHA512:AESGCM"},
    {&kSecKeyAlgorithmEdDSASignatureMessageCurve25519SHA512, "algid:sign:EdDSA:message-Curve25519:SHA512"},
    {&kSecKeyAlgorithmRSAEncryptionOAEPSHA1, "algid:encrypt:RSA:OAEP:SHA1"},
    {&kSecKeyAlgorithmRSAEncryptionOAEPSHA1AESGCM, "algid:encrypt:RSA:OAEP:SHA1:AESGCM"},
    {&kSecKeyAlgorithmRSAEncryptionOAEPSHA224, "algid:encrypt:RSA:OAEP:SHA224"},
    {&kSecKeyAlgorithmRSAEncryptionOAEPSHA224AESGCM, "algid:encrypt:RSA:OAEP:SHA224:AESGCM"},
    {&kSecKeyAlgorithmRSAEncryptionOAEPSHA256, "algid:encrypt:RSA:OAEP:SHA256"},
    {&kSecKeyAlgorithmRSAEncryptionOAEPSHA256AESGCM, "algid:encrypt:RSA:OAEP:SHA256:AESGCM"},
    {&kSecKeyAlgorithmRSAEncryptionOAEPSHA384, "algid:encrypt:RSA:OAEP:SHA384"},
    {&kSecKeyAlgorithmRSAEncryptionOAEPSHA384AESGCM, "algid:encrypt:RSA:OAEP:SHA384:AESGCM"},
    {&kSecKeyAlgorithmRSAEncryptionOAEPSHA512, "algid:encrypt:RSA:OAEP:SHA512"},
    {&kSecKeyAlgorithmRSAEncryptionOAEPSHA512AESGCM, "algid:encrypt:RSA:OAEP:SHA512:AESGCM"},
    {&kSecKeyAlgorithmRSAEncryptionPKCS1, "algid:encrypt:RSA:PKCS1"},
    {&kSecKeyAlgorithmRSAEncryptionRaw, "algid:encrypt:RSA:raw"},
    {&kSecKeyAlgorithmRSASignatureDigestPKCS1v15Raw, "algid:sign:RSA:digest-PKCS1v15"},
    {&kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA1, "algid:sign:RSA:digest-PKCS1v15:SHA1"},
    {&kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA224, "algid:sign:RSA:digest-PKCS1v15:SHA224"},
    {&kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA256, "algid:sign:RSA:digest-PKCS1v15:SHA256"},
    {&kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA384, "algid:sign:RSA:digest-PKCS1v15:SHA384"},
    {&kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA512, "algid:sign:RSA:digest-PKCS1v15:SHA512"},
    {&kSecKeyAlgorithmRSASignatureDigestPSSSHA1, "algid:sign:RSA:digest-PSS:SHA1:SHA1:20"},
    {&kSecKeyAlgorithmRSASignatureDigestPSSSHA224, "algid:sign:RSA:digest-PSS:SHA224:SHA224:28"},
    {&kSecKeyAlgorithmRSASignatureDigestPSSSHA256, "algid:sign:RSA:digest-PSS:SHA256:SHA256:32"},
    {&kSecKeyAlgorithmRSASignatureDigestPSSSHA384, "algid:sign:RSA:digest-PSS:SHA384:SHA384:48"},
    {&kSecKeyAlgorithmRSASignatureDigestPSSSHA512, "algid:sign:RSA:digest-PSS:SHA512:SHA512:64"},
    {&kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA1, "algid:sign:RSA:message-PKCS1v15:SHA1"},
    {&kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA224, "algid:sign:RSA:message-PKCS1v15:SHA224"},
    {&kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA256, "algid:sign:RSA:message-PKCS1v15:SHA256"},
    {&kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA384, "algid:sign:RSA:message-PKCS1v15:SHA384"},
    {&kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA512, "algid:sign:RSA:message-PKCS1v15:SHA512"},
    {&kSecKeyAlgorithmRSASignatureMessagePSSSHA1, "algid:sign:RSA:message-PSS:SHA1:SHA1:20"},
    {&kSecKeyAlgorithmRSASignatureMessagePSSSHA224, "algid:sign:RSA:message-PSS:SHA224:SHA224:28"},
    {&kSecKeyAlgorithmRSASignatureMessagePSSSHA256, "algid:sign:RSA:message-PSS:SHA256:SHA256:32"},
    {&kSecKeyAlgorithmRSASignatureMessagePSSSHA384, "algid:sign:RSA:message-PSS:SHA384:SHA384:48"},
    {&kSecKeyAlgorithmRSASignatureMessagePSSSHA512, "algid:sign:RSA:message-PSS:SHA512:SHA512:64"},
    {&kSecKeyAlgorithmRSASignatureRaw, "algid:sign:RSA:raw"},
    {&kSecKeyKeyExchangeParameterRequestedSize, "requestedSize"},
    {&kSecKeyKeyExchangeParameterSharedInfo, "sharedInfo"},
    {&kSecMatchCaseInsensitive, "m_CaseInsensitive"},
    {&kSecMatchDiacriticInsensitive, "m_DiacriticInsensitive"},
    {&kSecMatchEmailAddressIfPresent, "m_EmailAddressIfPresent"},
    {&kSecMatchHostOrSubdomainOfHost, "m_HostOrSubdomainOfHost"},
    {&kSecMatchIssuers, "m_Issuers"},
    {&kSecMatchItemList, "m_ItemList"},
    {&kSecMatchLimit, "m_Limit"},
    {&kSecMatchLimitAll, "m_LimitAll"},
    {&kSecMatchLimitOne, "m_LimitOne"},
    {&kSecMatchPolicy, "m_Policy"},
    {&kSecMatchSearchList, "m_SearchList"},
    {&kSecMatchSubjectContains, "m_SubjectContains"},
    {&kSecMatchSubjectEndsWith, "m_SubjectEndsWith"},
    {&kSecMatchSubjectStartsWith, "m_SubjectStartsWith"},
    {&kSecMatchSubjectWholeString, "m_SubjectWholeString"},
    {&kSecMatchTrustedOnly, "m_TrustedOnly"},
    {&kSecMatchValidOnDate, "m_ValidOnDate"},
    {&kSecMatchWidthInsensitive, "m_WidthInsensitive"},
    {&kSecOIDADC_CERT_POLICY, "1.2.840.113635.100.5.3"},
    {&kSecOIDAPPLE_CERT_POLICY, "1.2.840.113635.100.5.1"},
    {&kSecOIDAPPLE_EKU_CODE_SIGNING, "1.2.840.113635.100.4.1"},
    {&kSecOIDAPPLE_EKU_CODE_SIGNING_DEV, "1.2.840.113635.100.4.1.1"},
    {&kSecOIDAPPLE_EKU_ICHAT_ENCRYPTION, "1.2.840.113635.100.4.3"},
    {&kSecOIDAPPLE_EKU_ICHAT_SIGNING, "1.2.840.113635.100.4.2"},
    {&kSecOIDAPPLE_EKU_RESOURCE_SIGNING, "1.2.840.113635.100.4.1.4"},
    {&kSecOIDAPPLE_EKU_SYSTEM_IDENTITY, "1.2.840.113635.100.4.4"},
    {&kSecOIDAPPLE_EXTENSION, "1.2.840.113635.100.6"},
    {&kSecOIDAPPLE_EXTENSION_AAI_INTERMEDIATE, "1.2.840.113635.100.6.2.3"},
    {&kSecOIDAPPLE_EXTENSION_ADC_APPLE_SIGNING, "1.2.840.113635.100.6.1.2.0.0"},
    {&kSecOIDAPPLE_EXTENSION_ADC_DEV_SIGNING, "1.2.840.113635.100.6.1.2.0"},
    {&kSecOIDAPPLE_EXTENSION_APPLEID_INTERMEDIATE, "1.2.840.113635.100.6.2.7"},
    {&kSecOIDAPPLE_EXTENSION_APPLE_SIGNING, "1.2.840.113635.100.6.1.1"},
    {&kSecOIDAPPLE_EXTENSION_CODE_SIGNING, "1.2.840.113635.100.6.1"},
    {&kSecOIDAPPLE_EXTENSION_INTERMEDIATE_MARKER, "1.2.840.113635.100.6.2"},
    {&kSecOIDAPPLE_EXTENSION_ITMS_INTERMEDIATE, "1.2.840.113635.100.6.2.2"},
    {&kSecOIDAPPLE_EXTENSION_WWDR_INTERMEDIATE, "1.2.840.113635.100.6.2.1"},
    {&kSecOIDAuthorityInfoAccess, "1.3.6.1.5.5.7.1.1"},
    {&kSecOIDAuthorityKeyIdentifier, "2.5.29.35"},
    {&kSecOIDBasicConstraints, "2.5.29.19"},
    {&kSecOIDBiometricInfo, "1.3.6.1.5.5.7.1.2"},
    {&kSecOIDCSSMKeyStruct, "2.16.840.1.113741.2.1.1.1.20"},
    {&kSecOIDCertIssuer, "2.5.29.29"},
    {&kSecOIDCertificatePolicies, "2.5.29.32"},
    {&kSecOIDClientAuth, "1.3.6.1.5.5.7.3.2"},
    {&kSecOIDCollectiveStateProvinceName, "2.5.4.8.1"},
    {&kSecOIDCollectiveStreetAddress, "2.5.4.9.1"},
    {&kSecOIDCommonName, "2.5.4.3"},
    {&kSecOIDCountryName, "2.5.4.6"},
    {&kSecOIDCrlDistributionPoints, "2.5.29.31"},
    {&kSecOIDCrlNumber, "2.5.29.20"},
    {&kSecOIDCrlReason, "2.5.29.21"},
    {&kSecOIDDOTMAC_CERT_EMAIL_ENCRYPT, "1.2.840.113635.100.3.2.3"},
    {&kSecOIDDOTMAC_CERT_EMAIL_SIGN, "1.2.840.113635.100.3.2.2"},
    {&kSecOIDDOTMAC_CERT_EXTENSION, "1.2.840.113635.100.3.2"},
    {&kSecOIDDOTMAC_CERT_IDENTITY, "1.2.840.113635.100.3.2.1"},
    {&kSecOIDDOTMAC_CERT_POLICY, "1.2.840.113635.100.5.2"},
    {&kSecOIDDeltaCrlIndicator, "2.5.29.27"},
    {&kSecOIDDescription, "2.5.4.13"},
    {&kSecOIDEKU_IPSec, "1.3.6.1.5.5.8.2.2"},
    {&kSecOIDEmailAddress, "1.2.840.113549.1.9.1"},
    {&kSecOIDEmailProtection, "1.3.6.1.5.5.7.3.4"},
    {&kSecOIDExtendedKeyUsage, "2.5.29.37"},
    {&kSecOIDExtendedKeyUsageAny, "2.5.29.37.0"},
    {&kSecOIDExtendedUseCodeSigning, "1.3.6.1.5.5.7.3.3"},
    {&kSecOIDGivenName, "2.5.4.42"},
    {&kSecOIDHoldInstructionCode, "2.5.29.23"},
    {&kSecOIDInvalidityDate, "2.5.29.24"},
    {&kSecOIDIssuerAltName, "2.5.29.18"},
    {&kSecOIDIssuingDistributionPoint, "2.5.29.28"},
    {&kSecOIDIssuingDistributionPoints, "2.5.29.28"},
    {&kSecOIDKERBv5_PKINIT_KP_CLIENT_AUTH, "1.3.6.1.5.2.3.4"},
    {&kSecOIDKERBv5_PKINIT_KP_KDC, "1.3.6.1.5.2.3.5"},
    {&kSecOIDKeyUsage, "2.5.29.15"},
    {&kSecOIDLocalityName, "2.5.4.7"},
    {&kSecOIDMS_NTPrincipalName, "1.3.6.1.4.1.311.20.2.3"},
    {&kSecOIDMicrosoftSGC, "1.3.6.1.4.1.311.10.3.3"},
    {&kSecOIDNameConstraints, "2.5.29.30"},
    {&kSecOIDNetscapeCertSequence, "2.16.840.1.113730.2.5"},
    {&kSecOIDNetscapeCertType, "2.16.840.1.113730.1.1"},
    {&kSecOIDNetscapeSGC, "2.16.840.1.113730.4.1"},
    {&kSecOIDOCSPSigning, "1.3.6.1.5.5.7.3.9"},
    {&kSecOIDOrganizationName, "2.5.4.10"},
    {&kSecOIDOrganizationalUnitName, "2.5.4.11"},
    {&kSecOIDPolicyConstraints, "2.5.29.36"},
    {&kSecOIDPolicyMappings, "2.5.29.33"},
    {&kSecOIDPrivateKeyUsagePeriod, "2.5.29.16"},
    {&kSecOIDQC_Statements, "1.3.6.1.5.5.7.1.3"},
    {&kSecOIDSRVName, "1.3.6.1.5.5.7.8.7"},
    {&kSecOIDSerialNumber, "2.5.4.5"},
    {&kSecOIDServerAuth, "1.3.6.1.5.5.7.3.1"},
    {&kSecOIDStateProvinceName, "2.5.4.8"},
    {&kSecOIDStreetAddress, "2.5.4.9"},
    {&kSecOIDSubjectAltName, "2.5.29.17"},
    {&kSecOIDSubjectDirectoryAttributes, "2.5.29.9"},
    {&kSecOIDSubjectEmailAddress, "2.16.840.1.113741.2.1.1.1.50.3"},
    {&kSecOIDSubjectInfoAccess, "1.3.6.1.5.5.7.1.11"},
    {&kSecOIDSubjectKeyIdentifier, "2.5.29.14"},
    {&kSecOIDSubjectPicture, "2.16.840.1.113741.2.1.1.1.50.2"},
    {&kSecOIDSubjectSignatureBitmap, "2.16.840.1.113741.2.1.1.1.50.1"},
    {&kSecOIDSurname, "2.5.4.4"},
    {&kSecOIDTimeStamping, "1.3.6.1.5.5.7.3.8"},
    {&kSecOIDTitle, "2.5.4.12"},
    {&kSecOIDUseExemptions, "2.16.840.1.113741.2.1.1.1.50.4"},
    {&kSecOIDX509V1CertificateIssuerUniqueId, "2.16.840.1.113741.2.1.1.1.11"},
    {&kSecOIDX509V1CertificateSubjectUniqueId, "2.16.840.1.113741.2.1.1.1.12"},
    {&kSecOIDX509V1IssuerName, "2.16.840.1.113741.2.1.1.1.5"},
    {&kSecOIDX509V1IssuerNameCStruct, "2.16.840.1.113741.2.1.1.1.5.1"},
    {&kSecOIDX509V1IssuerNameLDAP, "2.16.840.1.113741.2.1.1.1.5.2"},
    {&kSecOIDX509V1IssuerNameStd, "2.16.840.1.113741.2.1.1.1.23"},
    {&kSecOIDX509V1SerialNumber, "2.16.840.1.113741.2.1.1.1.3"},
    {&kSecOIDX509V1Signature, "2.16.840.1.113741.2.1.3.2.2"},
    {&kSecOIDX509V1SignatureAlgorithm, "2.16.840.1.113741.2.1.3.2.1"},
    {&kSecOIDX509V1SignatureAlgorithmParameters, "2.16.840.1.113741.2.1.3.2.3"},
    {&kSecOIDX509V1SignatureAlgorithmTBS, "2.16.840.1.113741.2.1.3.2.10"},
    {&kSecOIDX509V1SignatureCStruct, "2.16.840.1.113741.2.1.3.2.0.1"},
    {&kSecOIDX509V1SignatureStruct, "2.16.840.1.113741.2.1.3.2.0"},
    {&kSecOIDX509V1SubjectName, "2.16.840.1.113741.2.1.1.1.8"},
    {&kSecOIDX509V1SubjectNameCStruct, "2.16.840.1.113741.2.1.1.1.8.1"},
    {&kSecOIDX509V1SubjectNameLDAP, "2.16.840.1.113741.2.1.1.1.8.2"},
    {&kSecOIDX509V1SubjectNameStd, "2.16.840.1.113741.2.1.1.1.22"},
    {&kSecOIDX509V1SubjectPublicKey, "2.16.840.1.113741.2.1.1.1.10"},
    {&kSecOIDX509V1SubjectPublicKeyAlgorithm, "2.16.840.1.113741.2.1.1.1.9"},
    {&kSecOIDX509V1SubjectPublicKeyAlgorithmParameters, "2.16.840.1.113741.2.1.1.1.18"},
    {&kSecOIDX509V1SubjectPublicKeyCStruct, "2.16.840.1.113741.2.1.1.1.20.1"},
    {&kSecOIDX509V1ValidityNotAfter, "2.16.840.1.113741.2.1.1.1.7"},
    {&kSecOIDX509V1ValidityNotBefore, "2.16.840.1.113741.2.1.1.1.6"},
    {&kSecOIDX509V1Version, "2.16.840.1.113741.2.1.1.1.2"},
    {&kSecOIDX509V3Certificate, "2.16.840.1.113741.2.1.1.1.1"},
    {&kSecOIDX509V3CertificateCStruct, "2.16.840.1.113741.2.1.1.1.1.1"},
    {&kSecOIDX509V3CertificateExtensionCStruct, "2.16.840.1.113741.2.1.1.1.13.1"},
    {&kSecOIDX509V3CertificateExtensionCritical, "2.16.840.1.113741.2.1.1.1.16"},
    {&kSecOIDX509V3CertificateExtensionId, "2.16.840.1.113741.2.1.1.1.15"},
    {&kSecOIDX509V3CertificateExtensionStruct, "2.16.840.1.113741.2.1.1.1.13"},
    {&kSecOIDX509V3CertificateExtensionType, "2.16.840.1.113741.2.1.1.1.19"},
    {&kSecOIDX509V3CertificateExtensionValue, "2.16.840.1.113741.2.1.1.1.17"},
    {&kSecOIDX509V3CertificateExtensionsCStruct, "2.16.840.1.113741.2.1.1.1.21.1"},
    {&kSecOIDX509V3CertificateExtensionsStruct, "2.16.840.1.113741.2.1.1.1.21"},
    {&kSecOIDX509V3CertificateNumberOfExtensions, "2.16.840.1.113741.2.1.1.1.14"},
    {&kSecOIDX509V3SignedCertificate, "2.16.840.1.113741.2.1.1.1.0"},
    {&kSecOIDX509V3SignedCertificateCStruct, "2.16.840.1.113741.2.1.1.1.0.1"},
    {&kSecOidCommonName, "CN"},
    {&kSecOidCountryName, "C"},
    {&kSecOidLocalityName, "L"},
    {&kSecOidOrganization, "O"},
    {&kSecOidOrganizationalUnit, "OU"},
    {&kSecOidStateProvinceName, "ST"},
    {&kSecPolicyAppleCodeSigning, "1.2.840.113635.100.1.16"},
    {&kSecPolicyAppleEAP, "1.2.840.113635.100.1.9"},
    {&kSecPolicyAppleEAPClient, "1.2.840.113635.100.1.9.client"},
    {&kSecPolicyAppleEAPServer, "1.2.840.113635.100.1.9.server"},
    {&kSecPolicyAppleIDValidation, "1.2.840.113635.100.1.18"},
    {&kSecPolicyAppleIPSecClient, "1.2.840.113635.100.1.11.client"},
    {&kSecPolicyAppleIPSecServer, "1.2.840.113635.100.1.11.server"},
    {&kSecPolicyAppleIPsec, "1.2.840.113635.100.1.11"},
    {&kSecPolicyApplePKINITClient, "1.2.840.113635.100.1.14"},
    {&kSecPolicyApplePKINITServer, "1.2.840.113635.100.1.15"},
    {&kSecPolicyApplePassbookSigning, "1.2.840.113635.100.1.22"},
    {&kSecPolicyApplePayIssuerEncryption, "1.2.840.113635.100.1.39"},
    {&kSecPolicyAppleRevocation, "1.2.840.113635.100.1.21"},
    {&kSecPolicyAppleSMIME, "1.2.840.113635.100.1.8"},
    {&kSecPolicyAppleSSL, "1.2.840.113635.100.1.3"},
    {&kSecPolicyAppleSSLClient, "1.2.840.113635.100.1.3.client"},
    {&kSecPolicyAppleSSLServer, "1.2.840.113635.100.1.3.server"},
    {&kSecPolicyAppleTimeStamping, "1.2.840.113635.100.1.20"},
    {&kSecPolicyAppleX509Basic, "1.2.840.113635.100.1.2"},
    {&kSecPolicyAppleiChat, "1.2.840.113635.100.1.12"},
    {&kSecPolicyClient, "SecPolicyClient"},
    {&kSecPolicyKU_CRLSign, "CE_KU_CRLSign"},
    {&kSecPolicyKU_DataEncipherment, "CE_KU_DataEncipherment"},
    {&kSecPolicyKU_DecipherOnly, "CE_KU_DecipherOnly"},
    {&kSecPolicyKU_DigitalSignature, "CE_KU_DigitalSignature"},
    {&kSecPolicyKU_EncipherOnly, "CE_KU_EncipherOnly"},
    {&kSecPolicyKU_KeyAgreement, "CE_KU_KeyAgreement"},
    {&kSecPolicyKU_KeyCertSign, "CE_KU_KeyCertSign"},
    {&kSecPolicyKU_KeyEncipherment, "CE_KU_KeyEncipherment"},
    {&kSecPolicyKU_NonRepudiation, "CE_KU_NonRepudiation"},
    {&kSecPolicyMacAppStoreReceipt, "1.2.840.113635.100.1.19"},
    {&kSecPolicyName, "SecPolicyName"},
    {&kSecPolicyOid, "SecPolicyOid"},
    {&kSecPolicyRevocationFlags, "SecPolicyRevocationFlags"},
    {&kSecPolicyTeamIdentifier, "SecPolicyTeamIdentifier"},
    {&kSecPrivateKeyAttrs, "private"},
    {&kSecPropertyKeyLabel, "label"},
    {&kSecPropertyKeyLocalizedLabel, "localized label"},
    {&kSecPropertyKeyType, "type"},
    {&kSecPropertyKeyValue, "value"},
    {&kSecPropertyTypeArray, "array"},
    {&kSecPropertyTypeData, "data"},
    {&kSecPropertyTypeDate, "date"},
    {&kSecPropertyTypeError, "error"},
    {&kSecPropertyTypeNumber, "number"},
    {&kSecPropertyTypeSection, "section"},
    {&kSecPropertyTypeString, "string"},
    {&kSecPropertyTypeSuccess, "success"},
    {&kSecPropertyTypeTitle, "title"},
    {&kSecPropertyTypeURL, "url"},
    {&kSecPropertyTypeWarning, "warning"},
    {&kSecPublicKeyAttrs, "public"},
    {&kSecReturnAttributes, "r_Attributes"},
    {&kSecReturnData, "r_Data"},
    {&kSecReturnPersistentRef, "r_PersistentRef"},
    {&kSecReturnRef, "r_Ref"},
    {&kSecSubjectAltName, "subjectAltName"},
    {&kSecSubjectAltNameDNSName, "dNSName"},
    {&kSecSubjectAltNameEmailAddress, "rfc822Name"},
    {&kSecSubjectAltNameNTPrincipalName, "ntPrincipalName"},
    {&kSecSubjectAltNameURI, "uniformResourceIdentifier"},
    {&kSecTrustCertificateTransparency, "TrustCertificateTransparency"},
    {&kSecTrustCertificateTransparencyWhiteList, "TrustCertificateTransparencyWhiteList"},
    {&kSecTrustEvaluationDate, "TrustEvaluationDate"},
    {&kSecTrustExtendedValidation, "TrustExtendedValidation"},
    {&kSecTrustOrganizationName, "Organization"},
    {&kSecTrustQCStatements, "TrustQCStatements"},
    {&kSecTrustQWACValidation, "TrustQWACValidation"},
    {&kSecTrustResultValue, "TrustResultValue"},
    {&kSecTrustRevocationChecked, "TrustRevocationChecked"},
    {&kSecTrustRevocationValidUntilDate, "TrustExpirationDate"},
    {&kSecUseAuthenticationContext, "u_AuthCtx"},
    {&kSecUseAuthenticationUI, "u_AuthUI"},
    {&kSecUseAuthenticationUIAllow, "u_AuthUIA"},
    {&kSecUseAuthenticationUIFail, "u_AuthUIF"},
    {&kSecUseAuthenticationUISkip, "u_AuthUIS"},
    {&kSecUseCallerName, "u_CallerName"},
    {&kSecUseCertificatesWithMatchIssuers, "u_CertWithIssuers"},
    {&kSecUseCredentialReference, "u_CredRef"},
    {&kSecUseDataProtectionKeychain, "nleg"},
    {&kSecUseHardwareBackedStorage, "u_HardwareBacked"},
    {&kSecUseItemList, "u_ItemList"},
    {&kSecUseKeychain, "u_Keychain"},
    {&kSecUseNoAuthenticationUI, "u_NoAuthUI"},
    {&kSecUseOperationPrompt, "u_OpPrompt"},
    {&kSecUseSyncBubbleKeychain, "u_SyncBubbleKeychain"},
    {&kSecUseSystemKeychain, "u_SystemKeychain"},
    {&kSecUseSystemKeychainAlways, "u_SystemKeychainAlways"},
    {&kSecUseTokenRawItems, "u_TokenRawItems"},
    {&kSecUseTombstones, "u_Tomb"},
    {&kSecUseUserIndependentKeychain, "u_UserIndependentKeychain"},
    {&kSecValueData, "v_Data"},
    {&kSecValuePersistentRef, "v_PersistentRef"},
    {&kSecValueRef, "v_Ref"},
};

const unsigned long llavero_constant_count = sizeof llavero_constants / sizeof *llavero_constants;
