// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors
// Made by Scripts/generate-c-interface; edits here are lost.

// Types and result codes of all parts.

#ifndef SECURITY_SECBASE_H
#define SECURITY_SECBASE_H

#include <CoreFoundation/CoreFoundation.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

CF_EXTERN_C_BEGIN
CF_ASSUME_NONNULL_BEGIN

#if DEPLOYMENT_RUNTIME_SWIFT && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
// Core Foundation's CFSTR is a statement expression, of which -Wpedantic warns wherever a program uses it.
// This one makes the same object and is marked as an extension. Its text is ASCII: Foundation reads the
// bytes of such an object as letters.
#undef CFSTR
#define CFSTR(text) \
    (__extension__({ \
        static struct __CFConstStr constant_text_ = { \
            {(uintptr_t)&_CF_CONSTANT_STRING_SWIFT_CLASS, _CF_CONSTANT_OBJECT_STRONG_RC, 0x07C8}, \
            (uint8_t *)(text), \
            sizeof(text) - 1}; \
        (CFStringRef)&constant_text_; \
    }))
#endif

// Objects. Each is a Core Foundation object: CFRetain, CFRelease, CFEqual, CFHash, CFGetTypeID and
// CFShow work on it, and so do collections. What a function with Create or Copy in its name returns,
// or puts where a pointer says, the caller releases once.

/// A key.
typedef struct __SecKey *SecKeyRef;
/// A certificate.
typedef struct __SecCertificate *SecCertificateRef;
/// A certificate with its private key.
typedef struct __SecIdentity *SecIdentityRef;
/// What must be proven before an item is used.
typedef struct __SecAccessControl *SecAccessControlRef;
/// The rules by which trust is evaluated.
typedef struct __SecPolicy *SecPolicyRef;
/// An evaluation of trust.
typedef struct __SecTrust *SecTrustRef;
/// A program as the service knows it.
typedef struct __SecTask *SecTaskRef;
/// A keychain, by its path.
typedef struct __SecKeychain *SecKeychainRef;
/// A stored password: what kSecReturnRef gives of one, unless kSecUseDataProtectionKeychain is true.
typedef struct __SecKeychainItem *SecKeychainItemRef;
/// Who may use an item of a keychain. No object is ever one: pass NULL.
typedef struct __SecAccess *SecAccessRef;

// Types of CDSA, for the functions that Apple has deprecated since 2011. There is no CDSA here:
// these functions answer errSecUnimplemented.

/// Bytes somewhere.
typedef struct SecAsn1Item {
    size_t Length;
    uint8_t *_Nullable Data;
} SecAsn1Item, CSSM_DATA, CSSM_OID;
typedef intptr_t CSSM_HANDLE;
typedef CSSM_HANDLE CSSM_CL_HANDLE;
typedef CSSM_HANDLE CSSM_TP_HANDLE;
typedef CSSM_HANDLE CSSM_CSP_HANDLE;
typedef uint64_t CSSM_CC_HANDLE;
typedef uint32_t CSSM_ALGORITHMS;
typedef uint32_t CSSM_KEYUSE;
typedef uint32_t CSSM_CERT_TYPE;
typedef uint32_t CSSM_CERT_ENCODING;
typedef uint32_t CSSM_TP_ACTION;
typedef int32_t CSSM_ACL_AUTHORIZATION_TAG;
typedef struct cssm_key CSSM_KEY;
typedef struct cssm_x509_name CSSM_X509_NAME;
typedef struct cssm_x509_algorithm_identifier CSSM_X509_ALGORITHM_IDENTIFIER;
typedef struct cssm_access_credentials CSSM_ACCESS_CREDENTIALS;
typedef struct cssm_tp_verify_context_result CSSM_TP_VERIFY_CONTEXT_RESULT;
typedef struct cssm_tp_apple_evidence_info CSSM_TP_APPLE_EVIDENCE_INFO;

// Result codes.

