// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Keys, certificates, identities, access controls, policies, trust, random bytes and tasks: the
// calls must reach the Swift module, with objects that Core Foundation can use.

#include "check.h"

#include <dispatch/dispatch.h>

static SecKeyRef new_key(CFStringRef type, int bits) {
    CFNumberRef size = number_of(bits);
    CFDictionaryRef parameters = entries(kSecAttrKeyType, type, kSecAttrKeySizeInBits, size, NULL);
    CFErrorRef error = NULL;
    SecKeyRef key = SecKeyCreateRandomKey(parameters, &error);
    CHECK(key && !error);
    CHECK_NUMBER(swift_retainCount(key), 1);
    CFRelease(parameters);
    CFRelease(size);
    return key;
}

static void check_types(void) {
    CFTypeID types[] = {
        SecKeyGetTypeID(), SecCertificateGetTypeID(), SecIdentityGetTypeID(),
        SecAccessControlGetTypeID(), SecPolicyGetTypeID(), SecTrustGetTypeID(), SecTaskGetTypeID(),
    };
    size_t count = sizeof types / sizeof *types;
    for (size_t left = 0; left < count; left++) {
        CHECK(types[left] > CFStringGetTypeID());
        for (size_t right = 0; right < left; right++) CHECK(types[left] != types[right]);
    }
    CHECK_NUMBER(SecKeyGetTypeID(), types[0]);
}

/// An error has a domain, a code and a description, and one owner.
static void check_error(CFErrorRef error, long code) {
    CHECK(is_type(error, CFErrorGetTypeID()));
    if (!error) return;
    CHECK_NUMBER(CFErrorGetCode(error), code);
    CHECK(CFEqual(CFErrorGetDomain(error), CFSTR("NSOSStatusErrorDomain")));
    CFStringRef text = CFErrorCopyDescription(error);
    CHECK(is_type(text, CFStringGetTypeID()) && CFStringGetLength(text) > 0);
    CFRelease(text);
    CHECK_NUMBER(swift_retainCount(error), 1);
    CFRelease(error);
}

static void check_signatures(CFStringRef type, int bits, SecKeyAlgorithm algorithm) {
    SecKeyRef key = new_key(type, bits), public_key = SecKeyCopyPublicKey(key);
    CFDataRef message = data_of("message"), other = data_of("another");
    CFErrorRef error = NULL;
    CHECK(SecKeyIsAlgorithmSupported(key, kSecKeyOperationTypeSign, algorithm));
    CHECK(!SecKeyIsAlgorithmSupported(key, kSecKeyOperationTypeSign, CFSTR("none")));
    CFDataRef signature = SecKeyCreateSignature(key, algorithm, message, &error);
    CHECK(is_type(signature, CFDataGetTypeID()) && !error);
    CHECK(SecKeyVerifySignature(public_key, algorithm, message, signature, &error) && !error);
    CHECK(!SecKeyVerifySignature(public_key, algorithm, other, signature, &error));
    check_error(error, errSecVerifyFailed);
    CFRelease(signature);
    CFRelease(other);
    CFRelease(message);
    CFRelease(public_key);
    CFRelease(key);
}

static void check_raw_signatures(void) {
    SecKeyRef key = new_key(kSecAttrKeyTypeRSA, 2048), public_key = SecKeyCopyPublicKey(key);
    CHECK_NUMBER(SecKeyGetBlockSize(key), 256);
    uint8_t digest[32] = {7}, signature[256];
    size_t size = sizeof signature;
    CHECK_NUMBER(SecKeyRawSign(key, kSecPaddingPKCS1SHA256, digest, sizeof digest, signature, &size),
                 errSecSuccess);
    CHECK_NUMBER(size, 256);
    CHECK_NUMBER(SecKeyRawVerify(public_key, kSecPaddingPKCS1SHA256, digest, sizeof digest,
                                 signature, size),
                 errSecSuccess);
    digest[0] = 8;
    // errSSLCrypto.
    CHECK_NUMBER(SecKeyRawVerify(public_key, kSecPaddingPKCS1SHA256, digest, sizeof digest,
                                 signature, size),
                 -9809);
    uint8_t sealed[256], opened[256];
    size_t sealed_size = sizeof sealed, opened_size = sizeof opened;
    CHECK_NUMBER(SecKeyEncrypt(public_key, kSecPaddingOAEP, digest, sizeof digest, sealed,
                               &sealed_size),
                 errSecSuccess);
    CHECK_NUMBER(SecKeyDecrypt(key, kSecPaddingOAEP, sealed, sealed_size, opened, &opened_size),
                 errSecSuccess);
    CHECK(opened_size == sizeof digest && memcmp(opened, digest, opened_size) == 0);
    CFRelease(public_key);
    CFRelease(key);
}

