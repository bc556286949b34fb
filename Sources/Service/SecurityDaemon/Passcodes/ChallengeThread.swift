// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import SecurityWire

/// A client's request for a challenge or about an authentication context, with its reply handler.
struct ChallengeJob: Sendable {
    enum Work: Sendable {
        case challenge
        /// Pass on a password of the application.
        case supply(AccessScope, sealed: [UInt8])
        /// The context is over.
        case drop(AccessScope)
    }

    var work = Work.challenge
    let userID: UInt32
    let answer: @Sendable (Result<ServiceReply, DaemonError>) -> Void
}

/// The thread that requests challenges from the enclave, and what needs no person, one at a time for all
/// clients. So a flood of such requests can't block an event thread, or keep the enclave from other
/// requests. Nothing here waits for a person: a question of another program may be open for a minute.
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
                job.answer(.success(try carryOut(job)))
            } catch {
                // First: a process that is ending replies to no one, and the clients ask its
                // successor.
                if error == .gone { onEnclaveGone() }
                job.answer(.failure(DaemonError(error)))
            }
        }
    }

    private mutating func carryOut(_ job: ChallengeJob) throws(EnclaveCallError) -> ServiceReply {
        switch job.work {
        case .challenge: return .challenge(try enclave.challenge(userID: job.userID))
        case .supply(let scope, let sealed):
            try enclave.supply(sealed, under: scope, userID: job.userID)
        case .drop(let scope): try enclave.drop(scope, userID: job.userID)
        }
        return .accessDone
    }
}
