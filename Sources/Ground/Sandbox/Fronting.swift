// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport

extension Sandbox {
    /// The name of the machine, which the bus's library tells those who ask for it.
    private static let machineFiles = ["/etc/machine-id", "/var/lib/dbus/machine-id"]

    /// Denies a front on a bus what it needs only while it starts: files, programs, processes, signals
    /// and TCP, as far as the kernel supports it. It can still connect to Unix sockets, and make threads.
    ///
    /// Call it on the thread that makes the others, before it makes any: Landlock restricts the calling
    /// thread and those that come from it.
    /// - Throws: when a restriction fails.
    package static func enterForBus() throws(SandboxError) {
        try harden()
        try fenceReading([], files: machineFiles)
        try enterForServing()
    }

    /// Lets securityd in user mode look into this process, or forbids it. Another process of the user can
    /// look as well meanwhile: the front has no secret then, or few.
    /// - Throws: when the kernel refuses.
    package static func setInspectable(_ isInspectable: Bool) throws(SandboxError) {
        guard llavero_prctl(PR_SET_DUMPABLE, isInspectable ? 1 : 0, 0) == 0 else {
            throw SandboxError("PR_SET_DUMPABLE")
        }
    }
}
