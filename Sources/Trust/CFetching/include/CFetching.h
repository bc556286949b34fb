// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// libcurl's part of fetching. Only this target calls libcurl.

#ifndef LLAVERO_FETCHING_H
#define LLAVERO_FETCHING_H

#include <stddef.h>
#include <stdint.h>

/// Whether an address may be connected to; it has 4 or 16 bytes.
typedef int (*llavero_allows_address)(const uint8_t *address, size_t count, void *context);

/// What to fetch.
struct llavero_fetch {
    /// An address with the scheme http, and no other.
    const char *address;
    /// The content of a POST; NULL for a GET.
    const uint8_t *body;
    size_t body_count;
    /// Header lines; NULL for none.
    const char *content_type;
    /// How many redirects are followed.
    int redirect_limit;
    /// How many bytes may come.
    size_t limit;
    long milliseconds;
    llavero_allows_address allows;
    void *context;
};

/// Prepares libcurl and name resolution: no configuration of either may load code later.
/// Returns 0 if they can't be used.
int llavero_fetching_start(void);

/// Fetches, by HTTP/1.1, without a proxy. Each host's name is resolved here, and only allowed addresses
/// are connected to, also after a redirect.
/// `bytes` receives memory for `free`, and `count` its byte count; `spent` how many bytes came, wanted or
/// not. Returns 1, or 0 if there is nothing.
int llavero_fetch_content(
    const struct llavero_fetch *fetch, uint8_t **bytes, size_t *count, size_t *spent);

#endif
