// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

#include "CPathChecks.h"

#include <openssl/asn1.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ocsp.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <string.h>
#include <time.h>

static X509 *x509(const llavero_certificate *certificate) { return (X509 *)certificate; }
static X509_CRL *crl(const llavero_revocation_list *list) { return (X509_CRL *)list; }

int llavero_crypto_start(void) {
    // No configuration file may change which algorithms there are.
    if (OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT, NULL) != 1) {
        return 0;
    }
    EVP_MD *digest = EVP_MD_fetch(NULL, "SHA256", NULL);
    int is_ready = digest != NULL;
    EVP_MD_free(digest);
    return is_ready;
}

// MARK: - Certificates

llavero_certificate *llavero_certificate_read(const uint8_t *der, size_t count) {
    if (count > INT32_MAX) return NULL;
    const uint8_t *end = der;
    X509 *certificate = d2i_X509(NULL, &end, (long)count);
    if (certificate != NULL && end != der + count) {
        X509_free(certificate);
        certificate = NULL;
    }
    // Reads the extensions once, before threads share it.
    if (certificate != NULL) X509_check_purpose(certificate, -1, 0);
    ERR_clear_error();
    return (llavero_certificate *)certificate;
}

void llavero_certificate_free(llavero_certificate *certificate) { X509_free(x509(certificate)); }

void llavero_sha1(const uint8_t *bytes, size_t count, uint8_t *digest)
{
    unsigned size = 20;
    if (EVP_Digest(bytes, count, digest, &size, EVP_sha1(), NULL) != 1)
        memset(digest, 0, 20);
}

uint32_t llavero_subject_number(const llavero_certificate *certificate) {
    return (uint32_t)X509_subject_name_hash(x509(certificate));
}

uint32_t llavero_issuer_number(const llavero_certificate *certificate) {
    return (uint32_t)X509_issuer_name_hash(x509(certificate));
}

int llavero_is_named_issuer(
    const llavero_certificate *issuer, const llavero_certificate *certificate) {
    return X509_NAME_cmp(
               X509_get_subject_name(x509(issuer)), X509_get_issuer_name(x509(certificate)))
        == 0;
}

int llavero_is_same_entity(const llavero_certificate *left, const llavero_certificate *right) {
    if (X509_NAME_cmp(X509_get_subject_name(x509(left)), X509_get_subject_name(x509(right))) != 0) {
        return 0;
    }
    const ASN1_BIT_STRING *ours = X509_get0_pubkey_bitstr(x509(left));
    const ASN1_BIT_STRING *theirs = X509_get0_pubkey_bitstr(x509(right));
    return ours != NULL && theirs != NULL && ASN1_STRING_cmp(ours, theirs) == 0;
}

int llavero_has_usable_key(llavero_certificate *certificate) {
    int is_usable = X509_get0_pubkey(x509(certificate)) != NULL;
    ERR_clear_error();
    return is_usable;
}

int llavero_has_signed(llavero_certificate *issuer, llavero_certificate *certificate) {
    EVP_PKEY *key = X509_get0_pubkey(x509(issuer));
    int has_signed = key != NULL && X509_verify(x509(certificate), key) == 1;
    ERR_clear_error();
    return has_signed;
}

// MARK: - Revocation lists

static int64_t seconds(const ASN1_TIME *time) {
    struct tm parts;
    if (time == NULL || ASN1_TIME_to_tm(time, &parts) != 1) return 0;
    return (int64_t)timegm(&parts);
}

llavero_revocation_list *llavero_revocation_list_read(const uint8_t *der, size_t count) {
    if (count > INT32_MAX) return NULL;
    const uint8_t *end = der;
    X509_CRL *list = d2i_X509_CRL(NULL, &end, (long)count);
    if (list != NULL && end != der + count) {
        X509_CRL_free(list);
        list = NULL;
    }
    ERR_clear_error();
    return (llavero_revocation_list *)list;
}

void llavero_revocation_list_free(llavero_revocation_list *list) { X509_CRL_free(crl(list)); }

uint32_t llavero_list_issuer_number(const llavero_revocation_list *list) {
    return (uint32_t)X509_NAME_hash_ex(X509_CRL_get_issuer(crl(list)), NULL, NULL, NULL);
}

