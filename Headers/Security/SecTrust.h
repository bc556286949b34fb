// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors
// Made by Scripts/generate-c-interface; edits here are lost.

// Evaluations of trust.

#ifndef SECURITY_SECTRUST_H
#define SECURITY_SECTRUST_H

#include <Security/SecBase.h>
#if __BLOCKS__
#include <dispatch/dispatch.h>
#endif

CF_EXTERN_C_BEGIN
CF_ASSUME_NONNULL_BEGIN

/// The faults that an evaluation of trust accepts.
typedef CF_OPTIONS(uint32_t, SecTrustOptionFlags) {
    /// Expired certificates.
    kSecTrustOptionAllowExpired = 1,
    /// A leaf that is an authority.
    kSecTrustOptionLeafIsCA = 2,
    /// Issuers from the network.
    kSecTrustOptionFetchIssuerFromNet = 4,
    /// An expired root.
    kSecTrustOptionAllowExpiredRoot = 8,
    /// An answer on revocation for each certificate.
    kSecTrustOptionRequireRevPerCert = 16,
    /// The user's settings.
    kSecTrustOptionUseTrustSettings = 32,
    /// Self-signed certificates as anchors.
    kSecTrustOptionImplicitAnchors = 64,
};

/// The result of an evaluation of trust.
typedef CF_ENUM(uint32_t, SecTrustResultType) {
    /// There was none, or it isn't complete.
    kSecTrustResultInvalid = 0,
    /// Trusted, by the user's decision.
    kSecTrustResultProceed = 1,
    /// The user must be asked.
    kSecTrustResultConfirm = 2,
    /// Not trusted, by the user's decision.
    kSecTrustResultDeny = 3,
    /// Trusted.
    kSecTrustResultUnspecified = 4,
    /// Not trusted, but may be with other parameters.
    kSecTrustResultRecoverableTrustFailure = 5,
    /// Not trusted.
    kSecTrustResultFatalTrustFailure = 6,
    /// It failed.
    kSecTrustResultOtherError = 7,
};

#if __BLOCKS__
/// Called with what an evaluation came to.
typedef void (^SecTrustCallback)(SecTrustRef trust, SecTrustResultType result);

/// Called with what an evaluation came to, and why it isn't trust.
typedef void (^SecTrustWithErrorCallback)(
    SecTrustRef trust, bool isTrusted, CFErrorRef _Nullable error);
#endif

/// When it was evaluated.
CF_EXPORT const CFStringRef kSecTrustEvaluationDate;

/// Whether the validation was extended.
CF_EXPORT const CFStringRef kSecTrustExtendedValidation;

/// The organization, of an extended validation.
CF_EXPORT const CFStringRef kSecTrustOrganizationName;

/// The result, as a number.
CF_EXPORT const CFStringRef kSecTrustResultValue;

/// Whether revocation was checked.
CF_EXPORT const CFStringRef kSecTrustRevocationChecked;

/// Until when that answer is valid.
CF_EXPORT const CFStringRef kSecTrustRevocationValidUntilDate;

/// Whether the certificate is in transparency logs.
CF_EXPORT const CFStringRef kSecTrustCertificateTransparency;

/// Whether it is exempt from them.
CF_EXPORT const CFStringRef kSecTrustCertificateTransparencyWhiteList;

/// Statements of a qualified certificate.
CF_EXPORT const CFStringRef kSecTrustQCStatements;

/// Whether it is a qualified certificate of a web site.
CF_EXPORT const CFStringRef kSecTrustQWACValidation;

/// A property's title.
CF_EXPORT const CFStringRef kSecPropertyTypeTitle;

/// A property's error.
CF_EXPORT const CFStringRef kSecPropertyTypeError;

/// The type of trust objects.
CF_EXPORT CFTypeID SecTrustGetTypeID(void);

/// Makes a trust object.
/// - Parameters:
///   - certificates: A certificate, or an array of them with the leaf first.
///   - policies: A policy or an array of them; NULL is the basic one.
///   - trust: Where to put the object.
/// - Returns: errSecSuccess, or errSecParam for anything else.
CF_EXPORT OSStatus SecTrustCreateWithCertificates(
    CFTypeRef certificates, CFTypeRef _Nullable policies, SecTrustRef _Nullable *_Nonnull trust);

/// Sets the policies.
/// - Returns: errSecSuccess, or errSecParam for anything but a policy or an array of them.
CF_EXPORT OSStatus SecTrustSetPolicies(SecTrustRef trust, CFTypeRef policies);

