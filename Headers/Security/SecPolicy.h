// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors
// Made by Scripts/generate-c-interface; edits here are lost.

// The rules by which trust is evaluated.

#ifndef SECURITY_SECPOLICY_H
#define SECURITY_SECPOLICY_H

#include <Security/SecBase.h>

CF_EXTERN_C_BEGIN
CF_ASSUME_NONNULL_BEGIN

CF_ENUM(CFOptionFlags) {
    /// Ask by OCSP.
    kSecRevocationOCSPMethod = 1,
    /// Ask by revocation lists.
    kSecRevocationCRLMethod = 2,
    /// Revocation lists first.
    kSecRevocationPreferCRL = 4,
    /// Revocation fails if there is no answer.
    kSecRevocationRequirePositiveResponse = 8,
    /// Use only cached answers.
    kSecRevocationNetworkAccessDisabled = 16,
    /// Either method.
    kSecRevocationUseAnyAvailableMethod = 3,
};

/// Only signatures and dates of a chain.
CF_EXPORT const CFStringRef kSecPolicyAppleX509Basic;

/// TLS, of either side.
CF_EXPORT const CFStringRef kSecPolicyAppleSSL;

/// TLS, of a server. The value is this project's own.
CF_EXPORT const CFStringRef kSecPolicyAppleSSLServer;

/// TLS, of a client. The value is this project's own.
CF_EXPORT const CFStringRef kSecPolicyAppleSSLClient;

/// S/MIME.
CF_EXPORT const CFStringRef kSecPolicyAppleSMIME;

/// EAP, of either side.
CF_EXPORT const CFStringRef kSecPolicyAppleEAP;

/// EAP, of a server. The value is this project's own.
CF_EXPORT const CFStringRef kSecPolicyAppleEAPServer;

/// EAP, of a client. The value is this project's own.
CF_EXPORT const CFStringRef kSecPolicyAppleEAPClient;

/// IPsec, of either side.
CF_EXPORT const CFStringRef kSecPolicyAppleIPsec;

/// IPsec, of a server. The value is this project's own.
CF_EXPORT const CFStringRef kSecPolicyAppleIPSecServer;

/// IPsec, of a client. The value is this project's own.
CF_EXPORT const CFStringRef kSecPolicyAppleIPSecClient;

/// iChat.
CF_EXPORT const CFStringRef kSecPolicyAppleiChat;

/// Kerberos PKINIT, of a client.
CF_EXPORT const CFStringRef kSecPolicyApplePKINITClient;

/// Kerberos PKINIT, of a server.
CF_EXPORT const CFStringRef kSecPolicyApplePKINITServer;

/// Signatures of code.
CF_EXPORT const CFStringRef kSecPolicyAppleCodeSigning;

/// Apple ID validation records.
CF_EXPORT const CFStringRef kSecPolicyAppleIDValidation;

/// Receipts of the Mac App Store.
CF_EXPORT const CFStringRef kSecPolicyMacAppStoreReceipt;

/// Time stamps.
CF_EXPORT const CFStringRef kSecPolicyAppleTimeStamping;

/// Revocation.
CF_EXPORT const CFStringRef kSecPolicyAppleRevocation;

/// Passes.
CF_EXPORT const CFStringRef kSecPolicyApplePassbookSigning;

/// Apple Pay issuers.
CF_EXPORT const CFStringRef kSecPolicyApplePayIssuerEncryption;

/// The policy; a kSecPolicyApple… value.
CF_EXPORT const CFStringRef kSecPolicyOid;

/// The name that must be in the certificate: a host, an address.
CF_EXPORT const CFStringRef kSecPolicyName;

/// Whether the certificate is a client's.
CF_EXPORT const CFStringRef kSecPolicyClient;

/// How to ask for revocation; kSecRevocation….
CF_EXPORT const CFStringRef kSecPolicyRevocationFlags;

/// The team that must have made the signature.
CF_EXPORT const CFStringRef kSecPolicyTeamIdentifier;

/// A key usage that the certificate must have.
CF_EXPORT const CFStringRef kSecPolicyKU_DigitalSignature;

