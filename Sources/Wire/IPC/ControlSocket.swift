// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc

/// What the supervisor of the system service tells a daemon (PROTOCOL.md, "Supervising").
package enum ControlMessage: UInt8, Sendable {
    /// The daemon sends it back when it works. One that doesn't is killed.
    case ping = 1
    /// A new securityd: the connections of the one before are over.
    case renew = 2
    /// Connections of the new securityd are attached.
    case connections = 3
}

/// One end of the supervisor's connection to a daemon. The daemon ends when the other end is closed.
package final class ControlSocket: Sendable {
    /// What came.
    package enum Received: Equatable, Sendable {
        /// A message, and the descriptors that came with it; the receiver owns them.
        case message(ControlMessage, [Int32])
        /// Nothing yet.
        case nothing
        /// The other end is closed, or sends what is no message.
        case end
    }

    /// The maximum number of descriptors of one message.
    package static let descriptorLimit = Int(LLAVERO_DESCRIPTOR_LIMIT)

    private let socket: Descriptor

    /// Takes over a message socket (SOCK_SEQPACKET) that doesn't block.
    package init(_ socket: consuming Descriptor) { self.socket = socket }

    /// For waiting; stays owned here.
    package var rawValue: Int32 { socket.rawValue }

    /// Makes a pair.
    /// - Returns: The supervisor's end, and the daemon's, which the caller closes. Neither blocks.
    /// - Throws: when there is no descriptor left.
    package static func pair() throws(SystemError) -> (ours: ControlSocket, theirs: Int32) {
        var ends: [Int32] = [-1, -1]
        guard unsafe llavero_message_pair(&ends) == 0 else { throw SystemError("socketpair") }
        for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        return (ControlSocket(Descriptor(owning: ends[0])), ends[1])
    }

    /// Sends a message; never waits.
    /// - Returns: Whether it was sent. A daemon that has left many messages unread gets no more.
    @discardableResult
    package func send(_ message: ControlMessage, _ descriptors: [Int32] = []) -> Bool {
        while true {
            let count = unsafe llavero_send_descriptors(
                socket.rawValue, [message.rawValue], 1, descriptors, Int32(descriptors.count), 0)
            if count < 0, errno == EINTR { continue }
            return count == 1
        }
    }

    /// Takes the next message; never waits.
    package func receive() -> Received {
        var bytes: [UInt8] = [0, 0]
        var files = [Int32](repeating: -1, count: Self.descriptorLimit)
        var number: Int32 = 0
        let count = unsafe llavero_receive_descriptors(
            socket.rawValue, &bytes, bytes.count, &files, &number)
        if count < 0, errno == EAGAIN || errno == EINTR { return .nothing }
        let received = Array(files.prefix(Int(number)))
        guard count == 1, let message = ControlMessage(rawValue: bytes[0]),
            received.isEmpty || message == .connections
        else {
            for file in received { close(file) }
            return .end
        }
        return .message(message, received)
    }
}
