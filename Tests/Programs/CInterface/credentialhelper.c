// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// A credential helper as programs for the Mac write one. No call names a keychain. After a
// duplicate error, the program passes the same dictionary as the changes of an update. Before it
// erases an item, it finds it as an object.
//
//     credentialhelper get|store|erase
//
// Reads lines KEY=VALUE (protocol, host, path, username, password) up to an empty one or the end. `get`
// writes username and password if there is one. The status of a call that fails is on standard error,
// and 1 is the exit status.

#include <Security/Security.h>

#include <stdio.h>
#include <string.h>

static CFStringRef host, path, username;
static CFDataRef password;

static CFStringRef text_of(const char *text) {
    return CFStringCreateWithCString(NULL, text, kCFStringEncodingUTF8);
}

static void read_credential(void) {
    char line[4096];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        char *value = strchr(line, '=');
        if (!value) break;
        *value++ = 0;
        if (!strcmp(line, "host")) host = text_of(value);
        if (!strcmp(line, "path")) path = text_of(value);
        if (!strcmp(line, "username")) username = text_of(value);
        if (!strcmp(line, "password"))
            password = CFDataCreate(NULL, (const UInt8 *)value, (CFIndex)strlen(value));
    }
}

/// The attributes that identify the credential, and then more keys and values, ended by NULL.
static CFMutableDictionaryRef credential(CFTypeRef key, CFTypeRef value) {
    CFMutableDictionaryRef made = CFDictionaryCreateMutable(
        NULL, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    CFDictionarySetValue(made, kSecClass, kSecClassInternetPassword);
    CFDictionarySetValue(made, kSecAttrProtocol, kSecAttrProtocolHTTPS);
    if (host) CFDictionarySetValue(made, kSecAttrServer, host);
    if (path) CFDictionarySetValue(made, kSecAttrPath, path);
    if (username) CFDictionarySetValue(made, kSecAttrAccount, username);
    if (key) CFDictionarySetValue(made, key, value);
    return made;
}

static int failed(OSStatus status) {
    if (status) fprintf(stderr, "%d\n", (int)status);
    return status != 0;
}

static int get(void) {
    CFMutableDictionaryRef query = credential(kSecReturnAttributes, kCFBooleanTrue);
    CFDictionarySetValue(query, kSecReturnData, kCFBooleanTrue);
    CFTypeRef found = NULL;
    OSStatus status = SecItemCopyMatching(query, &found);
    if (status == errSecItemNotFound) return 0;
    if (status) return failed(status);
    CFStringRef account = CFDictionaryGetValue(found, kSecAttrAccount);
    CFDataRef data = CFDictionaryGetValue(found, kSecValueData);
    char text[1024];
    if (CFStringGetCString(account, text, sizeof text, kCFStringEncodingUTF8))
        printf("username=%s\n", text);
    printf("password=%.*s\n", (int)CFDataGetLength(data), (const char *)CFDataGetBytePtr(data));
    CFRelease(found);
    return 0;
}

static int store(void) {
    CFMutableDictionaryRef item = credential(kSecValueData, password);
    OSStatus status = SecItemAdd(item, NULL);
    if (status == errSecDuplicateItem) status = SecItemUpdate(credential(NULL, NULL), item);
    return failed(status);
}

/// Deletes the item of an object, if it has the password.
static OSStatus erase_one(CFTypeRef object) {
    CFArrayRef list = CFArrayCreate(NULL, &object, 1, &kCFTypeArrayCallBacks);
    const void *keys[] = {kSecClass, kSecMatchItemList, kSecReturnData};
    const void *values[] = {kSecClassInternetPassword, list, kCFBooleanTrue};
    CFDictionaryRef query = CFDictionaryCreate(
        NULL, keys, values, 3, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    CFDictionaryRef which = CFDictionaryCreate(
        NULL, keys, values, 2, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    OSStatus status = errSecSuccess;
    if (password) {
        CFTypeRef data = NULL;
        status = SecItemCopyMatching(query, &data);
        if (!status && !CFEqual(data, password)) return errSecSuccess;
    }
    return status ? status : SecItemDelete(which);
}

static int erase(void) {
    CFMutableDictionaryRef query = credential(kSecReturnRef, kCFBooleanTrue);
    CFDictionarySetValue(query, kSecMatchLimit, kSecMatchLimitAll);
    CFTypeRef found = NULL;
    OSStatus status = SecItemCopyMatching(query, &found);
    if (status) return failed(status);
    for (CFIndex index = 0; !status && index < CFArrayGetCount(found); index++) {
        CFTypeRef object = CFArrayGetValueAtIndex(found, index);
        if (CFGetTypeID(object) != SecKeychainItemGetTypeID()) return failed(errSecInternal);
        status = erase_one(object);
    }
    CFRelease(found);
    return failed(status);
}

int main(int count, char **words) {
    if (count != 2) return 2;
    read_credential();
    if (!strcmp(words[1], "get")) return get();
    if (!strcmp(words[1], "store")) return store();
    if (!strcmp(words[1], "erase")) return erase();
    return 2;
}
