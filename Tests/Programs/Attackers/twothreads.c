// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// A signed program with two threads. A child debugs the second one, if it is to.
//
//     twothreads SOCKET traced|alone

#include "wire.h"

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static int numbers[2];

static void *second(void *unused) {
    pid_t number = syscall(SYS_gettid);
    write(numbers[1], &number, sizeof number);
    pause();
    return unused;
}

int main(int count, char **words) {
    if (count != 3 || pipe(numbers)) return 2;
    pthread_t thread;
    pid_t number = 0;
    pthread_create(&thread, NULL, second, NULL);
    if (read(numbers[0], &number, sizeof number) != sizeof number) fail("thread");
    if (!strcmp(words[2], "traced")) {
        int ready[2], done[2];
        char byte = 0;
        if (pipe(ready) || pipe(done)) fail("pipe");
        pid_t debugger = fork();
        if (debugger == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            read(ready[0], &byte, 1);
            byte = ptrace(PTRACE_SEIZE, number, 0, 0) == 0;
            write(done[1], &byte, 1);
            for (;;) waitpid(-1, NULL, __WALL);
        }
        // Where Yama asks for that. Elsewhere it fails.
        prctl(PR_SET_PTRACER, debugger, 0, 0, 0);
        write(ready[1], &byte, 1);
        if (read(done[0], &byte, 1) != 1 || !byte) fail("seize");
    }
    talk(words[1], "ask");
    return 0;
}
