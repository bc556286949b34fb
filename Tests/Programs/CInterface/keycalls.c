// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// The results of calls on keys with mismatched arguments, and the operations of each half of a
// pair, as with Apple's. Arguments: five for each of Apple's known messages, as in
// Tests/Vectors/seckey: the type of the key, the name of the algorithm, the private key, the
// message, and whether it can be opened yet.

#define _GNU_SOURCE

#include "check.h"

#include <dlfcn.h>

/// The status of Apple's older calls for a signature that doesn't match: `errSSLCrypto`.
enum { SIGNATURE_MISMATCH = -9809 };

/// NULL, without the compiler's knowledge of it.
static const uint8_t *nothing(void) {
    const uint8_t *volatile hidden = NULL;
    return hidden;
}

static SecKeyRef made_key(CFStringRef type, int bits) {
    CFNumberRef size = number_of(bits);
    CFDictionaryRef parameters = entries(kSecAttrKeyType, type, kSecAttrKeySizeInBits, size, NULL);
    SecKeyRef key = SecKeyCreateRandomKey(parameters, NULL);
    CHECK(is_type(key, SecKeyGetTypeID()));
    CFRelease(parameters);
    CFRelease(size);
    return key;
}

// MARK: - Apple's known messages

static CFDataRef unhex(const char *digits) {
    size_t count = strlen(digits) / 2;
    UInt8 *bytes = malloc(count);
    for (size_t index = 0; index < count; index++) {
        unsigned value = 0;
        sscanf(digits + 2 * index, "%2x", &value);
        bytes[index] = (UInt8)value;
    }
    CFDataRef data = CFDataCreate(NULL, bytes, (CFIndex)count);
    free(bytes);
    return data;
}

/// A constant of the library by its name.
static CFStringRef constant(const char *name) {
    const CFStringRef *found = dlsym(RTLD_DEFAULT, name);
    CHECK(found && is_type(*found, CFStringGetTypeID()));
    return *found;
}

static void check_failure(CFErrorRef error, long code) {
    CHECK(is_type(error, CFErrorGetTypeID()));
    if (!error) return;
    CHECK_NUMBER(CFErrorGetCode(error), code);
    CHECK(CFEqual(CFErrorGetDomain(error), CFSTR("NSOSStatusErrorDomain")));
    CFRelease(error);
}

static void check_known_message(char *const *fields) {
    int before = failures;
    SecKeyAlgorithm algorithm = constant(fields[1]);
    CFDataRef bytes = unhex(fields[2]), message = unhex(fields[3]);
    bool opens = strcmp(fields[4], "1") == 0;
    CFDictionaryRef attributes = entries(kSecAttrKeyType, constant(fields[0]), kSecAttrKeyClass,
                                         kSecAttrKeyClassPrivate, NULL);
    SecKeyRef key = SecKeyCreateWithData(bytes, attributes, NULL);
    CHECK(key || !opens);
    if (key) {
        CHECK(SecKeyIsAlgorithmSupported(key, kSecKeyOperationTypeDecrypt, algorithm) == opens);
        CFErrorRef error = NULL;
        CFDataRef opened = SecKeyCreateDecryptedData(key, algorithm, message, &error);
        if (opens) CHECK(!error && is_data(opened, "KNOWN PLAINTEXT", 16));
        if (!opens) CHECK(!opened);
        if (!opens) check_failure(error, errSecParam);
        if (opened) CFRelease(opened);
        CFMutableDataRef other = CFDataCreateMutableCopy(NULL, 0, message);
        CFDataGetMutableBytePtr(other)[CFDataGetLength(other) - 1] ^= 1;
        error = NULL;
        CHECK(!SecKeyCreateDecryptedData(key, algorithm, other, &error));
        check_failure(error, errSecParam);
        CFRelease(other);
        CFRelease(key);
    }
    if (failures > before) fprintf(stderr, "(of %s)\n", fields[1]);
    CFRelease(attributes);
    CFRelease(message);
    CFRelease(bytes);
}

// MARK: - Statuses

