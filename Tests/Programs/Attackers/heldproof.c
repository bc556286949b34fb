// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Attaches a file to the proofs that the service demands, so that the service has it. The file system may
// stop meanwhile: then each process that closes a copy of the descriptor waits. Says `demanded` when the
// service has demanded all proofs; after a line on standard input `waits` when such a close was seen to
// wait, and `passed` when the proofs are sent. Stays until standard input ends.
//
//     heldproof SOCKET COUNT FILE

#include "wire.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

enum { LIMIT = 64 };

static void see_that_closing_waits(int file) {
    pid_t child = fork();
    if (child == 0) {
        close(file);
        _exit(0);
    }
    usleep(600000);
    if (waitpid(child, NULL, WNOHANG) != 0) fail("close");
    say("waits");
    kill(child, SIGKILL);
}

static void send_proof_with(int fd, const struct frame *demand, int attached) {
    struct frame proof = make_frame(KIND_PROVE, demand->body, demand->message_count);
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec part = {&proof, frame_size(&proof)};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control,
                             .msg_controllen = sizeof control.bytes};
    control.header = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
    memcpy(CMSG_DATA(&control.header), &attached, sizeof attached);
    if (sendmsg(fd, &message, MSG_NOSIGNAL) < 0) fail("sendmsg");
}

int main(int count, char **words) {
    static struct frame demands[LIMIT];
    int sockets[LIMIT], number;
    char line[16];
    if (count != 4 || (number = atoi(words[2])) > LIMIT) return 2;
    int file = open(words[3], O_RDONLY | O_CLOEXEC);
    if (file < 0) fail("open");
    struct sockaddr_un name = name_of(words[1]);
    struct frame request = make_frame(KIND_IDENTITY, "", 0);
    for (int i = 0; i < number; i++) {
        sockets[i] = new_socket();
        if (connect(sockets[i], (struct sockaddr *)&name, sizeof name)) fail("connect");
        if (send(sockets[i], &request, frame_size(&request), MSG_NOSIGNAL) < 0) fail("send");
        if (!read_frame(sockets[i], &demands[i])
            || demands[i].kind != (KIND_REPLY | KIND_PROVE)) {
            errno = 0;
            fail("no proof demanded");
        }
    }
    say("demanded");
    if (read(0, line, sizeof line) <= 0) return 1;
    see_that_closing_waits(file);
    for (int i = 0; i < number; i++) send_proof_with(sockets[i], &demands[i], file);
    say("passed");
    return read(0, line, sizeof line) < 0;
}
