// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import CSeccomp
import Glibc

extension Sandbox {
    /// The system calls of a process that connects to others, resolves names and needs memory.
    private static let fetching: [StaticString] = [
        "bind", "brk", "clock_gettime", "clock_nanosleep", "close", "connect", "exit", "exit_group",
        "fstat", "futex", "getpeername", "getpid", "getrandom", "getsockname",
        "getsockopt", "gettid", "gettimeofday", "lseek", "madvise", "mremap", "munmap",
        "newfstatat", "pipe2", "poll", "ppoll", "read", "recvfrom", "recvmsg", "restart_syscall",
        "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sched_yield", "sendmmsg", "sendmsg",
        "sendto", "setsockopt", "socketpair", "uname", "write", "writev",
    ]
    /// Kinds of sockets; of netlink, name resolution learns which addresses this machine has.
    private static let families = [AF_INET, AF_INET6, AF_NETLINK]
    /// FIONREAD (asm/ioctls.h): how long an answer is.
    private static let answerLength = UInt64(0x541B)
    /// What name resolution reads.
    private static let nameFiles = [
        "/etc/resolv.conf", "/etc/hosts", "/etc/host.conf", "/etc/nsswitch.conf", "/etc/gai.conf",
    ]

    /// From now on only what name resolution needs can be read, and nothing can be written; no TCP
    /// connection can be accepted. As far as the kernel's Landlock supports it.
    /// - Throws: when the restriction fails.
    package static func fenceForFetching() throws(SandboxError) {
        try harden()
        try fenceReading([], files: nameFiles, connects: true)
    }

    /// From now on all system calls but those of this list fail. They don't end the process, since
    /// libraries try what they can do without: a cache of names, a thread.
    package static func filterForFetching() throws(SandboxError) {
        guard llavero_forbid_children() == 0 else { throw SandboxError("RLIMIT_NPROC") }
        guard let filter = unsafe seccomp_init(refusal) else {
            throw SandboxError("system call filter", errno: ENOMEM)
        }
        defer { unsafe seccomp_release(filter) }
        for name in fetching { unsafe try add(name, to: unsafe filter, conditions: []) }
        for family in families {
            let isIt = scmp_arg_cmp(
                arg: 0, op: SCMP_CMP_EQ, datum_a: UInt64(family), datum_b: 0)
            unsafe try add("socket", to: unsafe filter, conditions: [isIt])
        }
        // No signal goes to another process when data comes.
        for command in [F_GETFD, F_SETFD, F_GETFL, F_SETFL] {
            let isIt = scmp_arg_cmp(
                arg: 1, op: SCMP_CMP_EQ, datum_a: UInt64(command), datum_b: 0)
            unsafe try add("fcntl", to: unsafe filter, conditions: [isIt])
        }
        let isLength = scmp_arg_cmp(arg: 1, op: SCMP_CMP_EQ, datum_a: answerLength, datum_b: 0)
        unsafe try add("ioctl", to: unsafe filter, conditions: [isLength])
        let changing = UInt64(O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND)
        let reads = scmp_arg_cmp(
            arg: 2, op: SCMP_CMP_MASKED_EQ, datum_a: changing, datum_b: 0)
        unsafe try add("openat", to: unsafe filter, conditions: [reads])
        let notExecutable = scmp_arg_cmp(
            arg: 2, op: SCMP_CMP_MASKED_EQ, datum_a: UInt64(PROT_EXEC), datum_b: 0)
        for name: StaticString in ["mmap", "mprotect"] {
            unsafe try add(name, to: unsafe filter, conditions: [notExecutable])
        }
        let result = unsafe seccomp_load(filter)
        guard result == 0 else { throw SandboxError("system call filter", errno: -result) }
    }

    /// SCMP_ACT_ERRNO(EPERM), which is a macro.
    private static let refusal = UInt32(0x0005_0000) | UInt32(EPERM)
}
