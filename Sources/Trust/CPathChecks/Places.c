// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

#include "CPathChecks.h"

#include <limits.h>
#include <openssl/err.h>
#include <openssl/ocsp.h>
#include <openssl/pkcs7.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <string.h>
#include <strings.h>

// What a certificate names in the network, and what is asked there.

static X509 *x509(const llavero_certificate *certificate) { return (X509 *)certificate; }

/// Counts down to the wanted one.
struct wanted {
    size_t index;
    char *text;
    size_t capacity;
    size_t count;
};

/// Returns whether the wanted one was reached.
static int take(struct wanted *wanted, const GENERAL_NAME *name) {
    static const char scheme[] = "http:";
    int type = 0;
    const ASN1_STRING *value = GENERAL_NAME_get0_value(name, &type);
    if (type != GEN_URI || value == NULL) return 0;
    const unsigned char *bytes = ASN1_STRING_get0_data(value);
    size_t count = (size_t)ASN1_STRING_length(value);
    if (count < sizeof scheme || strncasecmp((const char *)bytes, scheme, sizeof scheme - 1) != 0) {
        return 0;
    }
    if (wanted->index > 0) {
        wanted->index--;
        return 0;
    }
    // Whatever isn't printable is no part of an address.
    for (size_t place = 0; place < count; place++) {
        if (bytes[place] <= 0x20 || bytes[place] >= 0x7F) return 1;
    }
    if (count <= wanted->capacity) {
        memcpy(wanted->text, bytes, count);
        wanted->count = count;
    }
    return 1;
}

static void find_description(X509 *certificate, int method, struct wanted *wanted) {
    AUTHORITY_INFO_ACCESS *list = X509_get_ext_d2i(certificate, NID_info_access, NULL, NULL);
    for (int place = 0; place < sk_ACCESS_DESCRIPTION_num(list); place++) {
        const ACCESS_DESCRIPTION *description = sk_ACCESS_DESCRIPTION_value(list, place);
        if (OBJ_obj2nid(description->method) != method) continue;
        if (take(wanted, description->location)) break;
    }
    AUTHORITY_INFO_ACCESS_free(list);
}

static void find_point(X509 *certificate, struct wanted *wanted) {
    CRL_DIST_POINTS *points = X509_get_ext_d2i(
        certificate, NID_crl_distribution_points, NULL, NULL);
    int is_done = 0;
    for (int place = 0; place < sk_DIST_POINT_num(points) && !is_done; place++) {
        const DIST_POINT *point = sk_DIST_POINT_value(points, place);
        if (point->distpoint == NULL || point->distpoint->type != 0) continue;
        GENERAL_NAMES *names = point->distpoint->name.fullname;
        for (int name = 0; name < sk_GENERAL_NAME_num(names) && !is_done; name++) {
            is_done = take(wanted, sk_GENERAL_NAME_value(names, name));
        }
    }
    CRL_DIST_POINTS_free(points);
}

size_t llavero_place(
    llavero_certificate *certificate, int kind, size_t index, char *text, size_t capacity) {
    struct wanted wanted = {index, text, capacity, 0};
    switch (kind) {
    case LLAVERO_PLACE_RESPONSE:
        find_description(x509(certificate), NID_ad_OCSP, &wanted);
        break;
    case LLAVERO_PLACE_LIST:
        find_point(x509(certificate), &wanted);
        break;
    case LLAVERO_PLACE_ISSUERS:
        find_description(x509(certificate), NID_ad_ca_issuers, &wanted);
        break;
    default:
        break;
    }
    ERR_clear_error();
    return wanted.count;
}

size_t llavero_make_request(
    llavero_certificate *certificate, llavero_certificate *issuer, const uint8_t *nonce,
    size_t nonce_count, uint8_t *request, size_t capacity) {
    size_t count = 0;
    OCSP_REQUEST *made = OCSP_REQUEST_new();
    // The digest that every responder knows; it names the certificate and proves nothing.
    OCSP_CERTID *name = OCSP_cert_to_id(EVP_sha1(), x509(certificate), x509(issuer));
    if (made != NULL && name != NULL && nonce_count <= INT_MAX) {
        if (OCSP_request_add0_id(made, name) != NULL) {
            name = NULL;
            if (OCSP_request_add1_nonce(made, (unsigned char *)nonce, (int)nonce_count) == 1) {
                int size = i2d_OCSP_REQUEST(made, NULL);
                if (size > 0 && (size_t)size <= capacity) {
                    unsigned char *end = request;
                    count = (size_t)i2d_OCSP_REQUEST(made, &end);
                }
            }
        }
    }
    OCSP_CERTID_free(name);
    OCSP_REQUEST_free(made);
    ERR_clear_error();
    return count;
}

size_t llavero_bag_certificate(
    const uint8_t *bag, size_t count, size_t index, uint8_t *der, size_t capacity) {
    if (count > INT32_MAX || index > INT32_MAX) return 0;
    size_t size = 0;
    const uint8_t *end = bag;
    PKCS7 *parsed = d2i_PKCS7(NULL, &end, (long)count);
    if (parsed != NULL && PKCS7_type_is_signed(parsed) && parsed->d.sign != NULL
        && (int)index < sk_X509_num(parsed->d.sign->cert)) {
        X509 *certificate = sk_X509_value(parsed->d.sign->cert, (int)index);
        int needed = i2d_X509(certificate, NULL);
        if (needed > 0 && (size_t)needed <= capacity) {
            unsigned char *start = der;
            size = (size_t)i2d_X509(certificate, &start);
        }
    }
    PKCS7_free(parsed);
    ERR_clear_error();
    return size;
}