int64_t llavero_list_next_update(const llavero_revocation_list *list) {
    return seconds(X509_CRL_get0_nextUpdate(crl(list)));
}

/// So many seconds later, at most the last time that there is.
static int64_t later(int64_t time, int64_t seconds) {
    int64_t sum;
    return __builtin_add_overflow(time, seconds, &sum) ? INT64_MAX : sum;
}

// MARK: - A path

struct collector {
    /// A list that begins no later than this has begun.
    int64_t latest_list;
    /// A list that isn't its issuer's, or not for what it was looked up for: it revokes nothing.
    const X509_CRL *false_list;
    struct llavero_path_fault *faults;
    size_t capacity;
    size_t count;
};

/// Whether there was room for it.
static int note(struct collector *collector, int kind, int index) {
    for (size_t place = 0; place < collector->count; place++) {
        if (collector->faults[place].kind == kind && collector->faults[place].index == index) {
            return 1;
        }
    }
    if (collector->count == collector->capacity) return 0;
    collector->faults[collector->count].kind = kind;
    collector->faults[collector->count].index = index;
    collector->count++;
    return 1;
}

// 0: not a fault here, since our own code checks it.
static int kind(int error) {
    switch (error) {
    case X509_V_OK:
    // Our own check, to the second and for each certificate.
    case X509_V_ERR_CERT_NOT_YET_VALID:
    case X509_V_ERR_CERT_HAS_EXPIRED:
    case X509_V_ERR_ERROR_IN_CERT_NOT_BEFORE_FIELD:
    case X509_V_ERR_ERROR_IN_CERT_NOT_AFTER_FIELD:
    // No key usage means every usage.
    case X509_V_ERR_CA_CERT_MISSING_KEY_USAGE:
        return 0;
    case X509_V_ERR_UNABLE_TO_DECRYPT_CERT_SIGNATURE:
    case X509_V_ERR_UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_SIGNATURE_ALGORITHM_MISMATCH:
    case X509_V_ERR_SIGNATURE_ALGORITHM_INCONSISTENCY:
    case X509_V_ERR_EC_KEY_EXPLICIT_PARAMS:
        return LLAVERO_PATH_SIGNATURE;
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_CERT_CHAIN_TOO_LONG:
    case X509_V_ERR_SUBJECT_ISSUER_MISMATCH:
    case X509_V_ERR_CERT_UNTRUSTED:
    case X509_V_ERR_CERT_REJECTED:
        return LLAVERO_PATH_BROKEN;
    case X509_V_ERR_INVALID_CA:
    case X509_V_ERR_INVALID_PURPOSE:
    case X509_V_ERR_INVALID_NON_CA:
        return LLAVERO_PATH_AUTHORITY;
    case X509_V_ERR_KEYUSAGE_NO_CERTSIGN:
        return LLAVERO_PATH_KEY_USAGE;
    case X509_V_ERR_PATH_LENGTH_EXCEEDED:
    case X509_V_ERR_PROXY_PATH_LENGTH_EXCEEDED:
        return LLAVERO_PATH_LENGTH;
    case X509_V_ERR_PERMITTED_VIOLATION:
    case X509_V_ERR_EXCLUDED_VIOLATION:
    case X509_V_ERR_SUBTREE_MINMAX:
    case X509_V_ERR_UNSUPPORTED_CONSTRAINT_TYPE:
    case X509_V_ERR_UNSUPPORTED_CONSTRAINT_SYNTAX:
    case X509_V_ERR_UNSUPPORTED_NAME_SYNTAX:
        return LLAVERO_PATH_NAME;
    case X509_V_ERR_INVALID_POLICY_EXTENSION:
    case X509_V_ERR_NO_EXPLICIT_POLICY:
        return LLAVERO_PATH_POLICY;
    case X509_V_ERR_UNHANDLED_CRITICAL_EXTENSION:
        return LLAVERO_PATH_CRITICAL;
    case X509_V_ERR_INVALID_EXTENSION:
        return LLAVERO_PATH_EXTENSION;
    case X509_V_ERR_AKID_SKID_MISMATCH:
    case X509_V_ERR_AKID_ISSUER_SERIAL_MISMATCH:
    case X509_V_ERR_MISSING_AUTHORITY_KEY_IDENTIFIER:
        return LLAVERO_PATH_IDENTIFIER;
    case X509_V_ERR_AUTHORITY_KEY_IDENTIFIER_CRITICAL:
    case X509_V_ERR_SUBJECT_KEY_IDENTIFIER_CRITICAL:
    case X509_V_ERR_MISSING_SUBJECT_KEY_IDENTIFIER:
        return LLAVERO_PATH_IDENTIFIER_FORM;
    case X509_V_ERR_CA_BCONS_NOT_CRITICAL:
        return LLAVERO_PATH_CONSTRAINTS_FORM;
    case X509_V_ERR_SUBJECT_NAME_EMPTY:
    case X509_V_ERR_ISSUER_NAME_EMPTY:
        return LLAVERO_PATH_SUBJECT;
    case X509_V_ERR_CERT_REVOKED:
        return LLAVERO_PATH_REVOKED;
    case X509_V_ERR_UNABLE_TO_GET_CRL:
    case X509_V_ERR_UNABLE_TO_DECRYPT_CRL_SIGNATURE:
    case X509_V_ERR_CRL_SIGNATURE_FAILURE:
    case X509_V_ERR_CRL_NOT_YET_VALID:
    case X509_V_ERR_CRL_HAS_EXPIRED:
    case X509_V_ERR_ERROR_IN_CRL_LAST_UPDATE_FIELD:
    case X509_V_ERR_ERROR_IN_CRL_NEXT_UPDATE_FIELD:
    case X509_V_ERR_UNABLE_TO_GET_CRL_ISSUER:
    case X509_V_ERR_KEYUSAGE_NO_CRL_SIGN:
    case X509_V_ERR_UNHANDLED_CRITICAL_CRL_EXTENSION:
    case X509_V_ERR_DIFFERENT_CRL_SCOPE:
    case X509_V_ERR_CRL_PATH_VALIDATION_ERROR:
        return LLAVERO_PATH_NO_LIST;
    default:
        // What isn't known counts as a fault.
        return LLAVERO_PATH_COMPLIANCE;
    }
}

