// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// A process connects and becomes a program that copies its standard input to its standard output,
// which is the connection. Its child says what is to be copied, and reads the answers. `running` is
// said when the program runs.
//
//     filter PROGRAM SOCKET HOW

#include "deputy.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>

static int input[2];

// Gives to the program what a step wants to be sent.
static void run_steps_through_the_program(const struct step *steps, int count) {
    for (int i = 0; i < count; i++) {
        const long *words = steps[i].words;
        if (steps[i].function == send) {
            if (write(input[1], (void *)words[1], words[2]) < 0) fail("write");
        } else if (steps[i].function == sendmsg) {
            const struct iovec *part = ((struct msghdr *)words[1])->msg_iov;
            if (write(input[1], part->iov_base, part->iov_len) < 0) fail("write");
        } else run_steps_openly(&steps[i], 1);
    }
}

int main(int count, char **words) {
    if (count != 4) return 2;
    int fd = new_socket();
    struct sockaddr_un name = name_of(words[2]);
    if (connect(fd, (struct sockaddr *)&name, sizeof name)) fail("connect");
    if (pipe2(input, O_CLOEXEC)) fail("pipe");
    char number[32];
    snprintf(number, sizeof number, "%d", getpid());
    int output = dup(1);
    if (fork() != 0) {
        dup2(input[0], 0);
        dup2(fd, 1);
        close(output);
        execl(words[1], words[1], "copy", NULL);
        fail(words[1]);
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    wait_for(number, words[1]);
    run_steps = run_steps_through_the_program;
    talk_on(fd, NULL, words[3]);
    kill(getppid(), SIGTERM);
    return 0;
}
