// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import IPC
import SecurityDaemon
import Synchronization

/// The connection to the process that starts trustd and transcoder as another user.
final class TrustStarterConnection: Sendable {
    private static let patience = Duration.seconds(5)

    private let socket: Descriptor
    /// One request at a time, so that each gets its own answer.
    private let isAsking = Mutex(())

    /// - Parameter socket: The connection.
    init(_ socket: consuming Descriptor) {
        UnixSocket.setTimeout(socket.rawValue, Self.patience)
        self.socket = socket
    }

    /// Has a trustd started.
    /// - Throws: when there is no answer in time, or none that has one.
    func start() throws -> TrustDesk.Running {
        try start(.start, connectionCount: TrustDesk.threadCount)
    }

    /// Has a transcoder started.
    /// - Throws: when there is no answer in time, or none that has one.
    func startTranscoder() throws -> TrustDesk.Running {
        try start(.startTranscoder, connectionCount: 1)
    }

    private func start(
        _ kind: TrustStarting.Kind, connectionCount: Int
    ) throws -> TrustDesk.Running {
        var ours: [Int32] = []
        var theirs: [Int32] = []
        defer { for descriptor in theirs { close(descriptor) } }
        for _ in 0..<connectionCount {
            let (here, there) = try UnixSocket.pair()
            ours.append(here)
            theirs.append(there)
        }
        let raw = socket.rawValue
        let answer = isAsking.withLock { _ -> TrustStarting? in
            guard TrustStarting(kind).send(raw, theirs),
                let (answer, files) = TrustStarting.receive(raw)
            else { return nil }
            for file in files { close(file) }
            return answer
        }
        guard let answer, answer.kind == kind else {
            for descriptor in ours { close(descriptor) }
            throw SystemError("trustd", errno: EAGAIN)
        }
        return TrustDesk.Running(process: answer.process, sockets: ours) {
            TrustStarting(.kill, process: answer.process).send(raw)
        }
    }
}
