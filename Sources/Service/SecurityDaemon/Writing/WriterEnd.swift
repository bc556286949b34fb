// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC

/// The end of an orderly end: signaled when the writer has put the log into the database.
final class WriterEnd: Sendable {
    let finished: EventCounter

    init() throws(SystemError) { finished = try EventCounter() }
}
