// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// The keychain from C. The program stores, finds, changes and deletes a password; finds a key by
// its persistent reference; and looks up a certificate by reference, if a file of DER bytes is
// given.
//
//     clang -fblocks $(pkg-config --cflags --libs llavero-security) keychain.c -o keychain
//     securityd --ephemeral -- ./keychain [CERTIFICATE]

#include <Security/Security.h>
#include <stdio.h>
#include <stdlib.h>

/// Ends the program when a call returns an unexpected result.
static void expect(const char *what, OSStatus status, OSStatus expected) {
    printf("%s: %d\n", what, (int)status);
    if (status == expected) return;
    CFStringRef text = SecCopyErrorMessageString(status, NULL);
    if (text) CFShow(text);
    exit(1);
}

static CFMutableDictionaryRef new_dictionary(CFStringRef class) {
    CFMutableDictionaryRef dictionary = CFDictionaryCreateMutable(
        NULL, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    if (class) CFDictionarySetValue(dictionary, kSecClass, class);
    return dictionary;
}

static void passwords(void) {
    CFMutableDictionaryRef query = new_dictionary(kSecClassInternetPassword);
    CFDictionarySetValue(query, kSecAttrServer, CFSTR("example.com"));
    CFDictionarySetValue(query, kSecAttrAccount, CFSTR("anna"));
    CFDictionarySetValue(query, kSecAttrProtocol, kSecAttrProtocolHTTPS);

    CFMutableDictionaryRef item = CFDictionaryCreateMutableCopy(NULL, 0, query);
    CFDataRef secret = CFDataCreate(NULL, (const UInt8 *)"open sesame", 11);
    CFDictionarySetValue(item, kSecValueData, secret);
    expect("a password is stored", SecItemAdd(item, NULL), errSecSuccess);
    expect("once", SecItemAdd(item, NULL), errSecDuplicateItem);

    CFDataRef other = CFDataCreate(NULL, (const UInt8 *)"open wheat", 10);
    CFMutableDictionaryRef changes = new_dictionary(NULL);
    CFDictionarySetValue(changes, kSecValueData, other);
    expect("it is changed", SecItemUpdate(query, changes), errSecSuccess);

    CFMutableDictionaryRef search = CFDictionaryCreateMutableCopy(NULL, 0, query);
    CFDictionarySetValue(search, kSecReturnData, kCFBooleanTrue);
    CFTypeRef found = NULL;
    expect("it is found", SecItemCopyMatching(search, &found), errSecSuccess);
    printf("%.*s\n", (int)CFDataGetLength(found), (const char *)CFDataGetBytePtr(found));
    if (!CFEqual(found, other)) exit(1);
    CFRelease(found);

    expect("it is deleted", SecItemDelete(query), errSecSuccess);
    expect("and gone", SecItemCopyMatching(search, &found), errSecItemNotFound);
    CFRelease(search);
    CFRelease(changes);
    CFRelease(other);
    CFRelease(secret);
    CFRelease(item);
    CFRelease(query);
}

static void keys(void) {
    int bits = 256;
    CFNumberRef size = CFNumberCreate(NULL, kCFNumberIntType, &bits);
    CFMutableDictionaryRef parameters = new_dictionary(NULL);
    CFDictionarySetValue(parameters, kSecAttrKeyType, kSecAttrKeyTypeECSECPrimeRandom);
    CFDictionarySetValue(parameters, kSecAttrKeySizeInBits, size);
    CFErrorRef error = NULL;
    SecKeyRef key = SecKeyCreateRandomKey(parameters, &error);
    if (!key) {
        CFShow(error);
        exit(1);
    }
    CFMutableDictionaryRef item = new_dictionary(kSecClassKey);
    CFDictionarySetValue(item, kSecValueRef, key);
    CFDictionarySetValue(item, kSecReturnPersistentRef, kCFBooleanTrue);
    CFTypeRef reference = NULL;
    expect("a key is stored", SecItemAdd(item, &reference), errSecSuccess);

    CFMutableDictionaryRef query = new_dictionary(NULL);
    CFDictionarySetValue(query, kSecValuePersistentRef, reference);
    CFDictionarySetValue(query, kSecReturnRef, kCFBooleanTrue);
    CFTypeRef found = NULL;
    expect("it is found by its reference", SecItemCopyMatching(query, &found), errSecSuccess);
    if (CFGetTypeID(found) != SecKeyGetTypeID() || !CFEqual(found, key)) exit(1);
    CFRelease(found);

    CFMutableDictionaryRef which = new_dictionary(NULL);
    CFDictionarySetValue(which, kSecValuePersistentRef, reference);
    expect("and deleted", SecItemDelete(which), errSecSuccess);
    CFRelease(which);
    CFRelease(query);
    CFRelease(reference);
    CFRelease(item);
    CFRelease(key);
    CFRelease(parameters);
    CFRelease(size);
}

static void certificates(const char *path) {
    UInt8 bytes[1 << 16];
    FILE *file = fopen(path, "rb");
    if (!file) exit(1);
    CFIndex count = (CFIndex)fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    CFDataRef der = CFDataCreate(NULL, bytes, count);
    SecCertificateRef certificate = SecCertificateCreateWithData(NULL, der);
    if (!certificate) exit(1);
    CFMutableDictionaryRef item = new_dictionary(NULL);
    CFDictionarySetValue(item, kSecValueRef, certificate);
    expect("a certificate is stored", SecItemAdd(item, NULL), errSecSuccess);

    CFDictionarySetValue(item, kSecReturnAttributes, kCFBooleanTrue);
    CFTypeRef found = NULL;
    expect("it is found by the object", SecItemCopyMatching(item, &found), errSecSuccess);
    CFShow(CFDictionaryGetValue(found, kSecAttrLabel));
    CFRelease(found);

    CFDictionaryRemoveValue(item, kSecReturnAttributes);
    expect("and deleted", SecItemDelete(item), errSecSuccess);
    CFRelease(item);
    CFRelease(certificate);
    CFRelease(der);
}

int main(int count, char **arguments) {
    passwords();
    keys();
    if (count > 1) certificates(arguments[1]);
    return 0;
}
