// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

#include "Transcoding.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/param_build.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int llavero_transcoding_start(void) {
    // No configuration file may change which algorithms there are.
    if (OPENSSL_init_crypto(
            OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT
                | OPENSSL_INIT_LOAD_CRYPTO_STRINGS | OPENSSL_INIT_ADD_ALL_CIPHERS
                | OPENSSL_INIT_ADD_ALL_DIGESTS,
            NULL)
        != 1) {
        return 0;
    }
    // The full path: no variable of the environment chooses the module. Without it files with RC2
    // can't be opened.
    const char *folder = OPENSSL_info(OPENSSL_INFO_MODULES_DIR);
    char path[512];
    const char *prefix = "MODULESDIR: \"";
    if (folder != NULL && strncmp(folder, prefix, strlen(prefix)) == 0) folder += strlen(prefix);
    if (folder != NULL) {
        int length = (int)strcspn(folder, "\"");
        if (folder[0] == '/'
            && snprintf(path, sizeof path, "%.*s/legacy.so", length, folder) < (int)sizeof path) {
            OSSL_PROVIDER_load(NULL, path);
        }
    }
    if (OSSL_PROVIDER_load(NULL, "default") == NULL) return 0;
    ERR_clear_error();
    uint8_t byte = 0;
    // Opens what it needs for randomness before no file can be opened any more.
    if (RAND_bytes(&byte, 1) != 1) return 0;
    EVP_MD *digest = EVP_MD_fetch(NULL, "SHA256", NULL);
    int is_ready = digest != NULL;
    EVP_MD_free(digest);
    return is_ready;
}

// MARK: - Lists

llavero_object *llavero_add(
    llavero_objects *list, int kind, int key_type, uint8_t *bytes, size_t count) {
    llavero_object *grown = NULL;
    if (list->count < LLAVERO_OBJECT_LIMIT && bytes != NULL) {
        grown = realloc(list->objects, (list->count + 1) * sizeof *grown);
    }
    if (grown == NULL) {
        llavero_bytes_free(bytes, count);
        return NULL;
    }
    list->objects = grown;
    llavero_object *object = &grown[list->count++];
    memset(object, 0, sizeof *object);
    object->kind = kind;
    object->key_type = key_type;
    object->bytes = bytes;
    object->byte_count = count;
    return object;
}

void llavero_bytes_free(uint8_t *bytes, size_t count) { OPENSSL_clear_free(bytes, count); }

void llavero_objects_free(llavero_objects *list) {
    for (size_t index = 0; index < list->count; index++) {
        llavero_object *object = &list->objects[index];
        llavero_bytes_free(object->bytes, object->byte_count);
        OPENSSL_free(object->public_bytes);
        OPENSSL_free(object->label);
        OPENSSL_free(object->key_id);
    }
    free(list->objects);
    memset(list, 0, sizeof *list);
}

int llavero_add_certificate(llavero_objects *list, X509 *certificate) {
    uint8_t *der = NULL;
    int count = i2d_X509(certificate, &der);
    if (count <= 0) return LLAVERO_CODING_FAILED;
    llavero_object *object =
        llavero_add(list, LLAVERO_OBJECT_CERTIFICATE, LLAVERO_KEY_NONE, der, (size_t)count);
    return object == NULL ? LLAVERO_CODING_TOO_MUCH : LLAVERO_CODING_DONE;
}

// MARK: - Keys in our form

/// The byte count of a coordinate; 0 for a curve that isn't supported.
static size_t field_count(const char *curve) {
    if (strcmp(curve, "prime256v1") == 0) return 32;
    if (strcmp(curve, "secp384r1") == 0) return 48;
    return strcmp(curve, "secp521r1") == 0 ? 66 : 0;
}

static int curve_bytes(EVP_PKEY *key, int is_private, uint8_t **bytes, size_t *count) {
    char curve[64] = "";
    EVP_PKEY_get_utf8_string_param(key, OSSL_PKEY_PARAM_GROUP_NAME, curve, sizeof curve, NULL);
    size_t field = field_count(curve);
    if (field == 0) return LLAVERO_CODING_UNSUPPORTED;
    BIGNUM *x = NULL, *y = NULL, *scalar = NULL;
    *count = 1 + (is_private ? 3 : 2) * field;
    *bytes = OPENSSL_zalloc(*count);
    int is_written = *bytes != NULL && EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_EC_PUB_X, &x) == 1
        && EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_EC_PUB_Y, &y) == 1
        && (!is_private || EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_PRIV_KEY, &scalar) == 1)
        && BN_bn2binpad(x, *bytes + 1, (int)field) > 0
        && BN_bn2binpad(y, *bytes + 1 + field, (int)field) > 0
        && (!is_private || BN_bn2binpad(scalar, *bytes + 1 + 2 * field, (int)field) > 0);
    if (is_written) (*bytes)[0] = 4;
    BN_free(x);
    BN_free(y);
    BN_clear_free(scalar);
    return is_written ? LLAVERO_CODING_DONE : LLAVERO_CODING_UNSUPPORTED;
}

