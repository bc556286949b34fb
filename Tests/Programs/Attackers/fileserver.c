// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// A FUSE file system of one file, `program`, in a user and a mount namespace of its own. Other
// programs of the user reach it through this process's root directory in /proc. It answers until it
// is stopped (SIGSTOP): then every caller waits. Says `mounted`.
//
//     fileserver DEVICE DIRECTORY FILE [OTHER]
//
// Started by root it mounts where it is, as a setuid helper does for a user, and goes on as that
// user, FILESERVER_USER; all files say that they are root's.
//
// With FILESERVER_HOLDS reads are never answered, and every opening but the first one bypasses the
// page cache.
//
// After a line on standard input the content is that of OTHER, a file of the same length; its
// number and times stay the same.

#include "namespaces.h"

#include <linux/fuse.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

enum { ROOT = 1, PROGRAM = 2, ROOM = 1 << 21 };

static char *content;
static uint64_t content_size;
static int holds;

static char *load(const char *path, uint64_t *size) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (fd < 0 || fstat(fd, &status)) fail(path);
    char *bytes = malloc(status.st_size + 1);
    for (off_t at = 0; at < status.st_size;) {
        ssize_t count = pread(fd, bytes + at, status.st_size - at, at);
        if (count <= 0) fail(path);
        at += count;
    }
    close(fd);
    *size = status.st_size;
    return bytes;
}

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
    memcpy(reply + sizeof head, body, size);
    if (write(device, reply, head.len) < 0 && errno != ENOENT) fail("answer");
}

static void serve(int device, const struct fuse_in_header *in) {
    const void *body = in + 1;
    switch (in->opcode) {
    case FUSE_INIT: {
        struct fuse_init_out out = {
            .major = FUSE_KERNEL_VERSION, .minor = 31, .max_readahead = 1 << 17,
            .max_write = 1 << 17, .max_background = 12, .congestion_threshold = 9};
        return answer(device, in->unique, 0, &out, sizeof out);
    }
    case FUSE_LOOKUP: {
        // Nothing is believed for longer than this answer.
        struct fuse_entry_out out = {.nodeid = PROGRAM, .attr = attributes(PROGRAM)};
        if (strcmp(body, "program")) return answer(device, in->unique, ENOENT, NULL, 0);
        return answer(device, in->unique, 0, &out, sizeof out);
    }
    case FUSE_GETATTR: {
        struct fuse_attr_out out = {.attr = attributes(in->nodeid)};
        return answer(device, in->unique, 0, &out, sizeof out);
    }
    case FUSE_OPEN: case FUSE_OPENDIR: {
        static int count;
        struct fuse_open_out out = {.fh = 1};
        if (holds && in->opcode == FUSE_OPEN)
            out.open_flags = FOPEN_KEEP_CACHE | (count++ ? FOPEN_DIRECT_IO : 0);
        return answer(device, in->unique, 0, &out, sizeof out);
    }
    case FUSE_READ: {
        const struct fuse_read_in *read = body;
        if (holds) return;
        uint64_t left = read->offset < content_size ? content_size - read->offset : 0;
        return answer(
            device, in->unique, 0, content + read->offset, read->size < left ? read->size : left);
    }
    case FUSE_FLUSH: case FUSE_RELEASE: case FUSE_RELEASEDIR: case FUSE_ACCESS:
        return answer(device, in->unique, 0, NULL, 0);
    case FUSE_FORGET: case FUSE_BATCH_FORGET: return;
    default: return answer(device, in->unique, ENOSYS, NULL, 0);
    }
}

int main(int count, char **words) {
    if (count < 4) return 2;
    content = load(words[3], &content_size);
    uint64_t other_size = 0;
    char *other = count > 4 ? load(words[4], &other_size) : NULL;
    const char *user = getenv("FILESERVER_USER");
    holds = getenv("FILESERVER_HOLDS") != NULL;
    if (!user) enter_namespaces(CLONE_NEWNS, 0);
    int device = open(words[1], O_RDWR | O_CLOEXEC);
    if (device < 0) fail(words[1]);
    char options[128];
    snprintf(options, sizeof options, "fd=%d,rootmode=40755,user_id=%s,group_id=%s", device,
             user ? user : "0", user ? user : "0");
    if (mount("fileserver", words[2], "fuse", MS_NOSUID | MS_NODEV, options)) fail("mount");
    if (user && (setresgid(atoi(user), atoi(user), atoi(user))
                 || setresuid(atoi(user), atoi(user), atoi(user)))) fail("user");
    say("mounted");
    static char request[ROOM];
    struct pollfd entries[2] = {{device, POLLIN, 0}, {0, POLLIN, 0}};
    while (poll(entries, 2, -1) > 0) {
        if (entries[1].revents) {
            char line[16];
            if (read(0, line, sizeof line) <= 0) return 0;
            if (other && other_size == content_size) content = other;
            say("changed");
        }
        if (!entries[0].revents) continue;
        if (read(device, request, sizeof request) < 0) {
            if (errno == EINTR || errno == ENOENT) continue;
            return 0;
        }
        serve(device, (struct fuse_in_header *)request);
    }
    return 0;
}
