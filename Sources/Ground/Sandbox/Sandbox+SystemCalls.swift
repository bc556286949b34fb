// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CSeccomp
import Glibc

extension Sandbox {
    /// The allowed system calls: for open descriptors, for the process's own memory, and for files
    /// below its directory (Landlock restricts `openat`).
    ///
    /// Excluded: programs, processes, threads, sockets, signals, other processes' memory.
    private static let allowed: [StaticString] = [
        "brk", "clock_gettime", "close", "exit", "exit_group", "fdatasync", "fstat", "fsync",
        "ftruncate", "futex", "getrandom", "gettid", "gettimeofday", "lseek", "madvise",
        "memfd_secret", "mlock", "mremap", "munlock", "munmap", "newfstatat", "openat", "poll",
        "ppoll", "pwrite64", "read", "recvfrom", "recvmsg", "renameat", "renameat2",
        "restart_syscall",
        "rt_sigprocmask", "rt_sigreturn", "sendmsg", "sendto", "shutdown", "unlinkat", "write",
        "writev",
    ]

    /// Allowed unless the memory would become executable; the protection is the third argument.
    private static let allowedWithoutExecution: [StaticString] = ["mmap", "mprotect"]

    /// From now on the kernel ends the process at any other system call.
    static func filterSystemCalls() throws(SandboxError) {
        guard let filter = unsafe seccomp_init(SCMP_ACT_KILL_PROCESS) else {
            throw SandboxError("system call filter", errno: ENOMEM)
        }
        defer { unsafe seccomp_release(filter) }
        for name in allowed {
            unsafe try add(name, to: unsafe filter, conditions: [])
        }
        let notExecutable = scmp_arg_cmp(
            arg: 2, op: SCMP_CMP_MASKED_EQ, datum_a: UInt64(PROT_EXEC), datum_b: 0)
        for name in allowedWithoutExecution {
            unsafe try add(name, to: unsafe filter, conditions: [notExecutable])
        }
        let result = unsafe seccomp_load(filter)
        guard result == 0 else { throw SandboxError("system call filter", errno: -result) }
    }

    static func add(
        _ name: StaticString, to filter: scmp_filter_ctx, conditions: [scmp_arg_cmp]
    ) throws(SandboxError) {
        let number = unsafe seccomp_syscall_resolve_name(
            UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self))
        // If this machine's library doesn't know a name, its kernel doesn't have the call.
        guard number >= 0 else { return }
        let result = unsafe seccomp_rule_add_array(
            filter, SCMP_ACT_ALLOW, number, UInt32(conditions.count), conditions)
        guard result == 0 else { throw SandboxError("system call rule", errno: -result) }
    }
}
