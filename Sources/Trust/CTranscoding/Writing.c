// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

#include "Transcoding.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/pkcs7.h>
#include <string.h>

static X509 *certificate(const llavero_object *object) {
    const uint8_t *end = object->bytes;
    return d2i_X509(NULL, &end, (long)object->byte_count);
}

static int is_key(const llavero_object *object) {
    return object->kind == LLAVERO_OBJECT_PRIVATE_KEY || object->kind == LLAVERO_OBJECT_PUBLIC_KEY;
}

/// Moves what was written into memory that the caller frees.
static int take(BIO *written, uint8_t **bytes, size_t *count) {
    char *data = NULL;
    long size = BIO_get_mem_data(written, &data);
    if (size <= 0) return LLAVERO_CODING_FAILED;
    *bytes = OPENSSL_memdup(data, (size_t)size);
    *count = (size_t)size;
    return *bytes == NULL ? LLAVERO_CODING_FAILED : LLAVERO_CODING_DONE;
}

// MARK: - One object

static int write_encrypted(
    EVP_PKEY *key, llavero_passphrase passphrase, int rounds, int is_text, BIO *output) {
    PKCS8_PRIV_KEY_INFO *info = EVP_PKEY2PKCS8(key);
    X509_SIG *wrapped = info == NULL ? NULL
                                     : PKCS8_encrypt(
                                         -1, EVP_aes_256_cbc(), passphrase.bytes,
                                         (int)passphrase.count, NULL, 0, rounds, info);
    int is_written = wrapped != NULL
        && (is_text ? PEM_write_bio_PKCS8(output, wrapped) : i2d_PKCS8_bio(output, wrapped)) == 1;
    X509_SIG_free(wrapped);
    PKCS8_PRIV_KEY_INFO_free(info);
    return is_written;
}

static int write_key(const llavero_object *object, int is_text, BIO *output) {
    EVP_PKEY *key = llavero_key(object);
    if (key == NULL) return 0;
    int is_written = 0;
    if (object->kind == LLAVERO_OBJECT_PUBLIC_KEY) {
        is_written =
            (is_text ? PEM_write_bio_PUBKEY(output, key) : i2d_PUBKEY_bio(output, key)) == 1;
    } else if (object->key_type == LLAVERO_KEY_RSA || object->key_type == LLAVERO_KEY_CURVE) {
        is_written = is_text ? PEM_write_bio_PrivateKey_traditional(
                                   output, key, NULL, NULL, 0, NULL, NULL)
                                == 1
                             : i2d_PrivateKey_bio(output, key) == 1;
    } else {
        // These have no older form.
        is_written = (is_text ? PEM_write_bio_PKCS8PrivateKey(output, key, NULL, NULL, 0, NULL, NULL)
                              : i2d_PKCS8PrivateKey_bio(output, key, NULL, NULL, 0, NULL, NULL))
            == 1;
    }
    EVP_PKEY_free(key);
    return is_written;
}

static int write_certificate(const llavero_object *object, int is_text, BIO *output) {
    X509 *value = certificate(object);
    int is_written = value != NULL
        && (is_text ? PEM_write_bio_X509(output, value) : i2d_X509_bio(output, value)) == 1;
    X509_free(value);
    return is_written;
}

// MARK: - Several

static STACK_OF(X509) *certificates(const llavero_object *objects, size_t count) {
    STACK_OF(X509) *list = sk_X509_new_null();
    for (size_t index = 0; list != NULL && index < count; index++) {
        X509 *value = objects[index].kind == LLAVERO_OBJECT_CERTIFICATE
            ? certificate(&objects[index])
            : NULL;
        if (value == NULL || sk_X509_push(list, value) == 0) {
            X509_free(value);
            sk_X509_pop_free(list, X509_free);
            return NULL;
        }
    }
    return list;
}

