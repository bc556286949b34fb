// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
import TrustWire

/// Starts trustfetchers: one for each question that needs the network.
///
/// One that is taken over by an answer has seen the addresses of that question alone, and ends with it.
package final class FetchDesk: Sendable {
    fileprivate let start: @Sendable () throws -> TrustDesk.Running
    fileprivate let report: @Sendable (String) -> Void

    /// - Parameters:
    ///   - start: Starts a trustfetcher with one connection.
    ///   - report: Writes a line to the log.
    package init(
        start: @escaping @Sendable () throws -> TrustDesk.Running,
        report: @escaping @Sendable (String) -> Void
    ) {
        self.start = start
        self.report = report
    }
}

/// What one question fetches. Neither requests nor answers are read here.
final class QuestionFetches {
    private let desk: FetchDesk
    private var running: TrustDesk.Running?
    private var start: ContinuousClock.Instant?
    /// Whether the time is over, or the process is gone.
    private var isOver = false

    init(_ desk: FetchDesk) { self.desk = desk }

    /// Has something fetched.
    /// - Parameter request: trustd's bytes.
    /// - Returns: The reply's bytes; nil if there is none.
    func fetch(_ request: [UInt8]) -> [UInt8]? {
        guard !isOver, let running = fetcher() else { return nil }
        let start = start ?? .now
        self.start = start
        let left = Duration.milliseconds(FetchLimits.milliseconds) - start.duration(to: .now)
        guard left > .milliseconds(1) else {
            isOver = true
            return nil
        }
        let socket = running.sockets[0].descriptor.rawValue
        UnixSocket.setTimeout(socket, left)
        let number = UInt32.random(in: 0...(.max))
        // A byte says whether there is something.
        guard TrustStream.send(socket, request, number: number),
            let (reply, answered) = TrustStream.receive(
                socket, limit: FetchLimits.byteCount + 1), answered == number
        else {
            // An answer that comes late would be taken for the next one's.
            isOver = true
            return nil
        }
        return reply
    }

    /// Ends the process.
    func end() { running?.kill() }

    private func fetcher() -> TrustDesk.Running? {
        if let running { return running }
        do { running = try desk.start() } catch {
            isOver = true
            desk.report("trustfetcher can't be started: \(error)")
        }
        return running
    }
}
