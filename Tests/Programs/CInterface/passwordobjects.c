// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// The objects of passwords (SecKeychainItemRef), which the Mac's file keychain has: what a call means that
// doesn't ask for the data protection keychain.

#include "check.h"

static CFMutableDictionaryRef password(CFStringRef class, CFStringRef account) {
    return entries(kSecClass, class, kSecAttrAccount, account, NULL);
}

static void add(CFStringRef class, CFStringRef account, const char *secret) {
    CFMutableDictionaryRef item = password(class, account);
    CFDataRef data = data_of(secret);
    CFDictionarySetValue(item, kSecValueData, data);
    CHECK_NUMBER(SecItemAdd(item, NULL), errSecSuccess);
    CFRelease(data);
    CFRelease(item);
}

/// What a query finds, with one more entry; NULL if it finds nothing to show.
static CFTypeRef found(CFDictionaryRef query, CFTypeRef key, CFTypeRef value) {
    CFMutableDictionaryRef asked = CFDictionaryCreateMutableCopy(NULL, 0, query);
    CFDictionarySetValue(asked, key, value);
    CFTypeRef result = NULL;
    CHECK_NUMBER(SecItemCopyMatching(asked, &result), errSecSuccess);
    CFRelease(asked);
    return result;
}

/// The object of a password, which the caller releases.
static CFTypeRef object_of(CFStringRef class, CFStringRef account) {
    CFMutableDictionaryRef query = password(class, account);
    CFTypeRef object = found(query, kSecReturnRef, kCFBooleanTrue);
    CFRelease(query);
    return object;
}

static int count_of(CFStringRef class) {
    CFDictionaryRef query = entries(
        kSecClass, class, kSecMatchLimit, kSecMatchLimitAll, kSecReturnPersistentRef, kCFBooleanTrue,
        NULL);
    CFTypeRef result = NULL;
    OSStatus status = SecItemCopyMatching(query, &result);
    int count = status ? 0 : (int)CFArrayGetCount(result);
    CHECK(status == errSecSuccess || status == errSecItemNotFound);
    if (result) CFRelease(result);
    CFRelease(query);
    return count;
}

static CFArrayRef list_of(CFTypeRef first, CFTypeRef second) {
    const void *values[] = {first, second};
    return CFArrayCreate(NULL, values, second ? 2 : 1, &kCFTypeArrayCallBacks);
}

/// Two objects of one item are equal, those of two aren't, and each finds its item by itself.
static void check_objects(CFStringRef class) {
    CFTypeRef anna = object_of(class, CFSTR("anna")), again = object_of(class, CFSTR("anna"));
    CFTypeRef berta = object_of(class, CFSTR("berta"));
    CHECK(is_type(anna, SecKeychainItemGetTypeID()));
    CHECK_NUMBER(swift_retainCount(anna), 1);
    CHECK(anna != again && CFEqual(anna, again) && CFHash(anna) == CFHash(again));
    CHECK(!CFEqual(anna, berta));
    CFMutableDictionaryRef query = entries(kSecValueRef, anna, NULL);
    CFTypeRef data = found(query, kSecReturnData, kCFBooleanTrue);
    CHECK(is_data(data, "first", 5));
    CFRelease(data);
    CFDictionarySetValue(query, kSecAttrAccount, CFSTR("berta"));
    CFTypeRef result = kCFNull;
    CHECK_NUMBER(SecItemCopyMatching(query, &result), errSecItemNotFound);
    CHECK(result == kCFNull);
    CHECK_NUMBER(SecItemDelete(query), errSecItemNotFound);
    CFRelease(query);
    // The data protection keychain has none.
    CFMutableDictionaryRef strict = password(class, CFSTR("anna"));
    CFDictionarySetValue(strict, kSecUseDataProtectionKeychain, kCFBooleanTrue);
    CHECK(!found(strict, kSecReturnRef, kCFBooleanTrue));
    CFRelease(strict);
    CFRelease(anna);
    CFRelease(again);
    CFRelease(berta);
}

