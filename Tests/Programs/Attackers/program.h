// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Naming another file as the program of this process.

#pragma once
#include "wire.h"

#include <linux/prctl.h>
#include <sys/prctl.h>

// All that the kernel wants to be told besides the file; it is what is so already.
static struct prctl_mm_map present(int exe) {
    FILE *stat = fopen("/proc/self/stat", "r");
    static char text[4096];
    if (!stat || !fgets(text, sizeof text, stat)) fail("stat");
    fclose(stat);
    unsigned long value[60] = {0};
    int n = 3;
    for (char *word = strtok(strrchr(text, ')') + 1, " "); word; word = strtok(NULL, " "))
        value[n++] = strtoul(word, NULL, 10);
    return (struct prctl_mm_map){
        .start_code = value[26], .end_code = value[27], .start_data = value[45],
        .end_data = value[46], .start_brk = value[47], .brk = (unsigned long)sbrk(0),
        .start_stack = value[28], .arg_start = value[48], .arg_end = value[49],
        .env_start = value[50], .env_end = value[51], .exe_fd = exe};
}

static void say_program(void) {
    char seen[4096] = {0};
    if (readlink("/proc/self/exe", seen, sizeof seen - 1) < 0) fail("exe");
    say2("exe", seen);
}
