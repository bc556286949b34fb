// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Keychains with passwords of their own, and passwords by the older calls.

#include "check.h"

// Null where the headers want something; the compiler doesn't see that it is.
static void *volatile nowhere;

/// The password of a service in a keychain: its status, and whether it is the expected text.
static OSStatus password(CFTypeRef keychains, const char *service, const char *expected) {
    uint32_t length = 0;
    void *data = NULL;
    OSStatus status = SecKeychainFindGenericPassword(
        keychains, (uint32_t)strlen(service), service, 0, NULL, &length, &data, NULL);
    if (status == errSecSuccess) {
        CHECK(length == strlen(expected) && !memcmp(data, expected, length));
        CHECK_NUMBER(SecKeychainItemFreeContent(NULL, data), errSecSuccess);
    }
    return status;
}

static void check_keychain(SecKeychainRef job) {
    CHECK(is_type(job, SecKeychainGetTypeID()));
    SecKeychainRef again = NULL;
    CHECK_NUMBER(SecKeychainOpen("job", &again), errSecSuccess);
    CHECK(again != job && CFEqual(again, job) && CFHash(again) == CFHash(job));
    CFRelease(again);
    uint32_t length = 4, status = 0;
    char path[1024];
    CHECK_NUMBER(SecKeychainGetPath(job, &length, path), errSecBufferTooSmall);
    length = sizeof path;
    CHECK_NUMBER(SecKeychainGetPath(job, &length, path), errSecSuccess);
    CHECK(length == strlen(path) && strstr(path, "/Library/Keychains/job-db"));
    CHECK_NUMBER(SecKeychainGetStatus(job, &status), errSecSuccess);
    CHECK_NUMBER(status, kSecUnlockStateStatus | kSecReadPermStatus | kSecWritePermStatus);
    SecKeychainSettings settings = {SEC_KEYCHAIN_SETTINGS_VERS1, true, true, 600}, now = {0};
    CHECK_NUMBER(SecKeychainSetSettings(job, &settings), errSecSuccess);
    CHECK_NUMBER(SecKeychainCopySettings(job, &now), errSecSuccess);
    CHECK(now.version == 1 && now.lockOnSleep && now.useLockInterval && now.lockInterval == 600);
}

