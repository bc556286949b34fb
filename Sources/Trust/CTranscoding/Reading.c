// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

#include "Transcoding.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/pkcs7.h>
#include <string.h>

// MARK: - Work

int llavero_charge_rounds(uint64_t count, uint64_t *rounds) {
    if (count > *rounds) {
        *rounds = 0;
        return LLAVERO_CODING_TOO_MUCH;
    }
    *rounds -= count;
    return LLAVERO_CODING_DONE;
}

static int charge_number(const ASN1_INTEGER *number, uint64_t factor, uint64_t *rounds) {
    uint64_t count = 0;
    if (number == NULL || ASN1_INTEGER_get_uint64(&count, number) != 1) {
        ERR_clear_error();
        return LLAVERO_CODING_TOO_MUCH;
    }
    if (count > UINT32_MAX) return LLAVERO_CODING_TOO_MUCH;
    return llavero_charge_rounds(count * factor, rounds);
}

static int charge_scrypt(const X509_ALGOR *function, uint64_t *rounds) {
    SCRYPT_PARAMS *parameters = ASN1_TYPE_unpack_sequence(
        ASN1_ITEM_rptr(SCRYPT_PARAMS), function->parameter);
    if (parameters == NULL) return LLAVERO_CODING_UNKNOWN;
    uint64_t cost = 0, block = 0, parallel = 0;
    int status = LLAVERO_CODING_TOO_MUCH;
    if (ASN1_INTEGER_get_uint64(&cost, parameters->costParameter) == 1
        && ASN1_INTEGER_get_uint64(&block, parameters->blockSize) == 1
        && ASN1_INTEGER_get_uint64(&parallel, parameters->parallelizationParameter) == 1
        && cost <= UINT32_MAX && block <= 1024 && parallel <= 1024) {
        // A block of scrypt costs about as much as a round.
        status = llavero_charge_rounds(cost * block * parallel, rounds);
    }
    SCRYPT_PARAMS_free(parameters);
    return status;
}

int llavero_charge(const X509_ALGOR *algorithm, uint64_t *rounds) {
    if (algorithm == NULL) return LLAVERO_CODING_UNKNOWN;
    int status = LLAVERO_CODING_UNKNOWN;
    if (OBJ_obj2nid(algorithm->algorithm) == NID_pbes2) {
        PBE2PARAM *scheme =
            ASN1_TYPE_unpack_sequence(ASN1_ITEM_rptr(PBE2PARAM), algorithm->parameter);
        if (scheme == NULL) return LLAVERO_CODING_UNKNOWN;
        int function = OBJ_obj2nid(scheme->keyfunc->algorithm);
        if (function == NID_id_pbkdf2) {
            PBKDF2PARAM *parameters = ASN1_TYPE_unpack_sequence(
                ASN1_ITEM_rptr(PBKDF2PARAM), scheme->keyfunc->parameter);
            if (parameters != NULL) status = charge_number(parameters->iter, 1, rounds);
            PBKDF2PARAM_free(parameters);
        } else if (function == NID_id_scrypt) {
            status = charge_scrypt(scheme->keyfunc, rounds);
        } else {
            status = LLAVERO_CODING_UNSUPPORTED;
        }
        PBE2PARAM_free(scheme);
    } else {
        PBEPARAM *parameters =
            ASN1_TYPE_unpack_sequence(ASN1_ITEM_rptr(PBEPARAM), algorithm->parameter);
        // Key and initial vector are derived one after the other.
        if (parameters != NULL) status = charge_number(parameters->iter, 2, rounds);
        PBEPARAM_free(parameters);
    }
    ERR_clear_error();
    return status;
}

/// What it means that something couldn't be decrypted.
static int decryption_failure(void) {
    unsigned long error = ERR_peek_error();
    ERR_clear_error();
    if (ERR_GET_REASON(error) == ERR_R_UNSUPPORTED || ERR_GET_REASON(error) == EVP_R_UNSUPPORTED_ALGORITHM
        || (ERR_GET_LIB(error) == ERR_LIB_EVP
            && (ERR_GET_REASON(error) == EVP_R_UNKNOWN_PBE_ALGORITHM
                || ERR_GET_REASON(error) == EVP_R_UNSUPPORTED_CIPHER))) {
        return LLAVERO_CODING_UNSUPPORTED;
    }
    return LLAVERO_CODING_PASSPHRASE_WRONG;
}

