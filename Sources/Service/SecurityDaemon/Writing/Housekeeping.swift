// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import Foundation
import ItemStore
import SecurityWire

/// The writer's jobs besides clients' writes: it moves rows that can't be opened to the quarantine
/// or restores them, restores keys, rebuilds indexes, and deletes the rows of destroyed keys.
final class Housekeeping {
    private let writer: StoreWriter
    private let keys: ItemKeys
    private let writeKeys: WriteKeys
    private let judge: RootJudge
    private let requests: WriteRequests
    private let now: () -> Date
    private let onChanges: (ChangeList) -> Void
    private let onStoreFailure: (StoreError) -> Void

    init(
        writer: StoreWriter, keys: ItemKeys, writeKeys: WriteKeys, judge: RootJudge,
        requests: WriteRequests, now: @escaping () -> Date,
        onChanges: @escaping (ChangeList) -> Void,
        onStoreFailure: @escaping (StoreError) -> Void
    ) {
        self.writer = writer
        self.keys = keys
        self.writeKeys = writeKeys
        self.judge = judge
        self.requests = requests
        self.now = now
        self.onChanges = onChanges
        self.onStoreFailure = onStoreFailure
    }

    // MARK: - Moving to the quarantine

    /// Moves rows that a reader couldn't open to the quarantine, if they still can't be opened.
    func quarantine(_ items: [SealedItem]) {
        let moment = Int64(now().timeIntervalSince1970)
        let believed = items.filter { judge.refusal($0.userID) == nil }
        guard !believed.isEmpty else { return }
        do {
            try writer.commit { (transaction) throws(StoreError) in
                for item in believed {
                    guard let row = try transaction.row(item.table, rowID: item.rowID),
                        row.uuid == item.uuid, row.rowGeneration == item.rowGeneration,
                        let reason = corruption(of: row, transaction)
                    else { continue }
                    try transaction.quarantine(row, reason, now: moment)
                }
            }
        } catch { onStoreFailure(error) }
    }

    /// Why a row must be moved; nil when it is intact, or this can't be determined now.
    private func corruption(
        of row: SealedItem, _ transaction: StoreTransaction
    ) -> QuarantineReason? {
        var opened = row
        opened.isCurrent = true
        do throws(DaemonError) {
            switch try keys.open(opened, ItemKeys.Source(transaction)) {
            case .corrupt: return .metadata
            case .keyMissing, .newerFormat: return row.isCurrent ? nil : .notCurrent
            case .attributes(let attributes):
                guard row.isCurrent else { return .notCurrent }
                return try requests.hasLostSecret(row, attributes) ? .secret : nil
            }
        } catch { return row.isCurrent ? nil : .notCurrent }
    }

    // MARK: - Restoring

    /// Stores quarantined rows again; one that fails doesn't stop the others.
    func restore(_ job: RestoreJob) {
        let failures = requests.prepare(job)
        var refusals: [UInt32: DaemonError] = [:]
        for userID in Set(job.candidates.map(\.item.userID)) {
            refusals[userID] = judge.refusal(userID)
        }
        var outcomes: [RestoreJob.Outcome] = []
        do {
            try writer.commit { (transaction) throws(StoreError) in
                for candidate in job.candidates {
                    outcomes.append(outcome(of: candidate, failures, refusals, transaction))
                }
            }
        } catch {
            onStoreFailure(error)
            outcomes = job.candidates.map { _ in .failed(.store(error)) }
        }
        var changes = ChangeList()
        for case .restored(let change) in outcomes { changes.append(change) }
        if !changes.isEmpty { onChanges(changes) }
        job.answer(outcomes)
    }

    private func outcome(
        of candidate: RestoreJob.Candidate, _ failures: [KeyNeed: DaemonError],
        _ refusals: [UInt32: DaemonError], _ transaction: StoreTransaction
    ) -> RestoreJob.Outcome {
        if let failure = failures[KeyNeed(candidate.item)] { return .failed(failure) }
        if let refusal = refusals[candidate.item.userID] { return .failed(refusal) }
        do throws(DaemonError) {
            return try transaction.isolated(
                { () throws(DaemonError) -> RestoreJob.Outcome in
                    try requests.restore(candidate, transaction)
                }, storeFailure: { .store($0) })
        } catch { return .failed(error) }
    }

    // MARK: - Repairs

    /// Restores keys, or rebuilds an index.
    func carryOut(_ repair: Repair) {
        var failure: DaemonError?
        do {
            try writer.commit { (transaction) throws(StoreError) in
                switch repair.work {
                case .keys(let copies):
                    try transaction.rewriteMetadataKeys()
                    for copy in copies { try transaction.putBack(copy) }
                case .index(let name): try transaction.rebuild(index: name)
                }
            }
            if case .keys(let copies) = repair.work { forget(copies) }
        } catch {
            onStoreFailure(error)
            failure = .store(error)
        }
        repair.answer(failure)
    }

    /// Nothing is sealed under restored keys.
    private func forget(_ copies: [KeyCopy]) {
        for copy in copies {
            guard let keyClass = copy.keyClass.flatMap({ ProtectionClass(rawValue: $0) })
            else { continue }
            writeKeys.forget(
                RowOwner(userID: copy.userID, keychain: copy.keychain), keyClass: keyClass)
        }
    }

    // MARK: - Destroyed keys

    /// Deletes the rows of a class whose key was destroyed on purpose: they can never be opened.
    /// Rows whose key is merely missing are never deleted.
    /// - Returns: Whether they are deleted.
    func forget(_ keyClass: ProtectionClass, userID: UInt32) -> Bool {
        writeKeys.forget(RowOwner(userID: userID), keyClass: keyClass)
        guard judge.refusal(userID) == nil else { return false }
        var changes = ChangeList()
        do {
            try writer.commit { (transaction) throws(StoreError) in
                for table in ItemTable.allCases {
                    var last: Int64 = 0
                    while true {
                        let rows = try transaction.rows(
                            table, userID: userID, keyClass: keyClass.rawValue, after: last,
                            limit: Self.forgottenRowCount)
                        for row in rows {
                            try transaction.delete(row)
                            if !row.isTombstone { changes.append(WriteRequests.deletion(of: row)) }
                        }
                        guard let final = rows.last else { break }
                        last = final.rowID
                    }
                }
                try transaction.deleteMetadataKeys(userID: userID, keyClass: keyClass.rawValue)
            }
        } catch {
            onStoreFailure(error)
            return false
        }
        if !changes.isEmpty { onChanges(changes) }
        return true
    }

    /// Deletes the wrapped keys of a user's keychains: nothing opens them any more.
    func forgetKeychainKeys(userID: UInt32) {
        guard judge.refusal(userID) == nil else { return }
        do {
            try writer.commit { (transaction) throws(StoreError) in
                try transaction.deleteKeychainKeys(userID: userID)
                try transaction.forgetBackups(userID: userID)
            }
        } catch { onStoreFailure(error) }
    }

    /// The number of rows in memory while they are deleted.
    private static let forgottenRowCount = 256
}
