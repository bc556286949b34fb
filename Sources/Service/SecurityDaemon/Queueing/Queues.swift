// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import ItemStore
import SecurityWire

/// Where an event thread hands on what it doesn't answer itself.
struct Queues: Sendable {
    let writes: WorkQueue<WriterThread.Job>
    let challenges: FairQueue<ChallengeJob>
    let passcodes: FairQueue<DeviceJob<PasscodeRequest>>
    let locks: FairQueue<DeviceJob<LockRequest>>
    let maintenance: FairQueue<MaintenanceJob>
    let leases: LeaseTable
    let access: FairQueue<AccessJob>
    let keychains: FairQueue<KeychainJob>
    let backups: FairQueue<BackupJob>
    /// Nil where the service has no trustd.
    let trust: FairQueue<TrustJob>?
    /// Nil where the service has no transcoder.
    let transcoding: FairQueue<TranscodingJob>?

    /// Hands a device request to the thread whose work it is.
    /// - Returns: False when too much is waiting there.
    func add(
        _ request: DeviceRequest, of requester: Requester,
        answer: @escaping @Sendable (Result<ServiceReply, DaemonError>) -> Void
    ) -> Bool {
        switch request {
        case .passcode(let request):
            let job = DeviceJob(request: request, answer: answer)
            return Self.add(job, to: passcodes, of: requester) { $0.answer(.failure(.overloaded)) }
        case .lock(let request):
            let job = DeviceJob(request: request, answer: answer)
            return Self.add(job, to: locks, of: requester) { $0.answer(.failure(.overloaded)) }
        }
    }

    /// Hands the wish for a challenge, or what a context needs without a person, to its thread.
    /// - Returns: False when too much is waiting there.
    func add(_ job: ChallengeJob, of requester: Requester) -> Bool {
        Self.add(job, to: challenges, of: requester) { $0.answer(.failure(.overloaded)) }
    }

    /// Hands a question to the person to its thread.
    /// - Returns: False when too much is waiting there.
    func add(_ job: AccessJob, of requester: Requester) -> Bool {
        Self.add(job, to: access, of: requester) { $0.answer(.failure(.overloaded)) }
    }

    /// Hands a request about keychains to its thread.
    /// - Returns: False when too much is waiting there.
    func add(_ job: KeychainJob, of requester: Requester) -> Bool {
        Self.add(job, to: keychains, of: requester) { $0.answer(.failure(.overloaded)) }
    }

    /// Hands a request about backups to its thread.
    /// - Returns: False when too much is waiting there.
    func add(_ job: BackupJob, of requester: Requester) -> Bool {
        Self.add(job, to: backups, of: requester) { $0.answer(.failure(.overloaded)) }
    }

    /// Hands a check or a recovery to its thread.
    /// - Returns: False when too much is waiting there.
    func add(_ job: MaintenanceJob, of requester: Requester) -> Bool {
        Self.add(job, to: maintenance, of: requester) { $0.answer(.failure(.overloaded)) }
    }

    /// Hands a question to the threads for trust.
    /// - Returns: False when too much is waiting there.
    func add(
        _ job: TrustJob, to queue: FairQueue<TrustJob>, of requester: Requester
    ) -> Bool {
        Self.add(job, to: queue, of: requester) { $0.answer(.failure(.overloaded)) }
    }

    /// Hands a file to the threads for import and export.
    /// - Returns: False when too much is waiting there.
    func add(
        _ job: TranscodingJob, to queue: FairQueue<TranscodingJob>, of requester: Requester
    ) -> Bool {
        Self.add(job, to: queue, of: requester) { $0.answer(.failure(.overloaded)) }
    }

    private static func add<Job>(
        _ job: Job, to queue: FairQueue<Job>, of requester: Requester, refuse: (Job) -> Void
    ) -> Bool {
        switch queue.add(job, of: requester) {
        case .added: return true
        case .addedInsteadOf(let other):
            refuse(other)
            return true
        case .refused: return false
        }
    }
}
