// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// In user and process namespaces of its own, a process connects and becomes the victim's program.
// Its child goes on with the connection, under the number of its parent: whoever is root in a
// process namespace may write any number of it into SCM_CREDENTIALS. `running` is said when the
// victim's program runs.
//
//     chosennumber PROGRAM SOCKET HOW

#include "deputy.h"
#include "namespaces.h"

// Sends what a step wants to be sent, in the name of process 1 of this namespace.
static void send_as_first(const struct step *step) {
    struct iovec part = {(void *)step->words[1], step->words[2]};
    char control[CMSG_SPACE(sizeof(struct ucred)) + CMSG_SPACE(sizeof(int))] = {0};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    struct ucred first = {.pid = 1, .uid = 0, .gid = 0};
    if (step->function == sendmsg) message = *(struct msghdr *)step->words[1];
    struct cmsghdr *header = (struct cmsghdr *)control;
    *header = (struct cmsghdr){CMSG_LEN(sizeof first), SOL_SOCKET, SCM_CREDENTIALS};
    memcpy(CMSG_DATA(header), &first, sizeof first);
    if (message.msg_controllen > 0)
        memcpy(control + CMSG_SPACE(sizeof first), message.msg_control, message.msg_controllen);
    message.msg_controllen += CMSG_SPACE(sizeof first);
    message.msg_control = control;
    if (sendmsg(step->words[0], &message, MSG_NOSIGNAL) < 0) fail("sendmsg");
}

static void run_steps_as_first(const struct step *steps, int count) {
    for (int i = 0; i < count; i++) {
        if (steps[i].function == send || steps[i].function == sendmsg) send_as_first(&steps[i]);
        else run_steps_openly(&steps[i], 1);
    }
}

int main(int count, char **words) {
    if (count != 4) return 2;
    enter_namespaces(CLONE_NEWPID, 0);
    pid_t child = fork();
    if (child > 0) return waitpid(child, NULL, 0) == child ? 0 : 1;
    follow_parent();
    int fd = new_socket();
    struct sockaddr_un name = name_of(words[2]);
    if (connect(fd, (struct sockaddr *)&name, sizeof name)) fail("connect");
    char number[32] = {0};
    if (readlink("/proc/self", number, sizeof number - 1) < 0) fail("/proc/self");
    if (fork() != 0) {
        execl(words[1], words[1], "wait", NULL);
        fail(words[1]);
    }
    // The first process is the victim's program: this one may only look at its name.
    wait_for(number, words[1]);
    run_steps = run_steps_as_first;
    talk_on(fd, NULL, words[3]);
    // With the first process all of its namespace ends.
    kill(1, SIGKILL);
    kill(getppid(), SIGTERM);
    return 0;
}
