// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// The shapes of what SecItemAdd and SecItemCopyMatching return, for each class of items and each set
// of kSecReturn… keys, for one match and for all; and that all of it has one owner, who lets it go.

#include "check.h"

enum { DATA = 1, ATTRIBUTES = 2, REFERENCE = 4, PERSISTENT = 8, FLAG_SETS = 16 };

struct kind {
    const char *name;
    CFStringRef class;
    CFTypeID (*reference_type)(void);
    const void *secret;
    size_t secret_size;
    bool is_password;
};

static void add_flags(CFMutableDictionaryRef query, int flags) {
    if (flags & DATA) CFDictionarySetValue(query, kSecReturnData, kCFBooleanTrue);
    if (flags & ATTRIBUTES) CFDictionarySetValue(query, kSecReturnAttributes, kCFBooleanTrue);
    if (flags & REFERENCE) CFDictionarySetValue(query, kSecReturnRef, kCFBooleanTrue);
    if (flags & PERSISTENT) CFDictionarySetValue(query, kSecReturnPersistentRef, kCFBooleanTrue);
}

/// What is stored for each class: passwords by their bytes, the others by reference.
static CFMutableDictionaryRef item(const struct kind *kind) {
    CFMutableDictionaryRef made = entries(kSecClass, kind->class, NULL);
    if (kind->is_password) {
        CFDataRef secret = CFDataCreate(NULL, kind->secret, (CFIndex)kind->secret_size);
        CFDictionarySetValue(made, kSecValueData, secret);
        CFDictionarySetValue(made, kSecAttrAccount, CFSTR("anna"));
        CFRelease(secret);
        return made;
    }
    CFTypeRef reference = NULL;
    if (CFEqual(kind->class, kSecClassCertificate)) reference = sample_certificate();
    if (CFEqual(kind->class, kSecClassKey)) reference = sample_key();
    if (CFEqual(kind->class, kSecClassIdentity)) {
        SecCertificateRef certificate = sample_certificate();
        SecKeyRef key = sample_key();
        reference = SecIdentityCreate(NULL, certificate, key);
        CFRelease(certificate);
        CFRelease(key);
    }
    CHECK(reference);
    CFDictionarySetValue(made, kSecValueRef, reference);
    CHECK_NUMBER(swift_retainCount(reference), 2);
    CFRelease(reference);
    return made;
}

/// Each object in a result belongs to the result alone. Numbers and empty texts may be shared.
static void check_owners(CFTypeRef dictionary) {
    CFIndex count = CFDictionaryGetCount(dictionary);
    const void **keys = calloc((size_t)count, sizeof *keys);
    const void **values = calloc((size_t)count, sizeof *values);
    CFDictionaryGetKeysAndValues(dictionary, keys, values);
    for (CFIndex index = 0; index < count; index++) {
        CFTypeID type = CFGetTypeID(values[index]);
        CHECK(is_type(keys[index], CFStringGetTypeID()));
        if (type == CFNumberGetTypeID()) continue;
        if (type == CFStringGetTypeID() && CFStringGetLength(values[index]) == 0) continue;
        CHECK_NUMBER(swift_retainCount(values[index]), 1);
    }
    free(keys);
    free(values);
}

static bool is_persistent(CFTypeRef object) {
    return is_type(object, CFDataGetTypeID()) && CFDataGetLength(object) == 20;
}

/// One match, as the table has it.
static void check_element(const struct kind *kind, int flags, CFTypeRef element) {
    int alone = flags & (flags - 1);
    if (!alone && flags == DATA) CHECK(is_data(element, kind->secret, kind->secret_size));
    if (!alone && flags == PERSISTENT) CHECK(is_persistent(element));
    if (!alone && flags == REFERENCE) CHECK(is_type(element, kind->reference_type()));
    if (!alone && flags != ATTRIBUTES) return;
    CHECK(is_type(element, CFDictionaryGetTypeID()));
    if (!is_type(element, CFDictionaryGetTypeID())) return;
    CHECK(has(element, kSecValueData) == ((flags & DATA) != 0));
    if (flags & DATA) {
        CHECK(is_data(CFDictionaryGetValue(element, kSecValueData), kind->secret,
                      kind->secret_size));
    }
    CHECK(has(element, kSecValuePersistentRef) == ((flags & PERSISTENT) != 0));
    if (flags & PERSISTENT) {
        CHECK(is_persistent(CFDictionaryGetValue(element, kSecValuePersistentRef)));
    }
    bool has_reference = flags & REFERENCE && !kind->is_password;
    CHECK(has(element, kSecValueRef) == has_reference);
    if (has_reference) {
        CHECK(is_type(CFDictionaryGetValue(element, kSecValueRef), kind->reference_type()));
    }
    CHECK(has(element, kSecClass) == ((flags & REFERENCE) != 0));
    if (flags & ATTRIBUTES) {
        CHECK(is_type(CFDictionaryGetValue(element, kSecAttrAccessGroup), CFStringGetTypeID()));
        CHECK(is_type(CFDictionaryGetValue(element, kSecAttrCreationDate), CFDateGetTypeID()));
        CHECK(is_type(CFDictionaryGetValue(element, kSecAttrSynchronizable), CFNumberGetTypeID()));
        CHECK(is_type(
            CFDictionaryGetValue(element, kSecAttrAccessControl), SecAccessControlGetTypeID()));
    }
    check_owners(element);
}

