// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors
// Made by Scripts/generate-c-interface; edits here are lost.

// Keys and what is computed with them.

#ifndef SECURITY_SECKEY_H
#define SECURITY_SECKEY_H

#include <Security/SecBase.h>
#if __BLOCKS__
#include <dispatch/dispatch.h>
#endif

CF_EXTERN_C_BEGIN
CF_ASSUME_NONNULL_BEGIN

/// What is computed with a key: the name of an algorithm with all its parameters.
typedef CFStringRef SecKeyAlgorithm;

/// Parameters of SecKeyCopyKeyExchangeResult.
typedef CFStringRef SecKeyKeyExchangeParameter;

#if __BLOCKS__
/// Called with a pair of keys, or with why there is none.
typedef void (^SecKeyGeneratePairBlock)(
    SecKeyRef _Nullable publicKey, SecKeyRef _Nullable privateKey, CFErrorRef _Nullable error);
#endif

/// Whether the use of a key may ask the user.
typedef CF_ENUM(uint32_t, SecCredentialType) {
    /// As the key's settings say.
    kSecCredentialTypeDefault = 0,
    /// By asking.
    kSecCredentialTypeWithUI = 1,
    /// Without asking.
    kSecCredentialTypeNoUI = 2,
};

/// The operation of an algorithm.
typedef CF_ENUM(CFIndex, SecKeyOperationType) {
    /// Sign.
    kSecKeyOperationTypeSign = 0,
    /// Verify a signature.
    kSecKeyOperationTypeVerify = 1,
    /// Encrypt.
    kSecKeyOperationTypeEncrypt = 2,
    /// Decrypt.
    kSecKeyOperationTypeDecrypt = 3,
    /// Agree on a secret.
    kSecKeyOperationTypeKeyExchange = 4,
};

/// Sizes of keys in bits. Several have the same number, so this isn't an enum.
typedef CF_ENUM(uint32_t, SecKeySizes) {
    /// The default size.
    kSecDefaultKeySize = 0,
    /// 192 bits.
    kSec3DES192 = 192,
    /// 128 bits.
    kSecAES128 = 128,
    /// 192 bits.
    kSecAES192 = 192,
    /// 256 bits.
    kSecAES256 = 256,
    /// 192 bits.
    kSecp192r1 = 192,
    /// 256 bits.
    kSecp256r1 = 256,
    /// 384 bits.
    kSecp384r1 = 384,
    /// 521 bits.
    kSecp521r1 = 521,
    /// 1024 bits.
    kSecRSAMin = 1024,
    /// 4096 bits.
    kSecRSAMax = 4096,
};

/// The padding of a block, in the calls from before SecKeyAlgorithm.
typedef CF_OPTIONS(uint32_t, SecPadding) {
    /// None.
    kSecPaddingNone = 0,
    /// PKCS #1 v1.5.
    kSecPaddingPKCS1 = 1,
    /// OAEP with SHA-1.
    kSecPaddingOAEP = 2,
    /// The two numbers of a signature, concatenated.
    kSecPaddingSigRaw = 16384,
    /// A digest by MD2.
    kSecPaddingPKCS1MD2 = 32768,
    /// A digest by MD5.
    kSecPaddingPKCS1MD5 = 32769,
    /// A digest by SHA-1.
    kSecPaddingPKCS1SHA1 = 32770,
    /// A digest by SHA-224.
    kSecPaddingPKCS1SHA224 = 32771,
    /// A digest by SHA-256.
    kSecPaddingPKCS1SHA256 = 32772,
    /// A digest by SHA-384.
    kSecPaddingPKCS1SHA384 = 32773,
    /// A digest by SHA-512.
    kSecPaddingPKCS1SHA512 = 32774,
};