static void check_encryption(void) {
    SecKeyAlgorithm algorithm =
        kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA256AESGCM;
    SecKeyRef key = new_key(kSecAttrKeyTypeECSECPrimeRandom, 256);
    SecKeyRef public_key = SecKeyCopyPublicKey(key);
    CFDataRef secret = data_of("a secret");
    CFErrorRef error = NULL;
    CFDataRef sealed = SecKeyCreateEncryptedData(public_key, algorithm, secret, &error);
    CHECK(sealed && !error);
    CFDataRef opened = SecKeyCreateDecryptedData(key, algorithm, sealed, &error);
    // The bytes of secrets are in an object that wipes them: it must still work as data.
    CHECK(is_data(opened, "a secret", 8) && !error);
    CHECK(CFEqual(opened, secret) && CFEqual(secret, opened));
    CFMutableDataRef copy = CFDataCreateMutableCopy(NULL, 0, opened);
    CFDataAppendBytes(copy, (const UInt8 *)"!", 1);
    CHECK(is_data(copy, "a secret!", 9));
    CFStringRef text = CFStringCreateFromExternalRepresentation(NULL, opened, kCFStringEncodingUTF8);
    CHECK(CFEqual(text, CFSTR("a secret")));
    UInt8 part[3];
    CFDataGetBytes(opened, CFRangeMake(2, 3), part);
    CHECK(memcmp(part, "sec", 3) == 0);
    CFDataRef same = CFDataCreateCopy(NULL, opened);
    CHECK(CFEqual(same, opened));
    CFRelease(same);
    CFRelease(text);
    CFRelease(copy);
    CFRelease(opened);
    opened = SecKeyCreateDecryptedData(key, algorithm, secret, &error);
    CHECK(!opened);
    check_error(error, errSecParam);
    CFRelease(sealed);
    CFRelease(secret);
    CFRelease(public_key);
    CFRelease(key);
}

static void check_agreement(void) {
    SecKeyRef mine = new_key(kSecAttrKeyTypeECSECPrimeRandom, 256);
    SecKeyRef theirs = new_key(kSecAttrKeyTypeECSECPrimeRandom, 256);
    SecKeyRef my_point = SecKeyCopyPublicKey(mine), their_point = SecKeyCopyPublicKey(theirs);
    CFNumberRef size = number_of(20);
    CFDictionaryRef parameters = entries(kSecKeyKeyExchangeParameterRequestedSize, size, NULL);
    SecKeyAlgorithm algorithm = kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA256;
    CFErrorRef error = NULL;
    CFDataRef left = SecKeyCopyKeyExchangeResult(mine, algorithm, their_point, parameters, &error);
    CFDataRef right = SecKeyCopyKeyExchangeResult(theirs, algorithm, my_point, parameters, &error);
    CHECK(!error && left && right && CFEqual(left, right));
    CHECK_NUMBER(CFDataGetLength(left), 20);
    CFTypeRef objects[] = {left, right, parameters, size, their_point, my_point, theirs, mine};
    for (size_t index = 0; index < sizeof objects / sizeof *objects; index++) {
        CFRelease(objects[index]);
    }
}

