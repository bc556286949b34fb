// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// The parts of pam_llavero that work on what others say, for tests and fuzzers. The module exports
// only the functions that PAM calls.

#ifndef LLAVERO_PAM_H
#define LLAVERO_PAM_H

#include <stddef.h>

enum {
    // The longest password that is handed on, and room for two.
    LLAVERO_PASSWORD_LIMIT = 1024,
    LLAVERO_INPUT_LIMIT = 2 * (LLAVERO_PASSWORD_LIMIT + 1),
    // The longest line that the helper may say to the person, its zero byte included.
    LLAVERO_LINE_LIMIT = 256
};

// Writes the helper's input: the passwords, each with a zero byte behind it. `old` may be NULL.
// Returns its length; 0 when one is missing, empty or too long.
size_t llavero_pam_input(const char *old, const char *password, char input[LLAVERO_INPUT_LIMIT]);
// Makes a line for the person of what the helper said: what isn't printable ASCII becomes a question
// mark, and it ends at the first line's end. `line` has room for `count` bytes and one more.
void llavero_pam_line(char *line, size_t count);

#endif