/// Certificates without a signature.
static int write_pkcs7(const llavero_object *objects, size_t count, int is_text, BIO *output) {
    STACK_OF(X509) *list = certificates(objects, count);
    PKCS7 *file = list == NULL ? NULL : PKCS7_new();
    int is_written = file != NULL && PKCS7_set_type(file, NID_pkcs7_signed) == 1
        && PKCS7_content_new(file, NID_pkcs7_data) == 1 && PKCS7_set_detached(file, 1) >= 0;
    for (int index = 0; is_written && index < sk_X509_num(list); index++) {
        is_written = PKCS7_add_certificate(file, sk_X509_value(list, index)) == 1;
    }
    is_written = is_written
        && (is_text ? PEM_write_bio_PKCS7(output, file) : i2d_PKCS7_bio(output, file)) == 1;
    PKCS7_free(file);
    sk_X509_pop_free(list, X509_free);
    return is_written;
}

static int write_netscape(const llavero_object *objects, size_t count, int is_text, BIO *output) {
    STACK_OF(X509) *list = certificates(objects, count);
    NETSCAPE_CERT_SEQUENCE *file = list == NULL ? NULL : NETSCAPE_CERT_SEQUENCE_new();
    if (file == NULL) {
        sk_X509_pop_free(list, X509_free);
        return 0;
    }
    file->certs = list;
    file->type = OBJ_nid2obj(NID_netscape_cert_sequence);
    int is_written = 0;
    if (is_text) {
        is_written = PEM_write_bio_NETSCAPE_CERT_SEQUENCE(output, file) == 1;
    } else {
        uint8_t *der = NULL;
        int size = i2d_NETSCAPE_CERT_SEQUENCE(file, &der);
        is_written = size > 0 && BIO_write(output, der, size) == size;
        OPENSSL_free(der);
    }
    NETSCAPE_CERT_SEQUENCE_free(file);
    return is_written;
}

static int describe(const llavero_object *object, PKCS12_SAFEBAG *bag) {
    if (bag == NULL) return 0;
    if (object->label_count > 0
        && PKCS12_add_friendlyname_utf8(
               bag, (const char *)object->label, (int)object->label_count)
            != 1) {
        return 0;
    }
    return object->key_id_count == 0
        || PKCS12_add_localkeyid(bag, object->key_id, (int)object->key_id_count) == 1;
}

static int add_bag(
    const llavero_object *object, llavero_passphrase passphrase, int rounds,
    STACK_OF(PKCS12_SAFEBAG) **encrypted, STACK_OF(PKCS12_SAFEBAG) **shrouded) {
    if (object->kind == LLAVERO_OBJECT_CERTIFICATE) {
        X509 *value = certificate(object);
        PKCS12_SAFEBAG *bag = value == NULL ? NULL : PKCS12_add_cert(encrypted, value);
        X509_free(value);
        return describe(object, bag);
    }
    if (object->kind != LLAVERO_OBJECT_PRIVATE_KEY) return 0;
    EVP_PKEY *key = llavero_key(object);
    if (key == NULL) return 0;
    PKCS12_SAFEBAG *bag =
        PKCS12_add_key(shrouded, key, 0, rounds, NID_aes_256_cbc, passphrase.bytes);
    EVP_PKEY_free(key);
    return describe(object, bag);
}