/// The policies.
/// - Returns: errSecSuccess.
CF_EXPORT OSStatus SecTrustCopyPolicies(SecTrustRef trust, CFArrayRef _Nullable *_Nonnull policies);

/// Sets whether an evaluation may use the network.
/// - Returns: errSecSuccess.
CF_EXPORT OSStatus SecTrustSetNetworkFetchAllowed(SecTrustRef trust, Boolean allowFetch);

/// Whether an evaluation may use the network.
/// - Returns: errSecSuccess.
CF_EXPORT OSStatus SecTrustGetNetworkFetchAllowed(SecTrustRef trust, Boolean *allowFetch);

/// Sets the certificates that are trusted as anchors; NULL removes them.
/// - Returns: errSecSuccess, or errSecParam for an array of other things.
CF_EXPORT OSStatus SecTrustSetAnchorCertificates(
    SecTrustRef trust, CFArrayRef _Nullable anchorCertificates);

/// Sets whether the system's anchors are ignored.
/// - Returns: errSecSuccess.
CF_EXPORT OSStatus SecTrustSetAnchorCertificatesOnly(
    SecTrustRef trust, Boolean anchorCertificatesOnly);

/// The certificates that were set as anchors; NULL if none were.
/// - Returns: errSecSuccess.
CF_EXPORT OSStatus SecTrustCopyCustomAnchorCertificates(
    SecTrustRef trust, CFArrayRef _Nullable *_Nonnull anchors);

/// Sets the time for which the certificates must be valid.
/// - Returns: errSecSuccess.
CF_EXPORT OSStatus SecTrustSetVerifyDate(SecTrustRef trust, CFDateRef verifyDate);

/// The time for which the certificates must be valid: the time that was set, else now.
CF_EXPORT CFAbsoluteTime SecTrustGetVerifyTime(SecTrustRef trust);

/// The leaf's public key.
/// - Returns: NULL as with SecCertificateCopyKey.
CF_EXPORT SecKeyRef _Nullable SecTrustCopyKey(SecTrustRef trust);

/// The leaf's public key.
/// - Returns: NULL as with SecCertificateCopyKey.
CF_EXPORT SecKeyRef _Nullable SecTrustCopyPublicKey(SecTrustRef trust);

/// Evaluates trust.
/// - Parameters:
///   - trust: The trust object.
///   - error: Set to NULL, or to the reason: the worst failed check's status and a sentence, with all
///     failed checks in the underlying error. An evaluation that couldn't take place has its own
///     status, as errSecNotAvailable.
/// - Returns: Whether the certificate is trusted.
CF_EXPORT bool SecTrustEvaluateWithError(SecTrustRef trust, CFErrorRef _Nullable *_Nullable error);

#if __BLOCKS__
/// Evaluates trust on another thread and reports the result on a queue.
/// - Returns: errSecSuccess; the block is called once.
CF_EXPORT OSStatus SecTrustEvaluateAsyncWithError(
    SecTrustRef trust, dispatch_queue_t queue, SecTrustWithErrorCallback result);
#endif

/// Evaluates trust.
/// - Parameters:
///   - trust: The trust object.
///   - result: Set to the result; invalid when no evaluation took place.
/// - Returns: errSecSuccess whatever the result; else why there is none, as errSecNotAvailable.
CF_EXPORT OSStatus SecTrustEvaluate(SecTrustRef trust, SecTrustResultType *_Nullable result);

#if __BLOCKS__
/// Evaluates trust and reports the result on a queue.
/// - Returns: errSecSuccess, and the block is called once; errSecParam without a queue.
CF_EXPORT OSStatus SecTrustEvaluateAsync(
    SecTrustRef trust, dispatch_queue_t _Nullable queue, SecTrustCallback result);
#endif

/// The result of the last evaluation.
/// - Parameters:
///   - trust: The trust object.
///   - result: Set to the result; invalid if the present question hasn't been evaluated.
/// - Returns: errSecSuccess.
CF_EXPORT OSStatus SecTrustGetTrustResult(SecTrustRef trust, SecTrustResultType *result);

/// How many certificates the chain has; evaluates first if needed.
/// - Returns: 0 if no evaluation could take place.
CF_EXPORT CFIndex SecTrustGetCertificateCount(SecTrustRef trust);

