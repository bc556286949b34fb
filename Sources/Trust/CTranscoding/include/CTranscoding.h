// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// libcrypto's part of reading and writing the formats of other programs. Only `transcoder` calls it,
// in a process that does this once and ends.

#ifndef LLAVERO_TRANSCODING_H
#define LLAVERO_TRANSCODING_H

#include <stddef.h>
#include <stdint.h>

/// How a call ended.
enum {
    LLAVERO_CODING_DONE = 0,
    /// It is encrypted, and there is no passphrase.
    LLAVERO_CODING_PASSPHRASE_NEEDED = 1,
    /// The passphrase is another one, or the encrypted data is damaged.
    LLAVERO_CODING_PASSPHRASE_WRONG = 2,
    /// It isn't data of any known format.
    LLAVERO_CODING_UNKNOWN = 3,
    /// A known format with an algorithm or a kind of key that isn't supported.
    LLAVERO_CODING_UNSUPPORTED = 4,
    /// Opening it takes more work than is allowed.
    LLAVERO_CODING_TOO_MUCH = 5,
    /// libcrypto failed.
    LLAVERO_CODING_FAILED = 6,
};

/// Kinds of objects.
enum {
    LLAVERO_OBJECT_CERTIFICATE = 1,
    LLAVERO_OBJECT_PRIVATE_KEY = 2,
    LLAVERO_OBJECT_PUBLIC_KEY = 3,
    LLAVERO_OBJECT_SYMMETRIC_KEY = 4,
};

/// Types of keys.
enum {
    LLAVERO_KEY_NONE = 0,
    LLAVERO_KEY_RSA = 1,
    LLAVERO_KEY_CURVE = 2,
    LLAVERO_KEY_ED25519 = 3,
    LLAVERO_KEY_X25519 = 4,
};

/// Formats. Source of the numbers: Apple's `SecExternalFormat`.
enum {
    LLAVERO_FORMAT_UNKNOWN = 0,
    LLAVERO_FORMAT_OPENSSL = 1,
    LLAVERO_FORMAT_SSH = 2,
    LLAVERO_FORMAT_RAW = 4,
    LLAVERO_FORMAT_WRAPPED_PKCS8 = 5,
    LLAVERO_FORMAT_WRAPPED_OPENSSL = 6,
    LLAVERO_FORMAT_X509 = 9,
    LLAVERO_FORMAT_PEM_SEQUENCE = 10,
    LLAVERO_FORMAT_PKCS7 = 11,
    LLAVERO_FORMAT_PKCS12 = 12,
    LLAVERO_FORMAT_NETSCAPE = 13,
    LLAVERO_FORMAT_SSH2 = 14,
};

/// An object: a certificate as DER; a key in the form of `SecKeyCopyExternalRepresentation`.
typedef struct {
    int kind;
    int key_type;
    uint8_t *bytes;
    size_t byte_count;
    /// The public half of a private key that was read.
    uint8_t *public_bytes;
    size_t public_count;
    /// UTF-8; may be NULL.
    uint8_t *label;
    size_t label_count;
    /// May be NULL.
    uint8_t *key_id;
    size_t key_id_count;
} llavero_object;

/// What was read.
typedef struct {
    llavero_object *objects;
    size_t count;
    /// The format that it had.
    int format;
    /// Whether it was text.
    int is_text;
} llavero_objects;

/// A passphrase. `bytes` is NULL where there is none; else UTF-8 and a zero byte after it.
typedef struct {
    const char *bytes;
    size_t count;
} llavero_passphrase;

/// Prepares libcrypto, with its module for old algorithms. No configuration file counts.
/// Returns 0 when it can't be used.
int llavero_transcoding_start(void);

/// Reads DER, or BER. `format` is the expected one, or 0. `rounds` is how many rounds of key
/// derivation are allowed; what was used is subtracted. Objects are added to `result`.
int llavero_read_der(
    const uint8_t *bytes, size_t count, int format, llavero_passphrase passphrase,
    uint64_t *rounds, llavero_objects *result);

/// Reads all blocks of a PEM text.
int llavero_read_pem(
    const uint8_t *bytes, size_t count, llavero_passphrase passphrase, uint64_t *rounds,
    llavero_objects *result);

/// Adds an RSA key of big-endian numbers; a public one has no `d`, `p` and `q`.
int llavero_add_rsa_key(
    const uint8_t *n, size_t n_count, const uint8_t *e, size_t e_count, const uint8_t *d,
    size_t d_count, const uint8_t *p, size_t p_count, const uint8_t *q, size_t q_count,
    llavero_objects *result);

/// Frees what was read, after wiping it.
void llavero_objects_free(llavero_objects *objects);

/// Writes objects. `rounds` is the count of each key derivation. The caller frees the result.
int llavero_write(
    const llavero_object *objects, size_t count, int format, int is_text,
    llavero_passphrase passphrase, int rounds, uint8_t **bytes, size_t *byte_count);

/// Wipes and frees what `llavero_write` returned.
void llavero_bytes_free(uint8_t *bytes, size_t count);

#endif
