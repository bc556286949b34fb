// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// Wrappers of one call each: Swift can't call variadic functions and macros, and the GNU
// extensions can't be declared in the header (they change structures that Glibc's own Swift
// module declares without them). No logic.

#define _GNU_SOURCE
#include "CLinuxSupport.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <linux/nsfs.h>
#include <linux/openat2.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/vfs.h>
#include <sys/types.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8U
#endif
#ifndef SYS_memfd_secret
#define SYS_memfd_secret 447
#endif

int llavero_memfd_secret(unsigned int flags) {
    return (int)syscall(SYS_memfd_secret, flags);
}

int llavero_prctl(int option, unsigned long a, unsigned long b) {
    return prctl(option, a, b, 0, 0);
}

int llavero_pidfd_open(pid_t pid) {
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

int llavero_open(const char *path, int flags, mode_t mode) {
    return open(path, flags, mode);
}

int llavero_openat(int directory, const char *path, int flags, mode_t mode) {
    return openat(directory, path, flags, mode);
}

int llavero_peer_pidfd(int socket) {
    int descriptor = -1;
    socklen_t size = sizeof descriptor;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &descriptor, &size) != 0) return -1;
    return descriptor;
}

int llavero_peer_credentials(int socket, pid_t *pid, uid_t *uid, gid_t *gid) {
    struct ucred credentials;
    socklen_t size = sizeof credentials;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return -1;
    *pid = credentials.pid;
    *uid = credentials.uid;
    *gid = credentials.gid;
    return 0;
}

int llavero_pass_credentials(int socket) {
    int on = 1;
    return setsockopt(socket, SOL_SOCKET, SO_PASSCRED, &on, sizeof on);
}

ssize_t llavero_peek(
    int socket, void *buffer, size_t count, pid_t *sender, uid_t *user, int *attached) {
    // Space for the sender's credentials and for no descriptor: the kernel then reports that some
    // were truncated.
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(struct ucred))];
    } control;
    struct iovec part = {.iov_base = buffer, .iov_len = count};
    struct msghdr message;
    memset(&message, 0, sizeof message);
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = &control;
    message.msg_controllen = sizeof control.bytes;
    *sender = 0;
    *user = (uid_t)-1;
    *attached = 0;
    ssize_t received = recvmsg(socket, &message, MSG_PEEK | MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (received < 0) return received;
    *attached = (message.msg_flags & MSG_CTRUNC) != 0;
    struct cmsghdr *c = CMSG_FIRSTHDR(&message);
    if (c != NULL && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_CREDENTIALS) {
        struct ucred credentials;
        memcpy(&credentials, CMSG_DATA(c), sizeof credentials);
        *sender = credentials.pid;
        *user = credentials.uid;
    }
    return received;
}

int llavero_peek_attached(int socket, void *buffer, size_t count, int *is_alone) {
    // Room for the sender and for one descriptor.
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(struct ucred)) + CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec part = {.iov_base = buffer, .iov_len = count};
    struct msghdr message;
    memset(&message, 0, sizeof message);
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = &control;
    message.msg_controllen = CMSG_SPACE(sizeof(struct ucred)) + CMSG_LEN(sizeof(int));
    ssize_t received = recvmsg(socket, &message, MSG_PEEK | MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    *is_alone = 0;
    if (received < 0) return -1;
    *is_alone = (message.msg_flags & MSG_CTRUNC) == 0;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(&message); c != NULL; c = CMSG_NXTHDR(&message, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
        int descriptor;
        memcpy(&descriptor, CMSG_DATA(c), sizeof descriptor);
        return descriptor;
    }
    return -1;
}

