// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import SecurityWire

/// A client's request for a challenge, with its reply handler.
struct ChallengeJob: Sendable {
    let userID: UInt32
    let answer: @Sendable (Result<ServiceReply, DaemonError>) -> Void
}

/// The thread that requests challenges from the enclave, one at a time for all clients. So a flood
/// of such requests can't block an event thread, or keep the enclave from other requests.
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
                // First: a process that is ending replies to no one, and the clients ask its
                // successor.
                if error == .gone { onEnclaveGone() }
                job.answer(.failure(.enclave(error)))
            }
        }
    }
}
