// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
import ItemStore
import Synchronization

/// A repair that the writer carries out for a recovery.
final class Repair: Sendable {
    /// The kind of repair.
    enum Work: Sendable {
        /// Replace missing or damaged keys by intact copies.
        case keys([KeyCopy])
        /// Rebuild an index that doesn't match its table.
        case index(String)
    }

    let work: Work
    private let failure = Mutex<DaemonError?>(nil)
    private let finished: EventCounter

    init(_ work: Work) throws(SystemError) {
        self.work = work
        finished = try EventCounter()
    }

    /// Delivers the result.
    func answer(_ failure: DaemonError?) {
        self.failure.withLock { $0 = failure }
        finished.signal()
    }

    /// Waits for the result. The writer always delivers one, or ends the process.
    func wait() throws(DaemonError) {
        finished.wait()
        if let failure = failure.withLock({ $0 }) { throw failure }
    }
}
