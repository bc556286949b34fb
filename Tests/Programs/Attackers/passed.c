// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Opens a program, says `open`, waits for a line, and becomes the program by the descriptor alone:
// what its path led through may be gone by then.
//
//     passed PROGRAM WORD…

#include "wire.h"

#include <fcntl.h>

int main(int count, char **words) {
    if (count < 2) return 2;
    extern char **environ;
    int program = open(words[1], O_PATH | O_CLOEXEC);
    if (program < 0) fail(words[1]);
    say("open");
    char byte;
    while (read(0, &byte, 1) == 1 && byte != '\n') {}
    fexecve(program, words + 1, environ);
    return fail("fexecve");
}
