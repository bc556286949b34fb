// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Keeps a process's address space alive: reads its `pagemap` into memory that is mapped from a file
// whose server never answers (`fileserver`). Says `reading`.
//
//     pinner PROCESS FILE

#include "wire.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>

static int pages;

static unsigned long first_address(const char *path) {
    char line[5000];
    unsigned long start = 0;
    FILE *maps = fopen(path, "r");
    if (!maps || !fgets(line, sizeof line, maps) || sscanf(line, "%lx-", &start) != 1) fail(path);
    fclose(maps);
    return start;
}

struct reading {
    char *target;
    off_t offset;
};

static void *wait_for_pages(void *argument) {
    struct reading *reading = argument;
    pread(pages, reading->target, 8, reading->offset);
    say("read");
    return NULL;
}

int main(int count, char **words) {
    if (count != 3) return 2;
    char path[64];
    snprintf(path, sizeof path, "/proc/%s/maps", words[1]);
    unsigned long start = first_address(path);
    snprintf(path, sizeof path, "/proc/%s/pagemap", words[1]);
    pages = open(path, O_RDONLY | O_CLOEXEC);
    int file = open(words[2], O_RDONLY | O_CLOEXEC);
    if (pages < 0 || file < 0) fail("open");
    char *target = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    if (target == MAP_FAILED) fail("mmap");
    struct reading reading = {target, (off_t)(start / 4096 * 8)};
    pthread_t thread;
    pthread_create(&thread, NULL, wait_for_pages, &reading);
    usleep(200000);
    say("reading");
    pause();
    return 0;
}
