// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// What an attacker says once he is in his disguise: `talk(SOCKET, HOW)`.
//
//     ask      asks the service who it takes him for, and for the item of the service "bank":
//              lines `grade G`, `group …`, `reason …`, then `found SECRET`, `refused` or `closed`
//     naive    asks the naive service: `stolen ANSWER`
//     connect  only connects: `connected`; ends when the other end is closed
//
// Every call that the service could answer to goes through `run_steps`, which a disguise may
// replace: between its first step and its last, nothing but the C library needs to run.

#pragma once
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

// MARK: Steps

// A call into the C library.
struct step {
    void *function;
    long words[4];
};

static void run_steps_openly(const struct step *steps, int count) {
    for (int i = 0; i < count; i++) {
        long (*function)(long, long, long, long) = steps[i].function;
        const long *words = steps[i].words;
        function(words[0], words[1], words[2], words[3]);
    }
}

static void (*run_steps)(const struct step *, int) = run_steps_openly;

static void say(const char *text) {
    char line[512];
    int count = snprintf(line, sizeof line, "%s\n", text);
    if (write(1, line, count) != count) _exit(99);
}

static void say2(const char *word, const char *text) {
    char line[500];
    snprintf(line, sizeof line, "%s %s", word, text);
    say(line);
}

static int fail(const char *what) {
    char line[256];
    snprintf(line, sizeof line, "failed %s: %s", what, strerror(errno));
    say(line);
    _exit(1);
}

// MARK: Frames (Documentation/PROTOCOL.md §1)

enum { KIND_FIND = 1, KIND_PROVE = 15, KIND_IDENTITY = 16, KIND_REPLY = 0x8000 };

struct frame {
    uint32_t message_count, secret_count;
    uint16_t version, kind;
    uint32_t sequence;
    uint8_t body[4096];
};

static size_t frame_size(const struct frame *frame) {
    return 16 + frame->message_count + frame->secret_count;
}

static struct frame make_frame(int kind, const void *message, size_t count) {
    struct frame frame = {.message_count = count, .version = 1, .kind = kind, .sequence = 1};
    memcpy(frame.body, message, count);
    return frame;
}

// The secrets of the generic passwords of a service.
static struct frame find_frame(const char *service) {
    uint8_t message[256];
    int length = strlen(service), n = 0;
    message[n++] = 0x08; message[n++] = 1;             // item_class: generic password
    message[n++] = 0x12; message[n++] = length + 3;    // filter: Attributes
    message[n++] = 0x12; message[n++] = length + 1;    // service, a text
    message[n++] = 'T';
    memcpy(message + n, service, length);
    n += length;
    message[n++] = 0x30; message[n++] = 1;             // returning: the secret
    return make_frame(KIND_FIND, message, n);
}

// Reads a whole frame; 0 when the connection ends first.
static int read_frame(int fd, struct frame *frame) {
    size_t have = 0, need = 16;
    while (have < need) {
        ssize_t count = recv(fd, (char *)frame + have, need - have, 0);
        if (count <= 0) return 0;
        have += count;
        if (have >= 16) need = frame_size(frame);
        if (need > sizeof *frame) return 0;
    }
    return 1;
}

// Sends the nonce of a reply back as the service wants it of the program that it inspected: with
// any descriptor attached, which plain `write` can't do.
static void send_proof(int fd, const struct frame *demand) {
    static struct frame proof;
    proof = make_frame(KIND_PROVE, demand->body, demand->message_count);
    static union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    static struct iovec part;
    static struct msghdr message;
    part = (struct iovec){&proof, frame_size(&proof)};
    message = (struct msghdr){.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control,
                              .msg_controllen = sizeof control.bytes};
    control.header = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
    memcpy(CMSG_DATA(&control.header), &fd, sizeof fd);
    static struct pollfd entry;
    entry = (struct pollfd){fd, POLLIN, 0};
    struct step steps[] = {
        {sendmsg, {fd, (long)&message, MSG_NOSIGNAL}}, {poll, {(long)&entry, 1, 20000}}};
    run_steps(steps, 2);
}

// MARK: Talking

static struct sockaddr_un name_of(const char *path) {
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    strncpy(name.sun_path, path, sizeof name.sun_path - 1);
    return name;
}

