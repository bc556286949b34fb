// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import IPC
import TestSupport

/// Accepts a relay's connections, on a separate thread, one after the other.
struct RelayListener: Sendable {
    private let socket: Int32

    init(at path: String, backlog: Int32) throws {
        socket = try UnixSocket.listen(at: path, backlog: backlog).release()
        let flags = fcntl(socket, F_GETFL)
        guard fcntl(socket, F_SETFL, flags & ~O_NONBLOCK) == 0 else {
            throw TestFailure("The relay's socket can't be made to wait.")
        }
    }

    /// Calls `body` with each connection, which it then owns, until `stop`.
    func start(_ body: @escaping @Sendable (Int32) -> Void) throws {
        let socket = socket
        try NativeThread.start {
            while true {
                let client = accept(socket, nil, nil)
                guard client >= 0 else { return }
                body(client)
            }
        }
    }

    /// No further connection is accepted.
    func stop() { shutdown(socket, Int32(SHUT_RDWR)) }

    /// Sends all of some bytes.
    /// - Returns: False when the peer has closed.
    static func send(_ bytes: some Collection<UInt8>, to target: Int32) -> Bool {
        let bytes = [UInt8](bytes)
        var sent = 0
        while sent < bytes.count {
            let step = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.send(
                    target, $0.baseAddress.map { unsafe $0 + sent }, bytes.count - sent,
                    Int32(MSG_NOSIGNAL))
            }
            guard step > 0 else { return false }
            sent += step
        }
        return true
    }
}
