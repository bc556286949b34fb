// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc

/// Restrictions of the calling process; none of them can be removed again.
package enum Sandbox {
    /// The restrictions after `enter`.
    package struct Walls: Hashable, Sendable {
        /// The version of Landlock that restricts the files; 0 when there is none.
        package var landlockVersion: Int
        /// Why there is none; nil when it is active.
        package var landlockMissing: LandlockMissing?
        /// Whether the kernel ends the process at a system call outside the list.
        package var filtersSystemCalls: Bool
    }

    /// Why Landlock can't restrict files.
    package enum LandlockMissing: Hashable, Sendable {
        /// The kernel was built without it.
        case notInKernel
        /// It isn't among the security modules that the kernel was started with.
        case switchedOff
        /// The container forbids its calls: systemd-nspawn and older engines return this error.
        case forbidden

        /// The reason for an error of the version call; nil for any other error.
        init?(errno: Int32) {
            switch errno {
            case ENOSYS: self = .notInKernel
            case EOPNOTSUPP: self = .switchedOff
            case EPERM: self = .forbidden
            default: return nil
            }
        }
    }

    /// Denies everything that enclaved doesn't need: dumps, core files, children, files outside its
    /// directory, the network, all but some forty system calls.
    ///
    /// Call it while the process has one thread: Landlock and the filter apply only to the calling
    /// thread and its children.
    /// - Parameters:
    ///   - stateDirectory: A descriptor of the only directory whose files may be read, written,
    ///     made and removed; nil for a process without files.
    ///   - hasFamily: ``enterFamily()`` has been called, and signals inside the family must stay
    ///     possible.
    /// - Returns: The active restrictions.
    /// - Throws: when a restriction fails. Only a system without Landlock is accepted, and the
    ///   result has the reason.
    package static func enter(
        stateDirectory: Int32?, hasFamily: Bool = false
    ) throws(SandboxError) -> Walls {
        try harden()
        guard llavero_forbid_children() == 0 else { throw SandboxError("RLIMIT_NPROC") }
        let landlock = try fenceFiles(
            stateDirectory: stateDirectory, fencesProcesses: !hasFamily)
        try filterSystemCalls()
        return Walls(
            landlockVersion: landlock.version, landlockMissing: landlock.missing,
            filtersSystemCalls: true)
    }

    /// Isolates this process, and the children that it forks later, from other processes, in a
    /// common Landlock domain.
    ///
    /// If the parent had its own domain, its death signal wouldn't reach a child
    /// (`PR_SET_PDEATHSIG`): to the kernel that is a signal that the parent sends as it ends.
    /// - Throws: when the restriction fails.
    package static func enterFamily() throws(SandboxError) {
        try harden()
        try fenceProcesses()
    }

    /// Protects the process from other processes of the same user: no debugger, no memory reading,
    /// no core file, and no program that raises privileges.
    package static func harden() throws(SandboxError) {
        guard llavero_prctl(PR_SET_DUMPABLE, 0, 0) == 0 else {
            throw SandboxError("PR_SET_DUMPABLE")
        }
        guard llavero_forbid_core_files() == 0 else { throw SandboxError("RLIMIT_CORE") }
        guard llavero_prctl(PR_SET_NO_NEW_PRIVS, 1, 0) == 0 else {
            throw SandboxError("PR_SET_NO_NEW_PRIVS")
        }
    }

    /// Overwrites the part of the stack that the calls of a finished request may have used.
    ///
    /// Cryptographic code leaves key schedules and copies of keys there.
    /// - Parameter byteCount: How deep; ordinary requests use less than 64 KiB.
    package static func scrubStack(byteCount: Int = 200 * 1024) {
        llavero_scrub_stack(max(byteCount, 0))
    }
}

/// A restriction failed.
package struct SandboxError: Error, Sendable, CustomStringConvertible {
    /// The restriction.
    package let wall: StaticString
    /// The error number.
    package let errno: Int32

    /// The error of the call that has just failed.
    init(_ wall: StaticString, errno: Int32 = Glibc.errno) {
        self.wall = wall
        self.errno = errno
    }

    /// The restriction and the system's message for the error.
    package var description: String {
        "sandbox: \(wall): \(unsafe String(cString: strerror(errno)))"
    }
}
