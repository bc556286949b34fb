// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// In a user namespace of its own, a program names another file as its own (`/proc/PID/exe`), maps
// that file, and takes its own out of sight.
//
//     borrowedname PROGRAM SOCKET HOW

#include "namespaces.h"
#include "self.h"

#include <linux/prctl.h>

// All that the kernel wants to be told besides the file; it is what is so already.
static struct prctl_mm_map present(int exe) {
    FILE *stat = fopen("/proc/self/stat", "r");
    static char text[4096];
    if (!stat || !fgets(text, sizeof text, stat)) fail("stat");
    fclose(stat);
    unsigned long value[60] = {0};
    int n = 3;
    for (char *word = strtok(strrchr(text, ')') + 1, " "); word; word = strtok(NULL, " "))
        value[n++] = strtoul(word, NULL, 10);
    return (struct prctl_mm_map){
        .start_code = value[26], .end_code = value[27], .start_data = value[45],
        .end_data = value[46], .start_brk = value[47], .brk = (unsigned long)sbrk(0),
        .start_stack = value[28], .arg_start = value[48], .arg_end = value[49],
        .env_start = value[50], .env_end = value[51], .exe_fd = exe};
}

int main(int count, char **words) {
    if (count != 4) return 2;
    int exe = open(words[1], O_RDONLY | O_CLOEXEC);
    if (exe < 0) fail(words[1]);
    enter_namespaces(0, 0);
    become_anonymous();
    struct prctl_mm_map map = present(exe);
    if (prctl(PR_SET_MM, PR_SET_MM_MAP, &map, sizeof map, 0)) fail("PR_SET_MM_MAP");
    if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, exe, 0) == MAP_FAILED) fail("mmap");
    char seen[4096] = {0};
    if (readlink("/proc/self/exe", seen, sizeof seen - 1) < 0) fail("exe");
    say2("exe", seen);
    run_steps = run_steps_hidden;
    talk(words[2], words[3]);
    return 0;
}
