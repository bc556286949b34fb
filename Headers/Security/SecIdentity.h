// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors
// Made by Scripts/generate-c-interface; edits here are lost.

// Certificates with their private keys.

#ifndef SECURITY_SECIDENTITY_H
#define SECURITY_SECIDENTITY_H

#include <Security/SecBase.h>

CF_EXTERN_C_BEGIN
CF_ASSUME_NONNULL_BEGIN

/// The default domain of system identities.
CF_EXPORT const CFStringRef kSecIdentityDomainDefault;

/// The domain of the Kerberos KDC's system identity.
CF_EXPORT const CFStringRef kSecIdentityDomainKerberosKDC;

/// Finds the stored private key of a certificate.
/// - Parameters:
///   - keychainOrArray: Ignored: there is one keychain.
///   - certificateRef: The certificate; it needn't be stored.
///   - identityRef: Where to put both.
/// - Returns: errSecSuccess; errSecItemNotFound; else as SecItemCopyMatching.
CF_EXPORT OSStatus SecIdentityCreateWithCertificate(
    CFTypeRef _Nullable keychainOrArray, SecCertificateRef certificateRef,
    SecIdentityRef _Nullable *_Nonnull identityRef);

/// The identity that is preferred for a name.
/// - Returns: NULL: preferences aren't stored.
CF_EXPORT SecIdentityRef _Nullable SecIdentityCopyPreferred(
    CFStringRef name, CFArrayRef _Nullable keyUsage, CFArrayRef _Nullable validIssuers);

/// The identity that is preferred for a name.
/// - Returns: errSecUnimplemented: preferences aren't stored.
CF_EXPORT OSStatus SecIdentityCopyPreference(
    CFStringRef name, CSSM_KEYUSE keyUsage, CFArrayRef _Nullable validIssuers,
    SecIdentityRef _Nullable *_Nonnull identity);

/// Prefers an identity for a name.
/// - Returns: errSecUnimplemented: preferences aren't stored.
CF_EXPORT OSStatus SecIdentitySetPreferred(
    SecIdentityRef _Nullable identity, CFStringRef name, CFArrayRef _Nullable keyUsage);

/// Prefers an identity for a name.
/// - Returns: errSecUnimplemented: preferences aren't stored.
CF_EXPORT OSStatus SecIdentitySetPreference(
    SecIdentityRef identity, CFStringRef name, CSSM_KEYUSE keyUsage);

/// The identity of a domain of the system.
/// - Returns: errSecUnimplemented: the system has none.
CF_EXPORT OSStatus SecIdentityCopySystemIdentity(
    CFStringRef domain, SecIdentityRef _Nullable *_Nonnull idRef,
    CFStringRef _Nullable *_Nullable actualDomain);

/// Sets the identity of a domain of the system.
/// - Returns: errSecUnimplemented: the system has none.
CF_EXPORT OSStatus SecIdentitySetSystemIdentity(CFStringRef domain, SecIdentityRef _Nullable idRef);

/// The type of identities.
CF_EXPORT CFTypeID SecIdentityGetTypeID(void);

/// Combines a certificate and a private key.
/// - Returns: NULL unless the key is the private half of the certificate's.
CF_EXPORT SecIdentityRef _Nullable SecIdentityCreate(
    CFAllocatorRef _Nullable allocator, SecCertificateRef certificate, SecKeyRef privateKey);

/// The certificate of an identity.
/// - Parameters:
///   - identityRef: The identity.
///   - certificateRef: Where to put it.
/// - Returns: errSecSuccess.
CF_EXPORT OSStatus SecIdentityCopyCertificate(
    SecIdentityRef identityRef, SecCertificateRef _Nullable *_Nonnull certificateRef);

/// The private key of an identity.
/// - Parameters:
///   - identityRef: The identity.
///   - privateKeyRef: Where to put it.
/// - Returns: errSecSuccess.
CF_EXPORT OSStatus SecIdentityCopyPrivateKey(
    SecIdentityRef identityRef, SecKeyRef _Nullable *_Nonnull privateKeyRef);

CF_ASSUME_NONNULL_END
CF_EXTERN_C_END

#endif
