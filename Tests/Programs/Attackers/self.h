// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// What a piece of code can do to its own mappings: become anonymous, copy its pages, and be
// non-executable while nothing but the C library runs.

#pragma once
#include "wire.h"

#include <stdbool.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <ucontext.h>

struct range {
    char *start;
    size_t size;
    int rights;
};

static struct range own[64];
static int own_count;

// Finds the mappings of the file that this code was loaded from.
static void find_own_mappings(void) {
    FILE *maps = fopen("/proc/self/maps", "r");
    if (!maps) fail("maps");
    char line[5000], path[4096], mine[4096] = "";
    unsigned long start, end;
    char rights[5];
    for (int turn = 0; turn < 2; turn++) {
        rewind(maps);
        while (fgets(line, sizeof line, maps)) {
            path[0] = 0;
            if (sscanf(line, "%lx-%lx %4s %*s %*s %*s %4095[^\n]", &start, &end, rights, path) < 3)
                continue;
            if (turn == 0) {
                unsigned long here = (unsigned long)&find_own_mappings;
                if (start <= here && here < end) strcpy(mine, path);
            } else if (mine[0] && !strcmp(path, mine) && own_count < 64) {
                int bits = (rights[0] == 'r' ? PROT_READ : 0) | (rights[1] == 'w' ? PROT_WRITE : 0)
                    | (rights[2] == 'x' ? PROT_EXEC : 0);
                own[own_count++] = (struct range){(char *)start, end - start, bits};
            }
        }
    }
    fclose(maps);
    if (own_count == 0) fail("own mappings");
}

// Puts anonymous copies in the place of all own mappings: no file is mapped any more, and the
// program goes on. Whatever is written between a copy and its move is lost, so nothing is.
static void become_anonymous(void) {
    find_own_mappings();
    for (int i = 0; i < own_count; i++) {
        struct range *r = &own[i];
        char *copy = mmap(NULL, r->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (copy == MAP_FAILED) fail("mmap");
        memcpy(copy, r->start, r->size);
        mprotect(copy, r->size, r->rights);
        if (mremap(copy, r->size, r->size, MREMAP_MAYMOVE | MREMAP_FIXED, r->start) == MAP_FAILED)
            fail("mremap");
    }
}

// Gives every own page a copy of its own, with the file's bytes, and the mapping stays the file's:
// what is written to the file from now on isn't seen here.
static void copy_own_pages(void) {
    find_own_mappings();
    for (int i = 0; i < own_count; i++) {
        struct range *r = &own[i];
        if (mprotect(r->start, r->size, PROT_READ | PROT_WRITE | r->rights)) fail("mprotect");
        for (size_t at = 0; at < r->size; at += 4096) {
            volatile char *byte = r->start + at;
            *byte = *byte;
        }
        if (mprotect(r->start, r->size, r->rights)) fail("mprotect");
    }
}

// MARK: Out of sight

// Runs the steps as a chain of contexts, each of which is a function of the C library's that
// returns into the next; in the first, own code stops being executable, in the last it is again.
static void run_steps_hidden(const struct step *steps, int count) {
    static ucontext_t contexts[16], back;
    static char stacks[16][64 * 1024];
    static struct step chain[16];
    int n = 0;
    for (int i = 0; i < own_count; i++)
        if (own[i].rights & PROT_EXEC)
            chain[n++] = (struct step){
                mprotect, {(long)own[i].start, own[i].size, own[i].rights & ~PROT_EXEC}};
    for (int i = 0; i < count; i++) chain[n++] = steps[i];
    for (int i = 0; i < own_count; i++)
        if (own[i].rights & PROT_EXEC)
            chain[n++] = (struct step){mprotect, {(long)own[i].start, own[i].size, own[i].rights}};
    for (int i = n - 1; i >= 0; i--) {
        getcontext(&contexts[i]);
        contexts[i].uc_stack.ss_sp = stacks[i];
        contexts[i].uc_stack.ss_size = sizeof stacks[i];
        contexts[i].uc_link = i + 1 < n ? &contexts[i + 1] : &back;
        const long *words = chain[i].words;
        makecontext(&contexts[i], (void (*)(void))chain[i].function, 4, words[0], words[1], words[2],
                    words[3]);
    }
    swapcontext(&back, &contexts[0]);
}
