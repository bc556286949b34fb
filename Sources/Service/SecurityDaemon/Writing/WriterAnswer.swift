// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
import Synchronization

/// What the writer has answered to a thread that waits for it. The writer always answers, or ends the
/// process.
final class WriterAnswer: Sendable {
    private let result = Mutex<Result<WriteResult, DaemonError>?>(nil)
    private let finished: EventCounter

    init() throws(SystemError) { finished = try EventCounter() }

    func set(_ result: Result<WriteResult, DaemonError>) {
        self.result.withLock { $0 = result }
        finished.signal()
    }

    /// Waits for it.
    func get() throws(DaemonError) -> WriteResult {
        finished.wait()
        switch result.withLock({ $0 }) {
        case .success(let result)?: return result
        case .failure(let error)?: throw error
        case nil: throw .overloaded
        }
    }
}
