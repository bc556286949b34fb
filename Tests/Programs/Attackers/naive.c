// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// A service that does what many do: it asks the kernel for the number of the process that connected, and
// compares the path of that process's program. Controls show with it that an attack works. Says
// `listening`.
//
//     naive SOCKET PROGRAM SECRET

#include "wire.h"

#include <sys/stat.h>

static const char *answer_to(int fd, const char *program, const char *secret) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    char path[64], seen[4096] = {0};
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size)) return "denied";
    snprintf(path, sizeof path, "/proc/%d/exe", peer.pid);
    if (readlink(path, seen, sizeof seen - 1) < 0) return "denied";
    return strcmp(seen, program) ? "denied" : secret;
}

int main(int count, char **words) {
    if (count != 4) return 2;
    int listener = new_socket();
    struct sockaddr_un name = name_of(words[1]);
    if (bind(listener, (struct sockaddr *)&name, sizeof name)) fail("bind");
    if (chmod(words[1], 0666) || listen(listener, 16)) fail("listen");
    say("listening");
    for (;;) {
        int fd = accept(listener, NULL, NULL);
        if (fd < 0) continue;
        char bytes[4096];
        if (recv(fd, bytes, sizeof bytes, 0) > 0) {
            const char *answer = answer_to(fd, words[2], words[3]);
            send(fd, answer, strlen(answer), MSG_NOSIGNAL);
        }
        close(fd);
    }
}
