// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// A program that nothing is loaded into and that nobody can look into; it does what `purpose` says,
// into which `injected` writes.
//
//     vault SOCKET HOW

#include "wire.h"

#include <sys/prctl.h>

__attribute__((noinline, noclone)) int purpose(void) {
    __asm__ volatile("nop; nop; nop; nop");
    return 1;
}

int main(int count, char **words) {
    if (count != 3 || prctl(PR_SET_DUMPABLE, 0)) return 2;
    say(purpose() == 1 ? "honest" : "changed");
    talk(words[1], words[2]);
    return 0;
}