// Sends a frame and waits; `path` is connected to first unless it is NULL.
static void send_frame(int fd, const char *path, const struct frame *request) {
    static struct sockaddr_un name;
    static struct pollfd entry;
    entry = (struct pollfd){fd, POLLIN, 0};
    struct step steps[3];
    int n = 0;
    if (path) {
        name = name_of(path);
        steps[n++] = (struct step){connect, {fd, (long)&name, sizeof name}};
    }
    steps[n++] = (struct step){send, {fd, (long)request, frame_size(request), MSG_NOSIGNAL}};
    steps[n++] = (struct step){poll, {(long)&entry, 1, 20000}};
    run_steps(steps, n);
}

// One request, with a proof if one is demanded.
static int request(int fd, const char *path, const struct frame *request, struct frame *reply) {
    send_frame(fd, path, request);
    if (!read_frame(fd, reply)) return 0;
    if (reply->kind != (KIND_REPLY | KIND_PROVE)) return 1;
    send_proof(fd, reply);
    if (!read_frame(fd, reply)) return 0;
    send_frame(fd, NULL, request);
    return read_frame(fd, reply);
}

// The texts of an IdentityReply.
static void say_identity(const struct frame *reply) {
    for (unsigned at = 0; at + 2 <= reply->message_count;) {
        int field = reply->body[at] >> 3, kind = reply->body[at] & 7;
        at++;
        if (kind == 0) {
            while (reply->body[at++] & 0x80) {}
            continue;
        }
        unsigned length = reply->body[at++];
        if (length & 0x80) length = (length & 0x7F) | reply->body[at++] << 7;
        char text[300] = {0};
        if (length >= sizeof text || at + length > reply->message_count) return;
        memcpy(text, reply->body + at, length);
        at += length;
        if (field == 1) say2("grade", text);
        if (field == 4) say2("group", text);
        if (field == 5) say2("reason", text);
    }
}

// What the service gives to a request for the item.
static void say_found(const struct frame *reply) {
    char text[300] = {0};
    if (reply->kind != (KIND_REPLY | KIND_FIND)) return say("refused");
    if (reply->secret_count >= sizeof text) return say("refused");
    memcpy(text, reply->body + reply->message_count, reply->secret_count);
    say2("found", text);
}

static void ask(int fd, const char *path) {
    static struct frame reply, identity, find;
    identity = make_frame(KIND_IDENTITY, "", 0);
    find = find_frame("bank");
    if (!request(fd, path, &identity, &reply)) return say("closed");
    say_identity(&reply);
    if (!request(fd, NULL, &find, &reply)) return say("closed");
    say_found(&reply);
}

static void ask_naive(int fd, const char *path) {
    static struct frame one;
    static char answer[64];
    one = make_frame(0, "", 0);
    send_frame(fd, path, &one);
    recv(fd, answer, sizeof answer - 1, 0);
    if (!strncmp(answer, "prove ", 6)) {
        // A nonce, which that service wants to have back as it is.
        static struct pollfd entry;
        entry = (struct pollfd){fd, POLLIN, 0};
        struct step steps[] = {
            {send, {fd, (long)answer, strlen(answer), MSG_NOSIGNAL}},
            {poll, {(long)&entry, 1, 20000}}};
        run_steps(steps, 2);
        memset(answer, 0, sizeof answer);
        recv(fd, answer, sizeof answer - 1, 0);
    }
    say2("stolen", answer);
}

static void stay_connected(int fd, const char *path) {
    static struct sockaddr_un name;
    static struct pollfd entry;
    entry = (struct pollfd){fd, POLLIN, 0};
    struct step steps[3];
    int n = 0;
    if (path) {
        name = name_of(path);
        steps[n++] = (struct step){connect, {fd, (long)&name, sizeof name}};
    }
    steps[n++] = (struct step){write, {1, (long)"connected\n", 10}};
    steps[n++] = (struct step){poll, {(long)&entry, 1, 20000}};
    run_steps(steps, n);
}

static int new_socket(void) {
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) fail("socket");
    return fd;
}

// On a socket that is connected first, unless the path is NULL.
static void talk_on(int fd, const char *path, const char *how) {
    if (!strcmp(how, "ask")) ask(fd, path);
    else if (!strcmp(how, "naive")) ask_naive(fd, path);
    else stay_connected(fd, path);
    close(fd);
}

static void talk(const char *path, const char *how) { talk_on(new_socket(), path, how); }
