// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
package import CodeIdentity
package import IPC
import Synchronization

/// Has peers looked into by processes of their own, so that no thread of this one ever waits for a
/// peer's file system or memory lock.
package final class InspectionDesk: PeerIdentifying {
    /// A peerinspector that was started, and the connection to it.
    package struct Inspector: Sendable {
        let process: Int32
        let connection: InspectorConnection
        /// Kills it, if another process has started it: it is another user's then.
        let end: (@Sendable () -> Void)?

        package init(
            process: Int32, connection: InspectorConnection, end: (@Sendable () -> Void)? = nil
        ) {
            self.process = process
            self.connection = connection
            self.end = end
        }

        /// Kills it.
        /// - Parameter descriptor: Names the process, also when its number is another one's by now.
        func kill(_ descriptor: Int32) {
            if let end { end() } else { _ = llavero_kill_process(descriptor) }
        }
    }

    /// A client waits no longer than this for a read.
    private static let patience = Duration.seconds(10)

    private let jobs = Mutex<[InspectionJob]>([])
    private let arrived: EventCounter
    private let accounts: Accounts

    /// Makes the desk and starts its thread, which works until the process ends.
    /// - Parameters:
    ///   - first: A peerinspector that runs already.
    ///   - start: Starts another one.
    ///   - accounts: Which user numbers are one account's.
    ///   - report: Writes a line into the log.
    /// - Throws: ``SystemError`` when the system gives no descriptor or thread. Nothing else.
    package init(
        first: Inspector,
        start: @escaping @Sendable () throws -> Inspector,
        accounts: Accounts = .apart,
        report: @escaping @Sendable (String) -> Void
    ) throws(SystemError) {
        self.accounts = accounts
        arrived = try EventCounter()
        let pool = try InspectorPool(first: first, start: start, report: report)
        let handover = Mutex<InspectorPool?>(pool)
        try NativeThread.start { [self] in
            guard let pool = handover.withLock({ $0.take() }) else { return }
            pool.run(arrived.descriptor) { [self] in take() }
        }
    }

    /// Takes the question to the desk's thread; never waits.
    package func identify(
        _ process: InspectedProcess, _ traces: PeerTraces?, _ stage: InspectionStage,
        answer: @escaping @Sendable (EstablishedPeer?) -> Void
    ) {
        var job = InspectionJob(
            process: process, stage: stage, traces: traces, deadline: .now + Self.patience,
            answer: answer)
        job.account = accounts.account(of: process.userID)
        jobs.withLock { $0.append(job) }
        arrived.signal()
    }

    private func take() -> [InspectionJob] {
        arrived.wait()
        return jobs.withLock { jobs in
            defer { jobs = [] }
            return jobs
        }
    }
}