static void check_items(SecKeychainRef job) {
    SecKeychainItemRef item = NULL;
    CHECK_NUMBER(
        SecKeychainAddGenericPassword(job, 3, "svc", 3, "bob", 6, "inside", &item), errSecSuccess);
    CHECK(is_type(item, SecKeychainItemGetTypeID()));
    CHECK_NUMBER(
        SecKeychainAddGenericPassword(job, 3, "svc", 3, "bob", 5, "other", NULL),
        errSecDuplicateItem);
    CHECK_NUMBER(password(job, "svc", "inside"), errSecSuccess);
    SecKeychainRef place = NULL;
    CHECK_NUMBER(SecKeychainItemCopyKeychain(item, &place), errSecSuccess);
    CHECK(CFEqual(place, job));
    CFRelease(place);
    SecKeychainAttribute attributes[] = {
        {kSecAccountItemAttr, 0, NULL}, {kSecCreationDateItemAttr, 0, NULL}};
    SecKeychainAttributeList list = {2, attributes};
    SecItemClass class = 0;
    CHECK_NUMBER(SecKeychainItemCopyContent(item, &class, &list, NULL, NULL), errSecSuccess);
    CHECK_NUMBER(class, kSecGenericPasswordItemClass);
    CHECK(attributes[0].length == 3 && !memcmp(attributes[0].data, "bob", 3));
    CHECK(attributes[1].length == 16 && ((char *)attributes[1].data)[14] == 'Z');
    CHECK_NUMBER(SecKeychainItemFreeContent(&list, NULL), errSecSuccess);
    CHECK(!attributes[0].data && !attributes[1].data);
    attributes[0].tag = kSecServerItemAttr;
    CHECK_NUMBER(
        SecKeychainItemCopyContent(item, NULL, &list, NULL, NULL), errSecNoSuchAttr);
    CHECK_NUMBER(SecKeychainItemModifyContent(item, NULL, 3, "new"), errSecSuccess);
    CHECK_NUMBER(password(job, "svc", "new"), errSecSuccess);
    // Locked.
    CHECK_NUMBER(SecKeychainLock(job), errSecSuccess);
    CHECK_NUMBER(password(job, "svc", ""), errSecInteractionNotAllowed);
    CHECK_NUMBER(SecKeychainSetUserInteractionAllowed(false), errSecSuccess);
    CHECK_NUMBER(password(job, "svc", ""), errSecAuthFailed);
    CHECK_NUMBER(SecKeychainSetUserInteractionAllowed(true), errSecSuccess);
    CHECK_NUMBER(SecKeychainUnlock(job, 5, "wrong", true), errSecAuthFailed);
    CHECK_NUMBER(SecKeychainUnlock(job, 2, "pw", true), errSecSuccess);
    CHECK_NUMBER(password(job, "svc", "new"), errSecSuccess);
    // The search list, and one of a query.
    CHECK_NUMBER(password(NULL, "svc", ""), errSecItemNotFound);
    const void *keychains[] = {job};
    CFArrayRef searched = CFArrayCreate(NULL, keychains, 1, &kCFTypeArrayCallBacks), found = NULL;
    CHECK_NUMBER(password(searched, "svc", "new"), errSecSuccess);
    CHECK_NUMBER(password(CFSTR("job"), "svc", ""), errSecParam);
    CFDictionaryRef query = entries(
        kSecClass, kSecClassGenericPassword, kSecMatchSearchList, searched, NULL);
    CHECK_NUMBER(SecItemCopyMatching(query, NULL), errSecSuccess);
    CFRelease(query);
    CHECK_NUMBER(SecKeychainSetSearchList(searched), errSecSuccess);
    CHECK_NUMBER(SecKeychainCopySearchList(&found), errSecSuccess);
    CHECK(CFEqual(found, searched));
    CHECK_NUMBER(password(NULL, "svc", "new"), errSecSuccess);
    CFRelease(found);
    CFRelease(searched);
    CHECK_NUMBER(SecKeychainItemDelete(item), errSecSuccess);
    CHECK_NUMBER(SecKeychainItemDelete(item), errSecInvalidItemRef);
    CFRelease(item);
}

/// What must be there, and isn't.
static void check_refusals(SecKeychainRef job) {
    SecKeychainRef keychain = NULL;
    CHECK_NUMBER(SecKeychainOpen(nowhere, &keychain), errSecParam);
    CHECK_NUMBER(SecKeychainOpen("job", nowhere), errSecParam);
    CHECK_NUMBER(SecKeychainCreate("job", 2, "pw", false, NULL, &keychain), errSecDuplicateKeychain);
    CHECK_NUMBER(SecKeychainCreate("other", 0, NULL, false, NULL, &keychain), errSecParam);
    CHECK_NUMBER(SecKeychainGetPath(job, nowhere, nowhere), errSecParam);
    CHECK_NUMBER(SecKeychainSetSearchList(nowhere), errSecParam);
    CHECK_NUMBER(SecKeychainLock((SecKeychainRef)CFSTR("job")), errSecParam);
    CHECK(!keychain);
}

int main(void) {
    SecKeychainRef job = NULL;
    CHECK_NUMBER(SecKeychainCreate("job", 2, "pw", false, NULL, &job), errSecSuccess);
    if (!job) return finish();
    check_keychain(job);
    check_items(job);
    check_refusals(job);
    CHECK_NUMBER(SecKeychainDelete(job), errSecSuccess);
    CHECK_NUMBER(SecKeychainLock(job), errSecNoSuchKeychain);
    CFRelease(job);
    return finish();
}
