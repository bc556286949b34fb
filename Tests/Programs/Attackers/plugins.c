// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// A program that connects, says `connected`, and after a line on standard input loads a library:
// `loaded`. With HOW `hidden` nobody may look into it by then.
//
//     plugins LIBRARY SOCKET HOW

#include "wire.h"

#include <dlfcn.h>
#include <sys/prctl.h>

int main(int count, char **words) {
    if (count != 4) return 2;
    int fd = new_socket();
    struct sockaddr_un name = name_of(words[2]);
    if (connect(fd, (struct sockaddr *)&name, sizeof name)) fail("connect");
    say("connected");
    char line[16];
    if (read(0, line, sizeof line) <= 0) return 1;
    if (!strcmp(words[3], "hidden") && prctl(PR_SET_DUMPABLE, 0)) fail("PR_SET_DUMPABLE");
    if (!dlopen(words[1], RTLD_NOW)) fail(words[1]);
    say("loaded");
    return read(0, line, sizeof line) < 0;
}
