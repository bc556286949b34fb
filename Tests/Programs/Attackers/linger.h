// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

#pragma once
#include "wire.h"

#include <arpa/inet.h>
#include <netinet/in.h>

// A connection to this process itself whose close waits; the other end stays open. The receiver has
// room for far less than the sender sends, so that some of it stays unsent on any machine.
static int lingering_socket(void) {
    int small = 4096, large = 1 << 18;
    struct sockaddr_in name = {.sin_family = AF_INET};
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof name;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&name, sizeof name)) fail("bind");
    if (setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &small, sizeof small)) fail("SO_RCVBUF");
    if (listen(listener, 1) || getsockname(listener, (struct sockaddr *)&name, &size)) fail("listen");
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &large, sizeof large)) fail("SO_SNDBUF");
    if (connect(fd, (struct sockaddr *)&name, sizeof name)) fail("connect");
    if (accept(listener, NULL, NULL) < 0) fail("accept");
    close(listener);
    struct linger linger = {.l_onoff = 1, .l_linger = 1 << 20};
    if (setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger)) fail("SO_LINGER");
    static char bytes[1 << 16];
    while (send(fd, bytes, sizeof bytes, MSG_DONTWAIT) > 0) {}
    return fd;
}
