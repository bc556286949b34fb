// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import Foundation
import IPC
import ItemStore
import SecurityWire

/// A write that waits for the writer.
final class WriteJob: Sendable {
    let operation: any WriteOperation
    let scope: ItemScope
    let answer: @Sendable (Result<WriteResult, DaemonError>) -> Void

    init(
        _ operation: any WriteOperation, _ scope: consuming ItemScope,
        answer: @escaping @Sendable (Result<WriteResult, DaemonError>) -> Void
    ) {
        self.operation = operation
        self.scope = scope
        self.answer = answer
    }
}

/// The only thread that writes. Writes that arrive during a commit share the next one.
final class WriterThread {
    /// A job of the writer.
    enum Job: Sendable {
        /// A client's write.
        case write(WriteJob)
        /// Rows that a reader found corrupt.
        case corrupt([SealedItem])
        /// A user's class key was destroyed on purpose; `then` is called once its rows are deleted.
        case classDestroyed(ProtectionClass, userID: UInt32, then: @Sendable () -> Void)
        /// A user is forgotten; signaled when the rows are deleted, or can't be.
        case userForgotten(userID: UInt32, WriterEnd)
        /// Rows to restore.
        case restore(RestoreJob)
        /// A question about the root over a user's rows.
        case root(RootJob)
        /// The device was locked or unlocked: the enclave must record the last commit.
        case anchor(userID: UInt32)
        /// Keys or an index to repair.
        case repair(Repair)
        /// The process will end.
        case finish(WriterEnd)
    }

    private let queue: WorkQueue<Job>
    private let writer: StoreWriter
    private let source: ItemKeys.Source
    private let keys: ItemKeys
    private let housekeeping: Housekeeping
    private let writeKeys: WriteKeys
    private let judge: RootJudge
    private let requests: WriteRequests
    private let onChanges: (ChangeList) -> Void
    private let onStoreFailure: (StoreError) -> Void
    private let scrub: () -> Void
    private let onEnclaveGone: () -> Void
    private let bootClock: () -> BootMoment
    private var nextTrim: Int64 = .min

    /// After this long without work, the log is checkpointed into the database.
    private static let idleMilliseconds: Int32 = 5_000

    /// The maximum number of requests that share a commit.
    private static let batchCount = 64
    /// A write is rolled back and retried when a key must be made first: once for each class, and
    /// more often for an update of very many rows.
    private static let attempts = 12

    init(
        queue: WorkQueue<Job>, writer: StoreWriter, source: ItemKeys.Source, keys: ItemKeys,
        writeKeys: WriteKeys, judge: RootJudge, requests: WriteRequests,
        now: @escaping () -> Date, bootClock: @escaping () -> BootMoment,
        onChanges: @escaping (ChangeList) -> Void,
        onStoreFailure: @escaping (StoreError) -> Void,
        scrub: @escaping () -> Void, onEnclaveGone: @escaping () -> Void
    ) {
        self.queue = queue
        self.writer = writer
        self.source = source
        self.keys = keys
        housekeeping = Housekeeping(
            writer: writer, keys: keys, writeKeys: writeKeys, judge: judge, requests: requests,
            now: now, onChanges: onChanges, onStoreFailure: onStoreFailure)
        self.writeKeys = writeKeys
        self.judge = judge
        self.requests = requests
        self.bootClock = bootClock
        self.onChanges = onChanges
        self.onStoreFailure = onStoreFailure
        self.scrub = scrub
        self.onEnclaveGone = onEnclaveGone
    }