static int raw_bytes(EVP_PKEY *key, int is_private, uint8_t **bytes, size_t *count) {
    *count = 32;
    *bytes = OPENSSL_zalloc(32);
    if (*bytes == NULL) return LLAVERO_CODING_FAILED;
    int is_read = is_private ? EVP_PKEY_get_raw_private_key(key, *bytes, count)
                             : EVP_PKEY_get_raw_public_key(key, *bytes, count);
    return is_read == 1 && *count == 32 ? LLAVERO_CODING_DONE : LLAVERO_CODING_UNSUPPORTED;
}

static int rsa_bytes(EVP_PKEY *key, int is_private, uint8_t **bytes, size_t *count) {
    int size = is_private ? i2d_PrivateKey(key, bytes) : i2d_PublicKey(key, bytes);
    *count = size > 0 ? (size_t)size : 0;
    return size > 0 ? LLAVERO_CODING_DONE : LLAVERO_CODING_UNSUPPORTED;
}

static int key_bytes(
    EVP_PKEY *key, int type, int is_private, uint8_t **bytes, size_t *count) {
    switch (type) {
    case LLAVERO_KEY_RSA: return rsa_bytes(key, is_private, bytes, count);
    case LLAVERO_KEY_CURVE: return curve_bytes(key, is_private, bytes, count);
    default: return raw_bytes(key, is_private, bytes, count);
    }
}

int llavero_add_key(llavero_objects *list, EVP_PKEY *key, int is_private) {
    int type = EVP_PKEY_is_a(key, "RSA") ? LLAVERO_KEY_RSA
        : EVP_PKEY_is_a(key, "EC")       ? LLAVERO_KEY_CURVE
        : EVP_PKEY_is_a(key, "ED25519")  ? LLAVERO_KEY_ED25519
        : EVP_PKEY_is_a(key, "X25519")   ? LLAVERO_KEY_X25519
                                         : LLAVERO_KEY_NONE;
    if (type == LLAVERO_KEY_NONE) return LLAVERO_CODING_UNSUPPORTED;
    uint8_t *bytes = NULL, *public_bytes = NULL;
    size_t count = 0, public_count = 0;
    int status = key_bytes(key, type, is_private, &bytes, &count);
    if (status == LLAVERO_CODING_DONE && is_private) {
        status = key_bytes(key, type, 0, &public_bytes, &public_count);
    }
    if (status == LLAVERO_CODING_DONE) {
        llavero_object *object = llavero_add(
            list, is_private ? LLAVERO_OBJECT_PRIVATE_KEY : LLAVERO_OBJECT_PUBLIC_KEY, type, bytes,
            count);
        bytes = NULL;
        if (object != NULL) {
            object->public_bytes = public_bytes;
            object->public_count = public_count;
            public_bytes = NULL;
        } else {
            status = LLAVERO_CODING_TOO_MUCH;
        }
    }
    llavero_bytes_free(bytes, count);
    OPENSSL_free(public_bytes);
    ERR_clear_error();
    return status;
}

static EVP_PKEY *curve_key(const llavero_object *object) {
    int is_private = object->kind == LLAVERO_OBJECT_PRIVATE_KEY;
    size_t parts = is_private ? 3 : 2;
    if (object->byte_count < 1 || (object->byte_count - 1) % parts != 0) return NULL;
    size_t field = (object->byte_count - 1) / parts;
    const char *curve = field == 32 ? "prime256v1"
        : field == 48               ? "secp384r1"
        : field == 66               ? "secp521r1"
                                    : NULL;
    OSSL_PARAM_BLD *build = curve == NULL ? NULL : OSSL_PARAM_BLD_new();
    EVP_PKEY_CTX *context = build == NULL ? NULL : EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    BIGNUM *scalar = NULL;
    OSSL_PARAM *parameters = NULL;
    EVP_PKEY *key = NULL;
    if (is_private) {
        scalar = BN_secure_new();
        if (scalar != NULL) BN_bin2bn(object->bytes + 1 + 2 * field, (int)field, scalar);
    }
    int is_built = context != NULL && (!is_private || scalar != NULL)
        && OSSL_PARAM_BLD_push_utf8_string(build, OSSL_PKEY_PARAM_GROUP_NAME, curve, 0)
        && OSSL_PARAM_BLD_push_octet_string(
            build, OSSL_PKEY_PARAM_PUB_KEY, object->bytes, 1 + 2 * field)
        && (!is_private || OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_PRIV_KEY, scalar));
    if (is_built) parameters = OSSL_PARAM_BLD_to_param(build);
    if (parameters != NULL && EVP_PKEY_fromdata_init(context) == 1) {
        EVP_PKEY_fromdata(
            context, &key, is_private ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY, parameters);
    }
    OSSL_PARAM_free(parameters);
    OSSL_PARAM_BLD_free(build);
    EVP_PKEY_CTX_free(context);
    BN_clear_free(scalar);
    return key;
}