CF_ENUM(uint32_t) {
    /// Number 0 of a key's attributes.
    kSecKeyKeyClass = 0,
    /// Number 1 of a key's attributes.
    kSecKeyPrintName = 1,
    /// Number 2 of a key's attributes.
    kSecKeyAlias = 2,
    /// Number 3 of a key's attributes.
    kSecKeyPermanent = 3,
    /// Number 4 of a key's attributes.
    kSecKeyPrivate = 4,
    /// Number 5 of a key's attributes.
    kSecKeyModifiable = 5,
    /// Number 6 of a key's attributes.
    kSecKeyLabel = 6,
    /// Number 7 of a key's attributes.
    kSecKeyApplicationTag = 7,
    /// Number 8 of a key's attributes.
    kSecKeyKeyCreator = 8,
    /// Number 9 of a key's attributes.
    kSecKeyKeyType = 9,
    /// Number 10 of a key's attributes.
    kSecKeyKeySizeInBits = 10,
    /// Number 11 of a key's attributes.
    kSecKeyEffectiveKeySize = 11,
    /// Number 12 of a key's attributes.
    kSecKeyStartDate = 12,
    /// Number 13 of a key's attributes.
    kSecKeyEndDate = 13,
    /// Number 14 of a key's attributes.
    kSecKeySensitive = 14,
    /// Number 15 of a key's attributes.
    kSecKeyAlwaysSensitive = 15,
    /// Number 16 of a key's attributes.
    kSecKeyExtractable = 16,
    /// Number 17 of a key's attributes.
    kSecKeyNeverExtractable = 17,
    /// Number 18 of a key's attributes.
    kSecKeyEncrypt = 18,
    /// Number 19 of a key's attributes.
    kSecKeyDecrypt = 19,
    /// Number 20 of a key's attributes.
    kSecKeyDerive = 20,
    /// Number 21 of a key's attributes.
    kSecKeySign = 21,
    /// Number 22 of a key's attributes.
    kSecKeyVerify = 22,
    /// Number 23 of a key's attributes.
    kSecKeySignRecover = 23,
    /// Number 24 of a key's attributes.
    kSecKeyVerifyRecover = 24,
    /// Number 25 of a key's attributes.
    kSecKeyWrap = 25,
    /// Number 26 of a key's attributes.
    kSecKeyUnwrap = 26,
};

/// Attributes of the private half, in key generation.
CF_EXPORT const CFStringRef kSecPrivateKeyAttrs;

/// Attributes of the public half, in key generation.
CF_EXPORT const CFStringRef kSecPublicKeyAttrs;

/// sign:RSA:digest-PKCS1v15.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureDigestPKCS1v15Raw;

/// sign:RSA:digest-PKCS1v15:SHA1.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA1;

/// sign:RSA:digest-PKCS1v15:SHA224.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA224;

/// sign:RSA:digest-PKCS1v15:SHA256.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA256;

/// sign:RSA:digest-PKCS1v15:SHA384.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA384;

/// sign:RSA:digest-PKCS1v15:SHA512.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA512;

/// sign:RSA:digest-PSS:SHA1:SHA1:20.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureDigestPSSSHA1;

/// sign:RSA:digest-PSS:SHA224:SHA224:28.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureDigestPSSSHA224;

/// sign:RSA:digest-PSS:SHA256:SHA256:32.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureDigestPSSSHA256;

/// sign:RSA:digest-PSS:SHA384:SHA384:48.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureDigestPSSSHA384;

/// sign:RSA:digest-PSS:SHA512:SHA512:64.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureDigestPSSSHA512;

/// sign:RSA:message-PKCS1v15:SHA1.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA1;

/// sign:RSA:message-PKCS1v15:SHA224.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA224;

/// sign:RSA:message-PKCS1v15:SHA256.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA256;

/// sign:RSA:message-PKCS1v15:SHA384.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA384;

/// sign:RSA:message-PKCS1v15:SHA512.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA512;

/// sign:RSA:message-PSS:SHA1:SHA1:20.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureMessagePSSSHA1;

/// sign:RSA:message-PSS:SHA224:SHA224:28.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureMessagePSSSHA224;

/// sign:RSA:message-PSS:SHA256:SHA256:32.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureMessagePSSSHA256;

