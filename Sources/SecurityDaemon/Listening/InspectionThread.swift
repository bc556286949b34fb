// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SecurityWire

/// An inspection that reads a program's file.
struct InspectionJob: Sendable {
    let run: @Sendable () -> Void
}

/// Reads programs' files: a large one that comes for the first time holds nobody up but others
/// that come for the first time.
final class InspectionThread {
    private let queue: WorkQueue<InspectionJob>

    init(queue: WorkQueue<InspectionJob>) { self.queue = queue }

    /// Works until the process ends.
    func run() {
        while true {
            for job in queue.take(1) { job.run() }
        }
    }
}
