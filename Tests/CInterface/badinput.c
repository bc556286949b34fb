// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Bad input: the status that the interface has for it, and no crash.

#include "check.h"

/// The same pointer, of which the compiler knows nothing: NULL where the headers say that there must
/// be an object, and objects of other types.
static const void *opaque(const void *pointer) {
    const void *volatile hidden = pointer;
    return hidden;
}

#define NOTHING ((void *)opaque(NULL))
#define WRONG ((void *)opaque(CFSTR("wrong")))

static CFMutableDictionaryRef password(void) {
    return entries(kSecClass, kSecClassGenericPassword, NULL);
}

static void check_missing(void) {
    CFTypeRef result = NULL;
    CHECK_NUMBER(SecItemAdd(NOTHING, &result), errSecParam);
    CHECK_NUMBER(SecItemCopyMatching(NOTHING, &result), errSecParam);
    CHECK_NUMBER(SecItemUpdate(NOTHING, NOTHING), errSecParam);
    CHECK_NUMBER(SecItemDelete(NOTHING), errSecParam);
    CHECK(!result);
    CFMutableDictionaryRef query = password();
    CHECK_NUMBER(SecItemUpdate(query, NOTHING), errSecParam);
    // Nobody has to want the result.
    CFDictionarySetValue(query, kSecReturnData, kCFBooleanTrue);
    CFDictionarySetValue(query, kSecReturnAttributes, kCFBooleanTrue);
    CHECK_NUMBER(SecItemAdd(query, NULL), errSecSuccess);
    CHECK_NUMBER(SecItemCopyMatching(query, NULL), errSecSuccess);
    CHECK_NUMBER(SecItemDelete(query), errSecSuccess);
    CFRelease(query);
    CFErrorRef error = NULL;
    CHECK(!SecKeyCreateRandomKey(NOTHING, &error));
    CHECK(error && CFErrorGetCode(error) == errSecParam);
    CFRelease(error);
    CHECK(!SecKeyCreateRandomKey(NOTHING, NULL));
    CHECK(!SecKeyCopyPublicKey(NOTHING));
    CHECK(!SecKeyCopyAttributes(NOTHING));
    CHECK(!SecKeyCreateWithData(NOTHING, NOTHING, NULL));
    CHECK(!SecKeyCreateSignature(NOTHING, NOTHING, NOTHING, NULL));
    CHECK(!SecKeyVerifySignature(NOTHING, NOTHING, NOTHING, NOTHING, NULL));
    CHECK_NUMBER(SecKeyGetBlockSize(NOTHING), 0);
    CHECK_NUMBER(SecKeyRawSign(NOTHING, 0, NOTHING, 0, NOTHING, NOTHING), errSecParam);
    CHECK(!SecCertificateCreateWithData(NULL, NOTHING));
    CHECK(!SecCertificateCopyData(NOTHING));
    CHECK(!SecCertificateCopySubjectSummary(NOTHING));
    CHECK_NUMBER(SecCertificateCopyCommonName(NOTHING, NOTHING), errSecParam);
    SecCertificateRef certificate = sample_certificate();
    CHECK_NUMBER(SecCertificateCopyCommonName(certificate, NOTHING), errSecParam);
    CHECK(!SecIdentityCreate(NULL, certificate, NOTHING));
    CHECK_NUMBER(SecIdentityCopyPrivateKey(NOTHING, NOTHING), errSecParam);
    CHECK_NUMBER(SecTrustCreateWithCertificates(NOTHING, NULL, NOTHING), errSecParam);
    CHECK(!SecTrustEvaluateWithError(NOTHING, NULL));
    CHECK_NUMBER(SecTrustEvaluateAsyncWithError(NOTHING, NOTHING, NOTHING), errSecParam);
    CHECK_NUMBER(SecTrustGetCertificateCount(NOTHING), 0);
    CHECK(!SecAccessControlCreateWithFlags(NULL, NOTHING, 0, NULL));
    CHECK_NUMBER(SecRandomCopyBytes(kSecRandomDefault, 8, NOTHING), errSecParam);
    CHECK_NUMBER(SecPKCS12Import(NOTHING, NOTHING, NOTHING), errSecParam);
    CHECK(!SecTaskCopyValueForEntitlement(NOTHING, NOTHING, NULL));
    CFRelease(certificate);
}

