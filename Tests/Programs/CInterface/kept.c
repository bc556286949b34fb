// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// The Get rule: what such a function returns belongs to the object that it was got of. The only one
// that returns an object is SecTrustGetCertificateAtIndex, and a trust has no chain as yet: so this
// program has the part of the library in it that keeps objects, and asks that itself.

#include "check.h"

#include <CSecurityObjects.h>

// What is in a box is compared by the part in Swift, which isn't here.
bool llavero_objects_equal(const void *left, const void *right) { return left == right; }
unsigned long llavero_object_hash(const void *object) { return (unsigned long)(uintptr_t)object; }

int main(void) {
    CFDataRef content = data_of("content"), one = data_of("one"), two = data_of("two");
    const void *box = llavero_box(LLAVERO_TRUST, CFRetain(content));
    const void *other_box = llavero_box(LLAVERO_TRUST, CFRetain(content));
    CHECK_NUMBER(swift_retainCount(content), 3);
    CHECK(!llavero_keep(box, NULL));
    // Ownership goes to the box.
    CFDataRef first = llavero_keep(box, CFRetain(one));
    CHECK(first == one);
    CHECK_NUMBER(swift_retainCount(one), 2);
    // However often it is asked: a new object that is equal is given up for the one that is there.
    CHECK(llavero_keep(box, data_of("one")) == first);
    CHECK(llavero_keep(box, CFRetain(one)) == first);
    CHECK_NUMBER(swift_retainCount(one), 2);
    CHECK(llavero_keep(box, CFRetain(two)) == two);
    CHECK(llavero_keep(box, data_of("one")) == first);
    CHECK(llavero_keep(other_box, data_of("one")) != first);
    // For as long as the box lives, and no longer.
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
