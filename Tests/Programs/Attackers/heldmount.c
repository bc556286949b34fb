// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Puts a program on a tmpfs of a user and a mount namespace of its own, takes the mount away again
// and keeps it through a descriptor: it is at no place in any namespace. Says the descriptor, and
// ends with its standard input.
//
//     heldmount DIRECTORY PROGRAM

#include "namespaces.h"

#include <sys/stat.h>
#include <sys/syscall.h>

enum { CLONE_TREE = 1 };

static void copy(const char *source, const char *target) {
    static char bytes[1 << 16];
    int from = open(source, O_RDONLY | O_CLOEXEC);
    int to = open(target, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
    if (from < 0 || to < 0) fail(target);
    for (ssize_t count; (count = read(from, bytes, sizeof bytes)) > 0;)
        if (write(to, bytes, count) != count) fail("write");
    close(from);
    close(to);
}

int main(int count, char **words) {
    if (count != 3) return 2;
    enter_namespaces(CLONE_NEWNS, 0);
    if (mount("held", words[1], "tmpfs", 0, NULL)) fail("mount");
    char path[4096];
    snprintf(path, sizeof path, "%s/program", words[1]);
    copy(words[2], path);
    int tree = syscall(SYS_open_tree, AT_FDCWD, words[1], CLONE_TREE | O_CLOEXEC);
    if (tree < 0) fail("open_tree");
    if (umount2(words[1], MNT_DETACH)) fail("umount");
    snprintf(path, sizeof path, "%d", tree);
    say(path);
    char line[16];
    return read(0, line, sizeof line) < 0;
}
