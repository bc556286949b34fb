// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Many threads at once: each stores, finds and deletes its own items, and all of them retain and
// release the same key and certificate.

#include "check.h"

#include <pthread.h>

enum { THREADS = 8, ROUNDS = 40 };

static SecKeyRef shared_key;
static SecCertificateRef shared_certificate;

struct outcome {
    int number;
    int wrong;
};

#define EXPECT(claim)                                                                              \
    do {                                                                                           \
        if (!(claim)) outcome->wrong++;                                                            \
    } while (0)

static void use_objects(struct outcome *outcome) {
    SecKeyRef public_key = SecKeyCopyPublicKey((SecKeyRef)CFRetain(shared_key));
    CFDataRef message = data_of("message");
    SecKeyAlgorithm algorithm = kSecKeyAlgorithmECDSASignatureMessageX962SHA256;
    CFDataRef signature = SecKeyCreateSignature(shared_key, algorithm, message, NULL);
    EXPECT(signature && SecKeyVerifySignature(public_key, algorithm, message, signature, NULL));
    SecCertificateRef same = sample_certificate();
    EXPECT(CFEqual(same, shared_certificate));
    CFRelease(same);
    if (signature) CFRelease(signature);
    CFRelease(message);
    CFRelease(public_key);
    CFRelease(shared_key);
}

static void use_items(struct outcome *outcome, int round) {
    CFStringRef account =
        CFStringCreateWithFormat(NULL, NULL, CFSTR("%d of %d"), round, outcome->number);
    CFMutableDictionaryRef query =
        entries(kSecClass, kSecClassGenericPassword, kSecAttrAccount, account, NULL);
    CFMutableDictionaryRef item = CFDictionaryCreateMutableCopy(NULL, 0, query);
    CFDataRef secret = CFStringCreateExternalRepresentation(NULL, account, kCFStringEncodingUTF8, 0);
    CFDictionarySetValue(item, kSecValueData, secret);
    EXPECT(SecItemAdd(item, NULL) == errSecSuccess);
    CFDictionarySetValue(query, kSecReturnData, kCFBooleanTrue);
    CFTypeRef found = NULL;
    EXPECT(SecItemCopyMatching(query, &found) == errSecSuccess);
    EXPECT(found && CFEqual(found, secret));
    if (found) CFRelease(found);
    CFDictionaryRemoveValue(query, kSecReturnData);
    EXPECT(SecItemDelete(query) == errSecSuccess);
    EXPECT(SecItemCopyMatching(query, &found) == errSecItemNotFound);
    CFRelease(secret);
    CFRelease(item);
    CFRelease(query);
    CFRelease(account);
}

static void *run(void *argument) {
    struct outcome *outcome = argument;
    for (int round = 0; round < ROUNDS; round++) {
        use_objects(outcome);
        use_items(outcome, round);
    }
    return NULL;
}

int main(void) {
    shared_key = sample_key();
    shared_certificate = sample_certificate();
    pthread_t threads[THREADS];
    struct outcome outcomes[THREADS];
    for (int number = 0; number < THREADS; number++) {
        outcomes[number] = (struct outcome){number, 0};
        CHECK(!pthread_create(&threads[number], NULL, run, &outcomes[number]));
    }
    for (int number = 0; number < THREADS; number++) {
        CHECK(!pthread_join(threads[number], NULL));
        CHECK_NUMBER(outcomes[number].wrong, 0);
    }
    CHECK_NUMBER(swift_retainCount(shared_key), 1);
    CHECK_NUMBER(swift_retainCount(shared_certificate), 1);
    CFRelease(shared_key);
    CFRelease(shared_certificate);
    return finish();
}
