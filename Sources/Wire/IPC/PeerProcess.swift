// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc

/// The process at the other end of a connection, as the kernel reported it once at accept.
package struct PeerProcess: ~Copyable, Sendable {
    /// Its process identifier in our namespace when it connected. It is only compared; `pidfd`
    /// identifies the process.
    package let pid: Int32
    /// Its effective user when it connected.
    package let userID: UInt32
    /// Its effective group when it connected.
    package let groupID: UInt32
    private let pidfd: Descriptor

    /// Asks the kernel who is connected.
    ///
    /// `SO_PEERPIDFD` exists since Linux 6.5. Only if the kernel doesn't know the option, the
    /// process is opened by its number instead, which might have been reused. In any case the
    /// credentials of each message are compared with `pid`.
    /// - Throws: ``SystemError`` when the peer has ended or can't be identified.
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

    /// Uses a process about which another process has asked the kernel.
    package init(pid: Int32, userID: UInt32, groupID: UInt32, pidfd: consuming Descriptor) {
        self.pid = pid
        self.userID = userID
        self.groupID = groupID
        self.pidfd = pidfd
    }

    /// The descriptor that identifies it, for passing it on; this value keeps the ownership.
    package var rawPidfd: Int32 { pidfd.rawValue }

    /// A second value for the same process; nil when there is no descriptor left.
    package borrowing func duplicate() -> PeerProcess? {
        let copy = fcntl(pidfd.rawValue, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { return nil }
        return PeerProcess(
            pid: pid, userID: userID, groupID: groupID, pidfd: Descriptor(owning: copy))
    }

    /// Whether the process that connected still runs.
    package borrowing func isAlive() -> Bool {
        var entry = pollfd(fd: pidfd.rawValue, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, 0) == 0
    }
}
