// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import IPC
import ItemStore
import SecurityWire
import Synchronization

/// Rows that a recovery has opened, for the writer to store again.
final class RestoreJob: Sendable {
    /// One row.
    struct Candidate: Sendable {
        /// As it was stored in the quarantine or the file.
        let item: SealedItem
        let attributes: ItemAttributes
        /// Its number in the quarantine, if it was there.
        let quarantineNumber: Int64?
    }

    /// The result for a row.
    enum Outcome: Sendable {
        case restored(RowChange)
        /// It exists, or was restored before.
        case present
        case failed(DaemonError)
    }

    let candidates: [Candidate]
    private let outcomes = Mutex<[Outcome]>([])
    private let finished: EventCounter

    init(_ candidates: [Candidate]) throws(SystemError) {
        self.candidates = candidates
        finished = try EventCounter()
    }

    /// Delivers the results for the rows, in their order.
    func answer(_ outcomes: [Outcome]) {
        self.outcomes.withLock { $0 = outcomes }
        finished.signal()
    }

    /// Waits for the results. The writer always delivers them, or ends the process.
    func wait() -> [Outcome] {
        finished.wait()
        return outcomes.withLock { $0 }
    }
}

extension WriteRequests {
    /// Prepares keys for the rows to restore.
    /// - Returns: Why a class has none.
    func prepare(_ job: RestoreJob) -> [UInt8: DaemonError] {
        var failures: [UInt8: DaemonError] = [:]
        for item in job.candidates.map(\.item) {
            guard let keyClass = ProtectionClass(rawValue: item.keyClass) else { continue }
            do throws(DaemonError) {
                _ = try writeKeys.prepareIndexer(userID: item.userID)
                try writeKeys.prepare(
                    userID: item.userID, keyClass: keyClass, seals: Int64(job.candidates.count))
            } catch { failures[item.keyClass] = error }
        }
        return failures
    }

    /// Stores a row again, with its UUID and, if it is free, its number. All of it is sealed again;
    /// its secret never leaves the enclave.
    func restore(
        _ candidate: RestoreJob.Candidate, _ transaction: StoreTransaction
    ) throws(DaemonError) -> RestoreJob.Outcome {
        let old = candidate.item
        guard let keyClass = ProtectionClass(rawValue: old.keyClass),
            let oldSecret = SealedSecret(old), old.rowGeneration < .max
        else { throw .keyGone }
        let source = ItemKeys.Source(transaction)
        guard let indexer = try keys.indexer(userID: old.userID, source) else { throw .absent }
        var item = old
        item.indexes = indexer.values(old.table, candidate.attributes)
        item.rowGeneration += 1
        guard let primaryKey = item.index(.primaryKey) else { throw .invalidRequest }
        do throws(StoreError) {
            if try transaction.row(old.table, uuid: old.uuid) != nil { return .present }
            if candidate.quarantineNumber == nil,
                try transaction.wasRecovered(uuid: old.uuid)
            {
                return .present
            }
            let isTaken = try transaction.row(old.table, primaryKey: primaryKey) != nil
            if isTaken { throw StoreError.constraint }
            if try transaction.row(old.table, rowID: old.rowID) != nil { item.rowID = 0 }
        } catch { throw error == .constraint ? .duplicate : .store(error) }
        guard let generation = writeKeys.takePreparedSeal(userID: old.userID, keyClass: keyClass)
        else { throw .keyNotPrepared(keyClass) }
        item.keyGeneration = generation
        _ = try sealMetadata(candidate.attributes, into: &item, source)
        do {
            item.secret = try keys.enclave.rebind(
                oldSecret, toClass: keyClass, context: AssociatedData.contextForSecret(item),
                userID: item.userID)
        } catch { throw error == .undecodable ? .keyGone : DaemonError(error) }
        do throws(StoreError) {
            try transaction.insert(item)
            try transaction.noteRecovered(uuid: item.uuid)
            if let number = candidate.quarantineNumber {
                try transaction.removeFromQuarantine(number)
            }
        } catch { throw error == .constraint ? .duplicate : .store(error) }
        return .restored(
            RowChange(
                userID: item.userID, table: item.table, uuid: item.uuid,
                generation: item.rowGeneration, groupBefore: nil,
                groupAfter: item.index(.accessGroup)))
    }
}
