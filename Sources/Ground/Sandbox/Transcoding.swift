// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import CSeccomp
import Glibc

extension Sandbox {
    /// The system calls of a process that has one open connection, and needs memory, whose
    /// size the C library asks for before it sorts more than a kilobyte.
    private static let transcoding: [StaticString] = [
        "brk", "clock_gettime", "close", "exit", "exit_group", "fstat", "futex", "getpid",
        "getrandom", "gettid", "gettimeofday", "madvise", "mlock", "mremap", "munlock", "munmap",
        "poll", "ppoll", "read", "recvfrom", "restart_syscall", "rt_sigprocmask", "rt_sigreturn",
        "sched_yield", "sendto", "sysinfo", "write",
    ]

    /// From now on no file can be read or written, and there is no TCP; as far as the kernel's Landlock
    /// supports it.
    /// - Throws: when the restriction fails.
    package static func fenceForTranscoding() throws(SandboxError) {
        try harden()
        try fenceReading([])
    }

    /// The processor time that this process may use from now on; over it, it is killed.
    package static func limitProcessorTime(seconds: Int) throws(SandboxError) {
        var limit = rlimit(rlim_cur: rlim_t(seconds), rlim_max: rlim_t(seconds))
        guard unsafe setrlimit(__rlimit_resource_t(0), &limit) == 0 else {
            throw SandboxError("RLIMIT_CPU")
        }
    }

    /// From now on all threads may only make the system calls of this list: nothing can be opened and
    /// nothing started.
    package static func filterForTranscoding() throws(SandboxError) {
        try filter(transcoding, readsFiles: false)
    }
}
