// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Makes and reads Core Foundation's own objects.

#define _GNU_SOURCE

#include "Objects.h"

#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>

// MARK: - Reading

long llavero_array_count(const void *array) { return CFArrayGetCount(array); }

void llavero_array_elements(const void *array, long count, const void **elements) {
    CFArrayGetValues(array, (struct llavero_range){0, count}, elements);
}

long llavero_dictionary_count(const void *dictionary) { return CFDictionaryGetCount(dictionary); }

void llavero_dictionary_entries(const void *dictionary, const void **keys, const void **values) {
    CFDictionaryGetKeysAndValues(dictionary, keys, values);
}

enum { BATCH = 64 };

// The value witnesses that the Swift runtime uses for all classes, and the Foundation class from
// which all Core Foundation objects inherit on this platform.
extern const char native_object_witnesses[] __asm__("$sBoWV");
extern const char foundation_object[] __asm__("$s10Foundation8NSObjectCN");

/// The start of a class's metadata, from the word before its address.
/// Source: Swift's `ABI/Metadata.h`, without interoperation with Objective-C.
struct class_start {
    uintptr_t witnesses;
    /// 0: a class.
    uintptr_t kind;
    uintptr_t superclass;
};

/// Reads from each address through the kernel, which reports an error where a direct read would
/// crash the process.
/// - Returns: Whether all could be read, or -1 if the kernel doesn't let a process do that.
static int read_each(const uintptr_t *addresses, long count, void *target, size_t size) {
    struct iovec here = {target, (size_t)count * size}, there[BATCH];
    for (long index = 0; index < count; index++) {
        there[index] = (struct iovec){(void *)addresses[index], size};
    }
    ssize_t read = process_vm_readv(getpid(), &here, 1, there, (unsigned long)count, 0);
    if (read < 0 && (errno == EPERM || errno == ENOSYS)) return -1;
    return read == (ssize_t)here.iov_len;
}

/// Whether a class is Foundation's `NSObject` or inherits from it. Metadata with a class's
/// witnesses and kind is a class, and so is its superclass, so that is read directly.
static bool is_class_of_objects(struct class_start start) {
    while (start.witnesses == (uintptr_t)native_object_witnesses && start.kind == 0) {
        if (start.superclass == (uintptr_t)foundation_object) return true;
        if (!start.superclass) return false;
        start = *(const struct class_start *)(start.superclass - sizeof(uintptr_t));
    }
    return false;
}

/// The first word of an object is the address of its class.
static bool is_batch_of_objects(const void *const *pointers, long count) {
    uintptr_t addresses[BATCH], classes[BATCH];
    struct class_start starts[BATCH];
    for (long index = 0; index < count; index++) {
        addresses[index] = (uintptr_t)pointers[index];
        if (!addresses[index] || addresses[index] % sizeof(void *)) return false;
    }
    int result = read_each(addresses, count, classes, sizeof *classes);
    if (result <= 0) return result < 0;
    for (long index = 0; index < count; index++) {
        if (classes[index] % sizeof(void *)) return false;
        addresses[index] = classes[index] - sizeof(uintptr_t);
    }
    if (read_each(addresses, count, starts, sizeof *starts) != 1) return false;
    for (long index = 0; index < count; index++) {
        bool is_root = classes[index] == (uintptr_t)foundation_object;
        if (!is_root && !is_class_of_objects(starts[index])) return false;
    }
    return true;
}

bool llavero_are_objects(const void *const *pointers, long count) {
    for (long start = 0; start < count; start += BATCH) {
        long rest = count - start;
        if (!is_batch_of_objects(pointers + start, rest < BATCH ? rest : BATCH)) return false;
    }
    return true;
}

// MARK: - Making

const void *llavero_make_string(const uint8_t *bytes, long count) {
    return CFStringCreateWithBytes(NULL, bytes, count, kCFStringEncodingUTF8, 0);
}

const void *llavero_make_data(const uint8_t *bytes, long count) {
    return CFDataCreate(NULL, bytes, count);
}

const void *llavero_make_date(double seconds) { return CFDateCreate(NULL, seconds); }

const void *llavero_make_integer(int64_t value) {
    return CFNumberCreate(NULL, kCFNumberSInt64Type, &value);
}

const void *llavero_make_real(double value) {
    return CFNumberCreate(NULL, kCFNumberFloat64Type, &value);
}

const void *llavero_make_boolean(bool value) {
    return CFRetain(value ? kCFBooleanTrue : kCFBooleanFalse);
}

const void *llavero_make_null(void) { return CFRetain(kCFNull); }

const void *llavero_make_array(const void **elements, long count) {
    return CFArrayCreate(NULL, elements, count, kCFTypeArrayCallBacks);
}

const void *llavero_make_dictionary(const void **keys, const void **values, long count) {
    return CFDictionaryCreate(
        NULL, keys, values, count, kCFTypeDictionaryKeyCallBacks, kCFTypeDictionaryValueCallBacks);
}

const void *llavero_make_error(const void *domain, long code, const void *details) {
    return CFErrorCreate(NULL, domain, code, details);
}

void llavero_release(const void *object) { CFRelease(object); }
