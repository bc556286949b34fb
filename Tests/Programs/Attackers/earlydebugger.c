// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Starts a program, stops it as soon as the kernel has executed it, and debugs it before it has taken
// any right from itself.
//
//     earlydebugger PROGRAM WORD…
//
// Says `attached`, or `refused ERROR`; `late` when the program was faster 200 times.

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

// A file of a process in /proc, as a text.
static const char *read_file(pid_t process, const char *name) {
    static char text[4096];
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", process, name);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t count = file < 0 ? 0 : read(file, text, sizeof text - 1);
    close(file);
    text[count < 0 ? 0 : count] = 0;
    return text;
}

static pid_t start(char **words) {
    pid_t child = fork();
    if (child != 0) return child;
    int null = open("/dev/null", O_RDWR);
    for (int number = 0; number < 3; number++) dup2(null, number);
    execv(words[0], words);
    _exit(127);
}

int main(int count, char **words) {
    if (count < 2) return 2;
    const char *slash = strrchr(words[1], '/');
    char name[32];
    snprintf(name, sizeof name, "%.15s\n", slash ? slash + 1 : words[1]);
    for (int tries = 0; tries < 200; tries++) {
        pid_t child = start(words + 1);
        int status = 0;
        if (child < 0) return 2;
        // The kernel gives the process the program's name as it executes it.
        while (strcmp(read_file(child, "comm"), name) && waitpid(child, &status, WNOHANG) == 0) {}
        kill(child, SIGSTOP);
        int stopped = waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status);
        int is_early = stopped && strstr(read_file(child, "status"), "NoNewPrivs:\t0");
        int error = ptrace(PTRACE_SEIZE, child, 0, 0) == 0 ? 0 : errno;
        kill(child, SIGKILL);
        while (waitpid(child, &status, 0) == child && !WIFEXITED(status) && !WIFSIGNALED(status)) {}
        if (!is_early) continue;
        if (error == 0) puts("attached");
        else printf("refused %d\n", error);
        return 0;
    }
    puts("late");
    return 1;
}