    /// Works until the process ends.
    func run() {
        while true {
            let jobs = nextJobs()
            var writes: [WriteJob] = []
            var ends: [WriterEnd] = []
            for job in jobs {
                switch job {
                case .write(let write): writes.append(write)
                case .corrupt(let items): housekeeping.quarantine(items)
                case .restore(let job): housekeeping.restore(job)
                case .classDestroyed(let keyClass, let userID, let then):
                    if housekeeping.forget(keyClass, userID: userID) { then() }
                case .userForgotten(let userID, let deleted):
                    for keyClass in ProtectionClass.allCases {
                        _ = housekeeping.forget(keyClass, userID: userID)
                    }
                    housekeeping.forgetKeychainKeys(userID: userID)
                    deleted.finished.signal()
                case .root(let job): answer(job)
                case .anchor(let userID): judge.anchor(userID)
                case .repair(let repair): housekeeping.carryOut(repair)
                case .finish(let end): ends.append(end)
                }
            }
            if !writes.isEmpty { carryOut(writes) }
            let corrupt = requests.takeCorruptRows()
            if !corrupt.isEmpty { housekeeping.quarantine(corrupt) }
            judge.anchorIfDue(Set(writes.map { $0.scope.userID }))
            if !ends.isEmpty {
                judge.anchorAll(counting: true)
                checkpoint()
                for end in ends { end.finished.signal() }
            }
            if queue.isEmpty { writer.checkpointIfDue() }
            scrub()
        }
    }

    /// Waits for work; if none arrives for a while, first checkpoints the log into the database.
    private func nextJobs() -> [Job] {
        if let jobs = queue.take(Self.batchCount, within: Self.idleMilliseconds) { return jobs }
        judge.anchorAll(counting: false)
        checkpoint()
        return queue.take(Self.batchCount)
    }

    /// If this fails, the log stays; damage is handled elsewhere.
    private func checkpoint() {
        do throws(StoreError) { try writer.checkpoint() } catch { onStoreFailure(error) }
    }

    // MARK: - Batches

    private typealias Outcome = Result<WriteResult, DaemonError>

    /// A write, with what was prepared for it outside the transaction.
    private struct Prepared {
        let job: WriteJob
        let item: Result<WriteRequests.PreparedItem?, DaemonError>
        /// Why the user's rows may not be changed.
        let refusal: DaemonError?

        /// Whether anything had to be prepared.
        var wasPrepared: Bool { if case .success(nil) = item { false } else { true } }
    }

    /// Carries out writes in one transaction; replies are sent after the commit.
    private func carryOut(_ jobs: [WriteJob]) {
        var waiting = jobs
        for attempt in 0..<Self.attempts where !waiting.isEmpty {
            var missing: [(WriteJob, ProtectionClass)] = []
            let outcomes = commit(waiting)
            publish(outcomes)
            // Clients without a reply ask the next securityd, which has an enclave.
            let isGone = outcomes.contains { _, outcome in
                if case .failure(.enclave(.gone)) = outcome { true } else { false }
            }
            if isGone { onEnclaveGone() }
            for (job, outcome) in outcomes {
                if case .failure(.keyNotPrepared(let keyClass)) = outcome,
                    attempt + 1 < Self.attempts
                {
                    missing.append((job, keyClass))
                } else {
                    answer(job, outcome)
                }
            }
            waiting = []
            for (job, keyClass) in missing {
                do {
                    try writeKeys.prepare(
                        job.scope.owner, keyClass: keyClass,
                        seals: 1 << Int64(16 + attempt))
                    waiting.append(job)
                } catch {
                    if error == .enclave(.gone) { onEnclaveGone() }
                    answer(job, .failure(error))
                }
            }
        }
    }

    /// After a client has seen a lock, no data is read with the dropped keys.
    private func answer(_ job: WriteJob, _ outcome: Outcome) {
        guard case .failure(.locked) = outcome else { return job.answer(outcome) }
        do throws(DaemonError) {
            try keys.followLock(userID: job.scope.userID)
            job.answer(outcome)
        } catch { job.answer(.failure(error)) }
    }

    /// Sends the changes to the watchers, once for all writes of a commit.
    private func publish(_ outcomes: [(WriteJob, Outcome)]) {
        var changes = ChangeList()
        for (_, outcome) in outcomes {
            if case .success(let result) = outcome { changes.append(result.changes) }
        }
        if !changes.isEmpty { onChanges(changes) }
    }

