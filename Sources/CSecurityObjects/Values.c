// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Core Foundation's own objects, made and looked into.

#define _GNU_SOURCE

#include "Objects.h"

#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>

// MARK: - Looking

long llavero_array_count(const void *array) { return CFArrayGetCount(array); }

void llavero_array_elements(const void *array, long count, const void **elements) {
    CFArrayGetValues(array, (struct llavero_range){0, count}, elements);
}

long llavero_dictionary_count(const void *dictionary) { return CFDictionaryGetCount(dictionary); }

void llavero_dictionary_entries(const void *dictionary, const void **keys, const void **values) {
    CFDictionaryGetKeysAndValues(dictionary, keys, values);
}

enum { BATCH = 64 };

/// Reads a word from each address by way of the kernel, which says no where the processor would
/// end the process.
/// - Returns: Whether all could be read, or -1 where the kernel doesn't let a process do that.
static int read_words(const void *const *pointers, long count, uintptr_t *words) {
    struct iovec here = {words, (size_t)count * sizeof *words}, there[BATCH];
    for (long index = 0; index < count; index++) {
        there[index] = (struct iovec){(void *)pointers[index], sizeof *words};
    }
    ssize_t read = process_vm_readv(getpid(), &here, 1, there, (unsigned long)count, 0);
    if (read < 0 && (errno == EPERM || errno == ENOSYS)) return -1;
    return read == (ssize_t)here.iov_len;
}

/// The first word of an object is the address of its class, and the first word of a class is 0 on
/// this platform (Swift's `MetadataKind::Class`).
static bool is_batch_of_objects(const void *const *pointers, long count) {
    uintptr_t classes[BATCH], kinds[BATCH];
    const void *addresses[BATCH];
    for (long index = 0; index < count; index++) {
        if (!pointers[index] || (uintptr_t)pointers[index] % sizeof(void *)) return false;
    }
    int result = read_words(pointers, count, classes);
    if (result <= 0) return result < 0;
    for (long index = 0; index < count; index++) {
        if (!classes[index] || classes[index] % sizeof(void *)) return false;
        addresses[index] = (const void *)classes[index];
    }
    if (read_words(addresses, count, kinds) != 1) return false;
    for (long index = 0; index < count; index++) {
        if (kinds[index]) return false;
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
