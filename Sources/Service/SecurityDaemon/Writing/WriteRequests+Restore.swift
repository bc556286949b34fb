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

/// The key that a row is sealed under.
struct KeyNeed: Hashable {
    private let owner: RowOwner
    private let keyClass: UInt8

    init(_ item: SealedItem) {
        owner = item.owner
        keyClass = item.keyClass
    }
}

extension WriteRequests {
    /// Prepares keys for the rows to restore.
    /// - Returns: Why a class of a keychain has none.
    func prepare(_ job: RestoreJob) -> [KeyNeed: DaemonError] {
        var failures: [KeyNeed: DaemonError] = [:]
        for item in job.candidates.map(\.item) {
            guard let keyClass = ProtectionClass(rawValue: item.keyClass) else { continue }
            do throws(DaemonError) {
                _ = try writeKeys.prepareIndexer(item.owner)
                try writeKeys.prepare(
                    item.owner, keyClass: keyClass, seals: Int64(job.candidates.count))
            } catch { failures[KeyNeed(item)] = error }
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
        guard let indexer = try keys.indexer(old.owner, source) else { throw .absent }
        var item = old
        item.take(candidate.attributes, indexer)
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
        guard let generation = writeKeys.takePreparedSeal(old.owner, keyClass: keyClass)
        else { throw .keyNotPrepared(keyClass) }
        item.keyGeneration = generation
        _ = try sealMetadata(candidate.attributes, into: &item, source)
        do {
            item.secret = try keys.enclave.rebind(
                oldSecret, toClass: keyClass, context: AssociatedData.contextForSecret(item),
                userID: item.userID)
        } catch {
            switch error {
            case .undecodable: throw .keyGone
            case .keychainLocked: throw .locked
            default: throw DaemonError(error)
            }
        }
        do throws(StoreError) {
            try transaction.insert(item)
            try transaction.noteRecovered(uuid: item.uuid)
            if let number = candidate.quarantineNumber {
                try transaction.removeFromQuarantine(number)
            }
        } catch { throw error == .constraint ? .duplicate : .store(error) }
        return .restored(
            RowChange(
                owner: item.owner, table: item.table, uuid: item.uuid,
                generation: item.rowGeneration, groupBefore: nil,
                groupAfter: item.index(.accessGroup), isOfBus: item.tagDigest != nil))
    }
}