    private func commit(_ jobs: [WriteJob]) -> [(WriteJob, Outcome)] {
        // The users' keys first: without an index key no root can be judged.
        let items = jobs.map { prepare($0) }
        var refusals: [UInt32: DaemonError?] = [:]
        for job in jobs where refusals[job.scope.userID] == nil {
            refusals.updateValue(judge.refusal(job.scope.userID), forKey: job.scope.userID)
        }
        let prepared = zip(jobs, items).map {
            Prepared(job: $0, item: $1, refusal: refusals[$0.scope.userID] ?? nil)
        }
        var outcomes: [(WriteJob, Outcome)] = []
        do {
            try writer.commit { (transaction) throws(StoreError) in
                try trimOutcomes(transaction)
                if prepared.count == 1 {
                    outcomes = [(prepared[0].job, carryOutAlone(prepared[0], transaction))]
                    return
                }
                for entry in prepared {
                    outcomes.append((entry.job, carryOut(entry, transaction)))
                }
            }
            return outcomes
        } catch {
            onStoreFailure(error)
            return jobs.map { ($0, .failure(.store(error))) }
        }
    }

    /// The only write of its transaction: rolling it back needs no savepoint, which would copy each
    /// page.
    private func carryOutAlone(_ entry: Prepared, _ transaction: StoreTransaction) -> Outcome {
        do throws(DaemonError) {
            return .success(try perform(entry, transaction))
        } catch {
            transaction.undo()
            if case .store(let failure) = error { onStoreFailure(failure) }
            return .failure(error)
        }
    }

    private func carryOut(_ entry: Prepared, _ transaction: StoreTransaction) -> Outcome {
        do throws(DaemonError) {
            return .success(
                try transaction.isolated(
                    { () throws(DaemonError) -> WriteResult in
                        try perform(entry, transaction)
                    }, storeFailure: { .store($0) }))
        } catch {
            if case .store(let failure) = error { onStoreFailure(failure) }
            return .failure(error)
        }
    }

    /// Seals a new item, which needs no transaction.
    private func prepare(
        _ job: WriteJob
    ) -> Result<WriteRequests.PreparedItem?, DaemonError> {
        do throws(DaemonError) {
            return .success(try job.operation.prepare(requests, job.scope, source))
        } catch { return .failure(error) }
    }

    private func perform(
        _ entry: Prepared, _ transaction: StoreTransaction
    ) throws(DaemonError) -> WriteResult {
        if let refusal = entry.refusal {
            // Everything was erased after the item had been prepared: prepare it again.
            if refusal == .keyGone, entry.wasPrepared {
                throw .keyNotPrepared(ItemKeys.indexKeyClass)
            }
            throw refusal
        }
        let job = entry.job
        if let identity = job.operation.identity,
            let uuid = try requests.outcome(of: identity, userID: job.scope.userID, transaction)
        {
            return try job.operation.repeated(requests, uuid: uuid, job.scope, transaction)
        }
        return try job.operation.perform(
            requests, try entry.item.get(), job.scope, transaction)
    }

    // MARK: - Roots

    private func answer(_ job: RootJob) {
        do throws(DaemonError) {
            switch job.question {
            case .mayUse: try judge.admit(job.userID)
            case .accept:
                // An empty database has no key for a root.
                try judge.accept(
                    job.userID, under: try writeKeys.prepareIndexer(RowOwner(userID: job.userID)))
            }
            job.answer(nil)
        } catch {
            if case .store(let failure) = error { onStoreFailure(failure) }
            job.answer(error)
        }
    }

    // MARK: - Housekeeping

    /// Deletes old outcomes, about once a minute.
    private func trimOutcomes(_ transaction: StoreTransaction) throws(StoreError) {
        let moment = bootClock()
        guard moment.seconds >= nextTrim else { return }
        nextTrim = moment.seconds + WriteRequests.outcomeLifetimeSeconds
        try transaction.forgetOutcomes(
            before: BootMoment(
                seconds: moment.seconds - WriteRequests.outcomeLifetimeSeconds,
                bootID: moment.bootID))
    }
}
