// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Debugs a program, looks for a text in what it can write, and lets go: `found` or `nothing`; `refused`
// where the kernel refuses that.
//
//     debugger PROCESS TEXT

#include "wire.h"

#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

int main(int count, char **words) {
    if (count != 3) return 2;
    pid_t process = atoi(words[1]);
    char path[64], line[5000], rights[5];
    if (ptrace(PTRACE_ATTACH, process, 0, 0)) {
        say("refused");
        return 1;
    }
    if (waitpid(process, NULL, 0) != process) fail("wait");
    snprintf(path, sizeof path, "/proc/%d/maps", process);
    FILE *maps = fopen(path, "r");
    snprintf(path, sizeof path, "/proc/%d/mem", process);
    int memory = open(path, O_RDONLY | O_CLOEXEC), found = 0;
    if (!maps || memory < 0) fail(path);
    static char bytes[1 << 20];
    unsigned long start, end;
    while (fgets(line, sizeof line, maps)) {
        if (sscanf(line, "%lx-%lx %4s", &start, &end, rights) != 3 || rights[1] != 'w') continue;
        for (unsigned long at = start; at < end; at += sizeof bytes) {
            size_t size = end - at < sizeof bytes ? end - at : sizeof bytes;
            ssize_t have = pread(memory, bytes, size, at);
            if (have > 0 && memmem(bytes, have, words[2], strlen(words[2]))) found = 1;
        }
    }
    if (ptrace(PTRACE_DETACH, process, 0, 0)) fail("detach");
    say(found ? "found" : "nothing");
    return 0;
}