// MARK: - PKCS #12

typedef struct {
    const char *passphrase;
    int count;
    uint64_t *rounds;
    llavero_objects *result;
} bag_reader;

static void describe(llavero_objects *list, size_t before, PKCS12_SAFEBAG *bag) {
    if (list->count != before + 1) return;
    llavero_object *object = &list->objects[before];
    char *name = PKCS12_get_friendlyname(bag);
    if (name != NULL) {
        object->label = (uint8_t *)name;
        object->label_count = strlen(name);
    }
    const ASN1_TYPE *attribute = PKCS12_SAFEBAG_get0_attr(bag, NID_localKeyID);
    if (attribute != NULL && attribute->type == V_ASN1_OCTET_STRING) {
        const ASN1_OCTET_STRING *text = attribute->value.octet_string;
        int count = ASN1_STRING_length(text);
        if (count > 0 && count <= 256) {
            object->key_id = OPENSSL_memdup(ASN1_STRING_get0_data(text), (size_t)count);
            if (object->key_id != NULL) object->key_id_count = (size_t)count;
        }
    }
}

static int read_pkcs8(const PKCS8_PRIV_KEY_INFO *info, llavero_objects *result) {
    EVP_PKEY *key = EVP_PKCS82PKEY(info);
    if (key == NULL) {
        ERR_clear_error();
        return LLAVERO_CODING_UNSUPPORTED;
    }
    int status = llavero_add_key(result, key, 1);
    EVP_PKEY_free(key);
    return status;
}

static int read_bags(const STACK_OF(PKCS12_SAFEBAG) *bags, bag_reader *reader, int depth);

static int read_bag(PKCS12_SAFEBAG *bag, bag_reader *reader, int depth) {
    size_t before = reader->result->count;
    int status = LLAVERO_CODING_DONE;
    switch (PKCS12_SAFEBAG_get_nid(bag)) {
    case NID_keyBag:
        status = read_pkcs8(PKCS12_SAFEBAG_get0_p8inf(bag), reader->result);
        break;
    case NID_pkcs8ShroudedKeyBag: {
        const X509_ALGOR *algorithm = NULL;
        X509_SIG_get0(PKCS12_SAFEBAG_get0_pkcs8(bag), &algorithm, NULL);
        status = llavero_charge(algorithm, reader->rounds);
        if (status != LLAVERO_CODING_DONE) return status;
        PKCS8_PRIV_KEY_INFO *info =
            PKCS12_decrypt_skey(bag, reader->passphrase, reader->count);
        if (info == NULL) return decryption_failure();
        status = read_pkcs8(info, reader->result);
        PKCS8_PRIV_KEY_INFO_free(info);
        break;
    }
    case NID_certBag: {
        if (PKCS12_SAFEBAG_get_bag_nid(bag) != NID_x509Certificate) return LLAVERO_CODING_DONE;
        X509 *certificate = PKCS12_SAFEBAG_get1_cert(bag);
        if (certificate == NULL) {
            ERR_clear_error();
            return LLAVERO_CODING_UNKNOWN;
        }
        status = llavero_add_certificate(reader->result, certificate);
        X509_free(certificate);
        break;
    }
    case NID_safeContentsBag:
        return read_bags(PKCS12_SAFEBAG_get0_safes(bag), reader, depth + 1);
    default: return LLAVERO_CODING_DONE;  // Revocation lists and secrets are no objects.
    }
    if (status == LLAVERO_CODING_DONE) describe(reader->result, before, bag);
    return status;
}

static int read_bags(const STACK_OF(PKCS12_SAFEBAG) *bags, bag_reader *reader, int depth) {
    if (bags == NULL) return LLAVERO_CODING_UNKNOWN;
    if (depth > 4) return LLAVERO_CODING_TOO_MUCH;
    for (int index = 0; index < sk_PKCS12_SAFEBAG_num(bags); index++) {
        int status = read_bag(sk_PKCS12_SAFEBAG_value(bags, index), reader, depth);
        if (status != LLAVERO_CODING_DONE) return status;
    }
    return LLAVERO_CODING_DONE;
}

