// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Tombstones: eight items, two of each class, and what Apple's si-12 asserts of each. No call says which
// keychain is meant, as there.

#include "check.h"

static void put(CFMutableDictionaryRef item, CFStringRef key, CFTypeRef value) {
    CFDictionarySetValue(item, key, value);
    CFRelease(value);
}

static void put_text(CFMutableDictionaryRef item, CFStringRef key, int number) {
    put(item, key, CFStringCreateWithFormat(NULL, NULL, CFSTR("text %d"), number));
}

static void put_number(CFMutableDictionaryRef item, CFStringRef key, int number) {
    put(item, key, number_of(number));
}

static void put_data(CFMutableDictionaryRef item, CFStringRef key, int number) {
    char text[16];
    snprintf(text, sizeof text, "data %d", number);
    put(item, key, data_of(text));
}

/// An item with all attributes of its class's primary key.
static CFMutableDictionaryRef item_of(int number) {
    switch (number % 4) {
    case 0: {
        CFMutableDictionaryRef item = entries(kSecClass, kSecClassInternetPassword, NULL);
        put_text(item, kSecAttrAccount, number);
        put_text(item, kSecAttrSecurityDomain, number);
        put_text(item, kSecAttrServer, number);
        put_text(item, kSecAttrPath, number);
        put_number(item, kSecAttrProtocol, number);
        put_number(item, kSecAttrAuthenticationType, number);
        put_number(item, kSecAttrPort, number);
        return item;
    }
    case 1: {
        CFMutableDictionaryRef item = entries(kSecClass, kSecClassGenericPassword, NULL);
        put_text(item, kSecAttrAccount, number);
        put_text(item, kSecAttrService, number);
        return item;
    }
    case 2: {
        CFMutableDictionaryRef item = entries(kSecClass, kSecClassKey, NULL);
        put_text(item, kSecAttrKeyClass, number);
        put_data(item, kSecAttrApplicationLabel, number);
        put_data(item, kSecAttrApplicationTag, number);
        put_number(item, kSecAttrKeyType, number);
        put_number(item, kSecAttrKeySizeInBits, number);
        put_number(item, kSecAttrEffectiveKeySize, number);
        return item;
    }
    default: {
        CFMutableDictionaryRef item = entries(kSecClass, kSecClassCertificate, NULL);
        put_number(item, kSecAttrCertificateType, number);
        put_data(item, kSecAttrIssuer, number);
        put_data(item, kSecAttrSerialNumber, number);
        return item;
    }
    }
}

static void set(CFMutableDictionaryRef item, CFStringRef key, bool value) {
    CFDictionarySetValue(item, key, value ? kCFBooleanTrue : kCFBooleanFalse);
}

static void unset(CFMutableDictionaryRef item, CFStringRef key) {
    CFDictionaryRemoveValue(item, key);
}

/// One that synchronizes: a delete leaves a tombstone, or doesn't, as it is told.
static void check_synchronizing(CFMutableDictionaryRef item) {
    set(item, kSecAttrSynchronizable, true);
    CHECK_NUMBER(SecItemAdd(item, NULL), errSecSuccess);
    set(item, kSecUseTombstones, true);
    CHECK_NUMBER(SecItemDelete(item), errSecSuccess);
    set(item, kSecAttrTombstone, true);
    CHECK_NUMBER(SecItemCopyMatching(item, NULL), errSecSuccess);
    CHECK_NUMBER(SecItemDelete(item), errSecSuccess);
    unset(item, kSecAttrTombstone);
    CHECK_NUMBER(SecItemAdd(item, NULL), errSecSuccess);
    set(item, kSecUseTombstones, false);
    CHECK_NUMBER(SecItemDelete(item), errSecSuccess);
    unset(item, kSecUseTombstones);
    set(item, kSecAttrTombstone, true);
    CHECK_NUMBER(SecItemCopyMatching(item, NULL), errSecItemNotFound);
    unset(item, kSecAttrSynchronizable);
}

/// One that doesn't; first a tombstone is stored and deleted.
static void check_local(CFMutableDictionaryRef item) {
    CHECK_NUMBER(SecItemAdd(item, NULL), errSecSuccess);
    CHECK_NUMBER(SecItemDelete(item), errSecSuccess);
    CHECK_NUMBER(SecItemCopyMatching(item, NULL), errSecItemNotFound);
    CHECK_NUMBER(SecItemDelete(item), errSecItemNotFound);
    unset(item, kSecAttrTombstone);
    CHECK_NUMBER(SecItemAdd(item, NULL), errSecSuccess);
    set(item, kSecUseTombstones, true);
    CHECK_NUMBER(SecItemDelete(item), errSecSuccess);
    unset(item, kSecUseTombstones);
    set(item, kSecAttrTombstone, true);
    CHECK_NUMBER(SecItemCopyMatching(item, NULL), errSecSuccess);
    // The tombstone of a tombstone is that tombstone.
    set(item, kSecUseTombstones, true);
    CHECK_NUMBER(SecItemDelete(item), errSecSuccess);
    unset(item, kSecUseTombstones);
    CHECK_NUMBER(SecItemCopyMatching(item, NULL), errSecSuccess);
    CHECK_NUMBER(SecItemDelete(item), errSecSuccess);
    CHECK_NUMBER(SecItemCopyMatching(item, NULL), errSecItemNotFound);
}

/// Beyond si-12, from Apple's source: told nothing, a delete of a tombstone that synchronizes removes it.
static void check_default(CFMutableDictionaryRef item) {
    set(item, kSecAttrSynchronizable, true);
    unset(item, kSecAttrTombstone);
    CHECK_NUMBER(SecItemAdd(item, NULL), errSecSuccess);
    CHECK_NUMBER(SecItemDelete(item), errSecSuccess);
    CHECK_NUMBER(SecItemCopyMatching(item, NULL), errSecItemNotFound);
    set(item, kSecAttrTombstone, true);
    CHECK_NUMBER(SecItemCopyMatching(item, NULL), errSecSuccess);
    CHECK_NUMBER(SecItemDelete(item), errSecSuccess);
    CHECK_NUMBER(SecItemCopyMatching(item, NULL), errSecItemNotFound);
    // An add of one stores no item.
    CHECK_NUMBER(SecItemAdd(item, NULL), errSecSuccess);
    unset(item, kSecAttrTombstone);
    CHECK_NUMBER(SecItemCopyMatching(item, NULL), errSecItemNotFound);
    set(item, kSecAttrTombstone, true);
    CHECK_NUMBER(SecItemDelete(item), errSecSuccess);
}

int main(void) {
    for (int number = 0; number < 8; number++) {
        int before = failures;
        CFMutableDictionaryRef item = item_of(number);
        check_synchronizing(item);
        check_local(item);
        check_default(item);
        CFRelease(item);
        if (failures > before) fprintf(stderr, "(of item %d)\n", number);
    }
    return finish();
}