int llavero_empty_sealed_memory(void) {
    // A system can demand that such files aren't executable (vm.memfd_noexec, Linux 6.3).
    int descriptor = memfd_create("proof", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
    if (descriptor < 0 && errno == EINVAL)
        descriptor = memfd_create("proof", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (descriptor >= 0 && fcntl(descriptor, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SEAL) != 0) {
        close(descriptor);
        return -1;
    }
    return descriptor;
}

int llavero_is_empty_sealed_memory(int descriptor) {
    // Only memory files have seals that can be set, so no file system is asked here.
    int seals = fcntl(descriptor, F_GET_SEALS);
    if (seals < 0 || (seals & F_SEAL_GROW) == 0) return 0;
    struct stat status;
    return fstat(descriptor, &status) == 0 && status.st_size == 0 && status.st_blocks == 0;
}

ssize_t llavero_take(int socket, void *buffer, size_t count) {
    return recv(socket, buffer, count, MSG_DONTWAIT);
}

static void do_nothing(int number) { (void)number; }

void llavero_accept_interruptions(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = do_nothing;
    sigaction(SIGURG, &action, NULL);
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGURG);
    pthread_sigmask(SIG_UNBLOCK, &one, NULL);
}

void llavero_interrupt(pid_t thread) { syscall(SYS_tgkill, getpid(), thread, SIGURG); }

pid_t llavero_thread_number(void) { return (pid_t)syscall(SYS_gettid); }

int64_t llavero_make_interruption_timer(void) {
    struct sigevent event;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGURG;
    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    timer_t timer;
    return timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 ? (int64_t)(intptr_t)timer : -1;
}

void llavero_set_interruption_timer(int64_t timer, int64_t milliseconds) {
    struct itimerspec times;
    memset(&times, 0, sizeof times);
    times.it_value.tv_sec = milliseconds / 1000;
    times.it_value.tv_nsec = milliseconds % 1000 * 1000000;
    times.it_interval = times.it_value;
    if (timer != -1) timer_settime((timer_t)(intptr_t)timer, 0, &times, NULL);
}

void llavero_delete_interruption_timer(int64_t timer) {
    if (timer != -1) timer_delete((timer_t)(intptr_t)timer);
}

// Sends up to two buffers in one call, never raising SIGPIPE.
ssize_t llavero_send2(
    int socket, const void *first, size_t first_count, const void *second, size_t second_count,
    int flags) {
    struct iovec parts[2] = {
        {.iov_base = (void *)first, .iov_len = first_count},
        {.iov_base = (void *)second, .iov_len = second_count},
    };
    struct msghdr message;
    memset(&message, 0, sizeof message);
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    return sendmsg(socket, &message, MSG_NOSIGNAL | flags);
}

int llavero_set_timeout(int socket, int option, long seconds, long microseconds) {
    struct timeval value = {.tv_sec = seconds, .tv_usec = microseconds};
    return setsockopt(socket, SOL_SOCKET, option, &value, sizeof value);
}

int llavero_wifexited(int status) { return WIFEXITED(status); }
int llavero_wexitstatus(int status) { return WEXITSTATUS(status); }
int llavero_wtermsig(int status) { return WTERMSIG(status); }

int llavero_landlock_add_path_rule(
    int ruleset, const struct landlock_path_beneath_attr *rule) {
    return (int)syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, rule, 0);
}

int llavero_landlock_restrict_self(int ruleset) {
    return (int)syscall(SYS_landlock_restrict_self, ruleset, 0);
}

int llavero_close_range(unsigned int first, unsigned int last, unsigned int flags) {
    return (int)syscall(SYS_close_range, first, last, flags);
}

int llavero_getopt(int count, char *const *words, const char *options) {
    return getopt(count, words, options);
}
int llavero_getopt_index(void) { return optind; }

void llavero_getopt_skip(void) { optind++; }
const char *llavero_getopt_argument(void) { return optarg; }
int llavero_getopt_option(void) { return optopt; }

int llavero_accept(int socket) { return accept4(socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); }

int llavero_pipe(int descriptors[2]) { return pipe2(descriptors, O_CLOEXEC); }

int llavero_raised_privileges(void) { return getauxval(AT_SECURE) != 0; }

int llavero_fork(void) { return (int)fork(); }

int llavero_execve(const char *path, char *const *words, char *const *environment) {
    return execve(path, words, environment);
}

__attribute__((noinline)) void llavero_scrub_stack(size_t count) {
    explicit_bzero(__builtin_alloca(count), count);
}

int llavero_landlock_ruleset(uint64_t files, uint64_t network, uint64_t scopes) {
    // An older kernel's header declares only the first word.
    const uint64_t words[3] = {files, network, scopes};
    size_t size = scopes != 0 ? 24 : network != 0 ? 16 : 8;
    return (int)syscall(SYS_landlock_create_ruleset, words, size, 0);
}

