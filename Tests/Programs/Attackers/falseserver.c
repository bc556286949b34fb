// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// A false server: it takes what clients send, and answers that everything is done.
//
//     falseserver SOCKET
//
// Says `listening`, then of each connection `connected`; `secret TEXT` for the secret of a frame;
// `passcode HEX` for the message of a passcode request; and `closed COUNT` with the number of frames.

#include "wire.h"

#include <signal.h>
#include <sys/stat.h>

enum { KIND_CHALLENGE = 6, KIND_PASSCODE = 7 };

static void say_secret(const struct frame *request) {
    char text[300] = {0};
    if (request->secret_count == 0 || request->secret_count >= sizeof text) return;
    memcpy(text, request->body + request->message_count, request->secret_count);
    say2("secret", text);
}

static void say_passcode(const struct frame *request) {
    char text[480] = {0};
    if (request->message_count * 2 >= sizeof text) return say("passcode");
    for (unsigned i = 0; i < request->message_count; i++)
        snprintf(text + 2 * i, 3, "%02x", request->body[i]);
    say2("passcode", text);
}

static void serve(int fd) {
    static struct frame request, reply;
    // A nonce of 32 bytes, all alike.
    uint8_t nonce[34] = {0x0A, 32};
    int count = 0;
    say("connected");
    while (read_frame(fd, &request)) {
        count++;
        say_secret(&request);
        if (request.kind == KIND_PASSCODE) say_passcode(&request);
        int asks = request.kind == KIND_CHALLENGE;
        reply = make_frame(KIND_REPLY | request.kind, nonce, asks ? sizeof nonce : 0);
        reply.sequence = request.sequence;
        if (send(fd, &reply, frame_size(&reply), MSG_NOSIGNAL) < 0) break;
    }
    close(fd);
    char number[16];
    snprintf(number, sizeof number, "%d", count);
    say2("closed", number);
}

int main(int count, char **words) {
    if (count != 2) return 2;
    struct sockaddr_un name = name_of(words[1]);
    int listener = new_socket();
    if (bind(listener, (struct sockaddr *)&name, sizeof name)) fail("bind");
    if (chmod(words[1], 0666) || listen(listener, 16)) fail("listen");
    say("listening");
    while (1) {
        int fd = accept(listener, NULL, NULL);
        if (fd >= 0) serve(fd);
    }
}
