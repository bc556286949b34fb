// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// System calls and structures that Swift's Glibc module does not show. Each function is a wrapper
// of one call in CLinuxSupport.c; none has logic of its own.

#ifndef LLAVERO_CLINUXSUPPORT_H
#define LLAVERO_CLINUXSUPPORT_H

#include <linux/landlock.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/types.h>

int llavero_memfd_secret(unsigned int flags);
int llavero_prctl(int option, unsigned long a, unsigned long b);
int llavero_pidfd_open(pid_t pid);
int llavero_open(const char *path, int flags, mode_t mode);
int llavero_openat(int directory, const char *path, int flags, mode_t mode);
int llavero_peer_pidfd(int socket);
int llavero_peer_credentials(int socket, pid_t *pid, uid_t *uid, gid_t *gid);
int llavero_pass_credentials(int socket);
// Copies the received bytes without removing them from the socket; never waits. *sender is the
// process that sent these bytes according to the kernel, 0 if unknown, and *user its user.
// *attached says whether descriptors are attached.
ssize_t llavero_peek(
    int socket, void *buffer, size_t count, pid_t *sender, uid_t *user, int *attached);
// Removes the copied bytes from the socket. If descriptors are attached, the kernel closes them on
// this thread, and a peer can make that slow. So a thread that others wait for doesn't call this
// then.
ssize_t llavero_take(int socket, void *buffer, size_t count);
// A copy of the first descriptor that goes with what llavero_peek copied, so many bytes; they are
// copied again. *is_alone says whether no other one goes with them. -1 when there is none. Closing
// the copy, too, can last as long as a peer wants.
int llavero_peek_attached(int socket, void *buffer, size_t count, int *is_alone);
// A memory file that never has content. Closing it takes no time, and nothing can be told by it.
int llavero_empty_sealed_memory(void);
// Whether a descriptor is one of those; asks no file system.
int llavero_is_empty_sealed_memory(int descriptor);
// Makes calls of the threads that want it end early: see llavero_interrupt.
void llavero_accept_interruptions(void);
// Interrupts the call in which a thread of this process waits.
void llavero_interrupt(pid_t thread);
pid_t llavero_thread_number(void);
// A timer that interrupts the calls of the calling thread, which must accept interruptions; -1 when
// the system gives none.
int64_t llavero_make_interruption_timer(void);
// Lets it interrupt each time these milliseconds have passed; 0 stops it.
void llavero_set_interruption_timer(int64_t timer, int64_t milliseconds);
void llavero_delete_interruption_timer(int64_t timer);
// Sends up to two buffers in one call, never raising SIGPIPE.
ssize_t llavero_send2(int socket, const void *first, size_t first_count, const void *second, size_t second_count, int flags);
int llavero_set_timeout(int socket, int option, long seconds, long microseconds);
int llavero_wifexited(int status);
int llavero_wexitstatus(int status);
int llavero_wtermsig(int status);
int llavero_landlock_add_path_rule(int ruleset, const struct landlock_path_beneath_attr *rule);
int llavero_landlock_restrict_self(int ruleset);
int llavero_close_range(unsigned int first, unsigned int last, unsigned int flags);
int llavero_getopt(int count, char *const *words, const char *options);
int llavero_getopt_index(void);
// Takes the next word as the argument of a long option.
void llavero_getopt_skip(void);
const char *llavero_getopt_argument(void);
int llavero_getopt_option(void);
// Accepts a connection, close-on-exec and non-blocking from birth.
int llavero_accept(int socket);
int llavero_pipe(int descriptors[2]);
// Whether the program runs with raised privileges (AT_SECURE).
int llavero_raised_privileges(void);
// Forks a process of one thread; the child has a copy of everything.
int llavero_fork(void);
// Replaces the program; returns only when that fails.
int llavero_execve(const char *path, char *const *words, char *const *environment);
// Overwrites `count` bytes of the stack below the caller, as far as a request's calls may have
// reached.
void llavero_scrub_stack(size_t count);
// A Landlock ruleset. The kernel's version determines how many of the words it knows; the remaining
// ones must be 0.
int llavero_landlock_ruleset(uint64_t files, uint64_t network, uint64_t scopes);
// The kernel's Landlock version, or -1.
int llavero_landlock_version(void);
// RLIMIT_NPROC 0 and RLIMIT_CORE 0, permanently.
int llavero_forbid_children(void);
int llavero_forbid_core_files(void);