int llavero_landlock_version(void) {
    return (int)syscall(
        SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

int llavero_forbid_children(void) {
    const struct rlimit none = {0, 0};
    return setrlimit(RLIMIT_NPROC, &none);
}

int llavero_forbid_core_files(void) {
    const struct rlimit none = {0, 0};
    return setrlimit(RLIMIT_CORE, &none);
}

void llavero_getopt_restart(void) { optind = 0; opterr = 0; }

int llavero_spawn_close_from(void *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

short llavero_spawn_own_session(void) { return POSIX_SPAWN_SETSID; }

void llavero_return_freed_memory(void) {
    // Setting the threshold disables glibc's automatic adjustment, which would raise it to the
    // largest block.
    mallopt(M_MMAP_THRESHOLD, 128 * 1024);
    mallopt(M_TRIM_THRESHOLD, 128 * 1024);
}

const char *llavero_next_entry_name(void *directory) {
    const struct dirent *entry = readdir(directory);
    return entry ? entry->d_name : NULL;
}

ssize_t llavero_send_descriptors(
    int socket, const void *bytes, size_t count, const int *descriptors, int number, int flags) {
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(LLAVERO_DESCRIPTOR_LIMIT * sizeof(int))];
    } control;
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
    struct msghdr message;
    memset(&message, 0, sizeof message);
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (number < 0 || number > LLAVERO_DESCRIPTOR_LIMIT) {
        errno = EINVAL;
        return -1;
    }
    if (number > 0) {
        memset(&control, 0, sizeof control);
        message.msg_control = &control;
        message.msg_controllen = CMSG_SPACE(number * sizeof(int));
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN(number * sizeof(int));
        memcpy(CMSG_DATA(&control.header), descriptors, number * sizeof(int));
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL | flags);
}

ssize_t llavero_receive_descriptors(
    int socket, void *bytes, size_t count, int *descriptors, int *number) {
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(LLAVERO_DESCRIPTOR_LIMIT * sizeof(int))];
    } control;
    struct iovec part = {.iov_base = bytes, .iov_len = count};
    struct msghdr message;
    memset(&message, 0, sizeof message);
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = &control;
    message.msg_controllen = sizeof control.bytes;
    *number = 0;
    ssize_t received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_TRUNC);
    if (received < 0) return received;
    // The kernel closes descriptors that don't fit.
    struct cmsghdr *c = CMSG_FIRSTHDR(&message);
    if (c != NULL && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS) {
        *number = (int)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        memcpy(descriptors, CMSG_DATA(c), *number * sizeof(int));
    }
    return received;
}

int llavero_scan_copied_pages(int pagemap, uint64_t start, uint64_t end) {
    // linux/fs.h has these from Linux 6.7 on.
    const uint64_t file = 1 << 2, present = 1 << 3, swapped = 1 << 4;
    struct { uint64_t start, end, categories; } region;
    struct {
        uint64_t size, flags, start, end, walk_end, regions, region_count, max_pages;
        uint64_t inverted, mask, any_of, wanted;
    } scan = {
        .size = sizeof scan, .start = start, .end = end, .regions = (uintptr_t)&region,
        .region_count = 1, .max_pages = 1, .inverted = file, .mask = file,
        .any_of = present | swapped, .wanted = present,
    };
    return ioctl(pagemap, _IOC(_IOC_READ | _IOC_WRITE, 'f', 16, sizeof scan), &scan);
}

int llavero_owning_user_namespace(int namespace_descriptor) {
    return ioctl(namespace_descriptor, NS_GET_USERNS);
}

int64_t llavero_file_system_kind(const char *path) {
    struct statfs answer;
    return statfs(path, &answer) == 0 ? (int64_t)answer.f_type : -1;
}

int llavero_message_pair(int sockets[2]) {
    return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets);
}

int llavero_take_read_lease(int fd) { return fcntl(fd, F_SETLEASE, F_RDLCK); }

int llavero_give_lease_back(int fd) { return fcntl(fd, F_SETLEASE, F_UNLCK); }

int llavero_become_inspector(uid_t user, gid_t group) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    struct __user_cap_data_struct rights[2];
    const uint32_t wanted = 1u << CAP_SYS_PTRACE | 1u << CAP_LEASE;
    // Only a process that may set capabilities may do this. Without it, a unit sets the bounds.
    for (unsigned long right = 0; right < 64; right++) {
        if (right >= 32 || !(wanted & 1u << right)) prctl(PR_CAPBSET_DROP, right, 0, 0, 0);
    }
    if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0) return -1;
    if (setgroups(0, NULL) != 0 || setresgid(group, group, group) != 0) return -1;
    if (setresuid(user, user, user) != 0) return -1;
    // A container may have taken one of them away.
    if (syscall(SYS_capget, &header, rights) != 0) return -1;
    const uint32_t kept = rights[0].permitted & wanted;
    memset(rights, 0, sizeof rights);
    rights[0].effective = rights[0].permitted = kept;
    return (int)syscall(SYS_capset, &header, rights);
}

