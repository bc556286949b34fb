// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc

/// The side that looks: what peerinspector does with its connection to securityd.
package struct InspectionServer: Sendable {
    private let inspector: PeerInspector
    private let socket: Int32

    /// Takes a message socket (SOCK_SEQPACKET); it stays the caller's.
    package init(_ inspector: PeerInspector, socket: Int32) {
        self.inspector = inspector
        self.socket = socket
    }

    /// Answers until the connection ends, or says what it shouldn't.
    package func run() {
        while let message = InspectionSocket.receive(
            socket, limit: InspectionCoding.questionByteLimit)
        {
            guard
                let question = InspectionCoding.question(
                    message.bytes, ReceivedFiles(message.files))
            else { return }
            let answer: InspectionAnswer
            var hadTraces = false
            switch question {
            case .digest(let file): answer = .digest(inspector.digest(file))
            case .who(let process, let traces, let order):
                hadTraces = traces != nil
                answer = .outcome(inspector.inspect(process.peer, traces, order))
            }
            let (bytes, descriptors) = InspectionCoding.encode(answer, hadTraces: hadTraces)
            guard InspectionSocket.send(socket, bytes, descriptors, flags: 0) else { return }
        }
    }
}

/// Messages with descriptors.
enum InspectionSocket {
    /// - Returns: Whether all of it was sent.
    static func send(
        _ socket: Int32, _ bytes: [UInt8], _ descriptors: [Int32], flags: Int32
    ) -> Bool {
        while true {
            let count = unsafe llavero_send_descriptors(
                socket, bytes, bytes.count, descriptors, Int32(descriptors.count), flags)
            if count < 0, errno == EINTR { continue }
            return count == bytes.count
        }
    }

    /// - Returns: The next message; nil at the end, and for one that is longer than it may be.
    static func receive(_ socket: Int32, limit: Int) -> (bytes: [UInt8], files: [Int32])? {
        var files = [Int32](repeating: -1, count: Int(LLAVERO_DESCRIPTOR_LIMIT))
        var number: Int32 = 0
        var count = -1
        repeat {
            count = recv(socket, nil, 0, Int32(MSG_PEEK) | Int32(MSG_TRUNC))
        } while count < 0 && errno == EINTR
        guard count > 0, count <= limit else { return nil }
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { room, filled in
            repeat {
                count = unsafe llavero_receive_descriptors(
                    socket, room.baseAddress, room.count, &files, &number)
            } while count < 0 && errno == EINTR
            filled = min(max(count, 0), room.count)
        }
        let received = Array(files.prefix(Int(number)))
        guard count > 0, count == bytes.count else {
            for file in received { close(file) }
            return nil
        }
        return (bytes, received)
    }
}