/// sign:RSA:message-PSS:SHA384:SHA384:48.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureMessagePSSSHA384;

/// sign:RSA:message-PSS:SHA512:SHA512:64.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureMessagePSSSHA512;

/// sign:RSA:raw.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureRaw;

/// sign:ECDSA:digest-RFC4754.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureDigestRFC4754;

/// sign:ECDSA:digest-RFC4754:SHA1.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA1;

/// sign:ECDSA:digest-RFC4754:SHA224.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA224;

/// sign:ECDSA:digest-RFC4754:SHA256.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA256;

/// sign:ECDSA:digest-RFC4754:SHA384.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA384;

/// sign:ECDSA:digest-RFC4754:SHA512.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA512;

/// sign:ECDSA:digest-X962.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureDigestX962;

/// sign:ECDSA:digest-X962:SHA1.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureDigestX962SHA1;

/// sign:ECDSA:digest-X962:SHA224.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureDigestX962SHA224;

/// sign:ECDSA:digest-X962:SHA256.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureDigestX962SHA256;

/// sign:ECDSA:digest-X962:SHA384.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureDigestX962SHA384;

/// sign:ECDSA:digest-X962:SHA512.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureDigestX962SHA512;

/// sign:ECDSA:message-RFC4754:SHA1.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA1;

/// sign:ECDSA:message-RFC4754:SHA224.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA224;

/// sign:ECDSA:message-RFC4754:SHA256.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA256;

/// sign:ECDSA:message-RFC4754:SHA384.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA384;

/// sign:ECDSA:message-RFC4754:SHA512.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA512;

/// sign:ECDSA:message-X962:SHA1.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureMessageX962SHA1;

/// sign:ECDSA:message-X962:SHA224.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureMessageX962SHA224;

/// sign:ECDSA:message-X962:SHA256.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureMessageX962SHA256;

/// sign:ECDSA:message-X962:SHA384.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureMessageX962SHA384;

/// sign:ECDSA:message-X962:SHA512.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureMessageX962SHA512;

/// sign:ECDSA:RFC4754.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureRFC4754;

/// sign:EdDSA:message-Curve25519:SHA512: Ed25519 (RFC 8032).
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmEdDSASignatureMessageCurve25519SHA512;

/// encrypt:RSA:OAEP:SHA1.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmRSAEncryptionOAEPSHA1;

/// encrypt:RSA:OAEP:SHA1:AESGCM.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmRSAEncryptionOAEPSHA1AESGCM;

/// encrypt:RSA:OAEP:SHA224.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmRSAEncryptionOAEPSHA224;

/// encrypt:RSA:OAEP:SHA224:AESGCM.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmRSAEncryptionOAEPSHA224AESGCM;

/// encrypt:RSA:OAEP:SHA256.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmRSAEncryptionOAEPSHA256;

/// encrypt:RSA:OAEP:SHA256:AESGCM.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmRSAEncryptionOAEPSHA256AESGCM;

/// encrypt:RSA:OAEP:SHA384.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmRSAEncryptionOAEPSHA384;

/// encrypt:RSA:OAEP:SHA384:AESGCM.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmRSAEncryptionOAEPSHA384AESGCM;

/// encrypt:RSA:OAEP:SHA512.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmRSAEncryptionOAEPSHA512;

/// encrypt:RSA:OAEP:SHA512:AESGCM.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmRSAEncryptionOAEPSHA512AESGCM;

/// encrypt:RSA:PKCS1.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmRSAEncryptionPKCS1;

/// encrypt:RSA:raw.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmRSAEncryptionRaw;

/// encrypt:ECIES:ECDHC:KDFX963:SHA224:AESGCM-KDFIV.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA224AESGCM;

/// encrypt:ECIES:ECDHC:KDFX963:SHA256:AESGCM-KDFIV.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA256AESGCM;

/// encrypt:ECIES:ECDHC:KDFX963:SHA384:AESGCM-KDFIV.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA384AESGCM;