static int read_safe(PKCS7 *safe, bag_reader *reader) {
    STACK_OF(PKCS12_SAFEBAG) *bags = NULL;
    switch (OBJ_obj2nid(safe->type)) {
    case NID_pkcs7_data: bags = PKCS12_unpack_p7data(safe); break;
    case NID_pkcs7_encrypted: {
        if (safe->d.encrypted == NULL || safe->d.encrypted->enc_data == NULL) {
            return LLAVERO_CODING_UNKNOWN;
        }
        int status = llavero_charge(safe->d.encrypted->enc_data->algorithm, reader->rounds);
        if (status != LLAVERO_CODING_DONE) return status;
        bags = PKCS12_unpack_p7encdata(safe, reader->passphrase, reader->count);
        if (bags == NULL) return decryption_failure();
        break;
    }
    default: return LLAVERO_CODING_UNSUPPORTED;  // Encrypted for a key.
    }
    if (bags == NULL) {
        ERR_clear_error();
        return LLAVERO_CODING_UNKNOWN;
    }
    int status = read_bags(bags, reader, 0);
    sk_PKCS12_SAFEBAG_pop_free(bags, PKCS12_SAFEBAG_free);
    return status;
}

static int read_safes(PKCS12 *file, bag_reader *reader) {
    STACK_OF(PKCS7) *safes = PKCS12_unpack_authsafes(file);
    if (safes == NULL) {
        ERR_clear_error();
        return LLAVERO_CODING_UNKNOWN;
    }
    int status = LLAVERO_CODING_DONE;
    for (int index = 0; status == LLAVERO_CODING_DONE && index < sk_PKCS7_num(safes); index++) {
        status = read_safe(sk_PKCS7_value(safes, index), reader);
    }
    sk_PKCS7_pop_free(safes, PKCS7_free);
    return status;
}

/// Checks the MAC; some writers take an empty passphrase for none, others for two zero bytes.
static int verify(PKCS12 *file, llavero_passphrase passphrase, bag_reader *reader) {
    const ASN1_INTEGER *iterations = NULL;
    PKCS12_get0_mac(NULL, NULL, NULL, &iterations, file);
    int is_empty = passphrase.count == 0;
    const char *tried[2] = {is_empty ? "" : passphrase.bytes, NULL};
    for (int index = 0; index < (is_empty ? 2 : 1); index++) {
        int status = iterations == NULL ? llavero_charge_rounds(1, reader->rounds)
                                        : charge_number(iterations, 1, reader->rounds);
        if (status != LLAVERO_CODING_DONE) return status;
        if (PKCS12_verify_mac(file, tried[index], (int)passphrase.count) == 1) {
            reader->passphrase = tried[index];
            return LLAVERO_CODING_DONE;
        }
        int failure = decryption_failure();
        if (failure == LLAVERO_CODING_UNSUPPORTED) return failure;
    }
    return LLAVERO_CODING_PASSPHRASE_WRONG;
}

int llavero_read_pkcs12(
    PKCS12 *file, llavero_passphrase passphrase, uint64_t *rounds, llavero_objects *result) {
    bag_reader reader = {
        .passphrase = passphrase.bytes == NULL ? "" : passphrase.bytes,
        .count = (int)passphrase.count,
        .rounds = rounds,
        .result = result};
    int status = LLAVERO_CODING_DONE;
    if (PKCS12_mac_present(file)) status = verify(file, passphrase, &reader);
    if (status == LLAVERO_CODING_DONE) status = read_safes(file, &reader);
    if (status == LLAVERO_CODING_PASSPHRASE_WRONG && passphrase.bytes == NULL) {
        return LLAVERO_CODING_PASSPHRASE_NEEDED;
    }
    return status;
}

// MARK: - DER

static int read_pkcs7(PKCS7 *file, llavero_objects *result) {
    STACK_OF(X509) *certificates = NULL;
    switch (OBJ_obj2nid(file->type)) {
    case NID_pkcs7_signed:
        if (file->d.sign != NULL) certificates = file->d.sign->cert;
        break;
    case NID_pkcs7_signedAndEnveloped:
        if (file->d.signed_and_enveloped != NULL) {
            certificates = file->d.signed_and_enveloped->cert;
        }
        break;
    default: return LLAVERO_CODING_UNKNOWN;
    }
    for (int index = 0; index < sk_X509_num(certificates); index++) {
        int status = llavero_add_certificate(result, sk_X509_value(certificates, index));
        if (status != LLAVERO_CODING_DONE) return status;
    }
    return LLAVERO_CODING_DONE;
}

