// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC

/// A message to or from the process that starts inspectors (PROTOCOL.md, "Supervising"): a byte and
/// the number of a process.
package struct StarterMessage: Sendable {
    /// What is asked for, or was done.
    package enum Kind: UInt8, Sendable {
        /// Start an inspector; in an answer, its socket is attached.
        case start = 1
        /// Kill an inspector; there is no answer.
        case kill = 2
        /// An answer: no inspector could be started.
        case failed = 3
        /// The first message of each side; its number is ``protocolVersion``.
        case hello = 4
    }

    /// The version of these messages and of those to inspectors. It changes with their meaning or
    /// layout.
    package static let protocolVersion: Int32 = 2

    package static let byteCount = 5

    package let kind: Kind
    package let process: Int32

    package init(_ kind: Kind, process: Int32 = 0) {
        self.kind = kind
        self.process = process
    }

    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount, let kind = Kind(rawValue: bytes[0]) else { return nil }
        self.kind = kind
        process = Int32(littleEndianBytes: bytes.dropFirst()) ?? 0
    }

    package var bytes: [UInt8] {
        var bytes = [kind.rawValue]
        bytes.append(littleEndian: UInt32(bitPattern: process))
        return bytes
    }

    /// Sends it.
    /// - Parameters:
    ///   - socket: The socket.
    ///   - descriptors: What is attached.
    ///   - waits: Whether it waits for a receiver that has left many messages unread.
    /// - Returns: Whether it was sent.
    package func send(_ socket: Int32, _ descriptors: [Int32] = [], waits: Bool = true) -> Bool {
        InspectionSocket.send(
            socket, bytes, descriptors, flags: waits ? 0 : Int32(MSG_DONTWAIT))
    }

    /// Receives the next one; nil at the end, and for what is none. The descriptors are the caller's.
    package static func receive(_ socket: Int32) -> (StarterMessage, [Int32])? {
        guard let (bytes, files) = InspectionSocket.receive(socket, limit: byteCount) else {
            return nil
        }
        guard let message = StarterMessage(bytes) else {
            for file in files { close(file) }
            return nil
        }
        return (message, files)
    }
}