/// encrypt:ECIES:ECDHC:KDFX963:SHA512:AESGCM-KDFIV.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA512AESGCM;

/// encrypt:ECIES:ECDHC:KDFX963:SHA1:AESGCM.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionCofactorX963SHA1AESGCM;

/// encrypt:ECIES:ECDHC:KDFX963:SHA224:AESGCM.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionCofactorX963SHA224AESGCM;

/// encrypt:ECIES:ECDHC:KDFX963:SHA256:AESGCM.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionCofactorX963SHA256AESGCM;

/// encrypt:ECIES:ECDHC:KDFX963:SHA384:AESGCM.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionCofactorX963SHA384AESGCM;

/// encrypt:ECIES:ECDHC:KDFX963:SHA512:AESGCM.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionCofactorX963SHA512AESGCM;

/// encrypt:ECIES:ECDH:KDFX963:SHA224:AESGCM-KDFIV.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA224AESGCM;

/// encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM-KDFIV.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA256AESGCM;

/// encrypt:ECIES:ECDH:KDFX963:SHA384:AESGCM-KDFIV.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA384AESGCM;

/// encrypt:ECIES:ECDH:KDFX963:SHA512:AESGCM-KDFIV.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA512AESGCM;

/// encrypt:ECIES:ECDH:KDFX963:SHA1:AESGCM.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionStandardX963SHA1AESGCM;

/// encrypt:ECIES:ECDH:KDFX963:SHA224:AESGCM.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionStandardX963SHA224AESGCM;

/// encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionStandardX963SHA256AESGCM;

/// encrypt:ECIES:ECDH:KDFX963:SHA384:AESGCM.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionStandardX963SHA384AESGCM;

/// encrypt:ECIES:ECDH:KDFX963:SHA512:AESGCM.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionStandardX963SHA512AESGCM;

/// keyexchange:ECDHC.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECDHKeyExchangeCofactor;

/// keyexchange:ECDHC:KDFX963:SHA1.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA1;

/// keyexchange:ECDHC:KDFX963:SHA224.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA224;

/// keyexchange:ECDHC:KDFX963:SHA256.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA256;

/// keyexchange:ECDHC:KDFX963:SHA384.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA384;

/// keyexchange:ECDHC:KDFX963:SHA512.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA512;

/// keyexchange:ECDH.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECDHKeyExchangeStandard;

/// keyexchange:ECDH:KDFX963:SHA1.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA1;

/// keyexchange:ECDH:KDFX963:SHA224.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA224;

/// keyexchange:ECDH:KDFX963:SHA256.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA256;

/// keyexchange:ECDH:KDFX963:SHA384.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA384;

/// keyexchange:ECDH:KDFX963:SHA512.
CF_EXPORT const SecKeyAlgorithm kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA512;

/// The requested byte count of the secret; a number.
CF_EXPORT const SecKeyKeyExchangeParameter kSecKeyKeyExchangeParameterRequestedSize;

/// Further input of the derivation besides the shared secret; data.
CF_EXPORT const SecKeyKeyExchangeParameter kSecKeyKeyExchangeParameterSharedInfo;

#if __BLOCKS__
/// Makes a key pair, and passes it to a block.
///
/// The queue makes the pair and then calls the block once: with both halves, or with the error that
/// SecKeyGeneratePair would return.
/// - Parameters:
///   - parameters: As there; changes after the call have no effect.
///   - deliveryQueue: The queue.
///   - result: The block.
CF_EXPORT void SecKeyGeneratePairAsync(
    CFDictionaryRef parameters, dispatch_queue_t deliveryQueue, SecKeyGeneratePairBlock result);
#endif

/// Makes a key pair with CDSA.
/// - Returns: errSecUnimplemented: there is no CDSA.
CF_EXPORT OSStatus SecKeyCreatePair(
    SecKeychainRef _Nullable keychainRef, CSSM_ALGORITHMS algorithm, uint32_t keySizeInBits,
    CSSM_CC_HANDLE contextHandle, CSSM_KEYUSE publicKeyUsage, uint32_t publicKeyAttr,
    CSSM_KEYUSE privateKeyUsage, uint32_t privateKeyAttr, SecAccessRef _Nullable initialAccess,
    SecKeyRef _Nullable *_Nullable publicKey, SecKeyRef _Nullable *_Nullable privateKey);

