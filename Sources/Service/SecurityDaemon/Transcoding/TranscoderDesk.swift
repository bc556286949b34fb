// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
import SecretBytes
import TranscodingWire

/// Has files read and written: one transcoder for each request.
///
/// One that is taken over by a file has seen that file alone, and ends after its answer.
package final class TranscoderDesk: Sendable {
    /// How many transcoders run at most.
    package static let threadCount = 2

    private let start: @Sendable () throws -> TrustDesk.Running
    private let report: @Sendable (String) -> Void
    /// How long an answer may take: what a transcoder may compute, on a busy machine.
    private let patience: Duration

    /// - Parameters:
    ///   - patience: How long an answer may take.
    ///   - start: Starts a transcoder with one connection.
    ///   - report: Writes a line to the log.
    package init(
        patience: Duration = .seconds(25),
        start: @escaping @Sendable () throws -> TrustDesk.Running,
        report: @escaping @Sendable (String) -> Void
    ) {
        self.patience = patience
        self.start = start
        self.report = report
    }

    /// Has a request answered.
    /// - Parameter request: The client's bytes, which aren't read here.
    /// - Returns: The answer's bytes.
    /// - Throws: ``DaemonError/tooLarge``; ``DaemonError/trustUnavailable`` when there is no answer.
    func answer(_ request: Secret) throws(DaemonError) -> Secret {
        guard request.bytes.byteCount <= TranscodingLimits.requestByteCount else {
            throw .tooLarge
        }
        let running: TrustDesk.Running
        do { running = try start() } catch {
            report("transcoder can't be started: \(error)")
            throw .trustUnavailable
        }
        // Whatever it does after its answer, it isn't needed any more.
        defer { running.kill() }
        let socket = running.sockets[0].descriptor.rawValue
        UnixSocket.setTimeout(socket, patience)
        guard SecretStream.send(socket, request),
            let answer = SecretStream.receive(socket, limit: TranscodingLimits.replyByteCount)
        else {
            report("transcoder ended, or didn't answer")
            throw .trustUnavailable
        }
        return answer
    }
}
