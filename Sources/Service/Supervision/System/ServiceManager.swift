// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Foundation
import IPC

/// The socket and the variables that systemd, or another service manager, hands to this process, and
/// the messages that it gets
/// (sd_listen_fds(3), sd_notify(3)): variables and one datagram each, without its library.
package struct ServiceManager: Sendable {
    private static let firstDescriptor: Int32 = 3

    private let notifySocket: String?
    /// How often it must hear from this process; nil when it doesn't watch.
    package let watchdogInterval: Duration?
    private let descriptorCount: Int?

    /// Reads the variables; none of them is passed on.
    package init(environment: [String: String]) {
        notifySocket = environment["NOTIFY_SOCKET"].flatMap { $0.isEmpty ? nil : $0 }
        func isForThis(_ name: String) -> Bool { environment[name] == "\(getpid())" }
        let mayWatch = environment["WATCHDOG_PID"] == nil || isForThis("WATCHDOG_PID")
        watchdogInterval =
            mayWatch
            ? environment["WATCHDOG_USEC"].flatMap(Int64.init).flatMap {
                $0 > 0 ? .microseconds($0) : nil
            } : nil
        descriptorCount =
            isForThis("LISTEN_PID") ? environment["LISTEN_FDS"].flatMap(Int.init) : nil
    }

    /// Whether there is one that waits for this process.
    package var isThere: Bool { notifySocket != nil }

    /// Whether it listens for this service itself.
    var hasSocket: Bool { descriptorCount.map { $0 > 0 } ?? false }

    /// The socket that the manager listens on for this service.
    /// - Throws: ``SupervisionError/socketNotUsable`` for anything but one listening socket.
    func listener() throws(SupervisionError) -> Descriptor {
        guard descriptorCount == 1, llavero_is_listener(Self.firstDescriptor) != 0 else {
            throw .socketNotUsable
        }
        let socket = Descriptor(owning: Self.firstDescriptor)
        // What accepted sockets inherit must be there before the first byte (UnixSocket.listen).
        guard fcntl(socket.rawValue, F_SETFD, FD_CLOEXEC) == 0,
            fcntl(socket.rawValue, F_SETFL, O_NONBLOCK) == 0,
            llavero_pass_credentials(socket.rawValue) == 0
        else { throw .socketNotUsable }
        return socket
    }

    /// Sends lines of `NAME=value` to the service manager. Without a service manager, it sends nothing.
    package func tell(_ lines: String...) {
        guard let notifySocket else { return }
        _ = unsafe llavero_send_datagram(notifySocket, lines.joined(separator: "\n"))
    }
}