/// Makes a symmetric key with CDSA.
/// - Returns: errSecUnimplemented: there is no CDSA.
CF_EXPORT OSStatus SecKeyGenerate(
    SecKeychainRef _Nullable keychainRef, CSSM_ALGORITHMS algorithm, uint32_t keySizeInBits,
    CSSM_CC_HANDLE contextHandle, CSSM_KEYUSE keyUsage, uint32_t keyAttr,
    SecAccessRef _Nullable initialAccess, SecKeyRef _Nullable *_Nullable keyRef);

/// A key in CDSA's form.
/// - Returns: errSecUnimplemented: there is no CDSA.
CF_EXPORT OSStatus SecKeyGetCSSMKey(SecKeyRef key, const CSSM_KEY *_Nullable *_Nonnull cssmKey);

/// The CDSA module of a key.
/// - Returns: errSecUnimplemented: there is no CDSA.
CF_EXPORT OSStatus SecKeyGetCSPHandle(SecKeyRef keyRef, CSSM_CSP_HANDLE *cspHandle);

/// Credentials for a key, for CDSA.
/// - Returns: errSecUnimplemented: there is no CDSA.
CF_EXPORT OSStatus SecKeyGetCredentials(
    SecKeyRef keyRef, CSSM_ACL_AUTHORIZATION_TAG operation, SecCredentialType credentialType,
    const CSSM_ACCESS_CREDENTIALS *_Nullable *_Nonnull outCredentials);

/// The type of keys.
CF_EXPORT CFTypeID SecKeyGetTypeID(void);

/// Makes a key from its external representation.
/// - Parameters:
///   - keyData: For RSA the PKCS #1 form (a modulus of 512 to 16 384 bits); for the curves P-256,
///     P-384 and P-521 the bytes 04 ‖ X ‖ Y, followed by K for a private key; for Ed25519 and
///     X25519 32 bytes; any bytes for a symmetric key.
///   - attributes: kSecAttrKeyType and kSecAttrKeyClass. Others, including the size, are
///     ignored: the data determines them. A key in a token (kSecAttrTokenID) can't be made this
///     way.
///   - error: Where to put the reason: errSecParam, or errSecUnimplemented for a token.
/// - Returns: NULL for data that isn't a key of that type and class.
CF_EXPORT SecKeyRef _Nullable SecKeyCreateWithData(
    CFDataRef keyData, CFDictionaryRef attributes, CFErrorRef _Nullable *_Nullable error);

/// The bytes of a key.
/// - Parameters:
///   - key: The key.
///   - error: Where to put the reason: errSecUnimplemented for a private key in the enclave,
///     which never leaves it.
/// - Returns: Bytes from which SecKeyCreateWithData makes the key again.
CF_EXPORT CFDataRef _Nullable SecKeyCopyExternalRepresentation(
    SecKeyRef key, CFErrorRef _Nullable *_Nullable error);

/// The attributes of an item that is this key, and its data.
///
/// Type and class are the texts of their constants, sizes numbers, flags truth values (in the
/// attributes of a stored key all of these are numbers). A private key's dictionary contains the
/// private key, unless that is in the enclave.
CF_EXPORT CFDictionaryRef _Nullable SecKeyCopyAttributes(SecKeyRef key);

/// The public half of a key pair.
/// - Returns: The key itself if it is public; NULL for a symmetric key.
CF_EXPORT SecKeyRef _Nullable SecKeyCopyPublicKey(SecKeyRef key);

/// The block size of an operation with the key in bytes: an RSA key's modulus, a coordinate of a
/// curve's points, a cipher's block.
CF_EXPORT size_t SecKeyGetBlockSize(SecKeyRef key);