/// A key usage that the certificate must have.
CF_EXPORT const CFStringRef kSecPolicyKU_NonRepudiation;

/// A key usage that the certificate must have.
CF_EXPORT const CFStringRef kSecPolicyKU_KeyEncipherment;

/// A key usage that the certificate must have.
CF_EXPORT const CFStringRef kSecPolicyKU_DataEncipherment;

/// A key usage that the certificate must have.
CF_EXPORT const CFStringRef kSecPolicyKU_KeyAgreement;

/// A key usage that the certificate must have.
CF_EXPORT const CFStringRef kSecPolicyKU_KeyCertSign;

/// A key usage that the certificate must have.
CF_EXPORT const CFStringRef kSecPolicyKU_CRLSign;

/// A key usage that the certificate must have.
CF_EXPORT const CFStringRef kSecPolicyKU_EncipherOnly;

/// A key usage that the certificate must have.
CF_EXPORT const CFStringRef kSecPolicyKU_DecipherOnly;

/// The type of policies.
CF_EXPORT CFTypeID SecPolicyGetTypeID(void);

/// A policy that requires only valid signatures and dates.
CF_EXPORT SecPolicyRef SecPolicyCreateBasicX509(void);

/// A policy for TLS.
/// - Parameters:
///   - server: Whether the certificate is a server's.
///   - hostname: The name that the certificate must have; NULL is any.
/// - Returns: The policy.
CF_EXPORT SecPolicyRef SecPolicyCreateSSL(Boolean server, CFStringRef _Nullable hostname);

/// A policy that requires a revocation check.
/// - Parameter revocationFlags: kSecRevocation….
/// - Returns: NULL for no flag, and for numbers that aren't flags.
CF_EXPORT SecPolicyRef _Nullable SecPolicyCreateRevocation(CFOptionFlags revocationFlags);

/// A policy by its name.
/// - Parameters:
///   - policyIdentifier: A kSecPolicyApple… value.
///   - properties: kSecPolicyName, kSecPolicyClient, kSecPolicyRevocationFlags,
///     kSecPolicyTeamIdentifier; NULL is none.
/// - Returns: NULL for a name that isn't one of those, and for a property of the wrong type.
CF_EXPORT SecPolicyRef _Nullable SecPolicyCreateWithProperties(
    CFTypeRef policyIdentifier, CFDictionaryRef _Nullable properties);

/// A policy by its name, without properties.
/// - Returns: NULL for a name that isn't a kSecPolicyApple… value.
CF_EXPORT SecPolicyRef _Nullable SecPolicyCreateWithOID(CFTypeRef policyOID);

/// A policy's properties: its name under kSecPolicyOid, and the others.
CF_EXPORT CFDictionaryRef _Nullable SecPolicyCopyProperties(SecPolicyRef policyRef);

/// Changes a policy's properties.
/// - Returns: errSecUnimplemented: policies don't change here.
CF_EXPORT OSStatus SecPolicySetProperties(SecPolicyRef policyRef, CFDictionaryRef properties);

/// A policy's name for CDSA.
/// - Returns: errSecUnimplemented: there is no CDSA.
CF_EXPORT OSStatus SecPolicyGetOID(SecPolicyRef policyRef, CSSM_OID *oid);

/// A policy's value for CDSA.
/// - Returns: errSecUnimplemented: there is no CDSA.
CF_EXPORT OSStatus SecPolicyGetValue(SecPolicyRef policyRef, CSSM_DATA *value);

/// Sets a policy's value for CDSA.
/// - Returns: errSecUnimplemented: there is no CDSA.
CF_EXPORT OSStatus SecPolicySetValue(SecPolicyRef policyRef, const CSSM_DATA *value);

/// The CDSA module of a policy.
/// - Returns: errSecUnimplemented: there is no CDSA.
CF_EXPORT OSStatus SecPolicyGetTPHandle(SecPolicyRef policyRef, CSSM_TP_HANDLE *tpHandle);

CF_ASSUME_NONNULL_END
CF_EXTERN_C_END

#endif
