// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// A PAM module that hands passwords to llavero-pam: at a login the one that was typed, at a change the
// old and the new one. It decides nothing: whatever happens, and if nothing happens within its time,
// the login or the change goes on. Its arguments are the helper's.

#define _GNU_SOURCE
#include "pam_llavero.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <security/pam_ext.h>
#include <security/pam_modules.h>

#define EXPORT __attribute__((visibility("default")))
#define HELPER "/usr/lib/llavero/llavero-pam"
#define MILLISECONDS 10000
#define ARGUMENT_LIMIT 8

size_t llavero_pam_input(const char *old, const char *password, char input[LLAVERO_INPUT_LIMIT]) {
    const char *parts[] = {old, password};
    size_t used = 0;
    for (int index = old ? 0 : 1; index < 2; index++) {
        size_t count = parts[index] ? strnlen(parts[index], LLAVERO_PASSWORD_LIMIT + 1) : 0;
        if (count == 0 || count > LLAVERO_PASSWORD_LIMIT) return 0;
        memcpy(input + used, parts[index], count);
        input[used + count] = 0;
        used += count + 1;
    }
    return used;
}

void llavero_pam_line(char *line, size_t count) {
    line[count] = 0;
    for (; *line && *line != '\n'; line++)
        if (*line < ' ' || *line > '~') *line = '?';
    *line = 0;
}

static long left(const struct timespec *start) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    long passed = (now.tv_sec - start->tv_sec) * 1000 + (now.tv_nsec - start->tv_nsec) / 1000000;
    return passed < MILLISECONDS ? MILLISECONDS - passed : 0;
}

// In the child: only calls that are safe between fork and exec.
static void become_helper(int input, int output, char *const *words, char *const *environment) {
    sigset_t none = {0};
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    // At 3 or above, so that none is overwritten before it is copied.
    int nothing = fcntl(open("/dev/null", O_WRONLY), F_DUPFD, 3);
    if (dup2(fcntl(input, F_DUPFD, 3), 0) == 0 && dup2(fcntl(output, F_DUPFD, 3), 1) == 1 &&
        dup2(nothing, 2) == 2 && close_range(3, ~0U, 0) == 0)
        execve(HELPER, words, environment);
    _exit(127);
}

// Writes the input to the helper, and reads its line, within the time. Returns the line's length.
static size_t talk(int to, int from, const char *input, size_t count, char *line, const struct timespec *start) {
    // A pipe has room for all of it: nothing waits here.
    if (write(to, input, count) != (ssize_t)count) count = 0;
    close(to);
    size_t used = 0;
    struct pollfd entry = {.fd = from, .events = POLLIN};
    while (used < LLAVERO_LINE_LIMIT - 1 && poll(&entry, 1, (int)left(start)) > 0) {
        ssize_t got = read(from, line + used, LLAVERO_LINE_LIMIT - 1 - used);
        if (got <= 0) break;
        used += (size_t)got;
    }
    return used;
}

static size_t run_helper(
    const char *user, const char *type, const char *input, size_t count, char *line, int argc, const char **argv) {
    char name[LLAVERO_LINE_LIMIT] = "PAM_USER=", kind[32] = "PAM_TYPE=";
    if (strlen(user) >= sizeof name - strlen(name)) return 0;
    strcat(name, user);
    strcat(kind, type);
    char *environment[] = {name, kind, "PATH=/usr/bin:/bin", NULL};
    char *words[ARGUMENT_LIMIT + 2] = {HELPER};
    for (int index = 0; index < argc && index < ARGUMENT_LIMIT; index++) words[index + 1] = (char *)argv[index];
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) != 0) return 0;
    if (pipe2(from, O_CLOEXEC) != 0) return close(to[0]), close(to[1]), 0;
    struct timespec start;
    clock_gettime(CLOCK_MONOTONIC, &start);
    // The program around may collect all children, or die of a closed pipe.
    struct sigaction plain = {.sa_handler = SIG_DFL}, ignored = {.sa_handler = SIG_IGN}, child_before, pipe_before;
    sigaction(SIGCHLD, &plain, &child_before);
    sigaction(SIGPIPE, &ignored, &pipe_before);
    pid_t helper = fork();
    if (helper == 0) become_helper(to[0], from[1], words, environment);
    close(to[0]);
    close(from[1]);
    size_t used = 0;
    if (helper < 0) close(to[1]), close(from[0]);
    if (helper > 0) {
        used = talk(to[1], from[0], input, count, line, &start);
        close(from[0]);
        // It ends by itself, or is killed when the time is over.
        while (waitpid(helper, NULL, WNOHANG) == 0) {
            if (left(&start) == 0 && kill(helper, SIGKILL) == 0) {
                while (waitpid(helper, NULL, 0) < 0 && errno == EINTR) continue;
                break;
            }
            nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
        }
    }
    sigaction(SIGPIPE, &pipe_before, NULL);
    sigaction(SIGCHLD, &child_before, NULL);
    return used;
}

static void pass(pam_handle_t *pam, const char *type, int needs_old, int flags, int argc, const char **argv) {
    const void *user = NULL, *old = NULL, *password = NULL;
    char input[LLAVERO_INPUT_LIMIT], line[LLAVERO_LINE_LIMIT];
    if (pam_get_item(pam, PAM_USER, &user) != PAM_SUCCESS || !user) return;
    if (needs_old && (pam_get_item(pam, PAM_OLDAUTHTOK, &old) != PAM_SUCCESS || !old)) return;
    if (pam_get_item(pam, PAM_AUTHTOK, &password) != PAM_SUCCESS || !password) return;
    size_t count = llavero_pam_input(old, password, input);
    if (count > 0) {
        llavero_pam_line(line, run_helper(user, type, input, count, line, argc, argv));
        if (*line && !(flags & PAM_SILENT)) pam_info(pam, "%s", line);
    }
    explicit_bzero(input, sizeof input);
}

EXPORT int pam_sm_authenticate(pam_handle_t *pam, int flags, int argc, const char **argv) {
    pass(pam, "auth", 0, flags, argc, argv);
    return PAM_IGNORE;
}

EXPORT int pam_sm_setcred(pam_handle_t *pam, int flags, int argc, const char **argv) {
    (void)pam, (void)flags, (void)argc, (void)argv;
    return PAM_IGNORE;
}

EXPORT int pam_sm_chauthtok(pam_handle_t *pam, int flags, int argc, const char **argv) {
    if (flags & PAM_UPDATE_AUTHTOK) pass(pam, "password", 1, flags, argc, argv);
    return PAM_IGNORE;
}
