// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// A signed program that asks for the item, and after a line on standard input executes another
// program, which has the connection. The other program asks again after each line.
//
//     successor SOCKET PROGRAM
//     successor CONNECTION       the other program, unsigned

#include "wire.h"

#include <fcntl.h>

int main(int count, char **words) {
    static struct frame find, reply;
    char line[16], number[16];
    find = find_frame("bank");
    if (count == 2) {
        say("running");
        while (read(0, line, sizeof line) > 0) {
            if (!request(atoi(words[1]), NULL, &find, &reply)) say("closed");
            else say_found(&reply);
        }
        return 0;
    }
    if (count != 3) return 2;
    int fd = new_socket();
    if (fcntl(fd, F_SETFD, 0)) fail("fcntl");
    if (!request(fd, words[1], &find, &reply)) say("closed");
    else say_found(&reply);
    if (read(0, line, sizeof line) <= 0) return 1;
    snprintf(number, sizeof number, "%d", fd);
    execl(words[2], words[2], number, (char *)NULL);
    return fail(words[2]);
}
