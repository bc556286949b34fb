// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CSeccomp
import Glibc

extension Sandbox {
    /// The system calls that start a process or a program, that look into other processes, or that
    /// signal them.
    private static let refusedToService: [StaticString] = [
        "execve", "execveat", "fork", "kcmp", "kill", "pidfd_getfd", "pidfd_send_signal",
        "process_madvise", "process_vm_readv", "process_vm_writev", "ptrace", "rt_sigqueueinfo",
        "rt_tgsigqueueinfo", "setns", "tkill", "unshare", "vfork",
    ]
    /// CLONE_THREAD of linux/sched.h.
    private static let thread = UInt64(0x0001_0000)

    /// Denies the service of all users what it needs only while it starts. It can make no process, run
    /// no other program, and signal no process but itself. All of these calls fail with EPERM.
    ///
    /// Threads can still be made: by `clone`. `clone3` has its flags in memory, where a filter can't
    /// see them. It fails as on a kernel without it, and the C library then uses `clone`.
    package static func enterForServing() throws(SandboxError) {
        try harden()
        guard let filter = unsafe seccomp_init(SCMP_ACT_ALLOW) else {
            throw SandboxError("system call filter", errno: ENOMEM)
        }
        defer { unsafe seccomp_release(filter) }
        // The filter must also apply to the threads that run already.
        guard unsafe seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1) == 0 else {
            throw SandboxError("system call filter")
        }
        for name in refusedToService {
            unsafe try refuse(name, EPERM, in: unsafe filter, conditions: [])
        }
        unsafe try refuse("clone3", ENOSYS, in: unsafe filter, conditions: [])
        let isProcess = scmp_arg_cmp(
            arg: 0, op: SCMP_CMP_MASKED_EQ, datum_a: thread, datum_b: 0)
        unsafe try refuse("clone", EPERM, in: unsafe filter, conditions: [isProcess])
        // To its own threads: the C library's abort, and interruptions of calls that take too long.
        let isOther = scmp_arg_cmp(
            arg: 0, op: SCMP_CMP_NE, datum_a: UInt64(getpid()), datum_b: 0)
        unsafe try refuse("tgkill", EPERM, in: unsafe filter, conditions: [isOther])
        let result = unsafe seccomp_load(filter)
        guard result == 0 else { throw SandboxError("system call filter", errno: -result) }
    }

    private static func refuse(
        _ name: StaticString, _ error: Int32, in filter: scmp_filter_ctx,
        conditions: [scmp_arg_cmp]
    ) throws(SandboxError) {
        let number = unsafe seccomp_syscall_resolve_name(
            UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self))
        guard number >= 0 else { return }
        // SCMP_ACT_ERRNO, a macro that Swift doesn't import.
        let action = UInt32(0x0005_0000) | UInt32(error)
        let result = unsafe seccomp_rule_add_array(
            filter, action, number, UInt32(conditions.count), conditions)
        guard result == 0 else { throw SandboxError("system call rule", errno: -result) }
    }
}
