// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// A signed program that asks for the item, and asks again on the same connection after each line.
// After the first line it puts itself out of its user's reach, unless it is to stay, loads a library
// of its user's, and says `loaded`.
//
//     hider SOCKET LIBRARY|stay

#include "wire.h"

#include <dlfcn.h>
#include <sys/prctl.h>

static int next_line(void) {
    char byte = 0;
    while (read(0, &byte, 1) == 1)
        if (byte == '\n') return 1;
    return 0;
}

int main(int count, char **words) {
    static struct frame find, reply;
    if (count != 3) return 2;
    int fd = new_socket();
    find = find_frame("bank");
    const char *path = words[1];
    for (int turn = 0;; turn++) {
        if (!request(fd, path, &find, &reply)) say("closed");
        else say_found(&reply);
        path = NULL;
        if (!next_line()) return 0;
        if (turn > 0 || !strcmp(words[2], "stay")) continue;
        if (prctl(PR_SET_DUMPABLE, 0)) fail("dumpable");
        if (!dlopen(words[2], RTLD_NOW)) fail(dlerror());
        say("loaded");
        if (!next_line()) return 0;
    }
}
