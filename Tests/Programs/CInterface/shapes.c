// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// The shapes of the results of SecItemAdd and SecItemCopyMatching. It checks each class of items,
// with data and without, each set of kSecReturn… keys, and one match and several. All results must
// have one owner, who releases them.

#include "check.h"

enum { DATA = 1, ATTRIBUTES = 2, REFERENCE = 4, PERSISTENT = 8, FLAG_SETS = 16 };

/// A class of items, and a stored sample of it.
struct kind {
    const char *name;
    CFStringRef class;
    /// The object by which an item is stored; NULL for one that is stored by its attributes.
    CFTypeRef (*reference)(void);
    CFTypeID (*reference_type)(void);
    /// The item's data; NULL for an item without data.
    const void *secret;
    size_t secret_size;
    /// An attribute that identifies the item.
    CFStringRef key;
    CFTypeRef value;
};

static CFTypeRef certificate_reference(void) { return sample_certificate(); }

static CFTypeRef key_reference(void) { return sample_key(); }

static CFTypeRef identity_reference(void) {
    SecCertificateRef certificate = sample_certificate();
    SecKeyRef key = sample_key();
    SecIdentityRef identity = SecIdentityCreate(NULL, certificate, key);
    CFRelease(certificate);
    CFRelease(key);
    return identity;
}

static bool is_identity(const struct kind *kind) {
    return CFEqual(kind->class, kSecClassIdentity);
}

/// The shapes are those of the data protection keychain.
static void add_flags(CFMutableDictionaryRef query, int flags) {
    CFDictionarySetValue(query, kSecUseDataProtectionKeychain, kCFBooleanTrue);
    if (flags & DATA) CFDictionarySetValue(query, kSecReturnData, kCFBooleanTrue);
    if (flags & ATTRIBUTES) CFDictionarySetValue(query, kSecReturnAttributes, kCFBooleanTrue);
    if (flags & REFERENCE) CFDictionarySetValue(query, kSecReturnRef, kCFBooleanTrue);
    if (flags & PERSISTENT) CFDictionarySetValue(query, kSecReturnPersistentRef, kCFBooleanTrue);
}

/// The object under `kSecValueRef` belongs only to its dictionary, whatever the call did with it.
static void check_reference_owner(CFDictionaryRef dictionary) {
    CHECK_NUMBER(swift_retainCount(dictionary), 1);
    CFTypeRef reference = CFDictionaryGetValue(dictionary, kSecValueRef);
    if (reference) CHECK_NUMBER(swift_retainCount(reference), 1);
}

/// The object or the attributes by which an item is stored.
static CFMutableDictionaryRef item(const struct kind *kind) {
    CFMutableDictionaryRef made = entries(kSecClass, kind->class, NULL);
    if (kind->reference) {
        CFTypeRef reference = kind->reference();
        CHECK(reference);
        CFDictionarySetValue(made, kSecValueRef, reference);
        CHECK_NUMBER(swift_retainCount(reference), 2);
        CFRelease(reference);
        return made;
    }
    CFDictionarySetValue(made, kind->key, kind->value);
    if (kind->secret) {
        CFDataRef secret = CFDataCreate(NULL, kind->secret, (CFIndex)kind->secret_size);
        CFDictionarySetValue(made, kSecValueData, secret);
        CFRelease(secret);
    }
    return made;
}

/// Each object in a result belongs only to the result. Numbers and empty texts may be shared.
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

// MARK: - One match

/// The class in four letters, and the item's own 16 bytes.
static bool is_persistent(const struct kind *kind, CFTypeRef object) {
    return is_type(object, CFDataGetTypeID()) && CFDataGetLength(object) == 20 &&
           memcmp(CFDataGetBytePtr(object), kind->name, 4) == 0;
}

static bool is_secret(const struct kind *kind, CFTypeRef object) {
    return is_data(object, kind->secret ? kind->secret : "", kind->secret_size);
}

static bool is_number(CFTypeRef object, long expected) {
    long value = expected - 1;
    return is_type(object, CFNumberGetTypeID()) &&
           CFNumberGetValue(object, kCFNumberLongType, &value) && value == expected;
}

