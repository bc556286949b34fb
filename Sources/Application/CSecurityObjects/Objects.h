// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// The functions of Core Foundation that are called here, as the toolchain's headers declare them:
// libFoundation exports all of them. `CFRuntime.h` documents how to add classes.

#ifndef LLAVERO_OBJECTS_H
#define LLAVERO_OBJECTS_H

#include "CSecurityObjects.h"

#include <stddef.h>

/// A constant: where its object is stored, and the text of the object.
struct llavero_constant {
    const void **place;
    const char *text;
};

extern const struct llavero_constant llavero_constants[];
extern const unsigned long llavero_constant_count;

/// `CFRange`.
struct llavero_range {
    long location;
    long length;
};

typedef struct {
    uintptr_t isa;
    uintptr_t retain_count;
    uint64_t information;
} CFRuntimeBase;

typedef struct {
    long version;
    const char *class_name;
    void (*initialize)(const void *object);
    const void *(*copy)(const void *allocator, const void *object);
    void (*finalize)(const void *object);
    unsigned char (*equal)(const void *left, const void *right);
    unsigned long (*hash)(const void *object);
    const void *(*describe)(const void *object, const void *options);
    const void *(*describe_for_debugging)(const void *object);
    void (*reclaim)(const void *object);
    uint32_t (*count)(intptr_t operation, const void *object);
    uintptr_t alignment;
} CFRuntimeClass;

unsigned long _CFRuntimeRegisterClass(const CFRuntimeClass *class);
const void *_CFRuntimeCreateInstance(
    const void *allocator, unsigned long type, long more_bytes, unsigned char *category);

extern const char kCFTypeArrayCallBacks[], kCFTypeDictionaryKeyCallBacks[];
extern const char kCFTypeDictionaryValueCallBacks[];
extern const void *kCFBooleanTrue, *kCFBooleanFalse, *kCFNull;

unsigned long CFGetTypeID(const void *object);
const void *CFRetain(const void *object);
void CFRelease(const void *object);

unsigned long CFStringGetTypeID(void), CFDataGetTypeID(void), CFDateGetTypeID(void);
unsigned long CFNumberGetTypeID(void), CFBooleanGetTypeID(void), CFArrayGetTypeID(void);
unsigned long CFDictionaryGetTypeID(void), CFNullGetTypeID(void);

const void *CFStringCreateWithBytes(
    const void *allocator, const uint8_t *bytes, long count, uint32_t encoding,
    unsigned char has_mark);
const void *CFDataCreate(const void *allocator, const uint8_t *bytes, long count);
const void *CFDateCreate(const void *allocator, double seconds);
const void *CFNumberCreate(const void *allocator, long type, const void *value);
const void *CFArrayCreate(
    const void *allocator, const void **elements, long count, const void *callbacks);
const void *CFArrayCreateMutable(const void *allocator, long capacity, const void *callbacks);
void CFArrayAppendValue(const void *array, const void *element);
const void *CFArrayGetValueAtIndex(const void *array, long index);
long CFArrayGetFirstIndexOfValue(
    const void *array, struct llavero_range range, const void *element);
long CFArrayGetCount(const void *array);
void CFArrayGetValues(const void *array, struct llavero_range range, const void **elements);
const void *CFDictionaryCreate(
    const void *allocator, const void **keys, const void **values, long count,
    const void *key_callbacks, const void *value_callbacks);
long CFDictionaryGetCount(const void *dictionary);
void CFDictionaryGetKeysAndValues(const void *dictionary, const void **keys, const void **values);
const void *CFErrorCreate(const void *allocator, const void *domain, long code, const void *details);

/// Source: `CFString.h`.
static const uint32_t kCFStringEncodingUTF8 = 0x08000100;
/// Source: `CFNumber.h`.
enum { kCFNumberSInt64Type = 4, kCFNumberFloat64Type = 6 };

#endif
