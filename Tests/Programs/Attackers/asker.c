// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// A program without any disguise.
//
//     asker SOCKET HOW

#include "wire.h"

int main(int count, char **words) {
    if (count != 3) return 2;
    talk(words[1], words[2]);
    return 0;
}
