// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// libcrypto's part of judging a chain: it gets one complete path at a time and says everything that
// is wrong with it. Only this target calls libcrypto.

#ifndef LLAVERO_PATH_CHECKS_H
#define LLAVERO_PATH_CHECKS_H

#include <stddef.h>
#include <stdint.h>

typedef struct llavero_certificate llavero_certificate;
typedef struct llavero_revocation_list llavero_revocation_list;

/// What libcrypto found.
enum {
    /// The signature of a certificate isn't its issuer's, or can't be checked.
    LLAVERO_PATH_SIGNATURE = 1,
    LLAVERO_PATH_AUTHORITY = 2,
    LLAVERO_PATH_KEY_USAGE = 3,
    LLAVERO_PATH_LENGTH = 4,
    LLAVERO_PATH_NAME = 5,
    LLAVERO_PATH_POLICY = 6,
    LLAVERO_PATH_CRITICAL = 7,
    LLAVERO_PATH_EXTENSION = 8,
    LLAVERO_PATH_IDENTIFIER = 9,
    LLAVERO_PATH_SUBJECT = 10,
    LLAVERO_PATH_COMPLIANCE = 11,
    LLAVERO_PATH_REVOKED = 12,
    /// There is no list for a certificate, or none that counts.
    LLAVERO_PATH_NO_LIST = 13,
    /// It isn't one path from the first certificate to the last.
    LLAVERO_PATH_BROKEN = 14,
    /// Basic constraints of an authority aren't critical.
    LLAVERO_PATH_CONSTRAINTS_FORM = 15,
    /// A key identifier is critical, or an authority has none.
    LLAVERO_PATH_IDENTIFIER_FORM = 16,
};

struct llavero_path_fault {
    int32_t kind;
    /// The index of the certificate; 0 is the leaf.
    int32_t index;
};

enum {
    /// Each certificate below the anchor must be in no revocation list, and have one.
    LLAVERO_CHECK_LISTS = 1,
};

/// Prepares libcrypto: no configuration file, no engines, nothing that is left for the first call.
/// Returns 0 if it can't be used.
int llavero_crypto_start(void);

/// Reads a certificate of exactly these bytes; NULL if libcrypto can't.
llavero_certificate *llavero_certificate_read(const uint8_t *der, size_t count);
void llavero_certificate_free(llavero_certificate *certificate);

/// The SHA-1 digest by which trust settings name a certificate; `digest` has 20 bytes.
void llavero_sha1(const uint8_t *bytes, size_t count, uint8_t *digest);

/// A number of a name that is the same for names that compare equal.
uint32_t llavero_subject_number(const llavero_certificate *certificate);
uint32_t llavero_issuer_number(const llavero_certificate *certificate);
/// Whether the subject of the first is the issuer of the second, as names compare.
int llavero_is_named_issuer(
    const llavero_certificate *issuer, const llavero_certificate *certificate);
/// Whether two certificates have the same subject and the same key.
int llavero_is_same_entity(
    const llavero_certificate *left, const llavero_certificate *right);
/// Whether the key of the first made the signature of the second.
int llavero_has_signed(llavero_certificate *issuer, llavero_certificate *certificate);
/// Whether the key can be used for checking signatures.
int llavero_has_usable_key(llavero_certificate *certificate);

/// Reads a revocation list of exactly these bytes, DER; NULL if libcrypto can't.
llavero_revocation_list *llavero_revocation_list_read(const uint8_t *der, size_t count);
void llavero_revocation_list_free(llavero_revocation_list *list);
uint32_t llavero_list_issuer_number(const llavero_revocation_list *list);
/// When the next list will come, in seconds since 1970; 0 if the list doesn't say.
int64_t llavero_list_next_update(const llavero_revocation_list *list);

/// Checks one complete path, the leaf first and the anchor last.
/// `signers` may have signed a revocation list; they are no part of the path.
/// A list that begins at most `skew` seconds after `time` has begun.
/// Returns the number of faults, or -1 if the check couldn't be made, or has more than `capacity`.
int llavero_check_path(
    llavero_certificate *const *path, size_t count, llavero_certificate *const *signers,
    size_t signer_count, llavero_revocation_list *const *lists, size_t list_count, int64_t time,
    int64_t skew, unsigned flags, struct llavero_path_fault *faults, size_t capacity);

enum {
    LLAVERO_RESPONSE_NONE = 0,
    LLAVERO_RESPONSE_GOOD = 1,
    LLAVERO_RESPONSE_REVOKED = 2,
};

/// What an OCSP response says about a certificate: LLAVERO_RESPONSE_NONE unless it is about
/// this certificate, signed by its issuer or by whom the issuer has authorized, and current.
/// A response that has another nonce is none; with `nonce_count` 0 no nonce is looked at.
/// It may begin up to `skew` seconds later than `time`: clocks differ.
/// `until` receives when it ends, in seconds since 1970.
int llavero_check_response(
    const uint8_t *response, size_t count, llavero_certificate *certificate,
    llavero_certificate *issuer, int64_t time, int64_t skew, const uint8_t *nonce,
    size_t nonce_count, int64_t *until);

/// Where a certificate says that something is.
enum {
    LLAVERO_PLACE_RESPONSE = 1,
    LLAVERO_PLACE_LIST = 2,
    LLAVERO_PLACE_ISSUERS = 3,
};

/// The index-th address of a kind that begins with `http:`, without an end. Returns its byte count, or
/// 0 if there is none or it is longer than `capacity`.
size_t llavero_place(
    llavero_certificate *certificate, int kind, size_t index, char *text, size_t capacity);

/// Makes an OCSP request with a nonce. Returns its byte count, or 0 if it can't be made.
size_t llavero_make_request(
    llavero_certificate *certificate, llavero_certificate *issuer, const uint8_t *nonce,
    size_t nonce_count, uint8_t *request, size_t capacity);

/// The index-th certificate of a PKCS #7 bag. Returns its byte count, or 0 if there is none.
size_t llavero_bag_certificate(
    const uint8_t *bag, size_t count, size_t index, uint8_t *der, size_t capacity);

#endif
