// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc

/// The process at the other end of a connection: the kernel's word, taken once at accept.
package struct PeerProcess: ~Copyable, Sendable {
    /// Its process identifier in our namespace when it connected. Only ever compared; a process
    /// is named by `pidfd`.
    package let pid: Int32
    /// Its effective user when it connected.
    package let userID: UInt32
    /// Its effective group when it connected.
    package let groupID: UInt32
    private let pidfd: Descriptor

    /// Asks the kernel who is connected.
    ///
    /// `SO_PEERPIDFD` came with Linux 6.5. Only where the kernel doesn't know the option is the
    /// process opened by its number instead, which a reused number could defeat; each message's
    /// credentials are checked against `pid` in any case.
    /// - Throws: ``SystemError`` when the peer is gone or can't be told.
    package init(connectedTo socket: Int32) throws(SystemError) {
        var pid: pid_t = 0
        var uid: uid_t = 0
        var gid: gid_t = 0
        guard unsafe llavero_peer_credentials(socket, &pid, &uid, &gid) == 0 else {
            throw SystemError("SO_PEERCRED")
        }
        var descriptor = llavero_peer_pidfd(socket)
        if descriptor < 0 {
            guard errno == ENOPROTOOPT else { throw SystemError("SO_PEERPIDFD") }
            descriptor = llavero_pidfd_open(pid)
            guard descriptor >= 0 else { throw SystemError("pidfd_open") }
        }
        pidfd = Descriptor(owning: descriptor)
        self.pid = pid
        userID = uid
        groupID = gid
    }

    /// Takes a process that somebody else has asked the kernel about.
    package init(pid: Int32, userID: UInt32, groupID: UInt32, pidfd: consuming Descriptor) {
        self.pid = pid
        self.userID = userID
        self.groupID = groupID
        self.pidfd = pidfd
    }

    /// The descriptor that names it, for passing it on; stays owned here.
    package var rawPidfd: Int32 { pidfd.rawValue }

    /// The same process once more; nil when there is no descriptor left.
    package borrowing func duplicate() -> PeerProcess? {
        let copy = fcntl(pidfd.rawValue, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { return nil }
        return PeerProcess(
            pid: pid, userID: userID, groupID: groupID, pidfd: Descriptor(owning: copy))
    }

    /// Whether the very process that connected still runs.
    package borrowing func isAlive() -> Bool {
        var entry = pollfd(fd: pidfd.rawValue, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, 0) == 0
    }
}
