// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc

/// Walls around the process that calls it; none of them can be taken down again.
package enum Sandbox {
    /// What holds after `enter`.
    package struct Walls: Hashable, Sendable {
        /// The version of Landlock that fences the files; 0 when there is none.
        package var landlockVersion: Int
        /// Why there is none; nil when it stands.
        package var landlockMissing: LandlockMissing?
        /// Whether system calls outside the list end the process.
        package var filtersSystemCalls: Bool
    }

    /// Why files can't be fenced by Landlock.
    package enum LandlockMissing: Hashable, Sendable {
        /// The kernel was built without.
        case notInKernel
        /// It isn't among the security modules that the kernel was started with.
        case switchedOff
        /// Its calls are forbidden here: containers of systemd-nspawn and of older engines answer so.
        case forbidden

        /// What the version's call failed with; nil for any other error.
        init?(errno: Int32) {
            switch errno {
            case ENOSYS: self = .notInKernel
            case EOPNOTSUPP: self = .switchedOff
            case EPERM: self = .forbidden
            default: return nil
            }
        }
    }

    /// Closes everything that enclaved doesn't need: dumps, core files, children, files outside
    /// its directory, the network, all but some forty system calls.
    ///
    /// To be called while the process has one thread: Landlock and the filter hold for the
    /// calling thread and its children alone.
    /// - Parameters:
    ///   - stateDirectory: A descriptor of the one directory whose files may be read, written, made
    ///     and removed; none for a process without files.
    ///   - hasFamily: ``enterFamily()`` has been called, and the family is to stay in reach.
    /// - Returns: What holds from now on.
    /// - Throws: when a wall can't be put up. Only a system without Landlock is let pass, and the
    ///   result says so, and why.
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

    /// Puts up the wall against other processes that a process and the children that it forks from
    /// now on have in common.
    ///
    /// A wall of the parent's own would keep its death signal from a child (`PR_SET_PDEATHSIG`): to
    /// the kernel that is a signal that the parent sends as it ends.
    /// - Throws: when the wall can't be put up.
    package static func enterFamily() throws(SandboxError) {
        try harden()
        try fenceProcesses()
    }

    /// Keeps other processes of the same user out: no debugger, no memory reading, no core file,
    /// and no program that raises privileges.
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

/// A wall could not be put up.
package struct SandboxError: Error, Sendable, CustomStringConvertible {
    /// The wall.
    package let wall: StaticString
    /// The error number.
    package let errno: Int32

    /// The error of the call that has just failed.
    init(_ wall: StaticString, errno: Int32 = Glibc.errno) {
        self.wall = wall
        self.errno = errno
    }

    /// The wall and the system's words for the error.
    package var description: String {
        "sandbox: \(wall): \(unsafe String(cString: strerror(errno)))"
    }
}