static void check_verification(CFStringRef type, int bits, SecPadding padding) {
    SecKeyRef key = made_key(type, bits), public_key = SecKeyCopyPublicKey(key);
    uint8_t digest[20] = "digest", signature[256] = {0}, small[256] = {0}, zeros[256] = {0};
    size_t size = sizeof signature, room = 8;
    CHECK_NUMBER(SecKeyRawSign(key, padding, digest, sizeof digest, signature, &size),
                 errSecSuccess);
    CHECK_NUMBER(SecKeyRawVerify(public_key, padding, digest, sizeof digest, signature, size),
                 errSecSuccess);
    // Apple's test si-44-seckey-rsa: a signature of no data doesn't match.
    CHECK_NUMBER(SecKeyRawVerify(public_key, padding, digest, sizeof digest, nothing(), 0),
                 SIGNATURE_MISMATCH);
    CHECK_NUMBER(SecKeyRawVerify(public_key, padding, digest, sizeof digest, signature, 0),
                 SIGNATURE_MISMATCH);
    CHECK_NUMBER(SecKeyRawVerify(public_key, padding, digest, sizeof digest, zeros, size),
                 SIGNATURE_MISMATCH);
    CHECK_NUMBER(SecKeyRawVerify(public_key, padding, nothing(), 0, signature, size),
                 SIGNATURE_MISMATCH);
    digest[0] ^= 1;
    CHECK_NUMBER(SecKeyRawVerify(public_key, padding, digest, sizeof digest, signature, size),
                 SIGNATURE_MISMATCH);
    // An invalid pointer to bytes.
    CHECK_NUMBER(SecKeyRawVerify(public_key, padding, digest, sizeof digest, nothing(), size),
                 errSecParam);
    CHECK_NUMBER(SecKeyRawVerify(public_key, padding, nothing(), 20, signature, size),
                 errSecParam);
    // A buffer that is too small: nothing is written.
    CHECK_NUMBER(SecKeyRawSign(key, padding, digest, sizeof digest, small, &room), errSecParam);
    CHECK_NUMBER(room, 8);
    CHECK(memcmp(small, zeros, sizeof small) == 0);
    CFRelease(public_key);
    CFRelease(key);
}

static void check_blocks(SecPadding padding) {
    SecKeyRef key = made_key(kSecAttrKeyTypeRSA, 2048), public_key = SecKeyCopyPublicKey(key);
    uint8_t block[256], opened[256] = {0}, zeros[256] = {0};
    size_t size = sizeof block, room = 5;
    CHECK_NUMBER(SecKeyEncrypt(public_key, padding, (const uint8_t *)"secret", 6, block, &size),
                 errSecSuccess);
    CHECK_NUMBER(SecKeyDecrypt(key, padding, block, size, opened, &room), errSecParam);
    CHECK_NUMBER(room, 5);
    CHECK(memcmp(opened, zeros, sizeof opened) == 0);
    room = sizeof opened;
    CHECK_NUMBER(SecKeyDecrypt(key, padding, block, size - 1, opened, &room), errSecParam);
    CHECK_NUMBER(SecKeyDecrypt(key, padding, nothing(), 0, opened, &room), errSecParam);
    CHECK_NUMBER(SecKeyDecrypt(public_key, padding, block, size, opened, &room), errSecParam);
    CHECK_NUMBER(room, sizeof opened);
    CHECK(memcmp(opened, zeros, sizeof opened) == 0);
    CHECK_NUMBER(SecKeyDecrypt(key, padding, block, size, opened, &room), errSecSuccess);
    CHECK(room == 6 && memcmp(opened, "secret", 6) == 0);
    room = 255;
    CHECK_NUMBER(SecKeyEncrypt(public_key, padding, block, 6, opened, &room), errSecParam);
    // Empty data can be encrypted, too.
    size = sizeof block;
    CHECK_NUMBER(SecKeyEncrypt(public_key, padding, nothing(), 0, block, &size), errSecSuccess);
    CFRelease(public_key);
    CFRelease(key);
}

static void check_failed_decryption(SecKeyRef key, SecKeyAlgorithm algorithm) {
    CFDataRef nonsense = data_of("what was never encrypted for anybody");
    CFErrorRef error = NULL;
    CHECK(!SecKeyCreateDecryptedData(key, algorithm, nonsense, &error));
    check_failure(error, errSecParam);
    CHECK(!SecKeyCreateDecryptedData(key, algorithm, nonsense, NULL));
    CFRelease(nonsense);
}

