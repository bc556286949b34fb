// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import SecurityWire

/// A client's wish for a challenge, with what takes the answer.
struct ChallengeJob: Sendable {
    let userID: UInt32
    let answer: @Sendable (Result<ServiceReply, DaemonError>) -> Void
}

/// The thread that gets challenges from the enclave, one at a time, whoever asks: no flood of them
/// keeps an event thread or the enclave from what else is asked.
struct ChallengeThread: ~Copyable {
    private let queue: FairQueue<ChallengeJob>
    private var enclave: EnclaveClient
    private let onEnclaveGone: () -> Void

    init(
        queue: FairQueue<ChallengeJob>, enclave: consuming EnclaveClient,
        onEnclaveGone: @escaping () -> Void
    ) {
        self.queue = queue
        self.enclave = enclave
        self.onEnclaveGone = onEnclaveGone
    }

    /// Works until the process ends.
    mutating func run() {
        while true {
            guard let job = queue.take() else { continue }
            do throws(EnclaveCallError) {
                let challenge = try enclave.challenge(userID: job.userID)
                job.answer(.success(.challenge(challenge)))
            } catch {
                // First: a process that ends answers nobody, and the clients ask the next one.
                if error == .gone { onEnclaveGone() }
                job.answer(.failure(.enclave(error)))
            }
        }
    }
}
