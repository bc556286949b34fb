// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import CSeccomp
import Glibc

extension Sandbox {
    /// The system calls of a process that judges certificates: for open connections, for its memory,
    /// and for reading files. libcrypto asks for its process number to notice a fork, and
    /// the C library for the size of the memory before it sorts more than a kilobyte.
    private static let judging: [StaticString] = [
        "brk", "clock_gettime", "close", "exit", "exit_group", "fstat", "futex", "getdents64",
        "getpid", "getrandom", "gettid", "gettimeofday", "lseek", "madvise", "mremap", "munmap",
        "newfstatat", "poll", "ppoll", "read", "recvfrom", "restart_syscall", "rt_sigprocmask",
        "rt_sigreturn", "sched_getaffinity", "sched_yield", "sendto", "sysinfo", "write",
    ]

    /// From now on files other than these can't be read, none can be written, and there is no TCP;
    /// as far as the kernel's Landlock supports it. Threads that are started later are fenced, too.
    ///
    /// A file is fenced by its folder: a new version of it is another file with the same name.
    /// - Parameters:
    ///   - files: Files whose folders may be read.
    ///   - folders: Further folders.
    /// - Throws: when the restriction fails.
    package static func fenceForJudging(
        files: [String], folders: [String]
    ) throws(SandboxError) {
        try harden()
        let parents = files.map { file in
            String(file[..<(file.lastIndex(of: "/") ?? file.startIndex)])
        }
        try fenceReading(parents.map { $0.isEmpty ? "/" : $0 } + folders)
    }

    /// The largest size of the process's data from now on.
    package static func limitMemory(byteCount: Int) throws(SandboxError) {
        var limit = rlimit(rlim_cur: rlim_t(byteCount), rlim_max: rlim_t(byteCount))
        guard unsafe setrlimit(__rlimit_resource_t(2), &limit) == 0 else {
            throw SandboxError("RLIMIT_DATA")
        }
    }

    /// From now on all threads may only make the system calls of this list: no thread, no process and
    /// no socket can be made any more, and files are opened for reading alone.
    package static func filterForJudging() throws(SandboxError) {
        try filter(judging, readsFiles: true)
    }

    /// Filters the calls of a process that maps no executable memory and starts nothing.
    static func filter(
        _ calls: [StaticString], readsFiles: Bool
    ) throws(SandboxError) {
        guard llavero_forbid_children() == 0 else { throw SandboxError("RLIMIT_NPROC") }
        guard let filter = unsafe seccomp_init(SCMP_ACT_KILL_PROCESS) else {
            throw SandboxError("system call filter", errno: ENOMEM)
        }
        defer { unsafe seccomp_release(filter) }
        guard unsafe seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1) == 0 else {
            throw SandboxError("system call filter")
        }
        for name in calls { unsafe try add(name, to: unsafe filter, conditions: []) }
        if readsFiles {
            let changing = UInt64(O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND)
            let reads = scmp_arg_cmp(
                arg: 2, op: SCMP_CMP_MASKED_EQ, datum_a: changing, datum_b: 0)
            unsafe try add("openat", to: unsafe filter, conditions: [reads])
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