static void check_random(void) {
    // Apple's function ignores the source.
    uint8_t bytes[64] = {0}, zeros[64] = {0};
    SecRandomRef other = (SecRandomRef)(uintptr_t)8;
    CHECK_NUMBER(SecRandomCopyBytes(other, sizeof bytes, bytes), errSecSuccess);
    CHECK(memcmp(bytes, zeros, sizeof bytes) != 0);
}

// MARK: - The operations of each half

static void check_half(SecKeyRef key, SecKeyAlgorithm algorithm, SecKeyOperationType operation,
                       bool of_private, bool of_public) {
    SecKeyRef public_key = SecKeyCopyPublicKey(key);
    int before = failures;
    CHECK(SecKeyIsAlgorithmSupported(key, operation, algorithm) == of_private);
    CHECK(SecKeyIsAlgorithmSupported(public_key, operation, algorithm) == of_public);
    if (failures > before) CFShow(algorithm);
    CFRelease(public_key);
}

/// Source: as for AlgorithmSupportTests.swift, Apple's published SecKey and its tests.
static void check_halves(void) {
    enum { SIGN = kSecKeyOperationTypeSign, VERIFY = kSecKeyOperationTypeVerify };
    enum { ENCRYPT = kSecKeyOperationTypeEncrypt, DECRYPT = kSecKeyOperationTypeDecrypt };
    SecKeyRef rsa = made_key(kSecAttrKeyTypeRSA, 2048);
    SecKeyRef curve = made_key(kSecAttrKeyTypeECSECPrimeRandom, 256);
    const SecKeyAlgorithm signatures[] = {
        kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA1,
        kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA256,
        kSecKeyAlgorithmRSASignatureMessagePSSSHA512,
    };
    const SecKeyAlgorithm blocks[] = {
        kSecKeyAlgorithmRSAEncryptionPKCS1, kSecKeyAlgorithmRSAEncryptionOAEPSHA1,
        kSecKeyAlgorithmRSAEncryptionOAEPSHA256,
    };
    for (int index = 0; index < 3; index++) {
        check_half(rsa, signatures[index], SIGN, true, false);
        check_half(rsa, signatures[index], VERIFY, true, true);
        check_half(rsa, blocks[index], ENCRYPT, false, true);
        check_half(rsa, blocks[index], DECRYPT, true, true);
        check_half(curve, signatures[index], VERIFY, false, false);
        check_half(curve, blocks[index], DECRYPT, false, false);
        check_failed_decryption(rsa, blocks[index]);
    }
    SecKeyAlgorithm both = kSecKeyAlgorithmRSAEncryptionOAEPSHA256AESGCM;
    check_half(rsa, both, ENCRYPT, false, true);
    check_half(rsa, both, DECRYPT, true, false);
    check_failed_decryption(rsa, both);
    SecKeyAlgorithm ecdsa = kSecKeyAlgorithmECDSASignatureMessageX962SHA256;
    check_half(curve, ecdsa, SIGN, true, false);
    check_half(curve, ecdsa, VERIFY, false, true);
    check_half(rsa, ecdsa, VERIFY, false, false);
    const SecKeyAlgorithm ecies[] = {
        kSecKeyAlgorithmECIESEncryptionCofactorX963SHA256AESGCM,
        kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA256AESGCM,
    };
    for (int index = 0; index < 2; index++) {
        check_half(curve, ecies[index], ENCRYPT, false, true);
        check_half(curve, ecies[index], DECRYPT, true, false);
        check_failed_decryption(curve, ecies[index]);
    }
    check_half(curve, kSecKeyAlgorithmECDHKeyExchangeStandard, kSecKeyOperationTypeKeyExchange,
               true, false);
    CFRelease(curve);
    CFRelease(rsa);
}

// MARK: - Kinds of keys

static void check_ed25519(void) {
    SecKeyRef key = made_key(kSecAttrKeyTypeEd25519, 256), public_key = SecKeyCopyPublicKey(key);
    SecKeyAlgorithm algorithm = kSecKeyAlgorithmEdDSASignatureMessageCurve25519SHA512;
    CFDataRef message = data_of("message"), other = data_of("massage");
    CFErrorRef error = NULL;
    CFDataRef signature = SecKeyCreateSignature(key, algorithm, message, &error);
    CHECK(signature && !error && CFDataGetLength(signature) == 64);
    CHECK(SecKeyVerifySignature(public_key, algorithm, message, signature, &error) && !error);
    CHECK(!SecKeyVerifySignature(public_key, algorithm, other, signature, &error));
    check_failure(error, errSecVerifyFailed);
    CFTypeRef objects[] = {signature, other, message, public_key, key};
    for (int index = 0; index < 5; index++) CFRelease(objects[index]);
}

