// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Gives the service a descriptor whose last close waits for days: a TCP connection with data that
// nobody takes, and a long linger time. Says `lingers` when closing such a one was seen to wait,
// `passed` when the service has its descriptors, and stays until standard input ends.
//
//     lingering SOCKET COUNT WHERE
//
// WHERE is `request`: attached to a first request; `behind`: attached to bytes behind it, which the
// service has no reason to read; `proof`: attached to the proof that the service demands; `urgent`:
// attached to a byte that is sent out of band, before the connection is closed. `flood`: as `request`,
// each connection closed at once, and it doesn't matter what becomes of it.

#include "linger.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

// A child that closes one as the last waits.
static void see_that_it_lingers(void) {
    int fd = lingering_socket(), ends[2];
    if (pipe(ends)) fail("pipe");
    pid_t child = fork();
    if (child == 0) {
        char byte;
        close(ends[1]);
        // Until it has the only one.
        read(ends[0], &byte, 1);
        close(fd);
        _exit(0);
    }
    close(fd);
    close(ends[0]);
    close(ends[1]);
    usleep(600000);
    if (waitpid(child, NULL, WNOHANG) != 0) fail("linger");
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    say("lingers");
}

static ssize_t try_to_send_with(
    int fd, const void *bytes, size_t count, int attached, int flags) {
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec part = {(void *)bytes, count};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control,
                             .msg_controllen = sizeof control.bytes};
    control.header = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
    memcpy(CMSG_DATA(&control.header), &attached, sizeof attached);
    return sendmsg(fd, &message, MSG_NOSIGNAL | flags);
}

static void send_with(int fd, const void *bytes, size_t count, int attached) {
    if (try_to_send_with(fd, bytes, count, attached, 0) < 0) fail("sendmsg");
}

// Where the service was faster, this is the close that waits.
static void *close_own(void *fd) {
    close((int)(long)fd);
    return NULL;
}

static void pass(const char *path, const char *where) {
    struct frame request = make_frame(KIND_IDENTITY, "", 0), reply;
    struct sockaddr_un name = name_of(path);
    int fd = new_socket();
    int attached = lingering_socket();
    if (connect(fd, (struct sockaddr *)&name, sizeof name)) fail("connect");
    if (!strcmp(where, "request")) {
        send_with(fd, &request, frame_size(&request), attached);
    } else if (!strcmp(where, "behind")) {
        if (send(fd, &request, frame_size(&request), MSG_NOSIGNAL) < 0) fail("send");
        send_with(fd, &request, frame_size(&request), attached);
        close(fd);
    } else if (!strcmp(where, "urgent")) {
        if (try_to_send_with(fd, "x", 1, attached, MSG_OOB) < 0) fail("MSG_OOB");
        close(fd);
    } else if (!strcmp(where, "flood")) {
        try_to_send_with(fd, &request, frame_size(&request), attached, 0);
        close(fd);
    } else {
        if (send(fd, &request, frame_size(&request), MSG_NOSIGNAL) < 0) fail("send");
        if (!read_frame(fd, &reply) || reply.kind != (KIND_REPLY | KIND_PROVE)) {
            errno = 0;
            fail("no proof demanded");
        }
        struct frame proof = make_frame(KIND_PROVE, reply.body, reply.message_count);
        send_with(fd, &proof, frame_size(&proof), attached);
    }
    pthread_t thread;
    if (pthread_create(&thread, NULL, close_own, (void *)(long)attached)) fail("thread");
    pthread_detach(thread);
}

int main(int count, char **words) {
    if (count != 4) return 2;
    see_that_it_lingers();
    for (int i = 0; i < atoi(words[2]); i++) pass(words[1], words[3]);
    say("passed");
    char line[16];
    return read(0, line, sizeof line) < 0;
}
