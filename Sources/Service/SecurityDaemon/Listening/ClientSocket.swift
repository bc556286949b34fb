// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC

/// The service's end of a client's connection, closed when its owner goes.
///
/// What the peer has sent and nobody has read may have descriptors attached. Closing the socket
/// closes them, which can last as long as the peer wants: that happens on other threads.
struct ClientSocket: ~Copyable {
    /// The number, for calls; it stays owned here.
    let rawValue: Int32
    private let releases: ReleaseThreads

    /// Whether the close of any Unix socket also closes, on the same thread, what other programs have
    /// left in sockets that refer to each other. From Linux 6.9 on, a thread of the kernel's does that.
    private static let collectsForOthers =
        KernelRelease.running.map { $0 < KernelRelease(6, 9) } ?? true

    /// Takes over an accepted connection.
    init(owning rawValue: Int32, releases: ReleaseThreads) {
        precondition(rawValue >= 0)
        self.rawValue = rawValue
        self.releases = releases
        // Otherwise a look at the data passes over a byte that is sent out of band (MSG_OOB), and the
        // next read or the close closes on this thread what is attached to that byte. A kernel
        // without such bytes (before 5.15) needs no option.
        var on: Int32 = 1
        _ = unsafe setsockopt(
            rawValue, SOL_SOCKET, SO_OOBINLINE, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit {
        // From here on the peer can send nothing more.
        shutdown(rawValue, Int32(SHUT_RDWR))
        var byte: UInt8 = 0
        guard unsafe recv(rawValue, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0 else {
            if Self.collectsForOthers { return releases.closeEmpty(rawValue) }
            Glibc.close(rawValue)
            return
        }
        var pid: pid_t = 0
        var uid: uid_t = 0
        var gid: gid_t = 0
        _ = unsafe llavero_peer_credentials(rawValue, &pid, &uid, &gid)
        releases.closeSocket(
            of: Requester(userID: uid, process: pid)
        ) { [rawValue, releases] in releases.letGo(rawValue) }
    }
}