int llavero_become_user(uid_t user, gid_t group, const gid_t *groups, size_t count) {
    // With the last user number of root's, the kernel takes all capabilities away.
    if (setgroups(count, groups) != 0 || setresgid(group, group, group) != 0) return -1;
    return setresuid(user, user, user);
}

int llavero_groups_of_user(const char *name, gid_t group, gid_t *groups, int limit) {
    int count = limit;
    return getgrouplist(name, group, groups, &count) < 0 ? -1 : count;
}

uint64_t llavero_rights(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    struct __user_cap_data_struct rights[2];
    memset(rights, 0, sizeof rights);
    if (syscall(SYS_capget, &header, rights) != 0) return 0;
    return (uint64_t)rights[1].effective << 32 | rights[0].effective;
}

int llavero_keep_rights(uint64_t kept) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    struct __user_cap_data_struct rights[2];
    // From here on no program that is started gets a right that this process lacks.
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0) return -1;
    memset(rights, 0, sizeof rights);
    rights[0].effective = rights[0].permitted = (uint32_t)kept;
    rights[1].effective = rights[1].permitted = (uint32_t)(kept >> 32);
    return (int)syscall(SYS_capset, &header, rights);
}

// Waits until a child with little to do has exited with 0. One that is late, since a process of the
// same user has stopped it, is left to the caller's handling of children.
static int await_child(pid_t child, int milliseconds) {
    for (int waited = 0;; waited++) {
        int status;
        pid_t ended = waitpid(child, &status, WNOHANG);
        if (ended == child) return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
        if ((ended < 0 && errno != EINTR) || waited >= milliseconds) return -1;
        usleep(1000);
    }
}

int llavero_kill_as_user(uid_t user, pid_t process, int milliseconds) {
    pid_t child = fork();
    if (child == 0) {
        if (setresuid(-1, user, -1) == 0) kill(process, SIGKILL);
        _exit(0);
    }
    return child < 0 ? -1 : await_child(child, milliseconds);
}

int llavero_kill_all_of_user(uid_t user, gid_t group, int milliseconds) {
    if (user == 0) return -1;
    pid_t child = fork();
    if (child == 0) {
        // The real user counts, too: with root's, root's processes would be killed.
        if (llavero_become_user(user, group, NULL, 0) != 0 || getuid() != user) _exit(1);
        kill(-1, SIGKILL);
        _exit(0);
    }
    return child < 0 ? -1 : await_child(child, milliseconds);
}

int llavero_kill_process(int pidfd) {
    return (int)syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0);
}

int llavero_signal_descriptor(const int *signals, size_t count) {
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < count; i++) sigaddset(&set, signals[i]);
    if (sigprocmask(SIG_BLOCK, &set, NULL) != 0) return -1;
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int llavero_next_signal(int descriptor) {
    struct signalfd_siginfo information;
    ssize_t count = read(descriptor, &information, sizeof information);
    return count == sizeof information ? (int)information.ssi_signo : 0;
}

int llavero_is_listener(int descriptor) {
    int values[3] = {0, 0, 0};
    const int options[3] = {SO_DOMAIN, SO_TYPE, SO_ACCEPTCONN};
    for (int i = 0; i < 3; i++) {
        socklen_t size = sizeof values[i];
        if (getsockopt(descriptor, SOL_SOCKET, options[i], &values[i], &size) != 0) return 0;
    }
    return values[0] == AF_UNIX && values[1] == SOCK_STREAM && values[2] != 0;
}

int llavero_send_datagram(const char *path, const char *text) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t count = strlen(path);
    if (count == 0 || count >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(address.sun_path, path, count);
    if (path[0] == '@') address.sun_path[0] = 0;
    int socket_descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (socket_descriptor < 0) return -1;
    ssize_t sent = sendto(
        socket_descriptor, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT,
        (struct sockaddr *)&address, offsetof(struct sockaddr_un, sun_path) + count);
    close(socket_descriptor);
    return sent < 0 ? -1 : 0;
}

int llavero_is_journal_stream(int descriptor) {
    struct sockaddr_un address = {0};
    socklen_t count = sizeof address;
    if (getpeername(descriptor, (struct sockaddr *)&address, &count) != 0) return 0;
    const char *path = "/run/systemd/journal/stdout";
    return address.sun_family == AF_UNIX && count > offsetof(struct sockaddr_un, sun_path) + strlen(path) &&
           memcmp(address.sun_path, path, strlen(path) + 1) == 0;
}