/// The attributes that all classes have, and the one that identifies the item.
static void check_attributes(const struct kind *kind, bool is_add, CFDictionaryRef shown) {
    CFStringRef group = CFDictionaryGetValue(shown, kSecAttrAccessGroup);
    CHECK(is_type(group, CFStringGetTypeID()) && CFStringGetLength(group) > 0);
    // The default class of each; for an identity it is the certificate's.
    bool is_certificate = CFEqual(kind->class, kSecClassCertificate) || is_identity(kind);
    CFTypeRef accessible = CFDictionaryGetValue(shown, kSecAttrAccessible);
    CHECK(accessible && CFEqual(accessible, is_certificate ? kSecAttrAccessibleAlways
                                                           : kSecAttrAccessibleWhenUnlocked));
    CHECK(is_type(CFDictionaryGetValue(shown, kSecAttrCreationDate), CFDateGetTypeID()));
    CHECK(is_type(CFDictionaryGetValue(shown, kSecAttrModificationDate), CFDateGetTypeID()));
    CHECK(is_number(CFDictionaryGetValue(shown, kSecAttrSynchronizable), 0));
    CFTypeRef digest = CFDictionaryGetValue(shown, CFSTR("sha1"));
    CHECK(is_type(digest, CFDataGetTypeID()) && CFDataGetLength(digest) == 20);
    CHECK(!has(shown, CFSTR("UUID")) && !has(shown, CFSTR("persistref")));
    CFTypeRef value = CFDictionaryGetValue(shown, kind->key);
    CHECK(value && CFEqual(value, kind->value));
    if (is_add) return;
    CHECK(is_type(CFDictionaryGetValue(shown, kSecAttrAccessControl),
                  SecAccessControlGetTypeID()));
    CHECK(is_number(CFDictionaryGetValue(shown, CFSTR("tomb")), 0));
    CHECK(is_data(CFDictionaryGetValue(shown, CFSTR("musr")), "", 0));
}

/// Whether a set of flags returns the data of an item: an add always has some.
static bool shows_data(const struct kind *kind, int flags, bool is_add) {
    return flags & DATA && (kind->secret || is_add);
}

/// One match, as in the table.
static void check_element(const struct kind *kind, int flags, bool is_add, CFTypeRef element) {
    bool is_alone = !(flags & (flags - 1));
    if (is_alone && flags == DATA) CHECK(is_secret(kind, element));
    if (is_alone && flags == PERSISTENT) CHECK(is_persistent(kind, element));
    if (is_alone && flags == REFERENCE) CHECK(is_type(element, kind->reference_type()));
    if (is_alone && flags != ATTRIBUTES) return;
    CHECK(is_type(element, CFDictionaryGetTypeID()));
    if (!is_type(element, CFDictionaryGetTypeID())) return;
    bool has_data = shows_data(kind, flags, is_add);
    CHECK(has(element, kSecValueData) == has_data);
    if (has_data) CHECK(is_secret(kind, CFDictionaryGetValue(element, kSecValueData)));
    CHECK(has(element, kSecValuePersistentRef) == ((flags & PERSISTENT) != 0));
    if (flags & PERSISTENT) {
        CHECK(is_persistent(kind, CFDictionaryGetValue(element, kSecValuePersistentRef)));
    }
    bool has_reference = flags & REFERENCE && kind->reference_type;
    CHECK(has(element, kSecValueRef) == has_reference);
    if (has_reference) {
        CHECK(is_type(CFDictionaryGetValue(element, kSecValueRef), kind->reference_type()));
    }
    CHECK(has(element, kSecClass) == ((flags & REFERENCE) != 0));
    if (flags & REFERENCE) {
        CHECK(CFEqual(CFDictionaryGetValue(element, kSecClass), kind->class));
    }
    // In a copy, data together with a persistent reference also return the attributes.
    bool has_attributes = flags & ATTRIBUTES || (!is_add && flags & DATA && flags & PERSISTENT);
    if (has_attributes) {
        check_attributes(kind, is_add, element);
    } else {
        CHECK(!has(element, kSecAttrAccessGroup) && !has(element, kind->key));
    }
    check_owners(element);
}

/// Whether a set of flags returns anything of an item: not all have references, nor data.
static bool is_shown(const struct kind *kind, int flags, bool is_add) {
    if (flags == REFERENCE) return kind->reference_type != NULL;
    if (flags == DATA) return shows_data(kind, flags, is_add);
    return flags != 0;
}

/// The result of a call for one item: owned only by the caller, or nothing.
static void check_result(const struct kind *kind, int flags, bool is_add, CFTypeRef result) {
    if (!is_shown(kind, flags, is_add)) {
        CHECK(!result);
        return;
    }
    CHECK(result && result != kCFNull);
    if (!result || result == kCFNull) return;
    check_element(kind, flags, is_add, result);
    CHECK_NUMBER(swift_retainCount(result), 1);
    CFRelease(result);
}

// MARK: - SecItemCopyMatching

static void check_one(const struct kind *kind, int flags, CFTypeRef limit) {
    CFMutableDictionaryRef query = entries(kSecClass, kind->class, NULL);
    if (limit) CFDictionarySetValue(query, kSecMatchLimit, limit);
    add_flags(query, flags);
    CFTypeRef result = kCFNull;
    CHECK_NUMBER(SecItemCopyMatching(query, &result), errSecSuccess);
    CHECK_NUMBER(swift_retainCount(query), 1);
    check_result(kind, flags, false, result);
    CFRelease(query);
}