/// A certificate of the chain; evaluates first, but for the leaf.
/// - Returns: NULL for an index outside of the chain.
CF_EXPORT SecCertificateRef _Nullable SecTrustGetCertificateAtIndex(SecTrustRef trust, CFIndex ix);

/// The chain, the leaf first; of a failed evaluation, the best one that was found.
/// - Returns: NULL if no evaluation could take place.
CF_EXPORT CFArrayRef _Nullable SecTrustCopyCertificateChain(SecTrustRef trust);

/// The faults that an evaluation found, for later exceptions.
/// - Returns: A property list: for each certificate its failed checks and its SHA-1 digest.
CF_EXPORT CFDataRef _Nullable SecTrustCopyExceptions(SecTrustRef trust);

/// Accepts the faults of an earlier evaluation: those of these certificates alone. Revoked
/// certificates and weak cryptography are never accepted. NULL removes the exceptions.
/// - Returns: Whether the exceptions are this leaf's.
CF_EXPORT bool SecTrustSetExceptions(SecTrustRef trust, CFDataRef _Nullable exceptions);

/// An evaluation's result for each certificate: its title, and the leaf's error.
CF_EXPORT CFArrayRef _Nullable SecTrustCopyProperties(SecTrustRef trust);

/// An evaluation's result, by kSecTrust… keys; TrustResultDetails has the failed checks of each
/// certificate.
CF_EXPORT CFDictionaryRef _Nullable SecTrustCopyResult(SecTrustRef trust);

/// The anchors of the system.
/// - Returns: errSecSuccess; errSecNotAvailable when the service doesn't answer.
CF_EXPORT OSStatus SecTrustCopyAnchorCertificates(CFArrayRef _Nullable *_Nonnull anchors);

/// Provides answers on revocation that came with the certificates.
/// - Parameters:
///   - trust: The trust object.
///   - responseData: OCSP responses: data, or an array of it; NULL removes them.
/// - Returns: errSecSuccess, or errSecParam for anything else.
CF_EXPORT OSStatus SecTrustSetOCSPResponse(SecTrustRef trust, CFTypeRef _Nullable responseData);

/// Provides proofs of transparency.
/// - Returns: errSecUnimplemented.
CF_EXPORT OSStatus SecTrustSetSignedCertificateTimestamps(
    SecTrustRef trust, CFArrayRef _Nullable sctArray);

/// Sets the faults that an evaluation accepts: expired certificates, an expired root, any self-signed
/// certificate at the end of the chain. An answer on revocation can be demanded.
/// - Returns: errSecSuccess.
CF_EXPORT OSStatus SecTrustSetOptions(SecTrustRef trustRef, SecTrustOptionFlags options);

/// Sets the action of an evaluation, for CDSA.
/// - Returns: errSecUnimplemented: there is no CDSA.
CF_EXPORT OSStatus SecTrustSetParameters(
    SecTrustRef trustRef, CSSM_TP_ACTION action, CFDataRef actionData);

/// Sets the keychains in which certificates are looked for.
/// - Returns: errSecUnimplemented.
CF_EXPORT OSStatus SecTrustSetKeychains(SecTrustRef trust, CFTypeRef _Nullable keychainOrArray);

/// The result of the last evaluation, for CDSA.
/// - Returns: errSecUnimplemented: there is no CDSA.
CF_EXPORT OSStatus SecTrustGetResult(
    SecTrustRef trustRef, SecTrustResultType *_Nullable result,
    CFArrayRef _Nullable *_Nullable certChain,
    CSSM_TP_APPLE_EVIDENCE_INFO *_Nullable *_Nullable statusChain);

/// The result of the last evaluation, for CDSA.
/// - Returns: errSecUnimplemented: there is no CDSA.
CF_EXPORT OSStatus SecTrustGetCssmResult(
    SecTrustRef trust, CSSM_TP_VERIFY_CONTEXT_RESULT *_Nullable *_Nonnull result);

/// The code of the last evaluation, for CDSA.
/// - Returns: errSecUnimplemented: there is no CDSA.
CF_EXPORT OSStatus SecTrustGetCssmResultCode(SecTrustRef trust, OSStatus *resultCode);

/// The CDSA module of an evaluation.
/// - Returns: errSecUnimplemented: there is no CDSA.
CF_EXPORT OSStatus SecTrustGetTPHandle(SecTrustRef trust, CSSM_TP_HANDLE *handle);

CF_ASSUME_NONNULL_END
CF_EXTERN_C_END

#endif
