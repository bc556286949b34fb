// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// A program that goes on when the file system it was started from has stopped: all that it needs is in
// memory. It connects, asks who it is, and begins anew when it is answered or closed. Says `asking`.
//
//     returning SOCKET

#include "wire.h"

#include <sys/mman.h>

static int ask_once(const struct sockaddr_un *name, const struct frame *question) {
    static struct frame reply;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return 0;
    struct pollfd entry = {fd, POLLIN, 0};
    int answered = connect(fd, (const struct sockaddr *)name, sizeof *name) == 0
        && send(fd, question, frame_size(question), MSG_NOSIGNAL) > 0 && poll(&entry, 1, 20000) > 0
        && read_frame(fd, &reply);
    close(fd);
    return answered;
}

int main(int count, char **words) {
    if (count != 2) return 2;
    struct sockaddr_un name = name_of(words[1]);
    struct frame question = make_frame(KIND_IDENTITY, "", 0);
    if (mlockall(MCL_CURRENT | MCL_FUTURE)) fail("mlockall");
    // Once with everything: what is bound late is bound now.
    if (!ask_once(&name, &question)) fail("connect");
    usleep(1000);
    say("asking");
    for (;;) {
        ask_once(&name, &question);
        usleep(10000);
    }
}
