// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// A program that shares an item in the application group "group.x" with others of its team. Tests
// sign copies of it, and check its output.
//
//     store SECRET   adds the item to the group, and says what the result has for its group
//     find           looks for the item in the group
//     findany        looks for it in every group of the program
//     update SECRET  gives it another secret
//     delete         deletes it
//     stored         looks for it in the group by the name that the group is stored under
//     where          adds an item without a group, says where it went, and deletes it
//
// Prints a line each time: the status, and after a success the item's group and its secret.

#include "check.h"

#define GROUP CFSTR("group.x")

static CFMutableDictionaryRef item_of(CFStringRef named) {
    CFMutableDictionaryRef item = entries(
        kSecClass, kSecClassGenericPassword, kSecAttrService, CFSTR("appgroup"), kSecAttrAccount,
        CFSTR("anna"), NULL);
    if (named) CFDictionarySetValue(item, kSecAttrAccessGroup, named);
    return item;
}

static const char *name_of(CFTypeRef found) {
    if (!is_type(found, CFStringGetTypeID())) return "none";
    if (CFEqual(found, GROUP)) return "group.x";
    if (CFEqual(found, CFSTR("TEAMAAAAAA.group.x"))) return "stored";
    return "another";
}

static int say(OSStatus status, CFTypeRef result) {
    printf("%d", (int)status);
    if (status == errSecSuccess && is_type(result, CFDictionaryGetTypeID())) {
        CFDataRef secret = CFDictionaryGetValue(result, kSecValueData);
        printf(" %s", name_of(CFDictionaryGetValue(result, kSecAttrAccessGroup)));
        if (is_type(secret, CFDataGetTypeID()))
            printf(" %.*s", (int)CFDataGetLength(secret), (const char *)CFDataGetBytePtr(secret));
    }
    printf("\n");
    if (result) CFRelease(result);
    return 0;
}

static int find(CFStringRef named) {
    CFMutableDictionaryRef query = item_of(named);
    CFDictionarySetValue(query, kSecReturnAttributes, kCFBooleanTrue);
    CFDictionarySetValue(query, kSecReturnData, kCFBooleanTrue);
    CFTypeRef result = NULL;
    OSStatus status = SecItemCopyMatching(query, &result);
    CFRelease(query);
    return say(status, result);
}

static int store(CFStringRef named, const char *text) {
    CFMutableDictionaryRef item = item_of(named);
    CFDataRef secret = data_of(text);
    CFDictionarySetValue(item, kSecValueData, secret);
    CFDictionarySetValue(item, kSecReturnAttributes, kCFBooleanTrue);
    CFTypeRef result = NULL;
    OSStatus status = SecItemAdd(item, &result);
    CFRelease(secret);
    CFRelease(item);
    return say(status, result);
}

int main(int count, char **words) {
    const char *verb = count > 1 ? words[1] : "", *text = count > 2 ? words[2] : "";
    if (!strcmp(verb, "store")) return store(GROUP, text);
    if (!strcmp(verb, "find")) return find(GROUP);
    if (!strcmp(verb, "findany")) return find(NULL);
    if (!strcmp(verb, "stored")) return find(CFSTR("TEAMAAAAAA.group.x"));
    if (!strcmp(verb, "update")) {
        CFMutableDictionaryRef query = item_of(GROUP);
        CFDataRef secret = data_of(text);
        CFDictionaryRef changes = entries(kSecValueData, secret, NULL);
        OSStatus status = SecItemUpdate(query, changes);
        CFRelease(changes);
        CFRelease(secret);
        CFRelease(query);
        return say(status, NULL);
    }
    if (!strcmp(verb, "delete")) {
        CFMutableDictionaryRef query = item_of(GROUP);
        OSStatus status = SecItemDelete(query);
        CFRelease(query);
        return say(status, NULL);
    }
    if (!strcmp(verb, "where")) {
        store(NULL, "x");
        CFMutableDictionaryRef query = item_of(NULL);
        OSStatus status = SecItemDelete(query);
        CFRelease(query);
        return say(status, NULL);
    }
    return 2;
}
