// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// The common part of the test programs: checks, and short forms of frequent operations.

#ifndef CHECK_H
#define CHECK_H

#include <Security/Security.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "samples.h"

/// How many owners an object has. Core Foundation's function for that isn't exported on this
/// platform. Swift's runtime counts its objects, and exports a function.
size_t swift_retainCount(const void *object);

static int claims, failures;

#define CHECK(claim)                                                                               \
    do {                                                                                           \
        claims++;                                                                                  \
        if (!(claim)) {                                                                            \
            failures++;                                                                            \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #claim);                    \
        }                                                                                          \
    } while (0)

/// Checks a number; prints the actual one if it differs.
#define CHECK_NUMBER(value, expected)                                                              \
    do {                                                                                           \
        long is_ = (long)(value), shall_ = (long)(expected);                                       \
        claims++;                                                                                  \
        if (is_ != shall_) {                                                                       \
            failures++;                                                                            \
            fprintf(stderr, "%s:%d: %s is %ld, not %ld\n", __FILE__, __LINE__, #value, is_,        \
                    shall_);                                                                       \
        }                                                                                          \
    } while (0)

/// The last line of each program, which its caller expects.
__attribute__((unused)) static int finish(void) {
    printf("%d claims, %d failures\n", claims, failures);
    return failures ? 1 : 0;
}

/// A dictionary of keys and values, ended by NULL.
__attribute__((unused)) static CFMutableDictionaryRef entries(CFTypeRef first, ...) {
    CFMutableDictionaryRef made = CFDictionaryCreateMutable(
        NULL, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    va_list list;
    va_start(list, first);
    for (CFTypeRef key = first; key; key = va_arg(list, CFTypeRef)) {
        CFTypeRef value = va_arg(list, CFTypeRef);
        CFDictionarySetValue(made, key, value);
    }
    va_end(list);
    return made;
}

__attribute__((unused)) static CFDataRef data_of(const char *text) {
    return CFDataCreate(NULL, (const UInt8 *)text, (CFIndex)strlen(text));
}

__attribute__((unused)) static CFNumberRef number_of(int value) {
    return CFNumberCreate(NULL, kCFNumberIntType, &value);
}

__attribute__((unused)) static bool is_type(CFTypeRef object, CFTypeID type) {
    return object && CFGetTypeID(object) == type;
}

__attribute__((unused)) static bool is_data(CFTypeRef object, const void *bytes, size_t count) {
    return is_type(object, CFDataGetTypeID()) && (size_t)CFDataGetLength(object) == count &&
           memcmp(CFDataGetBytePtr(object), bytes, count) == 0;
}

__attribute__((unused)) static bool has(CFTypeRef dictionary, CFStringRef key) {
    return CFDictionaryContainsKey(dictionary, key);
}

__attribute__((unused)) static SecCertificateRef sample_certificate(void) {
    CFDataRef der = CFDataCreate(NULL, anna_certificate, sizeof anna_certificate);
    SecCertificateRef certificate = SecCertificateCreateWithData(NULL, der);
    CFRelease(der);
    return certificate;
}

__attribute__((unused)) static SecKeyRef sample_key(void) {
    CFDataRef bytes = CFDataCreate(NULL, anna_private_key, sizeof anna_private_key);
    CFDictionaryRef attributes = entries(
        kSecAttrKeyType, kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyClass, kSecAttrKeyClassPrivate,
        NULL);
    CFErrorRef error = NULL;
    SecKeyRef key = SecKeyCreateWithData(bytes, attributes, &error);
    CHECK(!error);
    CFRelease(attributes);
    CFRelease(bytes);
    return key;
}

#endif
