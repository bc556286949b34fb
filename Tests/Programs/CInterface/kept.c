// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// The Get rule: the result of such a function belongs to the object that it came from. The only one
// that returns an object is SecTrustGetCertificateAtIndex, and a trust has no chain yet. So this
// program contains the part of the library that keeps objects, and calls that directly.

#include "check.h"

#include <CSecurityObjects.h>

// The Swift part compares the contents of boxes, and isn't linked here.
bool llavero_objects_equal(const void *left, const void *right) { return left == right; }
unsigned long llavero_object_hash(const void *object) { return (unsigned long)(uintptr_t)object; }

int main(void) {
    CFDataRef content = data_of("content"), one = data_of("one"), two = data_of("two");
    const void *box = llavero_box(LLAVERO_TRUST, CFRetain(content));
    const void *other_box = llavero_box(LLAVERO_TRUST, CFRetain(content));
    CHECK_NUMBER(swift_retainCount(content), 3);
    CHECK(!llavero_keep(box, NULL));
    // The box takes ownership.
    CFDataRef first = llavero_keep(box, CFRetain(one));
    CHECK(first == one);
    CHECK_NUMBER(swift_retainCount(one), 2);
    // However often it is called: a new object that is equal is released, and the existing one is
    // returned.
    CHECK(llavero_keep(box, data_of("one")) == first);
    CHECK(llavero_keep(box, CFRetain(one)) == first);
    CHECK_NUMBER(swift_retainCount(one), 2);
    CHECK(llavero_keep(box, CFRetain(two)) == two);
    CHECK(llavero_keep(box, data_of("one")) == first);
    CHECK(llavero_keep(other_box, data_of("one")) != first);
    // As long as the box exists, and no longer.
    CFRelease(box);
    CHECK_NUMBER(swift_retainCount(one), 1);
    CHECK_NUMBER(swift_retainCount(two), 1);
    CHECK_NUMBER(swift_retainCount(content), 2);
    CFRelease(other_box);
    CHECK_NUMBER(swift_retainCount(content), 1);
    CFRelease(content);
    CFRelease(one);
    CFRelease(two);
    return finish();
}