static int read_netscape(NETSCAPE_CERT_SEQUENCE *file, llavero_objects *result) {
    if (OBJ_obj2nid(file->type) != NID_netscape_cert_sequence) return LLAVERO_CODING_UNKNOWN;
    for (int index = 0; index < sk_X509_num(file->certs); index++) {
        int status = llavero_add_certificate(result, sk_X509_value(file->certs, index));
        if (status != LLAVERO_CODING_DONE) return status;
    }
    return LLAVERO_CODING_DONE;
}

static int read_encrypted(
    X509_SIG *file, llavero_passphrase passphrase, uint64_t *rounds, llavero_objects *result) {
    if (passphrase.bytes == NULL) return LLAVERO_CODING_PASSPHRASE_NEEDED;
    const X509_ALGOR *algorithm = NULL;
    X509_SIG_get0(file, &algorithm, NULL);
    int status = llavero_charge(algorithm, rounds);
    if (status != LLAVERO_CODING_DONE) return status;
    PKCS8_PRIV_KEY_INFO *info = PKCS8_decrypt(file, passphrase.bytes, (int)passphrase.count);
    if (info == NULL) return decryption_failure();
    status = read_pkcs8(info, result);
    PKCS8_PRIV_KEY_INFO_free(info);
    return status;
}

/// Takes `FORMAT` as read if the object fills the bytes.
#define READ(TYPE, FORMAT, BODY)                                                                   \
    {                                                                                              \
        const uint8_t *end = bytes;                                                                \
        TYPE *file = d2i_##TYPE(NULL, &end, (long)count);                                          \
        int status = LLAVERO_CODING_UNKNOWN;                                                       \
        if (file != NULL && end == bytes + count) {                                                \
            result->format = FORMAT;                                                               \
            status = BODY;                                                                         \
        }                                                                                          \
        TYPE##_free(file);                                                                         \
        ERR_clear_error();                                                                         \
        if (status != LLAVERO_CODING_UNKNOWN) return status;                                       \
    }

/// Takes a key as read if it fills the bytes.
#define READ_KEY(CALL, IS_PRIVATE)                                                                 \
    {                                                                                              \
        const uint8_t *end = bytes;                                                                \
        EVP_PKEY *key = CALL;                                                                      \
        int status = LLAVERO_CODING_UNKNOWN;                                                       \
        if (key != NULL && end == bytes + count) {                                                 \
            result->format = LLAVERO_FORMAT_OPENSSL;                                               \
            status = llavero_add_key(result, key, IS_PRIVATE);                                     \
        }                                                                                          \
        EVP_PKEY_free(key);                                                                        \
        ERR_clear_error();                                                                         \
        if (status != LLAVERO_CODING_UNKNOWN) return status;                                       \
    }

/// The first two elements of the outermost sequence say what it can be.
typedef struct {
    int first;
    int second;
    /// Of a first element that is a number of one byte; else -1.
    int version;
} shape;

static shape shape_of(const uint8_t *bytes, size_t count) {
    shape found = {-1, -1, -1};
    const uint8_t *place = bytes, *end = bytes + count;
    long length = 0;
    int tag = 0, class = 0;
    // The high bit is an error, the low one an indefinite length.
    int form = ASN1_get_object(&place, &length, &tag, &class, (long)count);
    if (form & 0x80 || tag != V_ASN1_SEQUENCE || class != V_ASN1_UNIVERSAL) return found;
    form = ASN1_get_object(&place, &length, &tag, &class, (long)(end - place));
    if (form & 0x80 || class != V_ASN1_UNIVERSAL) return found;
    found.first = tag;
    if (form & 1 || length > end - place) return found;
    if (tag == V_ASN1_INTEGER && length == 1) found.version = *place;
    place += length;
    if (place == end) return found;
    form = ASN1_get_object(&place, &length, &tag, &class, (long)(end - place));
    if (!(form & 0x80) && class == V_ASN1_UNIVERSAL) found.second = tag;
    return found;
}

