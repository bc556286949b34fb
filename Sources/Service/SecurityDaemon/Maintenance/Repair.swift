// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
import ItemStore
import Synchronization

/// Something that a recovery mends, for the writer to carry out.
final class Repair: Sendable {
    /// What is to be mended.
    enum Work: Sendable {
        /// Sound copies of keys that are missing or damaged.
        case keys([KeyCopy])
        /// An index that doesn't fit its table.
        case index(String)
    }

    let work: Work
    private let failure = Mutex<DaemonError?>(nil)
    private let finished: EventCounter

    init(_ work: Work) throws(SystemError) {
        self.work = work
        finished = try EventCounter()
    }

    /// Tells what became of it.
    func answer(_ failure: DaemonError?) {
        self.failure.withLock { $0 = failure }
        finished.signal()
    }

    /// Waits for the answer. The writer always gives one, or ends the process.
    func wait() throws(DaemonError) {
        finished.wait()
        if let failure = failure.withLock({ $0 }) { throw failure }
    }
}