// Resets llavero_getopt for a new list of arguments. The last list may be freed, and in glibc only
// optind 0 makes getopt forget it.
void llavero_getopt_restart(void);

// Adds the closing of all descriptors from a number on to a `posix_spawn_file_actions_t`.
int llavero_spawn_close_from(void *actions, int first);
// The flag that makes the child a session leader.
short llavero_spawn_own_session(void);
// Large blocks return to the system when they are freed, however many there have been.
void llavero_return_freed_memory(void);

// The name of the next entry of a `DIR *`; NULL at the end. Swift would copy the whole structure,
// whose last entry in the buffer is shorter than its type.
const char *llavero_next_entry_name(void *directory);
// Asks an open `pagemap` whether a range of addresses has a present page that isn't its file's
// (PAGEMAP_SCAN, from Linux 6.7). Returns 1 when there is one, 0 when there is none, -1 when it
// fails.
int llavero_scan_copied_pages(int pagemap, uint64_t start, uint64_t end);
// O_PATH of fcntl.h, which Swift doesn't import: names a file without opening it.
#define LLAVERO_O_PATH 010000000
// Takes a lease of a file that is open for reading (F_SETLEASE, F_RDLCK). The kernel refuses with
// EAGAIN while a process has the file open or mapped for writing, and with EACCES for a file of
// another user. A process that opens it for writing waits until the lease is released. The process
// must ignore SIGIO.
int llavero_take_read_lease(int fd);
int llavero_give_lease_back(int fd);
// The maximum number of descriptors of one message.
#define LLAVERO_DESCRIPTOR_LIMIT 4
// Sends a message with `number` descriptors attached, up to LLAVERO_DESCRIPTOR_LIMIT.
ssize_t llavero_send_descriptors(
    int socket, const void *bytes, size_t count, const int *descriptors, int number, int flags);
// Receives a message of at most `count` bytes, and up to LLAVERO_DESCRIPTOR_LIMIT descriptors;
// *number is how many came.
ssize_t llavero_receive_descriptors(
    int socket, void *bytes, size_t count, int *descriptors, int *number);
// The user namespace that owns a namespace, as a descriptor; -1 when it isn't ours or below it.
int llavero_owning_user_namespace(int namespace_descriptor);
// The kind of the file system of a path (f_type of statfs, linux/magic.h); -1 when it isn't known.
int64_t llavero_file_system_kind(const char *path);
// A pair of sockets that preserve message boundaries, close-on-exec.
int llavero_message_pair(int sockets[2]);
// Becomes a user with at most two rights: to inspect other processes (CAP_SYS_PTRACE), and to take
// leases of other users' files (CAP_LEASE). They are also its bounding set, where it may set that.
int llavero_become_inspector(uid_t user, gid_t group);
// Becomes a user without any right of root's, with `count` further groups.
int llavero_become_user(uid_t user, gid_t group, const gid_t *groups, size_t count);
// The groups of a user of the system, its own included. Returns their number, or -1 when there are
// more than `limit`.
int llavero_groups_of_user(const char *name, gid_t group, gid_t *groups, int limit);
// The capabilities that the process has now, one bit each.
uint64_t llavero_rights(void);
// Keeps these capabilities, and gives up all others, for this process and for the programs that it
// will start (PR_SET_NO_NEW_PRIVS).
int llavero_keep_rights(uint64_t rights);
// Kills a process as its own user does, which takes only the rights to change users. A child does
// that. Its real user stays root, so that no process of the user can stop the child. Returns 0 when
// the child has ended within the milliseconds, -1 otherwise.
int llavero_kill_as_user(uid_t user, pid_t process, int milliseconds);
// Kills all processes of a user in this process namespace, as the user does. Not for root. A child
// does that, and kills itself with them. Returns 0 when the child has ended within the milliseconds.
int llavero_kill_all_of_user(uid_t user, gid_t group, int milliseconds);
// Kills the process that a descriptor names.
int llavero_kill_process(int pidfd);
// Blocks signals, and returns a descriptor from which they are read, or -1.
int llavero_signal_descriptor(const int *signals, size_t count);
// The next signal; 0 when none has come.
int llavero_next_signal(int descriptor);
// Whether a descriptor is a Unix stream socket that listens.
int llavero_is_listener(int descriptor);
// Sends one datagram to a Unix socket, without waiting. A path that begins with `@` is an abstract
// address.
int llavero_send_datagram(const char *path, const char *text);
// Whether a descriptor is a stream to systemd's journal.
int llavero_is_journal_stream(int descriptor);

#endif