static void check_wrong_types(void) {
    CFTypeRef result = NULL;
    CHECK_NUMBER(SecItemAdd(WRONG, &result), errSecParam);
    CHECK_NUMBER(SecItemCopyMatching(WRONG, &result), errSecParam);
    CHECK_NUMBER(SecItemDelete(WRONG), errSecParam);
    CHECK(!SecKeyCopyPublicKey(WRONG));
    CHECK(!SecCertificateCopyData(WRONG));
    CHECK(!SecCertificateCreateWithData(NULL, WRONG));
    SecCertificateRef certificate = sample_certificate();
    CHECK(!SecKeyCopyPublicKey((void *)opaque(certificate)));
    CHECK_NUMBER(SecCertificateAddToKeychain(certificate, WRONG), errSecParam);
    CFNumberRef number = number_of(7);
    const struct {
        CFStringRef key;
        CFTypeRef value;
        OSStatus status;
    } rows[] = {
        {kSecValueRef, CFSTR("no object of ours"), errSecParam},
        {kSecValueRef, number, errSecParam},
        {kSecValueRef, kCFNull, errSecParam},
        {kSecValueData, CFSTR("text"), errSecParam},
        {kSecValuePersistentRef, CFSTR("text"), errSecParam},
        {kSecReturnData, CFSTR("yes"), errSecParam},
        {kSecAttrAccessControl, CFSTR("ak"), errSecParam},
        {kSecAttrAccessControl, certificate, errSecParam},
        {kSecAttrAccessible, CFSTR("unknown"), errSecParam},
        {kSecAttrAccount, kCFBooleanTrue, errSecParam},
        {kSecAttrAccount, certificate, errSecParam},
        {kSecAttrCreationDate, number, errSecParam},
        {kSecUseAuthenticationContext, number, errSecParam},
        {CFSTR("zzzz"), number, errSecNoSuchAttr},
        {CFSTR("u_nknown"), number, errSecParam},
        // A reference of another class than the one that is asked for.
        {kSecValueRef, certificate, errSecNoSuchAttr},
        {kSecClass, number, errSecParam},
        {kSecClass, CFSTR("none"), errSecNoSuchClass},
    };
    for (size_t index = 0; index < sizeof rows / sizeof *rows; index++) {
        CFMutableDictionaryRef query = password();
        CFDictionarySetValue(query, rows[index].key, rows[index].value);
        OSStatus status = SecItemAdd(query, &result);
        CHECK_NUMBER(status, rows[index].status);
        if (status != rows[index].status) fprintf(stderr, "(in row %zu)\n", index);
        CHECK(!result);
        CFRelease(query);
    }
    CFRelease(number);
    CFRelease(certificate);
}

static void check_keys_of_other_types(void) {
    CFNumberRef number = number_of(7);
    CFMutableDictionaryRef query = password();
    CFDictionarySetValue(query, number, number);
    CHECK_NUMBER(SecItemAdd(query, NULL), errSecNoSuchAttr);
    CFDictionaryRemoveValue(query, number);
    CFDictionarySetValue(query, kCFNull, number);
    CHECK_NUMBER(SecItemAdd(query, NULL), errSecParam);
    CFRelease(query);
    CFRelease(number);
}

/// Collections whose callbacks say nothing of what is in them.
static void check_other_callbacks(void) {
    CFTypeRef result = NULL;
    static const char text[] __attribute__((aligned(16))) = "not an object at all, but text";
    static const void *const zeros[4];
    const void *candidates[] = {
        (void *)1, (void *)8, (void *)0x7ffffffffff8, text, zeros, &candidates,
        (const void *)(uintptr_t)&entries,
    };
    for (size_t index = 0; index < sizeof candidates / sizeof *candidates; index++) {
        const void *keys[] = {kSecClass, kSecAttrAccount};
        const void *values[] = {kSecClassGenericPassword, candidates[index]};
        CFDictionaryRef query = CFDictionaryCreate(NULL, keys, values, 2, NULL, NULL);
        CHECK_NUMBER(SecItemAdd(query, &result), errSecParam);
        CHECK_NUMBER(SecItemCopyMatching(query, &result), errSecParam);
        CFRelease(query);
        const void *other_keys[] = {kSecClass, candidates[index]};
        query = CFDictionaryCreate(NULL, other_keys, keys, 2, NULL, NULL);
        CHECK_NUMBER(SecItemDelete(query), errSecParam);
        CFRelease(query);
        CFArrayRef list = CFArrayCreate(NULL, &candidates[index], 1, NULL);
        query = entries(kSecClass, kSecClassGenericPassword, kSecMatchItemList, list, NULL);
        CHECK_NUMBER(SecItemCopyMatching(query, &result), errSecParam);
        CFRelease(query);
        CFRelease(list);
    }
    // A dictionary that doesn't retain, but holds objects, is as good as any.
    const void *keys[] = {kSecClass, kSecAttrAccount};
    const void *values[] = {kSecClassGenericPassword, CFSTR("unretained")};
    CFDictionaryRef query = CFDictionaryCreate(NULL, keys, values, 2, NULL, NULL);
    CHECK_NUMBER(SecItemAdd(query, NULL), errSecSuccess);
    CHECK_NUMBER(SecItemDelete(query), errSecSuccess);
    CFRelease(query);
}

/// A collection that contains itself ends somewhere.
static void check_cycles(void) {
    CFMutableArrayRef list = CFArrayCreateMutable(NULL, 0, &kCFTypeArrayCallBacks);
    CFArrayAppendValue(list, list);
    CFMutableDictionaryRef query = password();
    CFDictionarySetValue(query, kSecMatchItemList, list);
    CFDictionarySetValue(query, kSecAttrAccount, list);
    CFTypeRef result = NULL;
    CHECK_NUMBER(SecItemCopyMatching(query, &result), errSecParam);
    CFArrayRemoveAllValues(list);
    CFRelease(query);
    CFRelease(list);
}

static void check_too_much(void) {
    CFMutableDictionaryRef query = password();
    for (int number = 0; number < 5000; number++) {
        CFStringRef key = CFStringCreateWithFormat(NULL, NULL, CFSTR("m_%d"), number);
        CFDictionarySetValue(query, key, kCFBooleanTrue);
        CFRelease(key);
    }
    CFTypeRef result = NULL;
    CHECK_NUMBER(SecItemCopyMatching(query, &result), errSecParam);
    CFRelease(query);
}

int main(void) {
    check_missing();
    check_wrong_types();
    check_keys_of_other_types();
    check_other_callbacks();
    check_cycles();
    check_too_much();
    return finish();
}
