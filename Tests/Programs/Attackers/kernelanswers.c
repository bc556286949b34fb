// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// What the kernel answers to calls that came late, a line each: `SO_PEERPIDFD OUTCOME` (Linux 6.5) and
// `PAGEMAP_SCAN OUTCOME` (Linux 6.7). The outcome is `works` or the error's name.

#include "wire.h"

#include <fcntl.h>
#include <sys/ioctl.h>

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

static void say_outcome(const char *call, int result) {
    say2(call, result < 0 ? strerrorname_np(errno) : "works");
}

int main(void) {
    int pair[2], pidfd;
    socklen_t size = sizeof pidfd;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) fail("socketpair");
    say_outcome("SO_PEERPIDFD", getsockopt(pair[0], SOL_SOCKET, SO_PEERPIDFD, &pidfd, &size));
    // linux/fs.h has this from Linux 6.7 on: an empty range, and no room for what is found.
    struct {
        uint64_t size, flags, start, end, walk_end, regions, region_count, max_pages;
        uint64_t inverted, mask, any_of, wanted;
    } scan = {.size = sizeof scan};
    int pages = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (pages < 0) fail("pagemap");
    say_outcome("PAGEMAP_SCAN", ioctl(pages, _IOC(_IOC_READ | _IOC_WRITE, 'f', 16, sizeof scan), &scan));
    return 0;
}
