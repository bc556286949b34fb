// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// How the C interface uses Core Foundation. Objects are `const void *` here: Core Foundation's
// headers are in the toolchain, in a folder that the compiler doesn't search for a package's C
// files.

#ifndef CSECURITYOBJECTS_H
#define CSECURITYOBJECTS_H

#include <stdbool.h>
#include <stdint.h>

/// The kind of an object: a box of one of our kinds, one of Core Foundation's types, or something
/// else.
enum llavero_kind {
    LLAVERO_KEY,
    LLAVERO_CERTIFICATE,
    LLAVERO_IDENTITY,
    LLAVERO_ACCESS_CONTROL,
    LLAVERO_POLICY,
    LLAVERO_TRUST,
    LLAVERO_TASK,
    LLAVERO_KEYCHAIN_ITEM,
    LLAVERO_KEYCHAIN,
    /// The number of box kinds.
    LLAVERO_BOX_KINDS,
    LLAVERO_STRING = 16,
    LLAVERO_DATA,
    LLAVERO_DATE,
    LLAVERO_NUMBER,
    LLAVERO_BOOLEAN,
    LLAVERO_ARRAY,
    LLAVERO_DICTIONARY,
    LLAVERO_NULL,
    LLAVERO_OTHER,
};

/// The kind of an object.
int32_t llavero_kind_of(const void *object);
/// The type identifier of one of our kinds.
unsigned long llavero_type_id(int32_t kind);

/// Puts a Swift object into a new Core Foundation object, which takes ownership of it.
const void *llavero_box(int32_t kind, const void *object);
/// The Swift object in a box.
const void *llavero_boxed(const void *box);

/// Makes a box own an object until the box is released: an object that a function with Get in its
/// name returns belongs to the object that it came from. Returns NULL for NULL; an equal object
/// that the box already owns, if any; otherwise the given object.
const void *llavero_keep(const void *box, const void *object);

/// How many elements an array has.
long llavero_array_count(const void *array);
/// An array's elements, unowned.
void llavero_array_elements(const void *array, long count, const void **elements);
/// How many entries a dictionary has.
long llavero_dictionary_count(const void *dictionary);
/// A dictionary's keys and values, unowned.
void llavero_dictionary_entries(const void *dictionary, const void **keys, const void **values);

/// Whether each of these addresses is an object: it must begin with the address of a class that
/// inherits from Foundation's `NSObject`. A collection with custom callbacks may hold anything, and
/// Core Foundation can't tell.
bool llavero_are_objects(const void *const *pointers, long count);

// New objects, which the caller owns.

/// Text of UTF-8 bytes; NULL for other bytes.
const void *llavero_make_string(const uint8_t *bytes, long count);
/// A copy of bytes.
const void *llavero_make_data(const uint8_t *bytes, long count);
/// A point in time, in seconds since 2001-01-01 00:00:00 UTC.
const void *llavero_make_date(double seconds);
/// An integer.
const void *llavero_make_integer(int64_t value);
/// A number with a fraction.
const void *llavero_make_real(double value);
/// True or false.
const void *llavero_make_boolean(bool value);
/// The null object.
const void *llavero_make_null(void);
/// An array of objects.
const void *llavero_make_array(const void **elements, long count);
/// A dictionary of objects.
const void *llavero_make_dictionary(const void **keys, const void **values, long count);
/// An error.
const void *llavero_make_error(const void *domain, long code, const void *details);
/// Releases an object.
void llavero_release(const void *object);

#endif
