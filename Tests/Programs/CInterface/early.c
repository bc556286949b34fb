// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Constants exist before main, in constructors too, and equal the texts that a program writes
// itself, with any compiler's CFSTR.

#include "check.h"

#include <dlfcn.h>

static CFStringRef class_before_main;
static CFTypeID type_before_main;

__attribute__((constructor(101))) static void before_main(void) {
    class_before_main = kSecClass;
    type_before_main = SecKeyGetTypeID();
    CHECK(kSecClass && CFEqual(kSecClass, CFSTR("class")));
    CHECK(kSecKeyAlgorithmRSAEncryptionPKCS1);
    SecCertificateRef certificate = sample_certificate();
    CHECK(is_type(certificate, SecCertificateGetTypeID()));
    CFRelease(certificate);
}

int main(int count, char **names) {
    CHECK(class_before_main && class_before_main == kSecClass);
    CHECK_NUMBER(type_before_main, SecKeyGetTypeID());
    CHECK(CFEqual(kSecClassGenericPassword, CFSTR("genp")));
    CHECK(CFEqual(CFSTR("genp"), kSecClassGenericPassword));
    CHECK_NUMBER(CFHash(kSecClassGenericPassword), CFHash(CFSTR("genp")));
    CHECK(!kSecRandomDefault);
    // The library and the program use the same object, even if the program has copies.
    CFStringRef *place = dlsym(RTLD_DEFAULT, "kSecClass");
    CHECK(place && *place == kSecClass);
    // Every constant of the interface is a text; the caller knows their names.
    for (int index = 1; index < count; index++) {
        CFTypeRef *constant = dlsym(RTLD_DEFAULT, names[index]);
        CHECK(constant && is_type(*constant, CFStringGetTypeID()));
        if (!constant || !*constant) fprintf(stderr, "(%s)\n", names[index]);
    }
    // Retain and release: a constant outlives both.
    CFRetain(kSecClass);
    CFRelease(kSecClass);
    CHECK(CFEqual(kSecClass, CFSTR("class")));
    return finish();
}