EVP_PKEY *llavero_key(const llavero_object *object) {
    int is_private = object->kind == LLAVERO_OBJECT_PRIVATE_KEY;
    const uint8_t *end = object->bytes;
    switch (object->key_type) {
    case LLAVERO_KEY_RSA:
        return is_private ? d2i_PrivateKey(EVP_PKEY_RSA, NULL, &end, (long)object->byte_count)
                          : d2i_PublicKey(EVP_PKEY_RSA, NULL, &end, (long)object->byte_count);
    case LLAVERO_KEY_CURVE: return curve_key(object);
    case LLAVERO_KEY_ED25519:
    case LLAVERO_KEY_X25519: {
        int type = object->key_type == LLAVERO_KEY_ED25519 ? EVP_PKEY_ED25519 : EVP_PKEY_X25519;
        return is_private
            ? EVP_PKEY_new_raw_private_key(type, NULL, object->bytes, object->byte_count)
            : EVP_PKEY_new_raw_public_key(type, NULL, object->bytes, object->byte_count);
    }
    default: return NULL;
    }
}

/// A number modulo another one less 1.
static BIGNUM *exponent(const BIGNUM *number, const BIGNUM *prime, BN_CTX *context) {
    BIGNUM *less = BN_dup(prime);
    BIGNUM *result = BN_secure_new();
    if (less == NULL || result == NULL || BN_sub_word(less, 1) != 1 || BN_is_zero(less)
        || BN_mod(result, number, less, context) != 1) {
        BN_clear_free(result);
        result = NULL;
    }
    BN_clear_free(less);
    return result;
}

int llavero_add_rsa_key(
    const uint8_t *n, size_t n_count, const uint8_t *e, size_t e_count, const uint8_t *d,
    size_t d_count, const uint8_t *p, size_t p_count, const uint8_t *q, size_t q_count,
    llavero_objects *result) {
    // As large as our largest modulus.
    if (n_count > 2049 || e_count > 2049 || d_count > 2049 || p_count > 2049 || q_count > 2049) {
        return LLAVERO_CODING_UNSUPPORTED;
    }
    int is_private = d_count > 0;
    BN_CTX *context = BN_CTX_secure_new();
    BIGNUM *numbers[8] = {
        BN_bin2bn(n, (int)n_count, NULL), BN_bin2bn(e, (int)e_count, NULL), NULL};
    const char *names[8] = {
        OSSL_PKEY_PARAM_RSA_N,         OSSL_PKEY_PARAM_RSA_E,
        OSSL_PKEY_PARAM_RSA_D,         OSSL_PKEY_PARAM_RSA_FACTOR1,
        OSSL_PKEY_PARAM_RSA_FACTOR2,   OSSL_PKEY_PARAM_RSA_EXPONENT1,
        OSSL_PKEY_PARAM_RSA_EXPONENT2, OSSL_PKEY_PARAM_RSA_COEFFICIENT1};
    int count = is_private ? 8 : 2;
    if (is_private) {
        numbers[2] = BN_bin2bn(d, (int)d_count, NULL);
        numbers[3] = BN_bin2bn(p, (int)p_count, NULL);
        numbers[4] = BN_bin2bn(q, (int)q_count, NULL);
        if (context != NULL && numbers[2] && numbers[3] && numbers[4] && !BN_is_zero(numbers[3])) {
            numbers[5] = exponent(numbers[2], numbers[3], context);
            numbers[6] = exponent(numbers[2], numbers[4], context);
            numbers[7] = BN_mod_inverse(NULL, numbers[4], numbers[3], context);
        }
    }
    OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
    int is_built = build != NULL;
    for (int index = 0; index < count; index++) {
        is_built = is_built && numbers[index] != NULL
            && OSSL_PARAM_BLD_push_BN(build, names[index], numbers[index]) == 1;
    }
    OSSL_PARAM *parameters = is_built ? OSSL_PARAM_BLD_to_param(build) : NULL;
    EVP_PKEY_CTX *maker = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
    EVP_PKEY *key = NULL;
    int status = LLAVERO_CODING_UNKNOWN;
    if (parameters != NULL && maker != NULL && EVP_PKEY_fromdata_init(maker) == 1
        && EVP_PKEY_fromdata(
               maker, &key, is_private ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY, parameters)
            == 1) {
        status = llavero_add_key(result, key, is_private);
    }
    EVP_PKEY_free(key);
    EVP_PKEY_CTX_free(maker);
    OSSL_PARAM_free(parameters);
    OSSL_PARAM_BLD_free(build);
    for (int index = 0; index < 8; index++) BN_clear_free(numbers[index]);
    BN_CTX_free(context);
    ERR_clear_error();
    return status;
}
