// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Repeats calls, for valgrind: leaks ROUNDS. Each round makes 20 calls of the interface, and every
// fifth round 16 more, with objects that are stored.

#include "check.h"

static void items(int round) {
    CFStringRef account = CFStringCreateWithFormat(NULL, NULL, CFSTR("account %d"), round);
    CFDataRef secret = data_of("a secret");
    CFMutableDictionaryRef item = entries(
        kSecClass, kSecClassInternetPassword, kSecAttrAccount, account, kSecValueData, secret,
        kSecReturnAttributes, kCFBooleanTrue, NULL);
    CFTypeRef result = NULL;
    CHECK_NUMBER(SecItemAdd(item, &result), errSecSuccess);
    CFRelease(result);
    CHECK_NUMBER(SecItemAdd(item, &result), errSecDuplicateItem);
    CFMutableDictionaryRef query = entries(
        kSecClass, kSecClassInternetPassword, kSecReturnData, kCFBooleanTrue, kSecReturnAttributes,
        kCFBooleanTrue, kSecReturnPersistentRef, kCFBooleanTrue, NULL);
    CHECK_NUMBER(SecItemCopyMatching(query, &result), errSecSuccess);
    CFRelease(result);
    CFDictionarySetValue(query, kSecMatchLimit, kSecMatchLimitAll);
    CHECK_NUMBER(SecItemCopyMatching(query, &result), errSecSuccess);
    CFRelease(result);
    CFDictionaryRef which = entries(kSecClass, kSecClassInternetPassword, NULL);
    CFDictionaryRef changes = entries(kSecAttrLabel, CFSTR("label"), NULL);
    CHECK_NUMBER(SecItemUpdate(which, changes), errSecSuccess);
    CHECK_NUMBER(SecItemDelete(which), errSecSuccess);
    CHECK_NUMBER(SecItemDelete(which), errSecItemNotFound);
    CFTypeRef objects[] = {changes, which, query, item, secret, account};
    for (size_t index = 0; index < sizeof objects / sizeof *objects; index++) {
        CFRelease(objects[index]);
    }
}

static void keys_and_certificates(void) {
    SecCertificateRef certificate = sample_certificate();
    SecKeyRef key = sample_key(), public_key = SecCertificateCopyKey(certificate);
    CFDataRef message = data_of("message"), wrong = data_of("wrong");
    SecKeyAlgorithm algorithm = kSecKeyAlgorithmECDSASignatureMessageX962SHA256;
    CFErrorRef error = NULL;
    CFDataRef signature = SecKeyCreateSignature(key, algorithm, message, &error);
    CHECK(SecKeyVerifySignature(public_key, algorithm, message, signature, &error) && !error);
    CHECK(!SecKeyVerifySignature(public_key, algorithm, message, wrong, &error));
    CFRelease(error);
    SecIdentityRef identity = SecIdentityCreate(NULL, certificate, key);
    CFDictionaryRef attributes = SecKeyCopyAttributes(key);
    CFDataRef bytes = SecKeyCopyExternalRepresentation(key, NULL);
    CFStringRef summary = SecCertificateCopySubjectSummary(certificate);
    SecAccessControlRef control =
        SecAccessControlCreateWithFlags(NULL, kSecAttrAccessibleWhenUnlocked, 0, NULL);
    SecPolicyRef policy = SecPolicyCreateBasicX509();
    SecTrustRef trust = NULL;
    CHECK_NUMBER(SecTrustCreateWithCertificates(certificate, policy, &trust), errSecSuccess);
    CFTypeRef objects[] = {trust, policy, control, summary, bytes, attributes, identity,
                           signature, wrong, message, public_key, key, certificate};
    for (size_t index = 0; index < sizeof objects / sizeof *objects; index++) {
        CFRelease(objects[index]);
    }
}

/// Stores, finds and deletes by objects: a certificate, a key, and both as an identity.
static void references(void) {
    SecCertificateRef certificate = sample_certificate();
    SecKeyRef key = sample_key();
    SecIdentityRef identity = SecIdentityCreate(NULL, certificate, key);
    CFTypeRef stored[] = {certificate, key, identity};
    CFTypeRef result = NULL;
    for (size_t index = 0; index < sizeof stored / sizeof *stored; index++) {
        CFMutableDictionaryRef item = entries(
            kSecValueRef, stored[index], kSecReturnPersistentRef, kCFBooleanTrue, NULL);
        if (stored[index] != identity) CFDictionarySetValue(item, kSecReturnRef, kCFBooleanTrue);
        CHECK_NUMBER(SecItemAdd(item, &result), errSecSuccess);
        CFRelease(result);
        CHECK_NUMBER(SecItemAdd(item, &result), errSecDuplicateItem);
        CHECK_NUMBER(SecItemCopyMatching(item, &result), errSecSuccess);
        CFRelease(result);
        if (stored[index] == identity) {
            CFDictionaryRef query = entries(
                kSecClass, kSecClassIdentity, kSecReturnRef, kCFBooleanTrue, NULL);
            CHECK_NUMBER(SecItemCopyMatching(query, &result), errSecSuccess);
            CHECK(CFEqual(result, identity));
            CFRelease(result);
            CFRelease(query);
        }
        CFDictionaryRef which = entries(kSecValueRef, stored[index], NULL);
        CHECK_NUMBER(SecItemDelete(which), errSecSuccess);
        CFRelease(which);
        CFRelease(item);
    }
    CFRelease(identity);
    CFRelease(key);
    CFRelease(certificate);
}

int main(int count, char **arguments) {
    int rounds = count > 1 ? atoi(arguments[1]) : 1;
    for (int round = 0; round < rounds; round++) {
        items(round);
        keys_and_certificates();
        if (round % 5 == 0) references();
    }
    // The control: an object that is leaked. Its address is stored nowhere.
    if (count > 2) CHECK(sample_certificate());
    return finish();
}
