// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Starts a program under ptrace, writes code into it before its first instruction, and lets go.
//
//     injected ADDRESS PROGRAM WORD…     the address, in hexadecimal, of a function to return 0
//     injected vdso PROGRAM WORD…        into the end of the page of code that the kernel gives
//     injected nothing PROGRAM WORD…     changes nothing

#include "wire.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#if defined(__aarch64__)
static const unsigned char code[8] = {0x00, 0x00, 0x80, 0x52, 0xC0, 0x03, 0x5F, 0xD6};
#else
static const unsigned char code[8] = {0x31, 0xC0, 0xC3, 0x90, 0x90, 0x90, 0x90, 0x90};
#endif

// Where the kernel's page ends in a process, less one word.
static long end_of_vdso(pid_t process) {
    char path[64], line[5000];
    unsigned long end = 0;
    snprintf(path, sizeof path, "/proc/%d/maps", process);
    FILE *maps = fopen(path, "r");
    if (!maps) fail(path);
    while (fgets(line, sizeof line, maps))
        if (strstr(line, "[vdso]")) sscanf(line, "%*x-%lx", &end);
    fclose(maps);
    if (!end) fail("vdso");
    return end - sizeof(long);
}

int main(int count, char **words) {
    if (count < 3) return 2;
    long address = strtol(words[1], NULL, 16), word;
    memcpy(&word, code, sizeof word);
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        ptrace(PTRACE_TRACEME, 0, 0, 0);
        execv(words[2], words + 2);
        fail(words[2]);
    }
    int status;
    if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) fail("wait");
    if (!strcmp(words[1], "vdso")) address = end_of_vdso(child);
    if (strcmp(words[1], "nothing") && ptrace(PTRACE_POKETEXT, child, address, word)) fail("poke");
    if (ptrace(PTRACE_DETACH, child, 0, 0)) fail("detach");
    waitpid(child, &status, 0);
    return 0;
}