/// Whether a set of flags has anything to show of a class: passwords have no references.
static bool is_shown(const struct kind *kind, int flags) {
    return flags != 0 && !(flags == REFERENCE && kind->is_password);
}

static void check_one(const struct kind *kind, int flags) {
    CFMutableDictionaryRef query = entries(kSecClass, kind->class, NULL);
    add_flags(query, flags);
    CFTypeRef result = kCFNull;
    CHECK_NUMBER(SecItemCopyMatching(query, &result), errSecSuccess);
    CHECK_NUMBER(swift_retainCount(query), 1);
    if (!is_shown(kind, flags)) {
        CHECK(!result);
    } else {
        CHECK(result && result != kCFNull);
        check_element(kind, flags, result);
        CHECK_NUMBER(swift_retainCount(result), 1);
        CFRelease(result);
    }
    CFRelease(query);
}

static void check_all(const struct kind *kind, int flags) {
    CFMutableDictionaryRef query =
        entries(kSecClass, kind->class, kSecMatchLimit, kSecMatchLimitAll, NULL);
    add_flags(query, flags);
    CFTypeRef result = NULL;
    CHECK_NUMBER(SecItemCopyMatching(query, &result), errSecSuccess);
    CHECK(is_type(result, CFArrayGetTypeID()));
    CHECK_NUMBER(CFArrayGetCount(result), is_shown(kind, flags) ? 1 : 0);
    if (is_shown(kind, flags)) {
        CFTypeRef element = CFArrayGetValueAtIndex(result, 0);
        check_element(kind, flags, element);
        CHECK_NUMBER(swift_retainCount(element), 1);
    }
    CHECK_NUMBER(swift_retainCount(result), 1);
    CFRelease(result);
    CFRelease(query);
}

/// What is returned of an item finds that item, and it alone.
static void check_feeding_back(const struct kind *kind) {
    CFMutableDictionaryRef query = entries(kSecClass, kind->class, NULL);
    add_flags(query, ATTRIBUTES);
    CFTypeRef result = NULL, again = NULL;
    CHECK_NUMBER(SecItemCopyMatching(query, &result), errSecSuccess);
    CFMutableDictionaryRef same = CFDictionaryCreateMutableCopy(NULL, 0, result);
    CFDictionarySetValue(same, kSecClass, kind->class);
    CFDictionarySetValue(same, kSecReturnAttributes, kCFBooleanTrue);
    CHECK_NUMBER(SecItemCopyMatching(same, &again), errSecSuccess);
    CHECK(again && CFEqual(again, result));
    // The objects in it went in and out: those of the first result are still the caller's alone.
    check_owners(again);
    if (again) CFRelease(again);
    CFDictionarySetValue(same, kSecAttrLabel, CFSTR("another"));
    CHECK_NUMBER(SecItemCopyMatching(same, &again), errSecItemNotFound);
    CFRelease(same);
    check_owners(result);
    CFRelease(result);
    CFRelease(query);
}

/// A reference outlives the dictionary that it came in only if it is retained.
static void check_lifetime(const struct kind *kind) {
    CFMutableDictionaryRef query = entries(kSecClass, kind->class, NULL);
    add_flags(query, REFERENCE | ATTRIBUTES);
    CFTypeRef result = NULL;
    CHECK_NUMBER(SecItemCopyMatching(query, &result), errSecSuccess);
    CFTypeRef reference = CFRetain(CFDictionaryGetValue(result, kSecValueRef));
    CHECK_NUMBER(swift_retainCount(reference), 2);
    CFRelease(result);
    CHECK_NUMBER(swift_retainCount(reference), 1);
    CHECK(is_type(reference, kind->reference_type()));
    // Two objects of one item are equal, and it is found by either.
    CFDictionaryRemoveValue(query, kSecReturnAttributes);
    CHECK_NUMBER(SecItemCopyMatching(query, &result), errSecSuccess);
    CHECK(result != reference && CFEqual(result, reference));
    CHECK_NUMBER(CFHash(result), CFHash(reference));
    CFShow(result);
    CFRelease(result);
    CFRelease(reference);
    CFRelease(query);
}