int llavero_read_der(
    const uint8_t *bytes, size_t count, int format, llavero_passphrase passphrase,
    uint64_t *rounds, llavero_objects *result) {
    if (count == 0 || count > INT32_MAX) return LLAVERO_CODING_UNKNOWN;
    shape shape = shape_of(bytes, count);
    ERR_clear_error();
    int is_any = format == LLAVERO_FORMAT_UNKNOWN;
    int is_key = is_any || format == LLAVERO_FORMAT_OPENSSL;
    // Netscape's sequence begins as PKCS #7 does, but for its identifier.
    if ((is_any || format == LLAVERO_FORMAT_NETSCAPE) && shape.first == V_ASN1_OBJECT) {
        READ(NETSCAPE_CERT_SEQUENCE, LLAVERO_FORMAT_NETSCAPE, read_netscape(file, result))
    }
    if ((is_any || format == LLAVERO_FORMAT_PKCS7) && shape.first == V_ASN1_OBJECT) {
        READ(PKCS7, LLAVERO_FORMAT_PKCS7, read_pkcs7(file, result))
    }
    if (shape.first == V_ASN1_SEQUENCE) {
        if ((is_any || format == LLAVERO_FORMAT_X509) && shape.second == V_ASN1_SEQUENCE) {
            READ(X509, LLAVERO_FORMAT_X509, llavero_add_certificate(result, file))
        }
        if ((is_any || format == LLAVERO_FORMAT_WRAPPED_PKCS8)
            && shape.second == V_ASN1_OCTET_STRING) {
            READ(
                X509_SIG, LLAVERO_FORMAT_WRAPPED_PKCS8,
                read_encrypted(file, passphrase, rounds, result))
        }
        if (is_key && shape.second == V_ASN1_BIT_STRING) {
            READ_KEY(d2i_PUBKEY(NULL, &end, (long)count), 0)
        }
    }
    if (shape.first == V_ASN1_INTEGER) {
        if (is_key && shape.second == V_ASN1_SEQUENCE && shape.version <= 1) {
            READ(PKCS8_PRIV_KEY_INFO, LLAVERO_FORMAT_OPENSSL, read_pkcs8(file, result))
        }
        if ((is_any || format == LLAVERO_FORMAT_PKCS12) && shape.second == V_ASN1_SEQUENCE) {
            READ(
                PKCS12, LLAVERO_FORMAT_PKCS12,
                llavero_read_pkcs12(file, passphrase, rounds, result))
        }
        if (is_key && shape.second == V_ASN1_INTEGER && shape.version == 0) {
            READ_KEY(d2i_PrivateKey(EVP_PKEY_RSA, NULL, &end, (long)count), 1)
        }
        if (is_key && shape.second == V_ASN1_INTEGER && shape.version != 0) {
            READ_KEY(d2i_PublicKey(EVP_PKEY_RSA, NULL, &end, (long)count), 0)
        }
        if (is_key && shape.second == V_ASN1_OCTET_STRING) {
            READ_KEY(d2i_PrivateKey(EVP_PKEY_EC, NULL, &end, (long)count), 1)
        }
    }
    return LLAVERO_CODING_UNKNOWN;
}

// MARK: - PEM

static int give_passphrase(char *buffer, int size, int is_writing, void *context) {
    (void)is_writing;
    const llavero_passphrase *passphrase = context;
    if (passphrase->bytes == NULL || passphrase->count > (size_t)size) return -1;
    memcpy(buffer, passphrase->bytes, passphrase->count);
    return (int)passphrase->count;
}

/// The format of a block by its label; -1 for one that has no object.
static int labeled_format(const char *label) {
    static const struct {
        const char *label;
        int format;
    } known[] = {
        {"CERTIFICATE", LLAVERO_FORMAT_X509},
        {"X509 CERTIFICATE", LLAVERO_FORMAT_X509},
        {"TRUSTED CERTIFICATE", LLAVERO_FORMAT_X509},
        {"PKCS7", LLAVERO_FORMAT_PKCS7},
        {"CMS", LLAVERO_FORMAT_PKCS7},
        {"CERTIFICATE CHAIN", LLAVERO_FORMAT_PKCS7},
        {"PKCS12", LLAVERO_FORMAT_PKCS12},
        {"ENCRYPTED PRIVATE KEY", LLAVERO_FORMAT_WRAPPED_PKCS8},
        {"PRIVATE KEY", LLAVERO_FORMAT_OPENSSL},
        {"RSA PRIVATE KEY", LLAVERO_FORMAT_OPENSSL},
        {"EC PRIVATE KEY", LLAVERO_FORMAT_OPENSSL},
        {"PUBLIC KEY", LLAVERO_FORMAT_OPENSSL},
        {"RSA PUBLIC KEY", LLAVERO_FORMAT_OPENSSL},
    };
    for (size_t index = 0; index < sizeof known / sizeof *known; index++) {
        if (strcmp(label, known[index].label) == 0) return known[index].format;
    }
    return -1;
}

