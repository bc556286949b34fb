// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SecretBytes
import SecurityWire

/// A file that waits to be read or written.
final class TranscodingJob: Sendable {
    let request: Secret
    let answer: @Sendable (Result<ServiceReply, DaemonError>) -> Void

    init(
        _ request: Secret, answer: @escaping @Sendable (Result<ServiceReply, DaemonError>) -> Void
    ) {
        self.request = request
        self.answer = answer
    }
}

/// A thread that has files read and written. It reads neither request nor answer.
struct TranscodingThread {
    let queue: FairQueue<TranscodingJob>
    let desk: TranscoderDesk
    let scrub: @Sendable () -> Void

    /// Works until the process ends.
    func run() {
        while true {
            guard let job = queue.take(within: nil) else { continue }
            do throws(DaemonError) {
                job.answer(.success(.transcoded(try desk.answer(job.request))))
            } catch { job.answer(.failure(error)) }
            scrub()
        }
    }
}
