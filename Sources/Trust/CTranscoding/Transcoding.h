// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// What the files of this target share.

#ifndef LLAVERO_TRANSCODING_PARTS_H
#define LLAVERO_TRANSCODING_PARTS_H

#include "CTranscoding.h"

#include <openssl/evp.h>
#include <openssl/pkcs12.h>
#include <openssl/x509.h>

/// More objects than any real file has.
enum { LLAVERO_OBJECT_LIMIT = 1000 };

/// Adds an object whose bytes it takes, even when it fails. Returns the object; NULL over the limit.
llavero_object *llavero_add(
    llavero_objects *list, int kind, int key_type, uint8_t *bytes, size_t count);

int llavero_add_certificate(llavero_objects *list, X509 *certificate);

/// Adds a key in our form.
int llavero_add_key(llavero_objects *list, EVP_PKEY *key, int is_private);

/// libcrypto's object of a key in our form; NULL for what isn't one.
EVP_PKEY *llavero_key(const llavero_object *object);

/// Subtracts the rounds of an algorithm for encryption by a passphrase.
int llavero_charge(const X509_ALGOR *algorithm, uint64_t *rounds);

/// Subtracts a number of rounds.
int llavero_charge_rounds(uint64_t count, uint64_t *rounds);

int llavero_read_pkcs12(
    PKCS12 *file, llavero_passphrase passphrase, uint64_t *rounds, llavero_objects *result);

#endif