static int read_block(
    const char *label, char *header, uint8_t *bytes, long count, llavero_passphrase passphrase,
    uint64_t *rounds, llavero_objects *result) {
    EVP_CIPHER_INFO cipher;
    if (PEM_get_EVP_CIPHER_INFO(header, &cipher) != 1) {
        ERR_clear_error();
        return LLAVERO_CODING_UNSUPPORTED;
    }
    int is_wrapped = cipher.cipher != NULL;
    if (is_wrapped) {
        if (passphrase.bytes == NULL) return LLAVERO_CODING_PASSPHRASE_NEEDED;
        if (PEM_do_header(&cipher, bytes, &count, give_passphrase, &passphrase) != 1) {
            return decryption_failure();
        }
    }
    int format = labeled_format(label);
    if (format < 0) return LLAVERO_CODING_DONE;
    if (strcmp(label, "TRUSTED CERTIFICATE") == 0) {
        const uint8_t *end = bytes;
        X509 *certificate = d2i_X509_AUX(NULL, &end, count);
        ERR_clear_error();
        if (certificate == NULL) return LLAVERO_CODING_UNKNOWN;
        int status = llavero_add_certificate(result, certificate);
        X509_free(certificate);
        return status;
    }
    int status = llavero_read_der(bytes, (size_t)count, format, passphrase, rounds, result);
    if (status == LLAVERO_CODING_UNKNOWN && format == LLAVERO_FORMAT_X509) {
        // OpenSSL writes Netscape's sequences with this label.
        status = llavero_read_der(
            bytes, (size_t)count, LLAVERO_FORMAT_NETSCAPE, passphrase, rounds, result);
    }
    if (is_wrapped) {
        // A block that is decrypted with another passphrase has its padding right at times.
        if (status == LLAVERO_CODING_UNKNOWN) return LLAVERO_CODING_PASSPHRASE_WRONG;
        result->format = LLAVERO_FORMAT_WRAPPED_OPENSSL;
    }
    return status;
}

int llavero_read_pem(
    const uint8_t *bytes, size_t count, llavero_passphrase passphrase, uint64_t *rounds,
    llavero_objects *result) {
    BIO *text = count > INT32_MAX ? NULL : BIO_new_mem_buf(bytes, (int)count);
    if (text == NULL) return LLAVERO_CODING_FAILED;
    int status = LLAVERO_CODING_DONE;
    int block_count = 0;
    int format = LLAVERO_FORMAT_UNKNOWN;
    while (status == LLAVERO_CODING_DONE) {
        char *label = NULL, *header = NULL;
        uint8_t *block = NULL;
        long block_size = 0;
        if (PEM_read_bio(text, &label, &header, &block, &block_size) != 1) {
            int is_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
            ERR_clear_error();
            if (!is_end) status = LLAVERO_CODING_UNKNOWN;
            break;
        }
        size_t before = result->count;
        if (++block_count > LLAVERO_OBJECT_LIMIT) {
            status = LLAVERO_CODING_TOO_MUCH;
        } else {
            status = read_block(label, header, block, block_size, passphrase, rounds, result);
            if (result->count > before) {
                format = before == 0 ? result->format : LLAVERO_FORMAT_PEM_SEQUENCE;
            }
        }
        OPENSSL_free(label);
        OPENSSL_free(header);
        OPENSSL_clear_free(block, (size_t)block_size);
    }
    BIO_free(text);
    result->format = format;
    result->is_text = 1;
    if (status == LLAVERO_CODING_DONE && result->count == 0) return LLAVERO_CODING_UNKNOWN;
    return status;
}
