// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CSeccomp

extension Sandbox {
    /// The system calls of a process that has three open pipes or files, and needs memory.
    private static let converting: [StaticString] = [
        "brk", "clock_gettime", "close", "exit", "exit_group", "futex", "getpid",
        "getrandom", "gettid", "gettimeofday", "madvise", "mlock", "mremap", "munlock", "munmap",
        "read", "restart_syscall", "rt_sigprocmask", "rt_sigreturn", "sched_yield", "write",
    ]

    /// From now on no file can be read or written but through the open descriptors, and there is no
    /// TCP; as far as the kernel's Landlock supports it.
    /// - Throws: when the restriction fails.
    package static func fenceForConverting() throws(SandboxError) {
        try harden()
        try fenceReading([])
    }

    /// From now on all threads may only make the system calls of this list: nothing can be opened or
    /// sent, and nothing started.
    package static func filterForConverting() throws(SandboxError) {
        try filter(converting, readsFiles: false)
    }
}
