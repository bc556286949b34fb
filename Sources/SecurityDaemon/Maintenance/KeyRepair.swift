// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
import ItemStore
import Synchronization

/// Sound copies of keys, for the writer to put where the keys are missing or damaged.
final class KeyRepair: Sendable {
    let copies: [KeyCopy]
    private let failure = Mutex<DaemonError?>(nil)
    private let finished: EventCounter

    init(_ copies: [KeyCopy]) throws(SystemError) {
        self.copies = copies
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
