// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// A FUSE file system of one file, `program`, that answers until a line comes on standard input. From
// then on it takes each request and answers none: who waits for one can't even be killed. Says
// `silent` then.
//
//     silentserver DEVICE FILE overlay DIRECTORY COUNT SOCKET HOW
//
// In namespaces of its own it serves FILE in the place of /usr/share, and mounts an overlay on
// DIRECTORY that says it is of /usr/share and /usr/lib. It runs the program from there, COUNT times,
// and says `started NUMBER` for each.
//
//     silentserver DEVICE FILE for-all DIRECTORY
//
// Started by root, it serves FILE for all, as a setuid helper does, and goes on as the user nobody.
// Says `mounted`.

#include "namespaces.h"

#include <linux/fuse.h>
#include <sys/stat.h>

enum { ROOT = 1, PROGRAM = 2, ROOM = 1 << 21, NOBODY = 65534 };

static int content = -1;
static uint64_t content_size;

static struct fuse_attr attributes(uint64_t node) {
    int is_root = node == ROOT;
    return (struct fuse_attr){
        .ino = node, .size = is_root ? 0 : content_size, .blocks = content_size / 512 + 1,
        .mtime = 1000000000, .ctime = 1000000000, .nlink = 1, .blksize = 4096,
        .mode = is_root ? S_IFDIR | 0755 : S_IFREG | 0755};
}

static void answer(int device, uint64_t unique, int error, const void *body, size_t size) {
    static char reply[ROOM];
    struct fuse_out_header head = {sizeof head + size, -error, unique};
    memcpy(reply, &head, sizeof head);
    if (size > 0) memcpy(reply + sizeof head, body, size);
    if (write(device, reply, head.len) < 0 && errno != ENOENT) fail("answer");
}

static void serve(int device, const struct fuse_in_header *in) {
    const void *body = in + 1;
    switch (in->opcode) {
    case FUSE_INIT: {
        struct fuse_init_out out = {
            .major = FUSE_KERNEL_VERSION, .minor = 31, .max_readahead = 1 << 14,
            .max_write = 1 << 17, .max_background = 12, .congestion_threshold = 9};
        return answer(device, in->unique, 0, &out, sizeof out);
    }
    case FUSE_LOOKUP: {
        struct fuse_entry_out out = {.nodeid = PROGRAM, .attr = attributes(PROGRAM)};
        if (strcmp(body, "program")) return answer(device, in->unique, ENOENT, NULL, 0);
        return answer(device, in->unique, 0, &out, sizeof out);
    }
    case FUSE_GETATTR: {
        struct fuse_attr_out out = {.attr = attributes(in->nodeid)};
        return answer(device, in->unique, 0, &out, sizeof out);
    }
    case FUSE_STATFS: {
        struct fuse_statfs_out out = {.st = {.bsize = 4096, .frsize = 4096, .namelen = 255}};
        return answer(device, in->unique, 0, &out, sizeof out);
    }
    case FUSE_OPEN: case FUSE_OPENDIR: {
        struct fuse_open_out out = {.fh = 1};
        return answer(device, in->unique, 0, &out, sizeof out);
    }
    case FUSE_READ: {
        const struct fuse_read_in *read = body;
        static char bytes[ROOM];
        ssize_t count = pread(content, bytes, read->size, read->offset);
        return answer(device, in->unique, count < 0 ? EIO : 0, bytes, count < 0 ? 0 : count);
    }
    case FUSE_FLUSH: case FUSE_RELEASE: case FUSE_RELEASEDIR: case FUSE_ACCESS:
        return answer(device, in->unique, 0, NULL, 0);
    case FUSE_FORGET: case FUSE_BATCH_FORGET: return;
    default: return answer(device, in->unique, ENOSYS, NULL, 0);
    }
}

static void mount_for_all(int device, const char *directory) {
    char options[128];
    snprintf(options, sizeof options, "fd=%d,rootmode=40755,user_id=%d,group_id=%d,allow_other",
             device, NOBODY, NOBODY);
    if (mount("silent", directory, "fuse", MS_NOSUID | MS_NODEV, options)) fail("mount");
    if (setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY)) fail("user");
    say("mounted");
}

// What needs the file system to be served.
static void run_programs(const char *directory, int count, const char *socket, const char *how) {
    if (follow_parent() || mount("o", directory, "overlay", 0, "lowerdir=/usr/share:/usr/lib"))
        fail("overlay");
    char path[4096];
    snprintf(path, sizeof path, "%s/program", directory);
    for (int i = 0; i < count; i++) {
        pid_t child = fork();
        if (child == 0) {
            follow_parent();
            execl(path, path, socket, how, NULL);
            fail(path);
        }
        char line[32];
        snprintf(line, sizeof line, "started %d", child);
        say(line);
    }
    pause();
}

int main(int count, char **words) {
    struct stat status;
    if (count < 5) return 2;
    content = open(words[2], O_RDONLY | O_CLOEXEC);
    if (content < 0 || fstat(content, &status)) fail(words[2]);
    content_size = status.st_size;
    int is_overlay = !strcmp(words[3], "overlay");
    if (is_overlay) enter_namespaces(CLONE_NEWNS, 0);
    int device = open(words[1], O_RDWR | O_CLOEXEC);
    if (device < 0) fail(words[1]);
    if (!is_overlay) {
        mount_for_all(device, words[4]);
    } else {
        char options[128];
        snprintf(options, sizeof options, "fd=%d,rootmode=40755,user_id=0,group_id=0", device);
        if (mount("silent", "/usr/share", "fuse", MS_NOSUID | MS_NODEV, options)) fail("mount");
        if (fork() == 0) run_programs(words[4], atoi(words[5]), words[6], words[7]);
    }
    static char request[ROOM];
    int is_silent = 0;
    struct pollfd entries[2] = {{device, POLLIN, 0}, {0, POLLIN, 0}};
    while (poll(entries, 2, -1) > 0) {
        if (entries[1].revents) {
            char byte;
            if (read(0, &byte, 1) != 1) return 0;
            is_silent = 1;
            say("silent");
            entries[1].fd = -1;
        }
        if (!entries[0].revents) continue;
        if (read(device, request, sizeof request) < 0) {
            if (errno == EINTR || errno == ENOENT) continue;
            return 0;
        }
        if (!is_silent) serve(device, (struct fuse_in_header *)request);
    }
    return 0;
}