static void check_key_forms(void) {
    SecKeyRef key = sample_key();
    CFErrorRef error = NULL;
    CFDataRef bytes = SecKeyCopyExternalRepresentation(key, &error);
    CHECK(is_data(bytes, anna_private_key, sizeof anna_private_key));
    CFRelease(bytes);
    CFDictionaryRef attributes = SecKeyCopyAttributes(key);
    CHECK(is_type(attributes, CFDictionaryGetTypeID()));
    CHECK(CFEqual(CFDictionaryGetValue(attributes, kSecAttrKeyClass), kSecAttrKeyClassPrivate));
    CFRelease(attributes);
    SecKeyRef same = sample_key();
    CHECK(same != key && CFEqual(same, key));
    CHECK_NUMBER(CFHash(same), CFHash(key));
    SecKeyRef public_key = SecKeyCopyPublicKey(key);
    CHECK(!CFEqual(public_key, key));
    SecKeyRef first = NULL, second = NULL;
    CFNumberRef size = number_of(256);
    CFDictionaryRef parameters = entries(
        kSecAttrKeyType, kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits, size, NULL);
    CHECK_NUMBER(SecKeyGeneratePair(parameters, &first, &second), errSecSuccess);
    CHECK(is_type(first, SecKeyGetTypeID()) && is_type(second, SecKeyGetTypeID()));
    CFRelease(first);
    CFRelease(second);
    CFRelease(parameters);
    CFRelease(size);
    CFRelease(public_key);
    CFRelease(same);
    CFRelease(key);
}

static void check_certificates(void) {
    SecCertificateRef certificate = sample_certificate(), same = sample_certificate();
    CHECK(certificate != same && CFEqual(certificate, same));
    CHECK_NUMBER(CFHash(certificate), CFHash(same));
    CFRelease(same);
    CFDataRef der = SecCertificateCopyData(certificate);
    CHECK(is_data(der, anna_certificate, sizeof anna_certificate));
    CFRelease(der);
    CFStringRef summary = SecCertificateCopySubjectSummary(certificate);
    CHECK(CFEqual(summary, CFSTR("Anna Example")));
    CFRelease(summary);
    CFStringRef name = NULL;
    CHECK_NUMBER(SecCertificateCopyCommonName(certificate, &name), errSecSuccess);
    CHECK(CFEqual(name, CFSTR("Anna Example")));
    CHECK_NUMBER(swift_retainCount(name), 1);
    CFRelease(name);
    CFArrayRef addresses = NULL;
    CHECK_NUMBER(SecCertificateCopyEmailAddresses(certificate, &addresses), errSecSuccess);
    CHECK_NUMBER(CFArrayGetCount(addresses), 2);
    CHECK_NUMBER(swift_retainCount(CFArrayGetValueAtIndex(addresses, 0)), 1);
    CFRelease(addresses);
    CFErrorRef error = NULL;
    CFDataRef serial = SecCertificateCopySerialNumberData(certificate, &error);
    CHECK(is_data(serial, "\x12\x34\x56\x78\x90", 5));
    CFRelease(serial);
    CFDataRef issuer = SecCertificateCopyNormalizedIssuerSequence(certificate);
    CHECK(is_type(issuer, CFDataGetTypeID()));
    CFRelease(issuer);
    CFDateRef start = SecCertificateCopyNotValidBeforeDate(certificate);
    // 2020-01-01 00:00:00 UTC.
    CHECK(is_type(start, CFDateGetTypeID()) && CFDateGetAbsoluteTime(start) == 599529600.0);
    CFRelease(start);
    SecKeyRef key = SecCertificateCopyKey(certificate), private_key = sample_key();
    SecKeyRef public_key = SecKeyCopyPublicKey(private_key);
    CHECK(CFEqual(key, public_key));
    SecIdentityRef identity = SecIdentityCreate(NULL, certificate, private_key);
    SecKeyRef its_key = NULL;
    SecCertificateRef its_certificate = NULL;
    CHECK_NUMBER(SecIdentityCopyPrivateKey(identity, &its_key), errSecSuccess);
    CHECK_NUMBER(SecIdentityCopyCertificate(identity, &its_certificate), errSecSuccess);
    CHECK(CFEqual(its_key, private_key) && CFEqual(its_certificate, certificate));
    CFTypeRef objects[] = {its_key, its_certificate, identity, public_key, private_key, key,
                           certificate};
    for (size_t index = 0; index < sizeof objects / sizeof *objects; index++) {
        CHECK_NUMBER(swift_retainCount(objects[index]), 1);
        CFRelease(objects[index]);
    }
    CFDataRef nonsense = data_of("nonsense");
    CHECK(!SecCertificateCreateWithData(NULL, nonsense));
    CFRelease(nonsense);
}

