// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// A program that says `connected` as soon as it is, talks, and stays: `visitor SOCKET HOW` (wire.h).

#include "wire.h"

int main(int count, char **words) {
    if (count != 3) return 2;
    struct sockaddr_un name = name_of(words[1]);
    int fd = new_socket();
    if (connect(fd, (struct sockaddr *)&name, sizeof name)) fail("connect");
    say("connected");
    talk_on(fd, NULL, words[2]);
    pause();
    return 0;
}
