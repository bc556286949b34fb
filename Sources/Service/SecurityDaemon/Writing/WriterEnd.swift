// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC

/// The last step of an orderly end: signaled when the writer has checkpointed the log.
final class WriterEnd: Sendable {
    let finished: EventCounter

    init() throws(SystemError) { finished = try EventCounter() }
}
