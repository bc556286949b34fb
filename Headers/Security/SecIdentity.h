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
///   - keychainOrArray: Where the key is: a keychain, or an array of them; NULL is the search list.
///   - certificateRef: The certificate; it needn't be stored.
///   - identityRef: Where to put both.
/// - Returns: errSecSuccess; errSecItemNotFound; else as SecItemCopyMatching.
CF_EXPORT OSStatus SecIdentityCreateWithCertificate(
    CFTypeRef _Nullable keychainOrArray, SecCertificateRef certificateRef,
    SecIdentityRef _Nullable *_Nonnull identityRef);

/// The identity that is preferred for a name.
///
/// A preference for the use is taken first, then one for any use, then one without a constraint.
/// - Parameters:
///   - name: A URL, a mail address or a host. A URL also matches preferences for the folders above
///     it (with a slash at the end), for its host, and for *. with a domain above that.
///   - keyUsage: kSecAttrCan…; NULL or empty for any.
///   - validIssuers: Ignored, as in Apple's implementation.
/// - Returns: NULL if there is none, and if the preferred one was deleted.
CF_EXPORT SecIdentityRef _Nullable SecIdentityCopyPreferred(
    CFStringRef name, CFArrayRef _Nullable keyUsage, CFArrayRef _Nullable validIssuers);

/// The identity that is preferred for a name and exactly this use.
/// - Parameters:
///   - name: As in SecIdentityCopyPreferred.
///   - keyUsage: Bits of CSSM_KEYUSE; 0 for any preference.
///   - validIssuers: Ignored, as in Apple's implementation.
///   - identity: Where to put it.
/// - Returns: errSecSuccess; errSecItemNotFound; errSecParam for an empty name; else as
///   SecItemCopyMatching.
CF_EXPORT OSStatus SecIdentityCopyPreference(
    CFStringRef name, CSSM_KEYUSE keyUsage, CFArrayRef _Nullable validIssuers,
    SecIdentityRef _Nullable *_Nonnull identity);

/// Prefers an identity for a name.
/// - Parameters:
///   - identity: The identity, which must be stored; NULL deletes the preference.
///   - name: The name.
///   - keyUsage: kSecAttrCan…; NULL or empty for any.
/// - Returns: As SecIdentitySetPreference.
CF_EXPORT OSStatus SecIdentitySetPreferred(
    SecIdentityRef _Nullable identity, CFStringRef name, CFArrayRef _Nullable keyUsage);

/// Prefers an identity for a name.
/// - Parameters:
///   - identity: The identity, which must be stored.
///   - name: The name.
///   - keyUsage: Bits of CSSM_KEYUSE; 0 for any.
/// - Returns: errSecSuccess; errSecInvalidItemRef for an identity that isn't stored;
///   errSecParam for an empty name; else as SecItemAdd.
CF_EXPORT OSStatus SecIdentitySetPreference(
    SecIdentityRef identity, CFStringRef name, CSSM_KEYUSE keyUsage);

/// The identity of a domain of the system: in the System keychain, a certificate and its key, and
/// an item that names it by the digest of the key. Only root reads keys there; in a service of one
/// user also that user.
/// - Parameters:
///   - domain: The domain, such as kSecIdentityDomainDefault. Another one without an identity of
///     its own has that of the default domain.
///   - idRef: Where to put the identity.
///   - actualDomain: Where to put the domain that has it; NULL for nowhere.
/// - Returns: errSecSuccess; errSecItemNotFound; else as SecItemCopyMatching.
CF_EXPORT OSStatus SecIdentityCopySystemIdentity(
    CFStringRef domain, SecIdentityRef _Nullable *_Nonnull idRef,
    CFStringRef _Nullable *_Nullable actualDomain);

/// Sets the identity of a domain of the system.
/// - Parameters:
///   - domain: The domain; any text.
///   - idRef: An identity whose certificate and key are in the System keychain; NULL for none.
/// - Returns: errSecSuccess; errSecAuthFailed unless root calls it, or in a service of one user
///   that user; errSecParam for an empty domain; else as SecItemAdd.
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
