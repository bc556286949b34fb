// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// The functions that take a queue and a block: each calls its synchronous counterpart on the queue.

#include "Objects.h"

typedef void (^work)(void);

// Declared by libdispatch.
void dispatch_async(void *queue, work block);

// Declared by Core Foundation.
unsigned long CFDictionaryGetTypeID(void);
const void *CFDictionaryCreateCopy(const void *allocator, const void *dictionary);

// Ours, in Swift.
bool SecTrustEvaluateWithError(const void *trust, const void **error);
int32_t SecTrustEvaluate(const void *trust, uint32_t *result);
int32_t SecKeyGeneratePair(const void *parameters, const void **public_key, const void **private_key);
const void *llavero_error(int32_t status);

enum { success = 0, bad_parameter = -50, trust_error = 7 };

static bool is_trust(const void *trust) { return trust && llavero_kind_of(trust) == LLAVERO_TRUST; }

int32_t SecTrustEvaluateAsyncWithError(
    const void *trust, void *queue, void (^result)(const void *, bool, const void *)) {
    if (!is_trust(trust) || !queue || !result) return bad_parameter;
    CFRetain(trust);
    // The queue copies this block, and the caller's block with it.
    dispatch_async(queue, ^{
        const void *error = NULL;
        bool is_trusted = SecTrustEvaluateWithError(trust, &error);
        result(trust, is_trusted, error);
        if (error) CFRelease(error);
        CFRelease(trust);
    });
    return success;
}

int32_t SecTrustEvaluateAsync(
    const void *trust, void *queue, void (^result)(const void *, uint32_t)) {
    if (!is_trust(trust) || !queue || !result) return bad_parameter;
    CFRetain(trust);
    dispatch_async(queue, ^{
        uint32_t outcome = trust_error;
        SecTrustEvaluate(trust, &outcome);
        result(trust, outcome);
        CFRelease(trust);
    });
    return success;
}

void SecKeyGeneratePairAsync(
    const void *parameters, void *queue,
    void (^result)(const void *, const void *, const void *)) {
    if (!queue || !result) return;
    // A copy, so that the queue reads what nobody changes.
    bool is_dictionary = parameters && CFGetTypeID(parameters) == CFDictionaryGetTypeID();
    const void *copy = is_dictionary ? CFDictionaryCreateCopy(NULL, parameters) : NULL;
    dispatch_async(queue, ^{
        const void *public_key = NULL, *private_key = NULL, *error = NULL;
        int32_t status = bad_parameter;
        if (copy) status = SecKeyGeneratePair(copy, &public_key, &private_key);
        if (status != success) error = llavero_error(status);
        result(public_key, private_key, error);
        if (public_key) CFRelease(public_key);
        if (private_key) CFRelease(private_key);
        if (error) CFRelease(error);
        if (copy) CFRelease(copy);
    });
}
