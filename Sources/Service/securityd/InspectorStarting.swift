// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import CodeIdentity
import Foundation
import IPC
import SecurityDaemon

/// The connection to the process that starts inspectors as another user. Used by one thread at a
/// time: the one that starts the service, then the one that hands out inspections.
final class InspectorStarting: Sendable {
    private static let patience = Duration.seconds(5)

    private let socket: Descriptor
    private let onGone: @Sendable () -> Void

    /// - Parameters:
    ///   - socket: The connection.
    ///   - onGone: Called when the starter has ended.
    init(_ socket: consuming Descriptor, onGone: @escaping @Sendable () -> Void) {
        self.onGone = onGone
        UnixSocket.setTimeout(socket.rawValue, Self.patience)
        self.socket = socket
    }

    /// What the other side answered to the version of this program's messages.
    enum Greeting: Equatable {
        /// It has the same.
        case same
        /// It is another version's, from before or after an upgrade.
        case other
        /// There was no answer in time.
        case none
    }

    /// Tells the starter which version of messages this program sends. Called once, first.
    func greet() -> Greeting {
        let hello = StarterMessage(.hello, process: StarterMessage.protocolVersion)
        guard hello.send(socket.rawValue) else { return .none }
        errno = 0
        guard let (answer, files) = StarterMessage.receive(socket.rawValue) else {
            // One from before there was this message closes the connection.
            return errno == EAGAIN ? .none : .other
        }
        for file in files { close(file) }
        return answer.kind == .hello && answer.process == StarterMessage.protocolVersion
            ? .same : .other
    }

    /// Has an inspector started.
    /// - Throws: when there is no answer in time, or none that has one.
    func start() throws -> InspectionDesk.Inspector {
        errno = 0
        guard StarterMessage(.start).send(socket.rawValue),
            let (answer, files) = StarterMessage.receive(socket.rawValue)
        else {
            // Only the supervisor makes a connection to another starter, for another securityd.
            if errno != EAGAIN { onGone() }
            throw SystemError("peerinspector")
        }
        guard answer.kind == .start, files.count == 1 else {
            for file in files { close(file) }
            throw SystemError("peerinspector", errno: EAGAIN)
        }
        let connection = InspectorConnection(socket: Descriptor(owning: files[0]))
        let raw = socket.rawValue
        let process = answer.process
        return InspectionDesk.Inspector(process: process, connection: connection) {
            _ = StarterMessage(.kill, process: process).send(raw)
        }
    }
}
