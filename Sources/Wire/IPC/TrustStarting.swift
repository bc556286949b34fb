// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc

/// A message to or from the process that starts trustd and transcoder as another user (PROTOCOL.md, "Supervising"): a
/// byte and the number of a process.
package struct TrustStarting: Equatable, Sendable {
    /// What is asked for, or was done.
    package enum Kind: UInt8, Sendable {
        /// Start one, with the connections that are attached; in an answer, its number.
        case start = 1
        /// Kill one; there is no answer.
        case kill = 2
        /// An answer: none could be started.
        case failed = 3
        /// Start a transcoder, with the connection that is attached; in an answer, its number.
        case startTranscoder = 4
    }

    private static let byteCount = 5

    package let kind: Kind
    package let process: Int32

    package init(_ kind: Kind, process: Int32 = 0) {
        self.kind = kind
        self.process = process
    }

    /// Sends it; never waits for a receiver that has left many messages unread.
    /// - Returns: Whether it was sent.
    @discardableResult
    package func send(_ socket: Int32, _ descriptors: [Int32] = []) -> Bool {
        var bytes = [kind.rawValue]
        bytes.append(littleEndian: UInt32(bitPattern: process))
        while true {
            let count = unsafe llavero_send_descriptors(
                socket, bytes, bytes.count, descriptors, Int32(descriptors.count),
                Int32(MSG_DONTWAIT))
            if count < 0, errno == EINTR { continue }
            return count == bytes.count
        }
    }

    /// Receives the next one; nil at the end, and for what is none. The descriptors are the caller's.
    package static func receive(_ socket: Int32) -> (TrustStarting, [Int32])? {
        var bytes = [UInt8](repeating: 0, count: byteCount + 1)
        var files = [Int32](repeating: -1, count: ControlSocket.descriptorLimit)
        var number: Int32 = 0
        var count = -1
        repeat {
            count = unsafe llavero_receive_descriptors(
                socket, &bytes, bytes.count, &files, &number)
        } while count < 0 && errno == EINTR
        let received = Array(files.prefix(Int(max(number, 0))))
        guard count == byteCount, let kind = Kind(rawValue: bytes[0]),
            let process = Int32(littleEndianBytes: bytes[1..<byteCount])
        else {
            for file in received { close(file) }
            return nil
        }
        return (TrustStarting(kind, process: process), received)
    }
}
