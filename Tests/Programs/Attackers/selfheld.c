// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Leaves descriptors whose last close waits for days in sockets that refer to themselves and to nothing
// else. Before Linux 6.9 the next process that closes any Unix socket closes these, too.
//
//     selfheld control          says `collects` if a process that closes a socket waits, else `spared`
//     selfheld SOCKET COUNT     leaves one, and has the service close a connection, COUNT times; says
//                               `passed`, and stays until standard input ends

#include "linger.h"

#include <signal.h>
#include <sys/wait.h>

// Nothing that is closed here is the last of a socket that another one holds, so that nothing is collected.
static void leave(void) {
    int ends[2], attached = lingering_socket();
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) fail("socketpair");
    int files[2] = {ends[0], attached};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof files)];
    } control;
    struct iovec part = {"x", 1};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control,
                             .msg_controllen = sizeof control.bytes};
    control.header = (struct cmsghdr){CMSG_LEN(sizeof files), SOL_SOCKET, SCM_RIGHTS};
    memcpy(CMSG_DATA(&control.header), files, sizeof files);
    if (sendmsg(ends[1], &message, MSG_NOSIGNAL) != 1) fail("sendmsg");
    close(attached);
    close(ends[1]);
    close(ends[0]);
}

static int waits(void) {
    pid_t child = fork();
    if (child == 0) {
        int fd = new_socket();
        leave();
        close(fd);
        _exit(0);
    }
    usleep(600000);
    int ended = waitpid(child, NULL, WNOHANG) != 0;
    kill(child, SIGKILL);
    return !ended;
}

int main(int count, char **words) {
    char line[16];
    if (count == 2 && !strcmp(words[1], "control")) {
        say(waits() ? "collects" : "spared");
        return 0;
    }
    if (count != 3) return 2;
    int number = atoi(words[2]), sockets[64];
    struct sockaddr_un name = name_of(words[1]);
    struct frame request = make_frame(KIND_IDENTITY, "", 0), reply;
    if (number > 64) return 2;
    for (int i = 0; i < number; i++) {
        sockets[i] = new_socket();
        if (connect(sockets[i], (struct sockaddr *)&name, sizeof name)) fail("connect");
        if (send(sockets[i], &request, frame_size(&request), MSG_NOSIGNAL) < 0) fail("send");
        if (!read_frame(sockets[i], &reply)) fail("no answer");
    }
    for (int i = 0; i < number; i++) {
        leave();
        // The service closes its end first.
        shutdown(sockets[i], SHUT_RDWR);
        usleep(100000);
    }
    say("passed");
    return read(0, line, sizeof line) < 0;
}