CF_ENUM(OSStatus) {
    /// Service not available.
    errSecServiceNotAvailable = -67585,
    /// Insufficient client ID.
    errSecInsufficientClientID = -67586,
    /// Device reset.
    errSecDeviceReset = -67587,
    /// Device failed.
    errSecDeviceFailed = -67588,
    /// Apple add app ACL subject.
    errSecAppleAddAppACLSubject = -67589,
    /// Apple public key incomplete.
    errSecApplePublicKeyIncomplete = -67590,
    /// Apple signature mismatch.
    errSecAppleSignatureMismatch = -67591,
    /// Apple invalid key start date.
    errSecAppleInvalidKeyStartDate = -67592,
    /// Apple invalid key end date.
    errSecAppleInvalidKeyEndDate = -67593,
    /// Conversion error.
    errSecConversionError = -67594,
    /// Apple SS lv2 rollback.
    errSecAppleSSLv2Rollback = -67595,
    /// Quota exceeded.
    errSecQuotaExceeded = -67596,
    /// File too big.
    errSecFileTooBig = -67597,
    /// Invalid database blob.
    errSecInvalidDatabaseBlob = -67598,
    /// Invalid key blob.
    errSecInvalidKeyBlob = -67599,
    /// Incompatible database blob.
    errSecIncompatibleDatabaseBlob = -67600,
    /// Incompatible key blob.
    errSecIncompatibleKeyBlob = -67601,
    /// Host name mismatch.
    errSecHostNameMismatch = -67602,
    /// Unknown critical extension flag.
    errSecUnknownCriticalExtensionFlag = -67603,
    /// No basic constraints.
    errSecNoBasicConstraints = -67604,
    /// No basic constraints CA.
    errSecNoBasicConstraintsCA = -67605,
    /// Invalid authority key ID.
    errSecInvalidAuthorityKeyID = -67606,
    /// Invalid subject key ID.
    errSecInvalidSubjectKeyID = -67607,
    /// Invalid key usage for policy.
    errSecInvalidKeyUsageForPolicy = -67608,
    /// Invalid extended key usage.
    errSecInvalidExtendedKeyUsage = -67609,
    /// Invalid ID linkage.
    errSecInvalidIDLinkage = -67610,
    /// Path length constraint exceeded.
    errSecPathLengthConstraintExceeded = -67611,
    /// Invalid root.
    errSecInvalidRoot = -67612,
    /// CRL expired.
    errSecCRLExpired = -67613,
    /// CRL not valid yet.
    errSecCRLNotValidYet = -67614,
    /// CRL not found.
    errSecCRLNotFound = -67615,
    /// CRL server down.
    errSecCRLServerDown = -67616,
    /// CRL bad URI.
    errSecCRLBadURI = -67617,
    /// Unknown cert extension.
    errSecUnknownCertExtension = -67618,
    /// Unknown CRL extension.
    errSecUnknownCRLExtension = -67619,
    /// CRL not trusted.
    errSecCRLNotTrusted = -67620,
    /// CRL policy failed.
    errSecCRLPolicyFailed = -67621,
    /// IDP failure.
    errSecIDPFailure = -67622,
    /// SMIME email addresses not found.
    errSecSMIMEEmailAddressesNotFound = -67623,
    /// SMIME bad extended key usage.
    errSecSMIMEBadExtendedKeyUsage = -67624,
    /// SMIME bad key usage.
    errSecSMIMEBadKeyUsage = -67625,
    /// SMIME key usage not critical.
    errSecSMIMEKeyUsageNotCritical = -67626,
    /// SMIME no email address.
    errSecSMIMENoEmailAddress = -67627,
    /// SMIME subj alt name not critical.
    errSecSMIMESubjAltNameNotCritical = -67628,
    /// SSL bad extended key usage.
    errSecSSLBadExtendedKeyUsage = -67629,
    /// OCSP bad response.
    errSecOCSPBadResponse = -67630,
    /// OCSP bad request.
    errSecOCSPBadRequest = -67631,
    /// OCSP unavailable.
    errSecOCSPUnavailable = -67632,
    /// OCSP status unrecognized.
    errSecOCSPStatusUnrecognized = -67633,
    /// End of data.
    errSecEndOfData = -67634,
    /// Incomplete cert revocation check.
    errSecIncompleteCertRevocationCheck = -67635,
    /// Network failure.
    errSecNetworkFailure = -67636,
    /// OCSP not trusted to anchor.
    errSecOCSPNotTrustedToAnchor = -67637,
    /// Record modified.
    errSecRecordModified = -67638,
    /// OCSP signature error.
    errSecOCSPSignatureError = -67639,
    /// OCSP no signer.
    errSecOCSPNoSigner = -67640,
    /// OCSP responder malformed req.
    errSecOCSPResponderMalformedReq = -67641,
    /// OCSP responder internal error.
    errSecOCSPResponderInternalError = -67642,
    /// OCSP responder try later.
    errSecOCSPResponderTryLater = -67643,
    /// OCSP responder signature required.
    errSecOCSPResponderSignatureRequired = -67644,
    /// OCSP responder unauthorized.
    errSecOCSPResponderUnauthorized = -67645,
    /// OCSP response nonce mismatch.
    errSecOCSPResponseNonceMismatch = -67646,
    /// Code signing bad cert chain length.
    errSecCodeSigningBadCertChainLength = -67647,
    /// Code signing no basic constraints.
    errSecCodeSigningNoBasicConstraints = -67648,
    /// Code signing bad path length constraint.
    errSecCodeSigningBadPathLengthConstraint = -67649,
    /// Code signing no extended key usage.
    errSecCodeSigningNoExtendedKeyUsage = -67650,
    /// Code signing development.
    errSecCodeSigningDevelopment = -67651,
    /// Resource sign bad cert chain length.
    errSecResourceSignBadCertChainLength = -67652,
    /// Resource sign bad ext key usage.
    errSecResourceSignBadExtKeyUsage = -67653,
    /// Trust setting deny.
    errSecTrustSettingDeny = -67654,
    /// Invalid subject name.
    errSecInvalidSubjectName = -67655,
    /// Unknown qualified cert statement.
    errSecUnknownQualifiedCertStatement = -67656,
    /// Mobile me request queued.
    errSecMobileMeRequestQueued = -67657,
    /// Mobile me request redirected.
    errSecMobileMeRequestRedirected = -67658,
    /// Mobile me server error.
    errSecMobileMeServerError = -67659,
    /// Mobile me server not available.
    errSecMobileMeServerNotAvailable = -67660,
    /// Mobile me server already exists.
    errSecMobileMeServerAlreadyExists = -67661,
    /// Mobile me server service err.
    errSecMobileMeServerServiceErr = -67662,
    /// Mobile me request already pending.
    errSecMobileMeRequestAlreadyPending = -67663,
    /// Mobile me no request pending.
    errSecMobileMeNoRequestPending = -67664,
    /// Mobile me CSR verify failure.
    errSecMobileMeCSRVerifyFailure = -67665,
    /// Mobile me failed consistency check.
    errSecMobileMeFailedConsistencyCheck = -67666,
    /// Not initialized.
    errSecNotInitialized = -67667,
    /// Invalid handle usage.
    errSecInvalidHandleUsage = -67668,
    /// PVC referent not found.
    errSecPVCReferentNotFound = -67669,
    /// Function integrity fail.
    errSecFunctionIntegrityFail = -67670,
    /// Internal error.
    errSecInternalError = -67671,
    /// Memory error.
    errSecMemoryError = -67672,
    /// Invalid data.
    errSecInvalidData = -67673,
    /// MDS error.
    errSecMDSError = -67674,
    /// Invalid pointer.
    errSecInvalidPointer = -67675,
    /// Self check failed.
    errSecSelfCheckFailed = -67676,
    /// Function failed.
    errSecFunctionFailed = -67677,
    /// Module manifest verify failed.
    errSecModuleManifestVerifyFailed = -67678,
    /// Invalid GUID.
    errSecInvalidGUID = -67679,
    /// Invalid handle.
    errSecInvalidHandle = -67680,
    /// Invalid DB list.
    errSecInvalidDBList = -67681,
    /// Invalid passthrough ID.
    errSecInvalidPassthroughID = -67682,
    /// Invalid network address.
    errSecInvalidNetworkAddress = -67683,
    /// CRL already signed.
    errSecCRLAlreadySigned = -67684,
    /// Invalid number of fields.
    errSecInvalidNumberOfFields = -67685,
    /// Verification failure.
    errSecVerificationFailure = -67686,
    /// Unknown tag.
    errSecUnknownTag = -67687,
    /// Invalid signature.
    errSecInvalidSignature = -67688,
    /// Invalid name.
    errSecInvalidName = -67689,
    /// Invalid certificate ref.
    errSecInvalidCertificateRef = -67690,
    /// Invalid certificate group.
    errSecInvalidCertificateGroup = -67691,
    /// Tag not found.
    errSecTagNotFound = -67692,
    /// Invalid query.
    errSecInvalidQuery = -67693,
    /// Invalid value.
    errSecInvalidValue = -67694,
    /// Callback failed.
    errSecCallbackFailed = -67695,
    /// ACL delete failed.
    errSecACLDeleteFailed = -67696,
    /// ACL replace failed.
    errSecACLReplaceFailed = -67697,
    /// ACL add failed.
    errSecACLAddFailed = -67698,
    /// ACL change failed.
    errSecACLChangeFailed = -67699,
    /// Invalid access credentials.
    errSecInvalidAccessCredentials = -67700,
    /// Invalid record.
    errSecInvalidRecord = -67701,
    /// Invalid ACL.
    errSecInvalidACL = -67702,
    /// Invalid sample value.
    errSecInvalidSampleValue = -67703,
    /// Incompatible version.
    errSecIncompatibleVersion = -67704,
    /// Privilege not granted.
    errSecPrivilegeNotGranted = -67705,
    /// Invalid scope.
    errSecInvalidScope = -67706,
    /// PVC already configured.
    errSecPVCAlreadyConfigured = -67707,
    /// Invalid PVC.
    errSecInvalidPVC = -67708,
    /// EMM load failed.
    errSecEMMLoadFailed = -67709,
    /// EMM unload failed.
    errSecEMMUnloadFailed = -67710,
    /// Addin load failed.
    errSecAddinLoadFailed = -67711,
    /// Invalid key ref.
    errSecInvalidKeyRef = -67712,
    /// Invalid key hierarchy.
    errSecInvalidKeyHierarchy = -67713,
    /// Addin unload failed.
    errSecAddinUnloadFailed = -67714,
    /// Library reference not found.
    errSecLibraryReferenceNotFound = -67715,
    /// Invalid addin function table.
    errSecInvalidAddinFunctionTable = -67716,
    /// Invalid service mask.
    errSecInvalidServiceMask = -67717,
    /// Module not loaded.
    errSecModuleNotLoaded = -67718,
    /// Invalid sub service ID.
    errSecInvalidSubServiceID = -67719,
    /// Attribute not in context.
    errSecAttributeNotInContext = -67720,
    /// Module manager initialize failed.
    errSecModuleManagerInitializeFailed = -67721,
    /// Module manager not found.
    errSecModuleManagerNotFound = -67722,
    /// Event notification callback not found.
    errSecEventNotificationCallbackNotFound = -67723,
    /// Input length error.
    errSecInputLengthError = -67724,
    /// Output length error.
    errSecOutputLengthError = -67725,
    /// Privilege not supported.
    errSecPrivilegeNotSupported = -67726,
    /// Device error.
    errSecDeviceError = -67727,
    /// Attach handle busy.
    errSecAttachHandleBusy = -67728,
    /// Not logged in.
    errSecNotLoggedIn = -67729,
    /// Algorithm mismatch.
    errSecAlgorithmMismatch = -67730,
    /// Key usage incorrect.
    errSecKeyUsageIncorrect = -67731,
    /// Key blob type incorrect.
    errSecKeyBlobTypeIncorrect = -67732,
    /// Key header inconsistent.
    errSecKeyHeaderInconsistent = -67733,
    /// Unsupported key format.
    errSecUnsupportedKeyFormat = -67734,
    /// Unsupported key size.
    errSecUnsupportedKeySize = -67735,
    /// Invalid key usage mask.
    errSecInvalidKeyUsageMask = -67736,
    /// Unsupported key usage mask.
    errSecUnsupportedKeyUsageMask = -67737,
    /// Invalid key attribute mask.
    errSecInvalidKeyAttributeMask = -67738,
    /// Unsupported key attribute mask.
    errSecUnsupportedKeyAttributeMask = -67739,
    /// Invalid key label.
    errSecInvalidKeyLabel = -67740,
    /// Unsupported key label.
    errSecUnsupportedKeyLabel = -67741,
    /// Invalid key format.
    errSecInvalidKeyFormat = -67742,
    /// Unsupported vector of buffers.
    errSecUnsupportedVectorOfBuffers = -67743,
    /// Invalid input vector.
    errSecInvalidInputVector = -67744,
    /// Invalid output vector.
    errSecInvalidOutputVector = -67745,
    /// Invalid context.
    errSecInvalidContext = -67746,
    /// Invalid algorithm.
    errSecInvalidAlgorithm = -67747,
    /// Invalid attribute key.
    errSecInvalidAttributeKey = -67748,
    /// Missing attribute key.
    errSecMissingAttributeKey = -67749,
    /// Invalid attribute init vector.
    errSecInvalidAttributeInitVector = -67750,
    /// Missing attribute init vector.
    errSecMissingAttributeInitVector = -67751,
    /// Invalid attribute salt.
    errSecInvalidAttributeSalt = -67752,
    /// Missing attribute salt.
    errSecMissingAttributeSalt = -67753,
    /// Invalid attribute padding.
    errSecInvalidAttributePadding = -67754,
    /// Missing attribute padding.
    errSecMissingAttributePadding = -67755,
    /// Invalid attribute random.
    errSecInvalidAttributeRandom = -67756,
    /// Missing attribute random.
    errSecMissingAttributeRandom = -67757,
    /// Invalid attribute seed.
    errSecInvalidAttributeSeed = -67758,
    /// Missing attribute seed.
    errSecMissingAttributeSeed = -67759,
    /// Invalid attribute passphrase.
    errSecInvalidAttributePassphrase = -67760,
    /// Missing attribute passphrase.
    errSecMissingAttributePassphrase = -67761,
    /// Invalid attribute key length.
    errSecInvalidAttributeKeyLength = -67762,
    /// Missing attribute key length.
    errSecMissingAttributeKeyLength = -67763,
    /// Invalid attribute block size.
    errSecInvalidAttributeBlockSize = -67764,
    /// Missing attribute block size.
    errSecMissingAttributeBlockSize = -67765,
    /// Invalid attribute output size.
    errSecInvalidAttributeOutputSize = -67766,
    /// Missing attribute output size.
    errSecMissingAttributeOutputSize = -67767,
    /// Invalid attribute rounds.
    errSecInvalidAttributeRounds = -67768,
    /// Missing attribute rounds.
    errSecMissingAttributeRounds = -67769,
    /// Invalid algorithm parms.
    errSecInvalidAlgorithmParms = -67770,
    /// Missing algorithm parms.
    errSecMissingAlgorithmParms = -67771,
    /// Invalid attribute label.
    errSecInvalidAttributeLabel = -67772,
    /// Missing attribute label.
    errSecMissingAttributeLabel = -67773,
    /// Invalid attribute key type.
    errSecInvalidAttributeKeyType = -67774,
    /// Missing attribute key type.
    errSecMissingAttributeKeyType = -67775,
    /// Invalid attribute mode.
    errSecInvalidAttributeMode = -67776,
    /// Missing attribute mode.
    errSecMissingAttributeMode = -67777,
    /// Invalid attribute effective bits.
    errSecInvalidAttributeEffectiveBits = -67778,
    /// Missing attribute effective bits.
    errSecMissingAttributeEffectiveBits = -67779,
    /// Invalid attribute start date.
    errSecInvalidAttributeStartDate = -67780,
    /// Missing attribute start date.
    errSecMissingAttributeStartDate = -67781,
    /// Invalid attribute end date.
    errSecInvalidAttributeEndDate = -67782,
    /// Missing attribute end date.
    errSecMissingAttributeEndDate = -67783,
    /// Invalid attribute version.
    errSecInvalidAttributeVersion = -67784,
    /// Missing attribute version.
    errSecMissingAttributeVersion = -67785,
    /// Invalid attribute prime.
    errSecInvalidAttributePrime = -67786,
    /// Missing attribute prime.
    errSecMissingAttributePrime = -67787,
    /// Invalid attribute base.
    errSecInvalidAttributeBase = -67788,
    /// Missing attribute base.
    errSecMissingAttributeBase = -67789,
    /// Invalid attribute subprime.
    errSecInvalidAttributeSubprime = -67790,
    /// Missing attribute subprime.
    errSecMissingAttributeSubprime = -67791,
    /// Invalid attribute iteration count.
    errSecInvalidAttributeIterationCount = -67792,
    /// Missing attribute iteration count.
    errSecMissingAttributeIterationCount = -67793,
    /// Invalid attribute DLDB handle.
    errSecInvalidAttributeDLDBHandle = -67794,
    /// Missing attribute DLDB handle.
    errSecMissingAttributeDLDBHandle = -67795,
    /// Invalid attribute access credentials.
    errSecInvalidAttributeAccessCredentials = -67796,
    /// Missing attribute access credentials.
    errSecMissingAttributeAccessCredentials = -67797,
    /// Invalid attribute public key format.
    errSecInvalidAttributePublicKeyFormat = -67798,
    /// Missing attribute public key format.
    errSecMissingAttributePublicKeyFormat = -67799,
    /// Invalid attribute private key format.
    errSecInvalidAttributePrivateKeyFormat = -67800,
    /// Missing attribute private key format.
    errSecMissingAttributePrivateKeyFormat = -67801,
    /// Invalid attribute symmetric key format.
    errSecInvalidAttributeSymmetricKeyFormat = -67802,
    /// Missing attribute symmetric key format.
    errSecMissingAttributeSymmetricKeyFormat = -67803,
    /// Invalid attribute wrapped key format.
    errSecInvalidAttributeWrappedKeyFormat = -67804,
    /// Missing attribute wrapped key format.
    errSecMissingAttributeWrappedKeyFormat = -67805,
    /// Staged operation in progress.
    errSecStagedOperationInProgress = -67806,
    /// Staged operation not started.
    errSecStagedOperationNotStarted = -67807,
    /// Verify failed.
    errSecVerifyFailed = -67808,
    /// Query size unknown.
    errSecQuerySizeUnknown = -67809,
    /// Block size mismatch.
    errSecBlockSizeMismatch = -67810,
    /// Public key inconsistent.
    errSecPublicKeyInconsistent = -67811,
    /// Device verify failed.
    errSecDeviceVerifyFailed = -67812,
    /// Invalid login name.
    errSecInvalidLoginName = -67813,
    /// Already logged in.
    errSecAlreadyLoggedIn = -67814,
    /// Invalid digest algorithm.
    errSecInvalidDigestAlgorithm = -67815,
    /// Invalid CRL group.
    errSecInvalidCRLGroup = -67816,
    /// Certificate cannot operate.
    errSecCertificateCannotOperate = -67817,
    /// Certificate expired.
    errSecCertificateExpired = -67818,
    /// Certificate not valid yet.
    errSecCertificateNotValidYet = -67819,
    /// Certificate revoked.
    errSecCertificateRevoked = -67820,
    /// Certificate suspended.
    errSecCertificateSuspended = -67821,
    /// Insufficient credentials.
    errSecInsufficientCredentials = -67822,
    /// Invalid action.
    errSecInvalidAction = -67823,
    /// Invalid authority.
    errSecInvalidAuthority = -67824,
    /// Verify action failed.
    errSecVerifyActionFailed = -67825,
    /// Invalid cert authority.
    errSecInvalidCertAuthority = -67826,
    /// Invalid CRL authority.
    errSecInvalidCRLAuthority = -67827,
    /// Invalid CRL encoding.
    errSecInvalidCRLEncoding = -67828,
    /// Invalid CRL type.
    errSecInvalidCRLType = -67829,
    /// Invalid CRL.
    errSecInvalidCRL = -67830,
    /// Invalid form type.
    errSecInvalidFormType = -67831,
    /// Invalid ID.
    errSecInvalidID = -67832,
    /// Invalid identifier.
    errSecInvalidIdentifier = -67833,
    /// Invalid index.
    errSecInvalidIndex = -67834,
    /// Invalid policy identifiers.
    errSecInvalidPolicyIdentifiers = -67835,
    /// Invalid time string.
    errSecInvalidTimeString = -67836,
    /// Invalid reason.
    errSecInvalidReason = -67837,
    /// Invalid request inputs.
    errSecInvalidRequestInputs = -67838,
    /// Invalid response vector.
    errSecInvalidResponseVector = -67839,
    /// Invalid stop on policy.
    errSecInvalidStopOnPolicy = -67840,
    /// Invalid tuple.
    errSecInvalidTuple = -67841,
    /// Multiple values unsupported.
    errSecMultipleValuesUnsupported = -67842,
    /// Not trusted.
    errSecNotTrusted = -67843,
    /// No default authority.
    errSecNoDefaultAuthority = -67844,
    /// Rejected form.
    errSecRejectedForm = -67845,
    /// Request lost.
    errSecRequestLost = -67846,
    /// Request rejected.
    errSecRequestRejected = -67847,
    /// Unsupported address type.
    errSecUnsupportedAddressType = -67848,
    /// Unsupported service.
    errSecUnsupportedService = -67849,
    /// Invalid tuple group.
    errSecInvalidTupleGroup = -67850,
    /// Invalid base AC ls.
    errSecInvalidBaseACLs = -67851,
    /// Invalid tuple credentials.
    errSecInvalidTupleCredentials = -67852,
    /// Invalid encoding.
    errSecInvalidEncoding = -67853,
    /// Invalid validity period.
    errSecInvalidValidityPeriod = -67854,
    /// Invalid requestor.
    errSecInvalidRequestor = -67855,
    /// Request descriptor.
    errSecRequestDescriptor = -67856,
    /// Invalid bundle info.
    errSecInvalidBundleInfo = -67857,
    /// Invalid CRL index.
    errSecInvalidCRLIndex = -67858,
    /// No field values.
    errSecNoFieldValues = -67859,
    /// Unsupported field format.
    errSecUnsupportedFieldFormat = -67860,
    /// Unsupported index info.
    errSecUnsupportedIndexInfo = -67861,
    /// Unsupported locality.
    errSecUnsupportedLocality = -67862,
    /// Unsupported num attributes.
    errSecUnsupportedNumAttributes = -67863,
    /// Unsupported num indexes.
    errSecUnsupportedNumIndexes = -67864,
    /// Unsupported num record types.
    errSecUnsupportedNumRecordTypes = -67865,
    /// Field specified multiple.
    errSecFieldSpecifiedMultiple = -67866,
    /// Incompatible field format.
    errSecIncompatibleFieldFormat = -67867,
    /// Invalid parsing module.
    errSecInvalidParsingModule = -67868,
    /// Database locked.
    errSecDatabaseLocked = -67869,
    /// Datastore is open.
    errSecDatastoreIsOpen = -67870,
    /// Missing value.
    errSecMissingValue = -67871,
    /// Unsupported query limits.
    errSecUnsupportedQueryLimits = -67872,
    /// Unsupported num selection preds.
    errSecUnsupportedNumSelectionPreds = -67873,
    /// Unsupported operator.
    errSecUnsupportedOperator = -67874,
    /// Invalid DB location.
    errSecInvalidDBLocation = -67875,
    /// Invalid access request.
    errSecInvalidAccessRequest = -67876,
    /// Invalid index info.
    errSecInvalidIndexInfo = -67877,
    /// Invalid new owner.
    errSecInvalidNewOwner = -67878,
    /// Invalid modify mode.
    errSecInvalidModifyMode = -67879,
    /// Missing required extension.
    errSecMissingRequiredExtension = -67880,
    /// Extended key usage not critical.
    errSecExtendedKeyUsageNotCritical = -67881,
    /// Timestamp missing.
    errSecTimestampMissing = -67882,
    /// Timestamp invalid.
    errSecTimestampInvalid = -67883,
    /// Timestamp not trusted.
    errSecTimestampNotTrusted = -67884,
    /// Timestamp service not available.
    errSecTimestampServiceNotAvailable = -67885,
    /// Timestamp bad alg.
    errSecTimestampBadAlg = -67886,
    /// Timestamp bad request.
    errSecTimestampBadRequest = -67887,
    /// Timestamp bad data format.
    errSecTimestampBadDataFormat = -67888,
    /// Timestamp time not available.
    errSecTimestampTimeNotAvailable = -67889,
    /// Timestamp unaccepted policy.
    errSecTimestampUnacceptedPolicy = -67890,
    /// Timestamp unaccepted extension.
    errSecTimestampUnacceptedExtension = -67891,
    /// Timestamp add info not available.
    errSecTimestampAddInfoNotAvailable = -67892,
    /// Timestamp system failure.
    errSecTimestampSystemFailure = -67893,
    /// Signing time missing.
    errSecSigningTimeMissing = -67894,
    /// Timestamp rejection.
    errSecTimestampRejection = -67895,
    /// Timestamp waiting.
    errSecTimestampWaiting = -67896,
    /// Timestamp revocation warning.
    errSecTimestampRevocationWarning = -67897,
    /// Timestamp revocation notification.
    errSecTimestampRevocationNotification = -67898,
    /// Certificate policy not allowed.
    errSecCertificatePolicyNotAllowed = -67899,
    /// Certificate name not allowed.
    errSecCertificateNameNotAllowed = -67900,
    /// Certificate validity period too long.
    errSecCertificateValidityPeriodTooLong = -67901,
    /// Certificate is CA.
    errSecCertificateIsCA = -67902,
    /// Certificate duplicate extension.
    errSecCertificateDuplicateExtension = -67903,
    /// Missing qualified cert statement.
    errSecMissingQualifiedCertStatement = -67904,
    /// Invalid CRL authority.
    errSecInvaldCRLAuthority = errSecInvalidCRLAuthority,
    /// Invalid tuple credentials.
    errSecInvalidTupleCredendtials = errSecInvalidTupleCredentials,
    /// The peer broke the protocol.
    errSSLProtocol = -9800,
    /// No cipher suite in common.
    errSSLNegotiation = -9801,
    /// A fatal alert was received.
    errSSLFatalAlert = -9802,
    /// The input or output would block.
    errSSLWouldBlock = -9803,
    /// An unknown session should have been resumed.
    errSSLSessionNotFound = -9804,
    /// The connection was closed normally.
    errSSLClosedGraceful = -9805,
    /// The connection was closed because of an error.
    errSSLClosedAbort = -9806,
    /// The chain of certificates is not valid.
    errSSLXCertChainInvalid = -9807,
    /// The form of a certificate is wrong.
    errSSLBadCert = -9808,
    /// A cryptographic operation failed.
    errSSLCrypto = -9809,
    /// An internal error.
    errSSLInternal = -9810,
    /// A module can't be attached.
    errSSLModuleAttach = -9811,
    /// The chain is valid, but its root is unknown.
    errSSLUnknownRootCert = -9812,
    /// The chain ends in no root.
    errSSLNoRootCert = -9813,
    /// A certificate of the chain has expired.
    errSSLCertExpired = -9814,
    /// A certificate of the chain is not valid yet.
    errSSLCertNotYetValid = -9815,
    /// The peer closed the connection without an announcement.
    errSSLClosedNoNotify = -9816,
    /// A buffer is too small.
    errSSLBufferOverflow = -9817,
    /// The cipher suite can't be used.
    errSSLBadCipherSuite = -9818,
    /// The peer received a message that it didn't expect.
    errSSLPeerUnexpectedMsg = -9819,
    /// The peer found a wrong authentication code.
    errSSLPeerBadRecordMac = -9820,
    /// The peer couldn't decrypt.
    errSSLPeerDecryptionFail = -9821,
    /// The peer found a record too long.
    errSSLPeerRecordOverflow = -9822,
    /// The peer couldn't decompress.
    errSSLPeerDecompressFail = -9823,
    /// The peer ended the handshake.
    errSSLPeerHandshakeFail = -9824,
    /// The peer found a certificate wrong.
    errSSLPeerBadCert = -9825,
    /// The peer doesn't support the form of a certificate.
    errSSLPeerUnsupportedCert = -9826,
    /// The peer found a certificate revoked.
    errSSLPeerCertRevoked = -9827,
    /// The peer found a certificate expired.
    errSSLPeerCertExpired = -9828,
    /// The peer doesn't know a certificate.
    errSSLPeerCertUnknown = -9829,
    /// A parameter is not legal.
    errSSLIllegalParam = -9830,
    /// The peer doesn't know the authority.
    errSSLPeerUnknownCA = -9831,
    /// The peer denied access.
    errSSLPeerAccessDenied = -9832,
    /// The peer couldn't decode a message.
    errSSLPeerDecodeError = -9833,
    /// The peer's cryptography failed.
    errSSLPeerDecryptError = -9834,
    /// The peer applies an export restriction.
    errSSLPeerExportRestriction = -9835,
    /// The peer doesn't support the version.
    errSSLPeerProtocolVersion = -9836,
    /// The peer requires more security.
    errSSLPeerInsufficientSecurity = -9837,
    /// The peer had an internal error.
    errSSLPeerInternalError = -9838,
    /// The peer's user canceled.
    errSSLPeerUserCancelled = -9839,
    /// The peer doesn't renegotiate.
    errSSLPeerNoRenegotiation = -9840,
    /// The peer's certificate is ready for evaluation.
    errSSLPeerAuthCompleted = -9841,
    /// The server asks for a client's certificate.
    errSSLClientCertRequested = -9842,
    /// The certificate has another host's name.
    errSSLHostNameMismatch = -9843,
    /// The peer dropped the connection before it answered.
    errSSLConnectionRefused = -9844,
    /// A message couldn't be decrypted.
    errSSLDecryptionFail = -9845,
    /// The authentication code of a record is wrong.
    errSSLBadRecordMac = -9846,
    /// A record is too long.
    errSSLRecordOverflow = -9847,
    /// The configuration is wrong.
    errSSLBadConfiguration = -9848,
    /// A record was not expected.
    errSSLUnexpectedRecord = -9849,
    /// The peer's ephemeral Diffie-Hellman key is weak.
    errSSLWeakPeerEphemeralDHKey = -9850,
    /// The client's first message was received.
    errSSLClientHelloReceived = -9851,
    /// The transport was reset.
    errSSLTransportReset = -9852,
    /// The network took too long.
    errSSLNetworkTimeout = -9853,
    /// The configuration failed.
    errSSLConfigurationFailed = -9854,
    /// An extension is not supported.
    errSSLUnsupportedExtension = -9855,
    /// A message was not expected.
    errSSLUnexpectedMessage = -9856,
    /// A message couldn't be decompressed.
    errSSLDecompressFail = -9857,
    /// The handshake failed.
    errSSLHandshakeFail = -9858,
    /// A message couldn't be decoded.
    errSSLDecodeError = -9859,
    /// The client fell back to an older version without need.
    errSSLInappropriateFallback = -9860,
    /// An extension is missing.
    errSSLMissingExtension = -9861,
    /// The stapled answer on a certificate is wrong.
    errSSLBadCertificateStatusResponse = -9862,
    /// A certificate is required.
    errSSLCertificateRequired = -9863,
    /// The shared key is not known.
    errSSLUnknownPSKIdentity = -9864,
    /// The name is not known.
    errSSLUnrecognizedName = -9865,
    /// Application transport security is violated.
    errSSLATSViolation = -9880,
    /// The same: the version is too old.
    errSSLATSMinimumVersionViolation = -9881,
    /// The same: the cipher suite gives no forward secrecy.
    errSSLATSCiphersuiteViolation = -9882,
    /// The same: a key is too short.
    errSSLATSMinimumKeySizeViolation = -9883,
    /// The same: the leaf's digest is too weak.
    errSSLATSLeafCertificateHashAlgorithmViolation = -9884,
    /// The same: another certificate's digest is too weak.
    errSSLATSCertificateHashAlgorithmViolation = -9885,
    /// The same: a certificate is not trusted.
    errSSLATSCertificateTrustViolation = -9886,
    /// Early data was rejected.
    errSSLEarlyDataRejected = -9890,
    /// The server's certificate is ready for evaluation.
    errSSLServerAuthCompleted = errSSLPeerAuthCompleted,
    /// The client's certificate is ready for evaluation.
    errSSLClientAuthCompleted = errSSLPeerAuthCompleted,
    /// "No error" in Apple's older interfaces.
    noErr = 0,
    /// No error.
    errSecSuccess = 0,
    /// Function or operation not implemented.
    errSecUnimplemented = -4,
    /// The disk is full.
    errSecDiskFull = -34,
    /// I/O error.
    errSecIO = -36,
    /// The file is already open with write permission.
    errSecOpWr = -49,
    /// One or more parameters passed to a function were not valid.
    errSecParam = -50,
    /// Write permission is missing.
    errSecWrPerm = -61,
    /// Failed to allocate memory.
    errSecAllocate = -108,
    /// User canceled the operation.
    errSecUserCanceled = -128,
    /// Bad parameter or invalid state for the operation.
    errSecBadReq = -909,
    /// An internal component failed.
    errSecInternalComponent = -2070,
    /// An unknown Core Foundation error occurred.
    errSecCoreFoundationUnknown = -4960,
    /// The access control list is not in standard simple form.
    errSecACLNotSimple = -25240,
    /// The specified policy cannot be found.
    errSecPolicyNotFound = -25241,
    /// The specified trust setting is invalid.
    errSecInvalidTrustSetting = -25242,
    /// The specified item has no access control.
    errSecNoAccessForItem = -25243,
    /// Invalid attempt to change the owner of this item.
    errSecInvalidOwnerEdit = -25244,
    /// No trust results are available.
    errSecTrustNotAvailable = -25245,
    /// The data has an unsupported format.
    errSecUnsupportedFormat = -25256,
    /// The data has an unknown format.
    errSecUnknownFormat = -25257,
    /// The key must be wrapped to be exported.
    errSecKeyIsSensitive = -25258,
    /// An attempt was made to import more than one private key.
    errSecMultiplePrivKeys = -25259,
    /// A passphrase is required for import or export.
    errSecPassphraseRequired = -25260,
    /// The password reference was invalid.
    errSecInvalidPasswordRef = -25261,
    /// The trust settings record was corrupted.
    errSecInvalidTrustSettings = -25262,
    /// No Trust Settings were found.
    errSecNoTrustSettings = -25263,
    /// MAC verification failed during PKCS12 import (wrong password?)
    errSecPkcs12VerifyFailure = -25264,
    /// No keychain is available. The keychain service may not be running.
    errSecNotAvailable = -25291,
    /// This keychain cannot be modified.
    errSecReadOnly = -25292,
    /// The user name or passphrase you entered is not correct.
    errSecAuthFailed = -25293,
    /// The specified keychain could not be found.
    errSecNoSuchKeychain = -25294,
    /// The specified keychain is not a valid keychain file.
    errSecInvalidKeychain = -25295,
    /// A keychain with the same name already exists.
    errSecDuplicateKeychain = -25296,
    /// The specified callback function is already installed.
    errSecDuplicateCallback = -25297,
    /// The specified callback function is not valid.
    errSecInvalidCallback = -25298,
    /// The specified item already exists in the keychain.
    errSecDuplicateItem = -25299,
    /// The specified item could not be found in the keychain.
    errSecItemNotFound = -25300,
    /// There is not enough memory available to use the specified item.
    errSecBufferTooSmall = -25301,
    /// This item contains information which is too large.
    errSecDataTooLarge = -25302,
    /// The specified attribute does not exist.
    errSecNoSuchAttr = -25303,
    /// The specified item is no longer valid. It may have been deleted from the keychain.
    errSecInvalidItemRef = -25304,
    /// Unable to search the current keychain.
    errSecInvalidSearchRef = -25305,
    /// The specified item does not appear to be a valid keychain item.
    errSecNoSuchClass = -25306,
    /// A default keychain could not be found.
    errSecNoDefaultKeychain = -25307,
    /// User interaction is not allowed.
    errSecInteractionNotAllowed = -25308,
    /// The specified attribute could not be modified.
    errSecReadOnlyAttr = -25309,
    /// This keychain was made by a newer version and cannot be opened.
    errSecWrongSecVersion = -25310,
    /// The size of the key is not allowed.
    errSecKeySizeNotAllowed = -25311,
    /// A required storage component is missing.
    errSecNoStorageModule = -25312,
    /// A required certificate component is missing.
    errSecNoCertificateModule = -25313,
    /// A required policy component is missing.
    errSecNoPolicyModule = -25314,
    /// User interaction is required.
    errSecInteractionRequired = -25315,
    /// The contents of this item cannot be retrieved.
    errSecDataNotAvailable = -25316,
    /// The contents of this item cannot be modified.
    errSecDataNotModifiable = -25317,
    /// One or more certificates required to validate this certificate cannot be found.
    errSecCreateChainFailed = -25318,
    /// The specified preferences domain is not valid.
    errSecInvalidPrefsDomain = -25319,
    /// User interaction is not possible in dark wake.
    errSecInDarkWake = -25320,
    /// The certificate is not signed by its proposed parent.
    errSecNotSigner = -26267,
    /// The policy denies it.
    errSecPolicyDenied = -26270,
    /// Unable to decode the provided data.
    errSecDecode = -26275,
    /// An internal error occurred.
    errSecInternal = -26276,
    /// A required entitlement isn't present.
    errSecMissingEntitlement = -34018,
    /// The keychain is being upgraded and is locked.
    errSecUpgradePending = -34019,
    /// The client is restricted and is not permitted to perform this operation.
    errSecRestrictedAPI = -34020,
    /// The disk is full.
    errSecDskFull = errSecDiskFull,
    /// Function or operation not implemented.
    errSecUnsupportedOperation = errSecUnimplemented,
    /// The certificate can't be decoded.
    errSecInvalidCertificate = errSecDecode,
    /// The key can't be decoded.
    errSecInvalidKey = errSecDecode,
};

/// The meaning of a status, in one English sentence.
/// - Parameters:
///   - status: Any status; for an unknown one the result contains its number.
///   - reserved: NULL.
/// - Returns: The sentence; never NULL.
CF_EXPORT CFStringRef _Nullable SecCopyErrorMessageString(
    OSStatus status, void *_Nullable reserved);

CF_ASSUME_NONNULL_END
CF_EXTERN_C_END

#endif
