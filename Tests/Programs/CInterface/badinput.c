// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Invalid input: the interface must return the right status, and not crash.

#include "check.h"

/// The same pointer, without the compiler's knowledge of it: NULL where the headers require an
/// object, and objects of other types.
static const void *opaque(const void *pointer) {
    const void *volatile hidden = pointer;
    return hidden;
}

#define NOTHING ((void *)opaque(NULL))
#define WRONG ((void *)opaque(CFSTR("wrong")))

static CFMutableDictionaryRef password(void) {
    return entries(
        kSecClass, kSecClassGenericPassword, kSecUseDataProtectionKeychain, kCFBooleanTrue, NULL);
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
    // A caller may pass NULL for the result.
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
        // A reference of another class than the requested one.
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

/// A call with collections whose callbacks don't describe their content: a value, a key and an
/// element of an array that aren't objects.
static void check_other_memory(const void *memory) {
    CFTypeRef result = NULL;
    const void *keys[] = {kSecClass, kSecAttrAccount};
    const void *values[] = {kSecClassGenericPassword, memory};
    CFDictionaryRef query = CFDictionaryCreate(NULL, keys, values, 2, NULL, NULL);
    CHECK_NUMBER(SecItemAdd(query, &result), errSecParam);
    CHECK_NUMBER(SecItemCopyMatching(query, &result), errSecParam);
    CFRelease(query);
    const void *other_keys[] = {kSecClass, memory};
    query = CFDictionaryCreate(NULL, other_keys, keys, 2, NULL, NULL);
    CHECK_NUMBER(SecItemDelete(query), errSecParam);
    CFRelease(query);
    // After objects, and after more of them than are checked at once.
    const void *elements[70];
    for (CFIndex count = 1; count <= 70; count += 69) {
        for (CFIndex index = 0; index < count; index++) elements[index] = kSecClass;
        elements[count - 1] = memory;
        CFArrayRef list = CFArrayCreate(NULL, elements, count, NULL);
        query = entries(
            kSecClass, kSecClassGenericPassword, kSecUseDataProtectionKeychain, kCFBooleanTrue,
            kSecMatchItemList, list, NULL);
        CHECK_NUMBER(SecItemCopyMatching(query, &result), errSecParam);
        CFRelease(query);
        CFRelease(list);
    }
    CHECK(!result);
}

struct node {
    const struct node *next;
};

static void check_other_callbacks(void) {
    static const char text[] __attribute__((aligned(16))) = "not an object at all, but text";
    static const void *const zeros[4];
    static const struct node last, second = {&last}, first = {&second}, ring = {&ring};
    static const char *const none[] = {NULL}, *const words[] = {text, "and more", NULL};
    static const char *const *const list_of_none = none, *const *const list_of_words = words;
    // A class, and memory that begins with an address near one.
    const void *class = *(const void *const *)kCFBooleanTrue;
    const void *near_class = (const char *)class - sizeof class;
    const void *candidates[] = {
        (void *)1, (void *)8, (void *)0x7ffffffffff8, text, zeros, &candidates,
        (const void *)(uintptr_t)&entries, &last, &second, &first, &ring, none, words,
        &list_of_none, &list_of_words, class, &near_class, &kSecClass,
    };
    for (size_t index = 0; index < sizeof candidates / sizeof *candidates; index++) {
        int before = failures;
        check_other_memory(candidates[index]);
        if (failures > before) fprintf(stderr, "(of candidate %zu)\n", index);
    }
}

/// Adds an item with a dictionary that doesn't retain its objects: it must work like any other.
static void check_unretained(CFStringRef class, CFStringRef key, CFTypeRef value) {
    int before = failures;
    const void *keys[] = {kSecClass, key}, *values[] = {class, value};
    CFDictionaryRef item = CFDictionaryCreate(NULL, keys, values, 2, NULL, NULL);
    CFMutableDictionaryRef query = entries(kSecClass, class, NULL);
    CHECK_NUMBER(SecItemAdd(item, NULL), errSecSuccess);
    CHECK_NUMBER(SecItemCopyMatching(item, NULL), errSecSuccess);
    CHECK_NUMBER(SecItemDelete(query), errSecSuccess);
    if (failures > before) CFShow(key);
    CFRelease(query);
    CFRelease(item);
}

/// Objects of all kinds that calls accept are distinguished from other memory.
static void check_all_objects(void) {
    CFMutableStringRef text = CFStringCreateMutable(NULL, 0);
    CFStringAppend(text, CFSTR("mutable"));
    CFMutableDataRef more = CFDataCreateMutable(NULL, 0);
    CFDataAppendBytes(more, (const UInt8 *)"data", 4);
    CFDateRef date = CFDateCreate(NULL, 1);
    CFDataRef data = data_of("data");
    SInt8 byte = 7;
    SInt64 large = 1LL << 40;
    double real = 8;
    CFTypeRef numbers[] = {
        CFNumberCreate(NULL, kCFNumberSInt8Type, &byte), number_of(70000),
        CFNumberCreate(NULL, kCFNumberSInt64Type, &large),
        CFNumberCreate(NULL, kCFNumberDoubleType, &real),
    };
    SecAccessControlRef control =
        SecAccessControlCreateWithFlags(NULL, kSecAttrAccessibleWhenUnlocked, 0, NULL);
    CFStringRef password = kSecClassGenericPassword;
    check_unretained(password, kSecAttrAccount, CFSTR("constant"));
    check_unretained(password, kSecAttrAccount, text);
    check_unretained(password, kSecAttrGeneric, data);
    check_unretained(password, kSecAttrGeneric, more);
    check_unretained(password, kSecAttrIsInvisible, kCFBooleanTrue);
    check_unretained(password, kSecAttrAccessControl, control);
    for (size_t index = 0; index < sizeof numbers / sizeof *numbers; index++) {
        check_unretained(password, kSecAttrType, numbers[index]);
        CFRelease(numbers[index]);
    }
    check_unretained(kSecClassKey, kSecAttrStartDate, date);
    SecCertificateRef certificate = sample_certificate();
    SecKeyRef key = sample_key();
    SecIdentityRef identity = SecIdentityCreate(NULL, certificate, key);
    check_unretained(kSecClassCertificate, kSecValueRef, certificate);
    check_unretained(kSecClassKey, kSecValueRef, key);
    // An identity isn't a filter of a search; the remaining results show that it is accepted.
    const void *keys[] = {kSecValueRef}, *values[] = {identity};
    CFDictionaryRef item = CFDictionaryCreate(NULL, keys, values, 1, NULL, NULL);
    CHECK_NUMBER(SecItemAdd(item, NULL), errSecSuccess);
    // The object of a secret is Llavero's own, and the array is in a dictionary.
    CFMutableDictionaryRef query = entries(
        kSecClass, kSecClassCertificate, kSecReturnPersistentRef, kCFBooleanTrue, NULL);
    CFTypeRef reference = NULL, found = NULL;
    CHECK_NUMBER(SecItemCopyMatching(query, &reference), errSecSuccess);
    CFArrayRef list = CFArrayCreate(NULL, &reference, 1, NULL);
    CFDictionarySetValue(query, kSecMatchItemList, list);
    CFDictionarySetValue(query, kSecMatchValidOnDate, kCFNull);
    CHECK_NUMBER(SecItemCopyMatching(query, &found), errSecSuccess);
    CHECK(found && CFEqual(found, reference));
    CHECK_NUMBER(SecItemDelete(item), errSecSuccess);
    CFTypeRef objects[] = {found, list, reference, query, item, identity, key, certificate,
                           control, data, date, more, text};
    for (size_t index = 0; index < sizeof objects / sizeof *objects; index++) {
        if (objects[index]) CFRelease(objects[index]);
    }
}

/// The traversal of a collection that contains itself must end.
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
    check_all_objects();
    check_cycles();
    check_too_much();
    return finish();
}