/// Makes a key pair.
/// - Parameters:
///   - parameters: kSecAttrKeyType (RSA, EC, Ed25519, X25519), kSecAttrKeySizeInBits (RSA 2048,
///     3072, 4096; EC 256, 384, 521; the others 256), and attributes of both halves; kSecPrivateKeyAttrs and
///     kSecPublicKeyAttrs contain those of each half. With kSecAttrIsPermanent true a half is
///     stored.
///   - error: Where to put the reason: errSecParam for a type or size that can't be generated,
///     errSecUnimplemented for a token that doesn't exist; when a half is to be stored also as
///     SecItemAdd.
/// - Returns: The private key; NULL when it wasn't made, or a half that was to be stored wasn't.
CF_EXPORT SecKeyRef _Nullable SecKeyCreateRandomKey(
    CFDictionaryRef parameters, CFErrorRef _Nullable *_Nullable error);

/// Makes a key pair, in the older form of SecKeyCreateRandomKey.
/// - Parameters:
///   - parameters: As there.
///   - publicKey: Where to put the public key.
///   - privateKey: Where to put the private key.
/// - Returns: errSecSuccess, or as there.
CF_EXPORT OSStatus SecKeyGeneratePair(
    CFDictionaryRef parameters, SecKeyRef _Nullable *_Nullable publicKey,
    SecKeyRef _Nullable *_Nullable privateKey);

/// Whether a key supports an operation.
/// - Parameters:
///   - key: The key.
///   - operation: The operation.
///   - algorithm: The algorithm.
/// - Returns: False for operations that the key doesn't support, and for those that nothing here
///   computes: RSA keys under 1024 bits, and with a modulus that isn't of whole bytes.
///   Like Apple's function, it returns true for a private RSA key that is to verify, and for a
///   public one that is to decrypt without AES-GCM; those calls always fail.
CF_EXPORT Boolean SecKeyIsAlgorithmSupported(
    SecKeyRef key, SecKeyOperationType operation, SecKeyAlgorithm algorithm);

/// Signs.
/// - Parameters:
///   - key: A private key.
///   - algorithm: …Message… takes the data, …Digest… its digest, of the right size.
///   - dataToSign: The data or the digest.
///   - error: Where to put the reason: errSecParam for an algorithm that the key doesn't support
///     and for a digest of the wrong size; for a key in the enclave also as
///     SecItemCopyMatching.
/// - Returns: The signature; NULL when it fails.
CF_EXPORT CFDataRef _Nullable SecKeyCreateSignature(
    SecKeyRef key, SecKeyAlgorithm algorithm, CFDataRef dataToSign,
    CFErrorRef _Nullable *_Nullable error);

/// Verifies a signature.
/// - Parameters:
///   - key: The public key.
///   - algorithm: The algorithm of the signature.
///   - signedData: The signed data or its digest, depending on the algorithm.
///   - signature: The signature.
///   - error: Where to put the reason: errSecVerifyFailed, also for a private RSA key;
///     errSecParam for an algorithm that the key doesn't support and, for keys on a curve, for a
///     digest of the wrong size.
/// - Returns: Whether the signature was made with this key.
CF_EXPORT Boolean SecKeyVerifySignature(
    SecKeyRef key, SecKeyAlgorithm algorithm, CFDataRef signedData, CFDataRef signature,
    CFErrorRef _Nullable *_Nullable error);

/// Encrypts with a public key.
/// - Parameters:
///   - key: The public key.
///   - algorithm: An RSA block fits few bytes; the algorithms that end in AESGCM accept any size.
///   - plaintext: The bytes to encrypt.
///   - error: Where to put the reason: errSecParam.
/// - Returns: NULL when it fails.
CF_EXPORT CFDataRef _Nullable SecKeyCreateEncryptedData(
    SecKeyRef key, SecKeyAlgorithm algorithm, CFDataRef plaintext,
    CFErrorRef _Nullable *_Nullable error);

