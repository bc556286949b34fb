// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// A user namespace of one's own, in which one is root, and what else is asked for.

#pragma once
#include "wire.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>

static void write_file(const char *path, const char *text) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, text, strlen(text)) < 0) fail(path);
    close(fd);
}

// Enters new namespaces; inside, this user has the number `inside`.
static void enter_namespaces(int flags, unsigned inside) {
    char map[64];
    unsigned user = geteuid(), group = getegid();
    if (unshare(CLONE_NEWUSER | flags)) fail("unshare");
    // The launcher changed users, which makes /proc/self root's.
    write_file("/proc/self/setgroups", "deny");
    snprintf(map, sizeof map, "%u %u 1", inside, user);
    write_file("/proc/self/uid_map", map);
    snprintf(map, sizeof map, "%u %u 1", inside, group);
    write_file("/proc/self/gid_map", map);
    if (flags & CLONE_NEWNS && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL)) fail("private");
}

// A child that ends with its parent.
static int follow_parent(void) { return prctl(PR_SET_PDEATHSIG, SIGKILL); }
