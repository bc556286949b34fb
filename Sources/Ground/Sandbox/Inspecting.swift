// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import CSeccomp
import Glibc

extension Sandbox {
    /// The system calls of a process that inspects others: for files, and for its open connections.
    /// Excluded, although the process has the right: `ptrace`, and access to other processes'
    /// memory by `process_vm_readv` and `process_vm_writev`.
    private static let inspecting: [StaticString] = [
        "brk", "clock_gettime", "close", "exit", "exit_group", "fstat", "futex", "getdents64",
        "geteuid", "getrandom", "gettid", "gettimeofday", "lseek", "lstat", "madvise", "mremap",
        "munmap", "newfstatat", "poll", "ppoll", "pread64", "read", "readlink", "readlinkat",
        "recvfrom", "recvmsg", "restart_syscall", "rt_sigprocmask", "rt_sigreturn",
        "sched_getaffinity", "sched_yield", "sendmsg", "stat", "statx", "write",
    ]
    /// NS_GET_USERNS (linux/nsfs.h): which user namespace owns a namespace. PAGEMAP_SCAN
    /// (linux/fs.h) without a change: which pages belong to a file.
    private static let requests: [UInt64] = [0xB701, 0xC060_6610]
    /// F_SETLEASE (fcntl.h).
    private static let leasing = UInt64(1024)
    /// Files are opened only for reading, and none is created: the call, and the argument with its
    /// flags.
    private static let opening: [(name: StaticString, argument: UInt32)] = [
        ("open", 1), ("openat", 2),
    ]

    /// Denies everything that peerinspector doesn't need, to all threads: no thread or process can
    /// be made any more, files can be read as far as the user's rights go, and the kernel ends the
    /// process at a system call outside the list.
    ///
    /// No Landlock here: a process in a Landlock domain can't inspect processes outside.
    package static func enterForInspecting() throws(SandboxError) {
        try harden()
        guard llavero_forbid_children() == 0 else { throw SandboxError("RLIMIT_NPROC") }
        guard let filter = unsafe seccomp_init(SCMP_ACT_KILL_PROCESS) else {
            throw SandboxError("system call filter", errno: ENOMEM)
        }
        defer { unsafe seccomp_release(filter) }
        // The filter must also apply to the threads that run already.
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

    /// The calls that use the right to look into others for more than looking, and those that start
    /// another program with it.
    private static let refusedToStarter: [StaticString] = [
        "execve", "execveat", "kcmp", "pidfd_getfd", "process_madvise", "process_vm_readv",
        "process_vm_writev", "ptrace",
    ]

    /// Denies a process that starts inspectors the calls that nobody needs in it; its children get
    /// ``enterForInspecting()`` in addition.
    package static func enterForStartingInspectors() throws(SandboxError) {
        try harden()
        guard let filter = unsafe seccomp_init(SCMP_ACT_ALLOW) else {
            throw SandboxError("system call filter", errno: ENOMEM)
        }
        defer { unsafe seccomp_release(filter) }
        for name in refusedToStarter {
            let number = unsafe seccomp_syscall_resolve_name(
                UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self))
            guard number >= 0 else { continue }
            let result = unsafe seccomp_rule_add_array(
                filter, SCMP_ACT_KILL_PROCESS, number, 0, nil)
            guard result == 0 else { throw SandboxError("system call rule", errno: -result) }
        }
        let result = unsafe seccomp_load(filter)
        guard result == 0 else { throw SandboxError("system call filter", errno: -result) }
    }
}
