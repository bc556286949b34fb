// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

#include "CFetching.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <nss.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    header_limit = 64 * 1024,
    name_limit = 256,
    address_limit = 8,
    entry_limit = name_limit + 16 + address_limit * (INET6_ADDRSTRLEN + 2),
};

/// One answer that comes.
struct arrival {
    const struct llavero_fetch *fetch;
    uint8_t *bytes;
    size_t count;
    size_t capacity;
    size_t header_count;
    /// What earlier answers had, which led elsewhere.
    size_t spent;
};

int llavero_fetching_start(void) {
    // Other sources of names would load libraries.
    if (__nss_configure_lookup("hosts", "files dns") != 0) return 0;
    return curl_global_init(CURL_GLOBAL_NOTHING) == CURLE_OK;
}

static long now(void) {
    struct timespec time;
    if (clock_gettime(CLOCK_MONOTONIC, &time) != 0) return 0;
    return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static int allows(const struct llavero_fetch *fetch, const struct sockaddr *address) {
    if (address->sa_family == AF_INET) {
        const struct in_addr *host = &((const struct sockaddr_in *)address)->sin_addr;
        return fetch->allows((const uint8_t *)host, 4, fetch->context);
    }
    if (address->sa_family == AF_INET6) {
        const struct in6_addr *host = &((const struct sockaddr_in6 *)address)->sin6_addr;
        return fetch->allows((const uint8_t *)host, 16, fetch->context);
    }
    return 0;
}

// MARK: - What libcurl calls

static curl_socket_t open_socket(
    void *context, curlsocktype purpose, struct curl_sockaddr *address) {
    const struct arrival *arrival = context;
    if (purpose != CURLSOCKTYPE_IPCXN || !allows(arrival->fetch, &address->addr)) {
        return CURL_SOCKET_BAD;
    }
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

static size_t take_header(const char *bytes, size_t size, size_t count, void *context) {
    (void)bytes;
    struct arrival *arrival = context;
    arrival->header_count += size * count;
    return arrival->header_count <= header_limit ? size * count : 0;
}

static size_t take(const char *bytes, size_t size, size_t count, void *context) {
    struct arrival *arrival = context;
    size_t added = size * count;
    if (added > arrival->fetch->limit - arrival->spent - arrival->count) return 0;
    if (arrival->count + added > arrival->capacity) {
        size_t capacity = (arrival->count + added) * 2;
        if (capacity > arrival->fetch->limit) capacity = arrival->fetch->limit;
        uint8_t *larger = realloc(arrival->bytes, capacity);
        if (larger == NULL) return 0;
        arrival->bytes = larger;
        arrival->capacity = capacity;
    }
    memcpy(arrival->bytes + arrival->count, bytes, added);
    arrival->count += added;
    return added;
}

// MARK: - Names

/// Puts `host:port:address,…` into the entry; returns 0 if no allowed address has the name.
static int resolve(
    const struct llavero_fetch *fetch, const char *host, const char *port, char *entry) {
    struct addrinfo hints = {0};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICSERV;
    struct addrinfo *found = NULL;
    if (getaddrinfo(host, port, &hints, &found) != 0) return 0;
    int length = snprintf(entry, entry_limit, "%s:%s:", host, port);
    int used = 0;
    for (struct addrinfo *one = found; one != NULL && used < address_limit; one = one->ai_next) {
        char text[INET6_ADDRSTRLEN];
        if (!allows(fetch, one->ai_addr)) continue;
        const void *bytes = one->ai_family == AF_INET6
            ? (const void *)&((struct sockaddr_in6 *)one->ai_addr)->sin6_addr
            : (const void *)&((struct sockaddr_in *)one->ai_addr)->sin_addr;
        if (inet_ntop(one->ai_family, bytes, text, sizeof text) == NULL) continue;
        const char *form = one->ai_family == AF_INET6 ? "%s[%s]" : "%s%s";
        length += snprintf(
            entry + length, (size_t)(entry_limit - length), form, used > 0 ? "," : "", text);
        used++;
    }
    freeaddrinfo(found);
    return used > 0;
}

/// Takes an address apart; returns 0 unless it is one of http with a host.
static int prepare(const struct llavero_fetch *fetch, const char *address, char *entry) {
    int is_ready = 0;
    char *scheme = NULL;
    char *host = NULL;
    char *port = NULL;
    char *user = NULL;
    CURLU *parts = curl_url();
    if (parts == NULL) return 0;
    if (curl_url_set(parts, CURLUPART_URL, address, CURLU_DISALLOW_USER) == CURLUE_OK
        && curl_url_get(parts, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK
        && curl_url_get(parts, CURLUPART_HOST, &host, 0) == CURLUE_OK
        && curl_url_get(parts, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT) == CURLUE_OK
        && curl_url_get(parts, CURLUPART_USER, &user, 0) == CURLUE_NO_USER
        && strcmp(scheme, "http") == 0) {
        size_t count = strlen(host);
        if (count > 2 && host[0] == '[' && host[count - 1] == ']') {
            // libcurl reads such an address itself, and asks before it connects.
            entry[0] = 0;
            is_ready = strchr(host, '%') == NULL;
        } else if (count > 0 && count < name_limit && strchr(host, ':') == NULL) {
            is_ready = resolve(fetch, host, port, entry);
        }
    }
    curl_free(scheme);
    curl_free(host);
    curl_free(port);
    curl_free(user);
    curl_url_cleanup(parts);
    return is_ready;
}

// MARK: - Fetching

/// Makes one request. Returns the status, or 0; `next` receives where it leads, for `free`.
static long request(struct arrival *arrival, const char *address, long milliseconds, char **next) {
    const struct llavero_fetch *fetch = arrival->fetch;
    char entry[entry_limit] = "";
    if (milliseconds <= 0 || !prepare(fetch, address, entry)) return 0;
    long status = 0;
    struct curl_slist *names = entry[0] != 0 ? curl_slist_append(NULL, entry) : NULL;
    struct curl_slist *lines = curl_slist_append(NULL, "Expect:");
    CURL *curl = curl_easy_init();
    if (curl == NULL || lines == NULL || (entry[0] != 0 && names == NULL)) goto end;
    if (fetch->content_type != NULL) {
        struct curl_slist *more = curl_slist_append(lines, fetch->content_type);
        if (more == NULL) goto end;
        lines = more;
    }
    int failures = 0;
#define SET(option, value) failures += curl_easy_setopt(curl, option, value) != CURLE_OK
    SET(CURLOPT_URL, address);
    SET(CURLOPT_PROTOCOLS_STR, "http");
    SET(CURLOPT_PROXY, "");
    SET(CURLOPT_NOPROXY, "*");
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    SET(CURLOPT_TIMEOUT_MS, milliseconds);
    SET(CURLOPT_FRESH_CONNECT, 1L);
    SET(CURLOPT_FORBID_REUSE, 1L);
    SET(CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)(fetch->limit - arrival->spent));
    SET(CURLOPT_OPENSOCKETFUNCTION, open_socket);
    SET(CURLOPT_OPENSOCKETDATA, arrival);
    SET(CURLOPT_HEADERFUNCTION, take_header);
    SET(CURLOPT_HEADERDATA, arrival);
    SET(CURLOPT_WRITEFUNCTION, take);
    SET(CURLOPT_WRITEDATA, arrival);
    SET(CURLOPT_HTTPHEADER, lines);
    if (names != NULL) SET(CURLOPT_RESOLVE, names);
    if (fetch->body != NULL) {
        SET(CURLOPT_POST, 1L);
        SET(CURLOPT_POSTFIELDS, (const char *)fetch->body);
        SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)fetch->body_count);
    }
#undef SET
    if (failures > 0 || curl_easy_perform(curl) != CURLE_OK) goto end;
    if (curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status) != CURLE_OK) status = 0;
    char *place = NULL;
    if (status >= 300 && status < 400
        && curl_easy_getinfo(curl, CURLINFO_REDIRECT_URL, &place) == CURLE_OK && place != NULL) {
        *next = strdup(place);
    }
end:
    curl_easy_cleanup(curl);
    curl_slist_free_all(names);
    curl_slist_free_all(lines);
    return status;
}

int llavero_fetch_content(
    const struct llavero_fetch *fetch, uint8_t **bytes, size_t *count, size_t *spent) {
    *bytes = NULL;
    *count = 0;
    struct arrival arrival = {.fetch = fetch};
    long end = now() + fetch->milliseconds;
    char *address = strdup(fetch->address);
    long status = 0;
    for (int hop = 0; address != NULL && hop <= fetch->redirect_limit; hop++) {
        char *next = NULL;
        arrival.spent += arrival.count + arrival.header_count;
        arrival.count = 0;
        arrival.header_count = 0;
        if (arrival.spent >= fetch->limit) break;
        status = request(&arrival, address, end - now(), &next);
        free(address);
        address = next;
    }
    free(address);
    *spent = arrival.spent + arrival.count + arrival.header_count;
    if (status != 200) {
        free(arrival.bytes);
        return 0;
    }
    *bytes = arrival.bytes;
    *count = arrival.count;
    return 1;
}