/// Whether an error says that a list proves nothing. One that has expired still revokes.
static int is_of_false_list(int error) {
    switch (error) {
    case X509_V_ERR_UNABLE_TO_DECRYPT_CRL_SIGNATURE:
    case X509_V_ERR_CRL_SIGNATURE_FAILURE:
    case X509_V_ERR_UNABLE_TO_GET_CRL_ISSUER:
    case X509_V_ERR_KEYUSAGE_NO_CRL_SIGN:
    case X509_V_ERR_UNHANDLED_CRITICAL_CRL_EXTENSION:
    case X509_V_ERR_DIFFERENT_CRL_SCOPE:
    case X509_V_ERR_CRL_PATH_VALIDATION_ERROR:
        return 1;
    default:
        return 0;
    }
}

static int collect(int is_good, X509_STORE_CTX *context) {
    if (is_good) return 1;
    // The chain of a revocation list's signer: any fault means that the list doesn't count.
    if (X509_STORE_CTX_get0_parent_ctx(context) != NULL) return 0;
    struct collector *collector = X509_STORE_CTX_get_app_data(context);
    int error = X509_STORE_CTX_get_error(context);
    X509_CRL *list = X509_STORE_CTX_get0_current_crl(context);
    if (is_of_false_list(error)) collector->false_list = list;
    if (error == X509_V_ERR_CERT_REVOKED && list != NULL && list == collector->false_list) return 1;
    if (error == X509_V_ERR_CRL_NOT_YET_VALID) {
        int64_t begin = list == NULL ? 0 : seconds(X509_CRL_get0_lastUpdate(list));
        if (begin != 0 && begin <= collector->latest_list) return 1;
    }
    int found = kind(error);
    // Go on, so that everything is found; but not if it can't be said.
    return found == 0 || note(collector, found, X509_STORE_CTX_get_error_depth(context));
}

