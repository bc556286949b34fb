// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// What the C interface does with Core Foundation. Objects are `const void *` here: the headers of
// Core Foundation lie in the toolchain, where the compiler of a package's C files doesn't look.

#ifndef CSECURITYOBJECTS_H
#define CSECURITYOBJECTS_H

#include <stdbool.h>
#include <stdint.h>

/// What an object is: a box of one of our kinds, one of Core Foundation's types, or something else.
enum llavero_kind {
    LLAVERO_KEY,
    LLAVERO_CERTIFICATE,
    LLAVERO_IDENTITY,
    LLAVERO_ACCESS_CONTROL,
    LLAVERO_POLICY,
    LLAVERO_TRUST,
    LLAVERO_TASK,
    LLAVERO_KEYCHAIN_ITEM,
    /// How many kinds of boxes there are.
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

/// What an object is.
int32_t llavero_kind_of(const void *object);
/// The type identifier of one of our kinds.
unsigned long llavero_type_id(int32_t kind);

/// Puts a Swift object, whose ownership it takes, into a new Core Foundation object.
const void *llavero_box(int32_t kind, const void *object);
/// The Swift object in a box.
const void *llavero_boxed(const void *box);

/// Gives an object to a box, for as long as that lives: what a function with Get in its name returns
/// belongs to the object that it was got of. NULL for NULL; an equal object that it has already, else
/// the one that is given.
const void *llavero_keep(const void *box, const void *object);

/// How many elements an array has.
long llavero_array_count(const void *array);
/// An array's elements, unowned.
void llavero_array_elements(const void *array, long count, const void **elements);
/// How many entries a dictionary has.
long llavero_dictionary_count(const void *dictionary);
/// A dictionary's keys and values, unowned.
void llavero_dictionary_entries(const void *dictionary, const void **keys, const void **values);

/// Whether what is at these addresses are objects: each begins with the address of a class that comes
/// from Foundation's `NSObject`. A collection made with callbacks of its own may hold anything, and
/// its maker says nothing of it.
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
/// Gives up an object.
void llavero_release(const void *object);

#endif