static void check_access_controls(void) {
    CFErrorRef error = NULL;
    SecAccessControlRef control = SecAccessControlCreateWithFlags(
        NULL, kSecAttrAccessibleWhenUnlocked,
        kSecAccessControlPrivateKeyUsage | kSecAccessControlApplicationPassword, &error);
    CHECK(is_type(control, SecAccessControlGetTypeID()) && !error);
    SecAccessControlRef same = SecAccessControlCreateWithFlags(
        NULL, kSecAttrAccessibleWhenUnlocked,
        kSecAccessControlPrivateKeyUsage | kSecAccessControlApplicationPassword, NULL);
    CHECK(CFEqual(control, same));
    CFRelease(same);
    CFRelease(control);
    control = SecAccessControlCreateWithFlags(NULL, CFSTR("unknown"), 0, &error);
    CHECK(!control);
    check_error(error, errSecParam);
}

static void check_trust(void) {
    SecCertificateRef certificate = sample_certificate();
    SecPolicyRef policy = SecPolicyCreateSSL(true, CFSTR("example.com"));
    CHECK(is_type(policy, SecPolicyGetTypeID()));
    CFDictionaryRef properties = SecPolicyCopyProperties(policy);
    CHECK(CFEqual(CFDictionaryGetValue(properties, kSecPolicyName), CFSTR("example.com")));
    CFRelease(properties);
    SecTrustRef trust = NULL;
    CHECK_NUMBER(SecTrustCreateWithCertificates(certificate, policy, &trust), errSecSuccess);
    CHECK(is_type(trust, SecTrustGetTypeID()));
    CFArrayRef policies = NULL;
    CHECK_NUMBER(SecTrustCopyPolicies(trust, &policies), errSecSuccess);
    CHECK_NUMBER(CFArrayGetCount(policies), 1);
    CHECK(is_type(CFArrayGetValueAtIndex(policies, 0), SecPolicyGetTypeID()));
    CFRelease(policies);
    CFArrayRef anchors = CFArrayCreate(NULL, (const void **)&certificate, 1, &kCFTypeArrayCallBacks);
    CHECK_NUMBER(SecTrustSetAnchorCertificates(trust, anchors), errSecSuccess);
    CFRelease(anchors);
    CHECK_NUMBER(SecTrustCopyCustomAnchorCertificates(trust, &anchors), errSecSuccess);
    CHECK(CFEqual(CFArrayGetValueAtIndex(anchors, 0), certificate));
    CFRelease(anchors);
    // Evaluated on a queue, with the result of the synchronous call.
    CFErrorRef error = NULL;
    bool is_trusted = SecTrustEvaluateWithError(trust, &error);
    long code = error ? CFErrorGetCode(error) : 0;
    if (error) CFRelease(error);
    // Every byte of the number is written.
    SecTrustResultType result = 0xffffffff;
    CHECK_NUMBER(SecTrustGetTrustResult(trust, &result), errSecSuccess);
    CHECK(result <= kSecTrustResultOtherError);
    SecTrustResultType again = 0xffffffff;
    CHECK_NUMBER(SecTrustEvaluate(trust, &again), errSecSuccess);
    CHECK_NUMBER(again, result);
    dispatch_queue_t queue = dispatch_queue_create("trust", NULL);
    dispatch_semaphore_t done = dispatch_semaphore_create(0);
    __block bool answer = !is_trusted;
    __block long reason = -1;
    CHECK_NUMBER(SecTrustEvaluateAsyncWithError(
                     trust, queue,
                     ^(SecTrustRef asked, bool result, CFErrorRef why) {
                         CHECK(asked == trust);
                         answer = result;
                         reason = why ? CFErrorGetCode(why) : 0;
                         dispatch_semaphore_signal(done);
                     }),
                 errSecSuccess);
    CHECK(!dispatch_semaphore_wait(done, dispatch_time(DISPATCH_TIME_NOW, 20 * NSEC_PER_SEC)));
    CHECK(answer == is_trusted);
    CHECK_NUMBER(reason, code);
    SecKeyGeneratePairAsync(
        entries(NULL), queue, ^(SecKeyRef public_key, SecKeyRef private_key, CFErrorRef why) {
            CHECK(!public_key && !private_key);
            reason = why ? CFErrorGetCode(why) : 0;
            dispatch_semaphore_signal(done);
        });
    CHECK(!dispatch_semaphore_wait(done, dispatch_time(DISPATCH_TIME_NOW, 20 * NSEC_PER_SEC)));
    CHECK_NUMBER(reason, errSecParam);
    CFNumberRef size = number_of(256);
    CFDictionaryRef pair = entries(kSecAttrKeyType, kSecAttrKeyTypeEC, kSecAttrKeySizeInBits, size,
                                   NULL);
    __block bool is_pair = false;
    SecKeyGeneratePairAsync(
        pair, queue, ^(SecKeyRef public_key, SecKeyRef private_key, CFErrorRef why) {
            SecKeyRef half = private_key ? SecKeyCopyPublicKey(private_key) : NULL;
            is_pair = !why && half && CFEqual(half, public_key);
            if (half) CFRelease(half);
            dispatch_semaphore_signal(done);
        });
    // The queue has a copy.
    CFRelease(pair);
    CFRelease(size);
    CHECK(!dispatch_semaphore_wait(done, dispatch_time(DISPATCH_TIME_NOW, 20 * NSEC_PER_SEC)));
    CHECK(is_pair);
    // The leaf is there without an evaluation; kept.c checks that a trust's objects belong to it.
    CHECK(CFEqual(SecTrustGetCertificateAtIndex(trust, 0), certificate));
    CHECK(!SecTrustGetCertificateAtIndex(trust, 100));
    dispatch_release(done);
    dispatch_release(queue);
    CFRelease(trust);
    CFRelease(policy);
    CFRelease(certificate);
}

