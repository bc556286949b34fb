// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Copies a program and keeps a way into the copy's pages that the file's times don't show. Says
// `written`; after a line on standard input it changes a text in it through that way, says `changed`
// if the times are as they were, and ends.
//
//     latewriter PROGRAM COPY TEXT OTHER WAY
//
// The texts are of the same length. The way is `mapping` (shared, each page written once, so that
// the kernel has nothing to note later) or `pin` (the pages are a buffer of io_uring's, and neither
// mapped nor open).

#include "wire.h"

#include <fcntl.h>
#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>

static char bytes[32 << 20];

struct ring {
    int fd;
    struct io_uring_params parameters;
    char *submissions, *entries;
};

// Makes memory a fixed buffer: its pages stay these, whatever becomes of the mapping.
static struct ring pin(char *start, size_t size) {
    struct ring ring = {.parameters = {0}};
    struct iovec part = {start, size};
    ring.fd = syscall(SYS_io_uring_setup, 8, &ring.parameters);
    if (ring.fd < 0) fail("io_uring_setup");
    ring.submissions = mmap(NULL, ring.parameters.sq_off.array + 32, PROT_READ | PROT_WRITE,
                            MAP_SHARED, ring.fd, IORING_OFF_SQ_RING);
    ring.entries = mmap(NULL, 8 * sizeof(struct io_uring_sqe), PROT_READ | PROT_WRITE, MAP_SHARED,
                        ring.fd, IORING_OFF_SQES);
    if (ring.submissions == MAP_FAILED || ring.entries == MAP_FAILED) fail("mmap");
    if (syscall(SYS_io_uring_register, ring.fd, IORING_REGISTER_BUFFERS, &part, 1)) fail("register");
    return ring;
}

// Has the kernel read a text from a pipe into pinned memory.
static void write_pinned(struct ring *ring, char *target, const char *text, size_t size) {
    static unsigned tail;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) || write(ends[1], text, size) != (ssize_t)size) fail("pipe");
    struct io_uring_sqe *entry = (struct io_uring_sqe *)ring->entries;
    memset(entry, 0, sizeof *entry);
    *entry = (struct io_uring_sqe){.opcode = IORING_OP_READ_FIXED, .fd = ends[0],
                                   .addr = (uintptr_t)target, .len = size, .off = -1};
    unsigned *array = (unsigned *)(ring->submissions + ring->parameters.sq_off.array);
    array[tail & 7] = 0;
    __atomic_store_n((unsigned *)(ring->submissions + ring->parameters.sq_off.tail), ++tail,
                     __ATOMIC_RELEASE);
    if (syscall(SYS_io_uring_enter, ring->fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0)
        fail("io_uring_enter");
    close(ends[0]);
    close(ends[1]);
}

int main(int count, char **words) {
    if (count != 6) return 2;
    int is_pinned = !strcmp(words[5], "pin");
    int from = open(words[1], O_RDONLY | O_CLOEXEC);
    int copy = open(words[2], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
    ssize_t size = read(from, bytes, sizeof bytes);
    if (from < 0 || copy < 0 || size <= 0 || write(copy, bytes, size) != size) fail(words[2]);
    size_t room = (size + 4095) & ~4095ul, length = strlen(words[3]);
    char *mapping = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_SHARED, copy, 0);
    if (mapping == MAP_FAILED) fail("mmap");
    for (ssize_t at = 0; at < size; at += 4096) {
        volatile char *byte = mapping + at;
        *byte = *byte;
    }
    struct ring ring;
    if (is_pinned) {
        // Only so much memory may be pinned.
        char *first = memmem(bytes, size, words[3], length), *last = first;
        for (char *at = first; at; at = memmem(at + 1, bytes + size - at - 1, words[3], length))
            last = at;
        if (!first) fail(words[3]);
        size_t start = (first - bytes) & ~4095ul;
        ring = pin(mapping + start, ((last + length - bytes + 4095) & ~4095ul) - start);
        munmap(mapping, room);
    }
    close(copy);
    say("written");
    char line[16];
    if (read(0, line, sizeof line) <= 0) return 1;
    struct stat before, after;
    stat(words[2], &before);
    for (char *at = bytes; (at = memmem(at, bytes + size - at, words[3], length)); at += length) {
        if (is_pinned) write_pinned(&ring, mapping + (at - bytes), words[4], length);
        else memcpy(mapping + (at - bytes), words[4], length);
    }
    if (!is_pinned) munmap(mapping, room);
    stat(words[2], &after);
    say(memcmp(&before.st_mtim, &after.st_mtim, sizeof before.st_mtim)
            || memcmp(&before.st_ctim, &after.st_ctim, sizeof before.st_ctim)
        ? "seen" : "changed");
    return 0;
}
