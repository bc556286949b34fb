// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// As `borrowedname`, but it stays in the service's namespaces: a child that shares its memory enters a
// user namespace, names the file as the program of both, and ends.
//
//     lentname PROGRAM SOCKET HOW

#include "self.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#include "program.h"

static struct prctl_mm_map map;
static int outcome;

static int name_program(void *unused) {
    (void)unused;
    outcome = prctl(PR_SET_MM, PR_SET_MM_MAP, &map, sizeof map, 0) ? errno : 0;
    return 0;
}

int main(int count, char **words) {
    if (count != 4) return 2;
    int exe = open(words[1], O_RDONLY | O_CLOEXEC);
    if (exe < 0) fail(words[1]);
    become_anonymous();
    map = present(exe);
    static char stack[1 << 16] __attribute__((aligned(16)));
    pid_t child = clone(name_program, stack + sizeof stack,
                        CLONE_VM | CLONE_VFORK | CLONE_NEWUSER | SIGCHLD, NULL);
    if (child < 0 || waitpid(child, NULL, 0) != child) fail("clone");
    if ((errno = outcome)) fail("PR_SET_MM_MAP");
    if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, exe, 0) == MAP_FAILED) fail("mmap");
    say_program();
    run_steps = run_steps_hidden;
    talk(words[2], words[3]);
    return 0;
}
