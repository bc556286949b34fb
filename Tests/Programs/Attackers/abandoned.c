// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// A process connects, sends its first request and ends, so that its number can become another
// program's. Its child keeps the connection: it reads the answer, and proves that it is there if that is
// demanded (`demanded`).
//
//     abandoned SOCKET HOW

#include "wire.h"

static void go_on(int fd) {
    static struct frame reply;
    if (!read_frame(fd, &reply)) return say("closed");
    if (reply.kind == (KIND_REPLY | KIND_PROVE)) {
        say("demanded");
        send_proof(fd, &reply);
        if (!read_frame(fd, &reply)) return say("closed");
    } else say_identity(&reply);
    ask(fd, NULL);
}

int main(int count, char **words) {
    if (count != 3) return 2;
    int fd = new_socket();
    struct sockaddr_un name = name_of(words[1]);
    if (connect(fd, (struct sockaddr *)&name, sizeof name)) fail("connect");
    struct frame identity = make_frame(KIND_IDENTITY, "", 0);
    if (send(fd, &identity, frame_size(&identity), MSG_NOSIGNAL) < 0) fail("send");
    if (fork() != 0) return 0;
    if (strcmp(words[2], "naive")) go_on(fd);
    else {
        char answer[64] = {0};
        recv(fd, answer, sizeof answer - 1, 0);
        say2("stolen", answer);
    }
    say("done");
    return 0;
}
