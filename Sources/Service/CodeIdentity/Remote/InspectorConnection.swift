// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
package import IPC

/// securityd's end of the connection to one peerinspector: one question at a time.
package final class InspectorConnection: Sendable {
    private let socket: Descriptor

    /// Takes over a message socket (SOCK_SEQPACKET).
    package init(socket: consuming Descriptor) { self.socket = socket }

    /// For waiting; stays owned here.
    package var rawSocket: Int32 { socket.rawValue }

    /// Asks; never waits.
    /// - Returns: Whether it was sent; if not, the inspector is of no more use.
    package func ask(_ question: InspectionQuestion) -> Bool {
        let (bytes, descriptors) = InspectionCoding.encode(question)
        return InspectionSocket.send(
            socket.rawValue, bytes, descriptors, flags: Int32(MSG_DONTWAIT))
    }

    /// Takes the answer, once there is something to read.
    /// - Returns: Nil when there is none: the inspector is of no more use.
    package func answer(to question: InspectionQuestion) -> InspectionAnswer? {
        guard
            let message = InspectionSocket.receive(
                socket.rawValue, limit: InspectionCoding.answerByteLimit)
        else { return nil }
        return InspectionCoding.answer(
            message.bytes, ReceivedFiles(message.files), to: question)
    }

    /// Makes a pair.
    /// - Parameter start: Starts the inspector, which gets the other end as descriptor 3.
    /// - Returns: Our end, and the inspector's process.
    /// - Throws: ``SystemError`` when there is no pair, and what `start` throws.
    package static func connect(
        _ start: (_ inspectorsEnd: Int32) throws -> Int32
    ) throws -> (connection: InspectorConnection, process: Int32) {
        var ends: [Int32] = [-1, -1]
        guard unsafe llavero_message_pair(&ends) == 0 else { throw SystemError("socketpair") }
        let connection = InspectorConnection(socket: Descriptor(owning: ends[0]))
        let other = Descriptor(owning: ends[1])
        return (connection, try start(other.rawValue))
    }
}