/// An array, even for one item; empty if the items have none of the requested values.
static void check_several(const struct kind *kind, int flags, CFTypeRef limit) {
    CFMutableDictionaryRef query = entries(kSecClass, kind->class, kSecMatchLimit, limit, NULL);
    add_flags(query, flags);
    CFTypeRef result = NULL;
    CHECK_NUMBER(SecItemCopyMatching(query, &result), errSecSuccess);
    CHECK(is_type(result, CFArrayGetTypeID()));
    CHECK_NUMBER(CFArrayGetCount(result), is_shown(kind, flags, false) ? 1 : 0);
    if (CFArrayGetCount(result) == 1) {
        CFTypeRef element = CFArrayGetValueAtIndex(result, 0);
        check_element(kind, flags, false, element);
        CHECK_NUMBER(swift_retainCount(element), 1);
    }
    CHECK_NUMBER(swift_retainCount(result), 1);
    CFRelease(result);
    CFRelease(query);
}

static void check_limits(const struct kind *kind, int flags) {
    check_one(kind, flags, NULL);
    check_one(kind, flags, kSecMatchLimitOne);
    check_several(kind, flags, kSecMatchLimitAll);
    for (int limit = -1; limit <= 2; limit++) {
        CFNumberRef number = number_of(limit);
        if (limit == 1) {
            check_one(kind, flags, number);
        } else if (limit != 0) {
            check_several(kind, flags, number);
        } else {
            CFMutableDictionaryRef query =
                entries(kSecClass, kind->class, kSecMatchLimit, number, NULL);
            add_flags(query, flags);
            CFTypeRef result = kCFNull;
            CHECK_NUMBER(SecItemCopyMatching(query, &result), errSecItemNotFound);
            CHECK(result == kCFNull);
            CFRelease(query);
        }
        CFRelease(number);
    }
}

/// By the object with which the item was stored; for an identity only the persistent reference is
/// returned.
static void check_by_reference(const struct kind *kind, int flags) {
    if (is_identity(kind) && flags != PERSISTENT) return;
    CFMutableDictionaryRef query = item(kind);
    add_flags(query, flags);
    CFTypeRef result = kCFNull;
    CHECK_NUMBER(SecItemCopyMatching(query, &result), errSecSuccess);
    check_reference_owner(query);
    check_result(kind, flags, false, result);
    // A failed call doesn't change the object or the pointer.
    CFDictionarySetValue(query, kSecAttrLabel, CFSTR("another"));
    result = kCFNull;
    CHECK_NUMBER(SecItemCopyMatching(query, &result), errSecItemNotFound);
    CHECK(result == kCFNull);
    check_reference_owner(query);
    CFRelease(query);
}

/// A returned value of an item finds only that item.
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
    // The objects in it were passed in and out: those of the first result still belong only to the
    // caller.
    if (again) check_owners(again);
    if (again) CFRelease(again);
    CFDictionarySetValue(same, kSecAttrLabel, CFSTR("another"));
    CHECK_NUMBER(SecItemCopyMatching(same, &again), errSecItemNotFound);
    CFRelease(same);
    check_owners(result);
    CFRelease(result);
    CFRelease(query);
}

/// A reference outlives its dictionary only if it is retained.
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
    // Two objects of one item are equal, and either finds it.
    CFDictionaryRemoveValue(query, kSecReturnAttributes);
    CHECK_NUMBER(SecItemCopyMatching(query, &result), errSecSuccess);
    CHECK(result != reference && CFEqual(result, reference));
    CHECK_NUMBER(CFHash(result), CFHash(reference));
    CFShow(result);
    CFRelease(result);
    CFRelease(reference);
    CFRelease(query);
}

/// Deletes all items of a class, of which there are some; afterwards none is found.
static void delete_items(const struct kind *kind) {
    CFMutableDictionaryRef query = entries(kSecClass, kind->class, NULL);
    CHECK_NUMBER(SecItemDelete(query), errSecSuccess);
    CFTypeRef result = kCFNull;
    CHECK_NUMBER(SecItemCopyMatching(query, &result), errSecItemNotFound);
    // A failed call doesn't change the pointer.
    CHECK(result == kCFNull);
    CFRelease(query);
}