/// Decrypts with a private key.
/// - Parameters:
///   - key: The private key.
///   - algorithm: The algorithm of the encryption.
///   - ciphertext: The bytes to decrypt.
///   - error: Where to put the reason: errSecParam, both for bytes that weren't encrypted this
///     way for this key and for an algorithm that the key doesn't support.
/// - Returns: Bytes that are wiped when the object is released; NULL when it fails.
CF_EXPORT CFDataRef _Nullable SecKeyCreateDecryptedData(
    SecKeyRef key, SecKeyAlgorithm algorithm, CFDataRef ciphertext,
    CFErrorRef _Nullable *_Nullable error);

/// Agrees on a secret with the owner of another key.
/// - Parameters:
///   - privateKey: A private key on a curve.
///   - algorithm: ecdhKeyExchange…; with X963… a key is derived from the secret.
///   - publicKey: The other's, on the same curve.
///   - parameters: kSecKeyKeyExchangeParameterRequestedSize, which X963… needs, and
///     kSecKeyKeyExchangeParameterSharedInfo.
///   - error: Where to put the reason: errSecParam.
/// - Returns: Bytes that are wiped when the object is released; NULL when it fails.
CF_EXPORT CFDataRef _Nullable SecKeyCopyKeyExchangeResult(
    SecKeyRef privateKey, SecKeyAlgorithm algorithm, SecKeyRef publicKey,
    CFDictionaryRef parameters, CFErrorRef _Nullable *_Nullable error);

/// Signs a digest.
/// - Parameters:
///   - key: The private key.
///   - padding: For RSA keys PKCS1SHA…, PKCS1 for a block that the caller has encoded, or
///     none for one as it is; for keys on a curve any.
///   - dataToSign: The digest, or the block.
///   - dataToSignLen: Its byte count.
///   - sig: Where to put the signature.
///   - sigLen: The buffer's size; then the number of bytes used.
/// - Returns: errSecSuccess; errSecParam, also if the buffer is too small, and then nothing is
///   written.
CF_EXPORT OSStatus SecKeyRawSign(
    SecKeyRef key, SecPadding padding, const uint8_t *dataToSign, size_t dataToSignLen,
    uint8_t *sig, size_t *sigLen);

/// Verifies a signature of a digest.
/// - Parameters:
///   - key: The public key.
///   - padding: The padding of the signature.
///   - signedData: The digest.
///   - signedDataLen: Its byte count.
///   - sig: The signature.
///   - sigLen: Its byte count.
/// - Returns: errSecSuccess; -9809 (errSSLCrypto, as Apple's call returns) when the signature
///   wasn't made with this key; errSecParam.
CF_EXPORT OSStatus SecKeyRawVerify(
    SecKeyRef key, SecPadding padding, const uint8_t *signedData, size_t signedDataLen,
    const uint8_t *sig, size_t sigLen);

/// Encrypts a block.
/// - Parameters:
///   - key: A public RSA key.
///   - padding: PKCS1, OAEP with SHA-1, or none: zeros before the bytes fill the block.
///   - plainText: The bytes to encrypt.
///   - plainTextLen: Its byte count.
///   - cipherText: Where to put the block.
///   - cipherTextLen: The buffer's size; then the number of bytes used.
/// - Returns: errSecSuccess; errSecParam, also if the buffer is too small, and then nothing is
///   written.
CF_EXPORT OSStatus SecKeyEncrypt(
    SecKeyRef key, SecPadding padding, const uint8_t *plainText, size_t plainTextLen,
    uint8_t *cipherText, size_t *cipherTextLen);

/// Decrypts a block.
/// - Parameters:
///   - key: A private RSA key.
///   - padding: The padding of the encryption.
///   - cipherText: The block.
///   - cipherTextLen: Its byte count.
///   - plainText: Where to put the decrypted bytes.
///   - plainTextLen: The buffer's size; then the number of bytes used.
/// - Returns: errSecSuccess; errSecParam for a block that wasn't encrypted this way for this
///   key, and if the buffer is too small; then nothing is written.
CF_EXPORT OSStatus SecKeyDecrypt(
    SecKeyRef key, SecPadding padding, const uint8_t *cipherText, size_t cipherTextLen,
    uint8_t *plainText, size_t *plainTextLen);