static int write_pkcs12(
    const llavero_object *objects, size_t count, llavero_passphrase passphrase, int rounds,
    BIO *output) {
    STACK_OF(PKCS12_SAFEBAG) *encrypted = NULL, *shrouded = NULL;
    STACK_OF(PKCS7) *safes = NULL;
    int is_written = 1;
    for (size_t index = 0; is_written && index < count; index++) {
        is_written = add_bag(&objects[index], passphrase, rounds, &encrypted, &shrouded);
    }
    if (is_written && encrypted != NULL) {
        is_written = PKCS12_add_safe(&safes, encrypted, NID_aes_256_cbc, rounds, passphrase.bytes);
    }
    if (is_written && shrouded != NULL) {
        is_written = PKCS12_add_safe(&safes, shrouded, -1, 0, NULL);
    }
    PKCS12 *file = is_written && safes != NULL ? PKCS12_add_safes(safes, 0) : NULL;
    is_written = file != NULL
        && PKCS12_set_mac(
               file, passphrase.bytes, (int)passphrase.count, NULL, 0, rounds, EVP_sha256())
            == 1
        && i2d_PKCS12_bio(output, file) == 1;
    PKCS12_free(file);
    sk_PKCS7_pop_free(safes, PKCS7_free);
    sk_PKCS12_SAFEBAG_pop_free(encrypted, PKCS12_SAFEBAG_free);
    sk_PKCS12_SAFEBAG_pop_free(shrouded, PKCS12_SAFEBAG_free);
    return is_written;
}

static int write_wrapped(
    const llavero_object *object, llavero_passphrase passphrase, int rounds, int is_text,
    BIO *output) {
    EVP_PKEY *key = llavero_key(object);
    int is_written =
        key != NULL && write_encrypted(key, passphrase, rounds, is_text, output);
    EVP_PKEY_free(key);
    return is_written;
}

// MARK: - The call

static int write_all(
    const llavero_object *objects, size_t count, int format, int is_text,
    llavero_passphrase passphrase, int rounds, BIO *output) {
    switch (format) {
    case LLAVERO_FORMAT_OPENSSL:
        return count == 1 && is_key(objects) && write_key(objects, is_text, output);
    case LLAVERO_FORMAT_X509:
        return count == 1 && objects->kind == LLAVERO_OBJECT_CERTIFICATE
            && write_certificate(objects, is_text, output);
    case LLAVERO_FORMAT_WRAPPED_PKCS8:
        return count == 1 && objects->kind == LLAVERO_OBJECT_PRIVATE_KEY
            && write_wrapped(objects, passphrase, rounds, is_text, output);
    case LLAVERO_FORMAT_PEM_SEQUENCE:
        for (size_t index = 0; index < count; index++) {
            const llavero_object *object = &objects[index];
            int is_written = object->kind == LLAVERO_OBJECT_CERTIFICATE
                ? write_certificate(object, 1, output)
                : passphrase.bytes != NULL && object->kind == LLAVERO_OBJECT_PRIVATE_KEY
                ? write_wrapped(object, passphrase, rounds, 1, output)
                : is_key(object) && write_key(object, 1, output);
            if (!is_written) return 0;
        }
        return 1;
    case LLAVERO_FORMAT_PKCS7: return write_pkcs7(objects, count, is_text, output);
    case LLAVERO_FORMAT_NETSCAPE: return write_netscape(objects, count, is_text, output);
    case LLAVERO_FORMAT_PKCS12:
        return write_pkcs12(objects, count, passphrase, rounds, output);
    default: return 0;
    }
}

int llavero_write(
    const llavero_object *objects, size_t count, int format, int is_text,
    llavero_passphrase passphrase, int rounds, uint8_t **bytes, size_t *byte_count) {
    int needs_passphrase =
        format == LLAVERO_FORMAT_WRAPPED_PKCS8 || format == LLAVERO_FORMAT_PKCS12;
    if (needs_passphrase && passphrase.bytes == NULL) return LLAVERO_CODING_PASSPHRASE_NEEDED;
    if (count == 0 || count > LLAVERO_OBJECT_LIMIT) return LLAVERO_CODING_UNSUPPORTED;
    BIO *output = BIO_new(BIO_s_secmem());
    if (output == NULL) return LLAVERO_CODING_FAILED;
    int status = LLAVERO_CODING_UNSUPPORTED;
    if (write_all(objects, count, format, is_text, passphrase, rounds, output)) {
        status = take(output, bytes, byte_count);
    }
    BIO_free(output);
    ERR_clear_error();
    return status;
}