static int is_this_path(
    X509_STORE_CTX *context, llavero_certificate *const *path, size_t count) {
    STACK_OF(X509) *chain = X509_STORE_CTX_get0_chain(context);
    if (chain == NULL || (size_t)sk_X509_num(chain) != count) return 0;
    for (size_t index = 0; index < count; index++) {
        if (X509_cmp(sk_X509_value(chain, (int)index), x509(path[index])) != 0) return 0;
    }
    return 1;
}

int llavero_check_path(
    llavero_certificate *const *path, size_t count, llavero_certificate *const *signers,
    size_t signer_count, llavero_revocation_list *const *lists, size_t list_count, int64_t time,
    int64_t skew, unsigned flags, struct llavero_path_fault *faults, size_t capacity) {
    if (count == 0) return -1;
    struct collector collector = {later(time, skew), NULL, faults, capacity, 0};
    int result = -1;
    X509_STORE *store = X509_STORE_new();
    X509_STORE_CTX *context = X509_STORE_CTX_new();
    STACK_OF(X509) *middle = sk_X509_new_null();
    STACK_OF(X509_CRL) *crls = sk_X509_CRL_new_null();
    if (store == NULL || context == NULL || middle == NULL || crls == NULL) goto end;
    if (X509_STORE_add_cert(store, x509(path[count - 1])) != 1) goto end;
    for (size_t index = 1; index + 1 < count; index++) {
        if (sk_X509_push(middle, x509(path[index])) == 0) goto end;
    }
    for (size_t index = 0; index < signer_count; index++) {
        if (sk_X509_push(middle, x509(signers[index])) == 0) goto end;
    }
    for (size_t index = 0; index < list_count; index++) {
        if (sk_X509_CRL_push(crls, crl(lists[index])) == 0) goto end;
    }
    if (X509_STORE_CTX_init(context, store, x509(path[0]), middle) != 1) goto end;
    X509_STORE_CTX_set0_crls(context, crls);
    X509_STORE_CTX_set_app_data(context, &collector);
    X509_STORE_CTX_set_verify_cb(context, collect);
    X509_VERIFY_PARAM *param = X509_STORE_CTX_get0_param(context);
    X509_VERIFY_PARAM_set_time(param, (time_t)time);
    X509_VERIFY_PARAM_set_depth(param, (int)count + 1);
    unsigned long checks = X509_V_FLAG_PARTIAL_CHAIN | X509_V_FLAG_X509_STRICT
        | X509_V_FLAG_POLICY_CHECK;
    if ((flags & LLAVERO_CHECK_LISTS) != 0) {
        checks |= X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL
            | X509_V_FLAG_EXTENDED_CRL_SUPPORT | X509_V_FLAG_USE_DELTAS;
    }
    X509_VERIFY_PARAM_set_flags(param, checks);
    // Without an initial policy, libcrypto takes a chain that must have one for a bad one.
    ASN1_OBJECT *any = OBJ_nid2obj(NID_any_policy);
    if (any == NULL || X509_VERIFY_PARAM_add0_policy(param, any) != 1) goto end;
    // A common name isn't the name of a host.
    X509_VERIFY_PARAM_set_hostflags(param, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
    // Each fault that it tells lets it go on. So 0 means that it has stopped, and not all was checked.
    if (X509_verify_cert(context) != 1) goto end;
    if (!is_this_path(context, path, count)
        && !note(&collector, LLAVERO_PATH_BROKEN, (int)count - 1)) {
        goto end;
    }
    result = (int)collector.count;
end:
    X509_STORE_CTX_free(context);
    X509_STORE_free(store);
    sk_X509_free(middle);
    sk_X509_CRL_free(crls);
    ERR_clear_error();
    return result;
}

// MARK: - OCSP

/// How long a response without an end counts.
static const int64_t endless_response_seconds = 7 * 86400;

static const EVP_MD *digest_of(const OCSP_CERTID *id) {
    ASN1_OBJECT *algorithm = NULL;
    if (OCSP_id_get0_info(NULL, &algorithm, NULL, NULL, (OCSP_CERTID *)id) != 1) return NULL;
    switch (OBJ_obj2nid(algorithm)) {
    case NID_sha1:
        return EVP_sha1();
    case NID_sha256:
        return EVP_sha256();
    case NID_sha384:
        return EVP_sha384();
    case NID_sha512:
        return EVP_sha512();
    default:
        return NULL;
    }
}

static int is_about(const OCSP_CERTID *id, X509 *certificate, X509 *issuer) {
    const EVP_MD *digest = digest_of(id);
    if (digest == NULL) return 0;
    OCSP_CERTID *own = OCSP_cert_to_id(digest, certificate, issuer);
    int is_equal = own != NULL && OCSP_id_cmp(own, (OCSP_CERTID *)id) == 0;
    OCSP_CERTID_free(own);
    return is_equal;
}

static int is_signed_for(OCSP_BASICRESP *basic, X509 *issuer, int64_t time) {
    int is_valid = 0;
    X509_STORE *store = X509_STORE_new();
    STACK_OF(X509) *issuers = sk_X509_new_null();
    if (store != NULL && issuers != NULL && X509_STORE_add_cert(store, issuer) == 1
        && sk_X509_push(issuers, issuer) != 0) {
        X509_VERIFY_PARAM *param = X509_STORE_get0_param(store);
        X509_VERIFY_PARAM_set_time(param, (time_t)time);
        X509_VERIFY_PARAM_set_flags(param, X509_V_FLAG_PARTIAL_CHAIN);
        is_valid = OCSP_basic_verify(basic, issuers, store, OCSP_NOEXPLICIT) == 1;
    }
    sk_X509_free(issuers);
    X509_STORE_free(store);
    return is_valid;
}

/// Whether the response has this nonce, or none; responders that prepare their answers have none.
static int fits_nonce(OCSP_BASICRESP *basic, const uint8_t *nonce, size_t count) {
    if (count == 0) return 1;
    OCSP_REQUEST *request = OCSP_REQUEST_new();
    int fits = 0;
    if (request != NULL
        && OCSP_request_add1_nonce(request, (unsigned char *)nonce, (int)count) == 1) {
        int found = OCSP_check_nonce(request, basic);
        fits = found == 1 || found == -1;
    }
    OCSP_REQUEST_free(request);
    return fits;
}

int llavero_check_response(
    const uint8_t *response, size_t count, llavero_certificate *certificate,
    llavero_certificate *issuer, int64_t time, int64_t skew, const uint8_t *nonce,
    size_t nonce_count, int64_t *until) {
    *until = 0;
    if (count > INT32_MAX) return LLAVERO_RESPONSE_NONE;
    int answer = LLAVERO_RESPONSE_NONE;
    const uint8_t *end = response;
    OCSP_RESPONSE *whole = d2i_OCSP_RESPONSE(NULL, &end, (long)count);
    OCSP_BASICRESP *basic = NULL;
    if (whole != NULL && end == response + count
        && OCSP_response_status(whole) == OCSP_RESPONSE_STATUS_SUCCESSFUL) {
        basic = OCSP_response_get1_basic(whole);
    }
    if (basic != NULL && fits_nonce(basic, nonce, nonce_count)
        && is_signed_for(basic, x509(issuer), time)) {
        for (int place = 0; place < OCSP_resp_count(basic); place++) {
            OCSP_SINGLERESP *single = OCSP_resp_get0(basic, place);
            if (!is_about(OCSP_SINGLERESP_get0_id(single), x509(certificate), x509(issuer))) {
                continue;
            }
            ASN1_GENERALIZEDTIME *from = NULL;
            ASN1_GENERALIZEDTIME *to = NULL;
            int status = OCSP_single_get0_status(single, NULL, NULL, &from, &to);
            int64_t first = seconds(from);
            int64_t last = to != NULL ? seconds(to) : first + endless_response_seconds;
            if (first == 0 || later(time, skew) < first || time > last) continue;
            if (status == V_OCSP_CERTSTATUS_REVOKED) {
                answer = LLAVERO_RESPONSE_REVOKED;
                *until = last;
                break;
            }
            if (status == V_OCSP_CERTSTATUS_GOOD) {
                answer = LLAVERO_RESPONSE_GOOD;
                *until = last;
            }
        }
    }
    OCSP_BASICRESP_free(basic);
    OCSP_RESPONSE_free(whole);
    ERR_clear_error();
    return answer;
}