/// A list is for items of the class that is named.
static void check_another_class(CFStringRef class, CFStringRef other) {
    CFTypeRef anna = object_of(class, CFSTR("anna"));
    CFArrayRef list = list_of(anna, NULL);
    const CFStringRef keys[] = {kSecMatchItemList, kSecUseItemList};
    for (int index = 0; index < 2; index++) {
        CFDictionaryRef query = entries(kSecClass, other, keys[index], list, NULL);
        CHECK_NUMBER(SecItemDelete(query), errSecItemNotFound);
        CHECK_NUMBER(
            SecItemCopyMatching(query, NULL), index == 0 ? errSecItemNotFound : errSecParam);
        CFRelease(query);
    }
    CHECK_NUMBER(count_of(class), 3);
    CHECK_NUMBER(count_of(other), 3);
    CFRelease(list);
    CFRelease(anna);
}

/// kSecUseItemList: a delete deletes what is in it, and nothing else.
static void check_used_list(CFStringRef class) {
    CFTypeRef anna = object_of(class, CFSTR("anna"));
    CFArrayRef list = list_of(anna, NULL), none = CFArrayCreate(NULL, NULL, 0, &kCFTypeArrayCallBacks);
    CFMutableDictionaryRef query = entries(kSecClass, class, kSecUseItemList, list, NULL);
    CFDictionaryRef changes = entries(kSecAttrLabel, CFSTR("changed"), NULL);
    CHECK_NUMBER(SecItemUpdate(query, changes), errSecParam);
    CHECK_NUMBER(SecItemDelete(query), errSecSuccess);
    CHECK_NUMBER(count_of(class), 2);
    CHECK_NUMBER(SecItemDelete(query), errSecItemNotFound);
    CFDictionarySetValue(query, kSecUseItemList, none);
    CHECK_NUMBER(SecItemDelete(query), errSecItemNotFound);
    CFDictionarySetValue(query, kSecUseItemList, CFSTR("no list"));
    CHECK_NUMBER(SecItemDelete(query), errSecParam);
    CHECK_NUMBER(count_of(class), 2);
    CFRelease(changes);
    CFRelease(query);
    CFRelease(none);
    CFRelease(list);
    CFRelease(anna);
}

/// No class is needed, and items of several may be listed.
static void check_list_of_two_classes(void) {
    CFTypeRef generic = object_of(kSecClassGenericPassword, CFSTR("berta"));
    CFTypeRef internet = object_of(kSecClassInternetPassword, CFSTR("berta"));
    CFArrayRef list = list_of(generic, internet);
    CFDictionaryRef query = entries(kSecUseItemList, list, NULL);
    CHECK_NUMBER(SecItemDelete(query), errSecSuccess);
    CHECK_NUMBER(count_of(kSecClassGenericPassword), 1);
    CHECK_NUMBER(count_of(kSecClassInternetPassword), 1);
    CFRelease(query);
    CFRelease(list);
    CFRelease(generic);
    CFRelease(internet);
}

/// An object deletes its item, and then finds nothing.
static void check_delete(CFStringRef class) {
    CFTypeRef clara = object_of(class, CFSTR("clara"));
    CFDictionaryRef query = entries(kSecValueRef, clara, NULL);
    CHECK_NUMBER(SecItemDelete(query), errSecSuccess);
    CHECK_NUMBER(SecItemDelete(query), errSecItemNotFound);
    CHECK_NUMBER(SecItemCopyMatching(query, NULL), errSecItemNotFound);
    CHECK_NUMBER(count_of(class), 0);
    CFRelease(query);
    CFRelease(clara);
}

int main(void) {
    const CFStringRef classes[] = {kSecClassGenericPassword, kSecClassInternetPassword};
    for (int index = 0; index < 2; index++) {
        add(classes[index], CFSTR("anna"), "first");
        add(classes[index], CFSTR("berta"), "second");
        add(classes[index], CFSTR("clara"), "third");
    }
    for (int index = 0; index < 2; index++) {
        check_objects(classes[index]);
        check_another_class(classes[index], classes[1 - index]);
    }
    for (int index = 0; index < 2; index++) check_used_list(classes[index]);
    check_list_of_two_classes();
    for (int index = 0; index < 2; index++) check_delete(classes[index]);
    return finish();
}
