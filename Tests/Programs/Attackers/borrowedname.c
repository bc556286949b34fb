// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// In a user namespace of its own, a program names another file as its own (`/proc/PID/exe`), maps
// that file, and takes its own out of sight.
//
//     borrowedname PROGRAM SOCKET HOW

#include "namespaces.h"
#include "program.h"
#include "self.h"

int main(int count, char **words) {
    if (count != 4) return 2;
    int exe = open(words[1], O_RDONLY | O_CLOEXEC);
    if (exe < 0) fail(words[1]);
    enter_namespaces(0, 0);
    become_anonymous();
    struct prctl_mm_map map = present(exe);
    if (prctl(PR_SET_MM, PR_SET_MM_MAP, &map, sizeof map, 0)) fail("PR_SET_MM_MAP");
    if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, exe, 0) == MAP_FAILED) fail("mmap");
    say_program();
    run_steps = run_steps_hidden;
    talk(words[2], words[3]);
    return 0;
}