/// Nothing is stored, or the item without what was asked of it.
static void delete_items(const struct kind *kind) {
    CFMutableDictionaryRef query = entries(kSecClass, kind->class, NULL);
    CHECK_NUMBER(SecItemDelete(query), errSecSuccess);
    CFTypeRef result = kCFNull;
    CHECK_NUMBER(SecItemCopyMatching(query, &result), errSecItemNotFound);
    // A call that fails leaves the pointer alone.
    CHECK(result == kCFNull);
    CFRelease(query);
}

static void check_add(const struct kind *kind, int flags) {
    CFMutableDictionaryRef attributes = item(kind);
    add_flags(attributes, flags);
    CFTypeRef result = NULL;
    CHECK_NUMBER(SecItemAdd(attributes, &result), errSecSuccess);
    CHECK_NUMBER(swift_retainCount(attributes), 1);
    bool is_identity = CFEqual(kind->class, kSecClassIdentity);
    if (is_identity) {
        // Of an identity only the persistent reference is returned.
        CHECK((result != NULL) == ((flags & PERSISTENT) != 0));
    } else if (!is_shown(kind, flags)) {
        CHECK(!result);
    } else if (flags == ATTRIBUTES) {
        CHECK(is_type(result, CFDictionaryGetTypeID()));
        CHECK(has(result, kSecAttrAccessGroup) && has(result, kSecAttrCreationDate));
        CHECK(!has(result, kSecValueData) && !has(result, kSecClass));
        CHECK(!has(result, kSecValueRef) && !has(result, kSecValuePersistentRef));
    } else if (flags & (flags - 1)) {
        CHECK(is_type(result, CFDictionaryGetTypeID()));
        CHECK(has(result, kSecValueData) == ((flags & DATA) != 0));
        CHECK(has(result, kSecValuePersistentRef) == ((flags & PERSISTENT) != 0));
        CHECK(has(result, kSecValueRef) == (flags & REFERENCE && !kind->is_password));
        CHECK(has(result, kSecClass) == ((flags & REFERENCE) != 0));
    } else {
        check_element(kind, flags, result);
    }
    if (result) {
        if (is_type(result, CFDictionaryGetTypeID())) check_owners(result);
        CHECK_NUMBER(swift_retainCount(result), 1);
        CFRelease(result);
    }
    CFRelease(attributes);
    delete_items(kind);
}

static void check_kind(const struct kind *kind) {
    int before = failures;
    for (int flags = 0; flags < FLAG_SETS; flags++) check_add(kind, flags);
    CFMutableDictionaryRef attributes = item(kind);
    CHECK_NUMBER(SecItemAdd(attributes, NULL), errSecSuccess);
    CHECK_NUMBER(SecItemAdd(attributes, NULL), errSecDuplicateItem);
    CFRelease(attributes);
    for (int flags = 0; flags < FLAG_SETS; flags++) {
        check_one(kind, flags);
        check_all(kind, flags);
    }
    if (!kind->is_password) check_lifetime(kind);
    if (!CFEqual(kind->class, kSecClassIdentity)) check_feeding_back(kind);
    delete_items(kind);
    if (failures > before) fprintf(stderr, "(of class %s)\n", kind->name);
}

int main(void) {
    const struct kind kinds[] = {
        {"genp", kSecClassGenericPassword, NULL, "opensesame", 10, true},
        {"inet", kSecClassInternetPassword, NULL, "\0\1\2", 3, true},
        {"cert", kSecClassCertificate, SecCertificateGetTypeID, anna_certificate,
         sizeof anna_certificate, false},
        {"keys", kSecClassKey, SecKeyGetTypeID, anna_private_key, sizeof anna_private_key, false},
        {"idnt", kSecClassIdentity, SecIdentityGetTypeID, anna_private_key, sizeof anna_private_key,
         false},
    };
    for (size_t index = 0; index < sizeof kinds / sizeof *kinds; index++) {
        check_kind(&kinds[index]);
    }
    return finish();
}
