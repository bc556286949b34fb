// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import CSeccomp
import Glibc

extension Sandbox {
    /// What whoever looks into processes asks the kernel for: files, and the connections that are
    /// open. Not among them, though the process has the right: `ptrace`, and reading or writing other
    /// processes' memory by `process_vm_readv` and `process_vm_writev`.
    private static let inspecting: [StaticString] = [
        "brk", "clock_gettime", "close", "exit", "exit_group", "fstat", "futex", "geteuid",
        "getrandom",
        "gettid", "gettimeofday", "lstat", "lseek", "madvise", "mremap", "munmap", "newfstatat",
        "poll", "ppoll", "pread64", "read", "readlink", "readlinkat", "recvfrom", "recvmsg",
        "restart_syscall", "rt_sigprocmask", "rt_sigreturn", "sched_getaffinity", "sched_yield",
        "sendmsg", "stat", "statx", "write",
    ]
    /// NS_GET_USERNS (linux/nsfs.h): whose another namespace is. PAGEMAP_SCAN (linux/fs.h) without a
    /// change: which pages are a file's.
    private static let requests: [UInt64] = [0xB701, 0xC060_6610]
    /// F_SETLEASE (fcntl.h).
    private static let leasing = UInt64(1024)
    /// Files are opened for reading alone, and none is made: the call, and which argument says so.
    private static let opening: [(name: StaticString, argument: UInt32)] = [
        ("open", 1), ("openat", 2),
    ]

    /// Closes everything that peerinspector doesn't need, to all threads: none is made any more,
    /// files can be read as far as the user's rights go, and system calls outside the list end the
    /// process.
    ///
    /// There is no Landlock here: whoever is in it can't look into processes outside.
    package static func enterForInspecting() throws(SandboxError) {
        try harden()
        guard llavero_forbid_children() == 0 else { throw SandboxError("RLIMIT_NPROC") }
        guard let filter = unsafe seccomp_init(SCMP_ACT_KILL_PROCESS) else {
            throw SandboxError("system call filter", errno: ENOMEM)
        }
        defer { unsafe seccomp_release(filter) }
        // The filter is to hold for the threads that run already, too.
        guard unsafe seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1) == 0 else {
            throw SandboxError("system call filter")
        }
        for name in inspecting { unsafe try add(name, to: unsafe filter, conditions: []) }
        for request in requests {
            let isIt = scmp_arg_cmp(arg: 1, op: SCMP_CMP_EQ, datum_a: request, datum_b: 0)
            unsafe try add("ioctl", to: unsafe filter, conditions: [isIt])
        }
        let isLease = scmp_arg_cmp(arg: 1, op: SCMP_CMP_EQ, datum_a: leasing, datum_b: 0)
        unsafe try add("fcntl", to: unsafe filter, conditions: [isLease])
        let changing = UInt64(O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND)
        for (name, argument) in opening {
            let reads = scmp_arg_cmp(
                arg: argument, op: SCMP_CMP_MASKED_EQ, datum_a: changing, datum_b: 0)
            unsafe try add(name, to: unsafe filter, conditions: [reads])
        }
        let notExecutable = scmp_arg_cmp(
            arg: 2, op: SCMP_CMP_MASKED_EQ, datum_a: UInt64(PROT_EXEC), datum_b: 0)
        for name: StaticString in ["mmap", "mprotect"] {
            unsafe try add(name, to: unsafe filter, conditions: [notExecutable])
        }
        let result = unsafe seccomp_load(filter)
        guard result == 0 else { throw SandboxError("system call filter", errno: -result) }
    }
}
