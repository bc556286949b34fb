// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
import Synchronization

/// Asks the writer about a user's rows, and waits for the answer.
final class RootJob: Sendable {
    /// The question.
    enum Question: Sendable {
        /// Whether the rows may be used.
        case mayUse
        /// Accept them as they are.
        case accept
    }

    let question: Question
    let userID: UInt32
    private let result = Mutex<DaemonError?>(nil)
    private let finished: EventCounter

    init(_ question: Question, userID: UInt32) throws(SystemError) {
        self.question = question
        self.userID = userID
        finished = try EventCounter()
    }

    /// Delivers the answer.
    func answer(_ error: DaemonError?) {
        result.withLock { $0 = error }
        finished.signal()
    }

    /// Waits for the answer. The writer always gives one, or ends the process.
    func wait() throws(DaemonError) {
        finished.wait()
        if let error = result.withLock({ $0 }) { throw error }
    }
}

/// Tells a thread that reads rows whether it may.
struct RootGate: Sendable {
    let verdicts: RootVerdicts
    let ask: @Sendable (RootJob) -> Bool

    /// Returns when a user's rows may be used; asks the writer the first time.
    func pass(_ userID: UInt32) throws(DaemonError) {
        switch verdicts.verdict(userID) {
        case .sound?: return
        case .refused?: throw .rolledBack
        case nil: try put(.mayUse, userID)
        }
    }

    /// Asks the writer a question.
    func put(_ question: RootJob.Question, _ userID: UInt32) throws(DaemonError) {
        guard let job = try? RootJob(question, userID: userID), ask(job) else {
            throw .overloaded
        }
        try job.wait()
    }
}
