// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// A process connects, leaves the other end to a deputy, and becomes another program: what the
// service finds at the other end is that one.

#pragma once
#include "wire.h"

#include <sys/wait.h>

// Whether a process, by its number below /proc, runs a program yet.
static int runs(const char *process, const char *program) {
    char path[64], seen[4096] = {0};
    snprintf(path, sizeof path, "/proc/%s/exe", process);
    return readlink(path, seen, sizeof seen - 1) > 0 && !strcmp(seen, program);
}

static void wait_for(const char *process, const char *program) {
    for (int turn = 0; turn < 5000 && !runs(process, program); turn++) usleep(1000);
    say(runs(process, program) ? "running" : "not running");
}