/// A certificate as a file, and as objects again.
static void check_files(void) {
    CFDataRef exported = NULL;
    SecCertificateRef certificate = sample_certificate();
    CHECK_NUMBER(SecItemExport(certificate, kSecFormatUnknown, kSecItemPemArmour, NULL, &exported),
                 errSecSuccess);
    CHECK(is_type(exported, CFDataGetTypeID()));
    SecExternalFormat format = kSecFormatUnknown;
    SecExternalItemType type = kSecItemTypeUnknown;
    SecItemImportExportKeyParameters parameters = {.passphrase = CFSTR("unused")};
    CFArrayRef items = NULL;
    CHECK_NUMBER(
        SecItemImport(exported, NULL, &format, &type, 0, &parameters, NULL, &items), errSecSuccess);
    CHECK_NUMBER(format, kSecFormatX509Cert);
    CHECK_NUMBER(type, kSecItemTypeCertificate);
    CHECK(items && CFArrayGetCount(items) == 1);
    // A number that is no format doesn't do harm, and one byte of it isn't taken for the whole.
    format = 0x100 + kSecFormatX509Cert;
    CFArrayRef none = NULL;
    CHECK_NUMBER(
        SecItemImport(exported, NULL, &format, NULL, 0, NULL, NULL, &none), errSecParam);
    CHECK(!none);
    CFTypeRef objects[] = {items, exported, certificate};
    for (int index = 0; index < 3; index++) {
        if (objects[index]) CFRelease(objects[index]);
    }
}

static void check_others(void) {
    uint8_t bytes[64] = {0}, zeros[64] = {0};
    CHECK_NUMBER(SecRandomCopyBytes(kSecRandomDefault, sizeof bytes, bytes), errSecSuccess);
    CHECK(memcmp(bytes, zeros, sizeof bytes) != 0);
    CFStringRef text = SecCopyErrorMessageString(errSecItemNotFound, NULL);
    CHECK(is_type(text, CFStringGetTypeID()) && CFStringGetLength(text) > 10);
    CFRelease(text);
    SecTaskRef task = SecTaskCreateFromSelf(NULL);
    CHECK(is_type(task, SecTaskGetTypeID()));
    CFErrorRef error = NULL;
    CFTypeRef value = SecTaskCopyValueForEntitlement(task, CFSTR("nothing.of.this.name"), &error);
    CHECK(!value && !error);
    CFRelease(task);
    check_files();
}

int main(void) {
    check_types();
    check_signatures(kSecAttrKeyTypeECSECPrimeRandom, 256,
                     kSecKeyAlgorithmECDSASignatureMessageX962SHA256);
    check_signatures(kSecAttrKeyTypeECSECPrimeRandom, 384,
                     kSecKeyAlgorithmECDSASignatureMessageX962SHA384);
    check_signatures(kSecAttrKeyTypeRSA, 2048, kSecKeyAlgorithmRSASignatureMessagePSSSHA256);
    check_raw_signatures();
    check_encryption();
    check_agreement();
    check_key_forms();
    check_certificates();
    check_access_controls();
    check_trust();
    check_others();
    return finish();
}