/// For two items, one of them without data, the list of all data has one element.
static void check_omission(const struct kind *with, const struct kind *without) {
    CFMutableDictionaryRef one = item(with), other = item(without);
    if (!with->reference) CFDictionarySetValue(other, kSecAttrAccount, CFSTR("another"));
    CHECK_NUMBER(SecItemAdd(other, NULL), errSecSuccess);
    CHECK_NUMBER(SecItemAdd(one, NULL), errSecSuccess);
    CFMutableDictionaryRef query =
        entries(kSecClass, with->class, kSecMatchLimit, kSecMatchLimitAll, NULL);
    for (int flags = 1; flags < FLAG_SETS; flags++) {
        if (flags == REFERENCE) continue;
        CFMutableDictionaryRef asked = CFDictionaryCreateMutableCopy(NULL, 0, query);
        add_flags(asked, flags);
        CFTypeRef result = NULL;
        CHECK_NUMBER(SecItemCopyMatching(asked, &result), errSecSuccess);
        CHECK_NUMBER(CFArrayGetCount(result), flags == DATA ? 1 : 2);
        if (flags == DATA) CHECK(is_secret(with, CFArrayGetValueAtIndex(result, 0)));
        CFRelease(result);
        CFRelease(asked);
    }
    delete_items(with);
    CFRelease(query);
    CFRelease(one);
    CFRelease(other);
}

// MARK: - SecItemAdd

static void check_add(const struct kind *kind, int flags) {
    CFMutableDictionaryRef attributes = item(kind);
    add_flags(attributes, flags);
    CFTypeRef result = NULL;
    CHECK_NUMBER(SecItemAdd(attributes, &result), errSecSuccess);
    check_reference_owner(attributes);
    // For an identity only the persistent reference is returned.
    check_result(kind, is_identity(kind) ? flags & PERSISTENT : flags, true, result);
    // Now it exists: the same call fails, and doesn't change the object or the pointer.
    result = kCFNull;
    CHECK_NUMBER(SecItemAdd(attributes, &result), errSecDuplicateItem);
    CHECK(result == kCFNull);
    check_reference_owner(attributes);
    CFRelease(attributes);
    delete_items(kind);
}

static void check_kind(const struct kind *kind) {
    int before = failures;
    for (int flags = 0; flags < FLAG_SETS; flags++) check_add(kind, flags);
    CFMutableDictionaryRef attributes = item(kind);
    CHECK_NUMBER(SecItemAdd(attributes, NULL), errSecSuccess);
    CFRelease(attributes);
    for (int flags = 0; flags < FLAG_SETS; flags++) {
        check_limits(kind, flags);
        if (kind->reference) check_by_reference(kind, flags);
    }
    if (kind->reference_type) check_lifetime(kind);
    if (!is_identity(kind)) check_feeding_back(kind);
    delete_items(kind);
    if (failures > before) {
        fprintf(stderr, "(of class %s, %zu bytes)\n", kind->name, kind->secret_size);
    }
}

int main(void) {
    CFDataRef serial = data_of("\x12\x34\x56\x78\x90"), none = data_of("");
    CFNumberRef bits = number_of(256), zero = number_of(0);
    const struct kind kinds[] = {
        {"genp", kSecClassGenericPassword, NULL, NULL, "opensesame", 10, kSecAttrAccount,
         CFSTR("anna")},
        {"inet", kSecClassInternetPassword, NULL, NULL, "\0\1\2", 3, kSecAttrAccount,
         CFSTR("anna")},
        {"cert", kSecClassCertificate, certificate_reference, SecCertificateGetTypeID,
         anna_certificate, sizeof anna_certificate, kSecAttrSerialNumber, serial},
        {"keys", kSecClassKey, key_reference, SecKeyGetTypeID, anna_private_key,
         sizeof anna_private_key, kSecAttrKeySizeInBits, bits},
        // The same without data.
        {"genp", kSecClassGenericPassword, NULL, NULL, NULL, 0, kSecAttrAccount, CFSTR("anna")},
        {"inet", kSecClassInternetPassword, NULL, NULL, NULL, 0, kSecAttrAccount, CFSTR("anna")},
        {"cert", kSecClassCertificate, NULL, NULL, NULL, 0, kSecAttrSerialNumber, none},
        {"keys", kSecClassKey, NULL, NULL, NULL, 0, kSecAttrKeySizeInBits, zero},
        // Its halves have data.
        {"idnt", kSecClassIdentity, identity_reference, SecIdentityGetTypeID, anna_private_key,
         sizeof anna_private_key, kSecAttrSerialNumber, serial},
    };
    for (size_t index = 0; index < sizeof kinds / sizeof *kinds; index++) {
        check_kind(&kinds[index]);
    }
    for (size_t index = 0; index < 4; index++) check_omission(&kinds[index], &kinds[index + 4]);
    CFTypeRef objects[] = {serial, none, bits, zero};
    for (size_t index = 0; index < sizeof objects / sizeof *objects; index++) {
        CFRelease(objects[index]);
    }
    return finish();
}