static void check_x25519(void) {
    SecKeyRef mine = made_key(kSecAttrKeyTypeX25519, 256);
    SecKeyRef yours = made_key(kSecAttrKeyTypeX25519, 256);
    SecKeyRef my_half = SecKeyCopyPublicKey(mine), your_half = SecKeyCopyPublicKey(yours);
    CFDictionaryRef none = entries(NULL);
    SecKeyAlgorithm algorithm = kSecKeyAlgorithmECDHKeyExchangeStandard;
    CFDataRef one = SecKeyCopyKeyExchangeResult(mine, algorithm, your_half, none, NULL);
    CFDataRef other = SecKeyCopyKeyExchangeResult(yours, algorithm, my_half, none, NULL);
    CHECK(one && other && CFEqual(one, other) && CFDataGetLength(one) == 32);
    CFTypeRef objects[] = {other, one, none, your_half, my_half, yours, mine};
    for (int index = 0; index < 7; index++) CFRelease(objects[index]);
}

static void check_symmetric(void) {
    CFNumberRef size = number_of(256), rounds = number_of(1);
    CFDataRef salt = data_of("salt");
    CFDictionaryRef made = entries(
        kSecAttrKeyType, kSecAttrKeyTypeAES, kSecAttrKeySizeInBits, size, NULL);
    CFDictionaryRef derived = entries(
        kSecAttrSalt, salt, kSecAttrRounds, rounds, kSecAttrPRF, kSecAttrPRFHmacAlgSHA1, NULL);
    CFDictionaryRef none = entries(NULL);
    SecKeyRef wrapping = SecKeyGenerateSymmetric(made, NULL);
    SecKeyRef key = SecKeyDeriveFromPassword(CFSTR("password"), derived, NULL);
    CFDataRef bytes = SecKeyCopyExternalRepresentation(key, NULL);
    // RFC 6070, of which 16 bytes are the default.
    const uint8_t expected[] = {0x0c, 0x60, 0xc8, 0x0f, 0x96, 0x1f, 0x0e, 0x71,
                                0xf3, 0xa9, 0xb5, 0x24, 0xaf, 0x60, 0x12, 0x06};
    CHECK(is_data(bytes, expected, sizeof expected));
    SecKeyRef same = SecKeyCreateFromData(none, bytes, NULL);
    CHECK(same && CFEqual(same, key));
    CFDataRef wrapped = SecKeyWrapSymmetric(key, wrapping, none, NULL);
    CHECK(wrapped && CFDataGetLength(wrapped) == 24);
    SecKeyRef unwrapped = SecKeyUnwrapSymmetric(&wrapped, wrapping, none, NULL);
    CHECK(unwrapped && CFEqual(unwrapped, key));
    CFErrorRef error = NULL;
    CHECK(!SecKeyUnwrapSymmetric(&wrapped, key, none, &error));
    check_failure(error, errSecParam);
    error = NULL;
    CHECK(!SecKeyDeriveFromPassword(CFSTR("password"), none, &error));
    check_failure(error, errSecMissingAlgorithmParms);
    CFTypeRef objects[] = {unwrapped, wrapped, same,   bytes, key, wrapping,
                           none,      derived, made, salt,  rounds, size};
    for (int index = 0; index < 12; index++) CFRelease(objects[index]);
}

int main(int count, char **arguments) {
    CHECK_NUMBER((count - 1) % 5, 0);
    for (int index = 1; index + 4 < count; index += 5) check_known_message(arguments + index);
    check_verification(kSecAttrKeyTypeRSA, 2048, kSecPaddingPKCS1SHA1);
    check_verification(kSecAttrKeyTypeECSECPrimeRandom, 256, kSecPaddingPKCS1);
    check_verification(kSecAttrKeyTypeECSECPrimeRandom, 521, kSecPaddingSigRaw);
    check_blocks(kSecPaddingPKCS1);
    check_blocks(kSecPaddingOAEP);
    check_random();
    check_halves();
    check_ed25519();
    check_x25519();
    check_symmetric();
    return finish();
}
