// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Boxes: Core Foundation objects that each hold a Swift object. Core Foundation could retain and
// release a Swift object directly, but such an object can't have a type identifier.

#include "Objects.h"

#include <pthread.h>
#include <stdio.h>

struct box {
    CFRuntimeBase base;
    const void *object;
    /// Objects that functions with Get in their names have returned from it: an array, or NULL.
    const void *kept;
};

// The Swift runtime's functions, and ours in Swift.
void swift_release(const void *object);
bool llavero_objects_equal(const void *left, const void *right);
unsigned long llavero_object_hash(const void *object);

static void box_finalize(const void *box) {
    const struct box *finished = box;
    if (finished->kept) CFRelease(finished->kept);
    if (finished->object) swift_release(finished->object);
}

static unsigned char box_equal(const void *left, const void *right) {
    return llavero_objects_equal(llavero_boxed(left), llavero_boxed(right));
}

static unsigned long box_hash(const void *box) {
    return llavero_object_hash(llavero_boxed(box));
}

static const void *box_describe(const void *box);
static const void *box_format(const void *box, const void *options) {
    (void)options;
    return box_describe(box);
}

#define BOX_CLASS(name)                                                                            \
    {.class_name = name,                                                                           \
     .finalize = box_finalize,                                                                     \
     .equal = box_equal,                                                                           \
     .hash = box_hash,                                                                             \
     .describe = box_format,                                                                       \
     .describe_for_debugging = box_describe}

// In the order of `llavero_kind`. Core Foundation remembers the addresses.
static const CFRuntimeClass box_classes[LLAVERO_BOX_KINDS] = {
    BOX_CLASS("SecKey"),    BOX_CLASS("SecCertificate"), BOX_CLASS("SecIdentity"),
    BOX_CLASS("SecAccessControl"), BOX_CLASS("SecPolicy"), BOX_CLASS("SecTrust"),
    BOX_CLASS("SecTask"),   BOX_CLASS("SecKeychainItem"), BOX_CLASS("SecKeychain"),
};

static unsigned long box_types[LLAVERO_BOX_KINDS];

/// Kinds by type identifier, plus one; 0 means any other type. Core Foundation assigns identifiers
/// from small numbers upwards.
static unsigned char kinds[4096];

static void note_kind(unsigned long type, int kind) {
    if (type < sizeof kinds) kinds[type] = (unsigned char)(kind + 1);
}

/// A description never shows the contents: neither an attribute nor a byte of a key.
static const void *box_describe(const void *box) {
    char text[64];
    int32_t kind = llavero_kind_of(box);
    if (kind < 0 || kind >= LLAVERO_BOX_KINDS) return llavero_make_string(NULL, 0);
    int count = snprintf(text, sizeof text, "<%s %p>", box_classes[kind].class_name, box);
    return llavero_make_string((const uint8_t *)text, count);
}

/// Runs before any other use of the library. Adding classes to Core Foundation isn't thread-safe,
/// and constructors of programs may already use the constants.
__attribute__((constructor)) static void prepare(void) {
    for (int kind = 0; kind < LLAVERO_BOX_KINDS; kind++) {
        box_types[kind] = _CFRuntimeRegisterClass(&box_classes[kind]);
        note_kind(box_types[kind], kind);
    }
    note_kind(CFStringGetTypeID(), LLAVERO_STRING);
    note_kind(CFDataGetTypeID(), LLAVERO_DATA);
    note_kind(CFDateGetTypeID(), LLAVERO_DATE);
    note_kind(CFNumberGetTypeID(), LLAVERO_NUMBER);
    note_kind(CFBooleanGetTypeID(), LLAVERO_BOOLEAN);
    note_kind(CFArrayGetTypeID(), LLAVERO_ARRAY);
    note_kind(CFDictionaryGetTypeID(), LLAVERO_DICTIONARY);
    note_kind(CFNullGetTypeID(), LLAVERO_NULL);
    for (unsigned long index = 0; index < llavero_constant_count; index++) {
        const struct llavero_constant *constant = &llavero_constants[index];
        long count = 0;
        while (constant->text[count]) count++;
        *constant->place = llavero_make_string((const uint8_t *)constant->text, count);
    }
}

int32_t llavero_kind_of(const void *object) {
    unsigned long type = CFGetTypeID(object);
    unsigned char kind = type < sizeof kinds ? kinds[type] : 0;
    return kind ? kind - 1 : LLAVERO_OTHER;
}

unsigned long llavero_type_id(int32_t kind) {
    return kind >= 0 && kind < LLAVERO_BOX_KINDS ? box_types[kind] : 0;
}

const void *llavero_box(int32_t kind, const void *object) {
    unsigned long type = llavero_type_id(kind);
    struct box *box = (struct box *)_CFRuntimeCreateInstance(
        NULL, type, sizeof(struct box) - sizeof(CFRuntimeBase), NULL);
    if (!box) {
        swift_release(object);
        return NULL;
    }
    box->object = object;
    box->kept = NULL;
    return box;
}

const void *llavero_keep(const void *holder, const void *object) {
    static pthread_mutex_t keeping = PTHREAD_MUTEX_INITIALIZER;
    struct box *box = (struct box *)holder;
    if (!object) return NULL;
    pthread_mutex_lock(&keeping);
    if (!box->kept) box->kept = CFArrayCreateMutable(NULL, 0, kCFTypeArrayCallBacks);
    struct llavero_range all = {0, CFArrayGetCount(box->kept)};
    long index = CFArrayGetFirstIndexOfValue(box->kept, all, object);
    if (index < 0) {
        index = all.length;
        CFArrayAppendValue(box->kept, object);
    }
    const void *kept = CFArrayGetValueAtIndex(box->kept, index);
    pthread_mutex_unlock(&keeping);
    CFRelease(object);
    return kept;
}

const void *llavero_boxed(const void *box) { return ((const struct box *)box)->object; }