/// Makes a random symmetric key.
/// - Parameters:
///   - parameters: kSecAttrKeyType (AES if there is none; AES, 3DES, DES, RC2, RC4 or CAST),
///     kSecAttrKeySizeInBits (AES 128, 192, 256; 3DES 192; DES 64; others 40 to 256, of whole
///     bytes; without one 128, or the only size), and the attributes of an item. With
///     kSecAttrIsPermanent true the key is stored; without kSecAttrApplicationLabel under a
///     random one.
///   - error: Where to put the reason: errSecParam for a type or size that isn't made and for
///     attributes of a wrong type; when the key is to be stored also as SecItemAdd.
/// - Returns: NULL when it wasn't made, or was to be stored and wasn't.
CF_EXPORT SecKeyRef _Nullable SecKeyGenerateSymmetric(
    CFDictionaryRef parameters, CFErrorRef _Nullable *_Nullable error);

/// Makes a symmetric key from its bytes.
/// - Parameters:
///   - parameters: kSecAttrKeyType; AES if there is none.
///   - keyData: The key's bytes, at least one.
///   - error: Where to put the reason: errSecUnsupportedKeySize for no bytes, errSecParam for a
///     type of key pairs.
/// - Returns: The key; it isn't stored.
CF_EXPORT SecKeyRef _Nullable SecKeyCreateFromData(
    CFDictionaryRef parameters, CFDataRef keyData, CFErrorRef _Nullable *_Nullable error);

/// Derives a symmetric key from a password, with PBKDF2 (RFC 8018 §5.2).
/// - Parameters:
///   - password: The password; its UTF-8 is used.
///   - parameters: kSecAttrSalt, data; kSecAttrPRF, HMAC with SHA-256 if there is none;
///     kSecAttrRounds, 33 333 if there is none or 0; kSecAttrKeySizeInBits, 128 if there is
///     none; kSecAttrKeyType, AES if there is none.
///   - error: Where to put the reason: errSecMissingAlgorithmParms without a salt,
///     errSecInvalidAlgorithmParms for another function, errSecParam for a size or a number of
///     rounds that is out of bounds (8 to 65 536 bits of whole bytes; at most 10 000 000 rounds).
/// - Returns: The key; it isn't stored.
CF_EXPORT SecKeyRef _Nullable SecKeyDeriveFromPassword(
    CFStringRef password, CFDictionaryRef parameters, CFErrorRef _Nullable *_Nullable error);

/// Wraps a symmetric key under another, as RFC 3394 does.
/// - Parameters:
///   - keyToWrap: A symmetric key of 16 bytes or more, a multiple of 8.
///   - wrappingKey: An AES key of 128, 192 or 256 bits.
///   - parameters: Empty: there is nothing to choose.
///   - error: Where to put the reason: errSecParam for other keys, and for a salt.
/// - Returns: Eight bytes more than the key has.
CF_EXPORT CFDataRef _Nullable SecKeyWrapSymmetric(
    SecKeyRef keyToWrap, SecKeyRef wrappingKey, CFDictionaryRef parameters,
    CFErrorRef _Nullable *_Nullable error);

/// Unwraps what SecKeyWrapSymmetric returned.
/// - Parameters:
///   - keyToUnwrap: The wrapped key.
///   - unwrappingKey: The key that it was wrapped under.
///   - parameters: kSecAttrKeyType of the wrapped key; AES if there is none.
///   - error: Where to put the reason: errSecParam, also for bytes that weren't wrapped under this
///     key.
/// - Returns: The key; it isn't stored.
CF_EXPORT SecKeyRef _Nullable SecKeyUnwrapSymmetric(
    CFDataRef _Nullable *_Nonnull keyToUnwrap, SecKeyRef unwrappingKey, CFDictionaryRef parameters,
    CFErrorRef _Nullable *_Nullable error);

CF_ASSUME_NONNULL_END
CF_EXTERN_C_END

#endif
