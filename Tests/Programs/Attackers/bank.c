// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// An application for its team to sign, on machines that have no Swift: the victim.
//
//     bank wait         nothing, until its standard input ends
//     bank copy         copies its standard input to its standard output
//     bank SOCKET HOW   see wire.h

#include "wire.h"

static int drain(int copies) {
    static char bytes[4096];
    for (ssize_t count; (count = read(0, bytes, sizeof bytes)) > 0;)
        if (copies && write(1, bytes, count) != count) return 1;
    return 0;
}

int main(int count, char **words) {
    if (count == 2) return drain(!strcmp(words[1], "copy"));
    if (count != 3) return 2;
    talk(words[1], words[2]);
    return 0;
}
