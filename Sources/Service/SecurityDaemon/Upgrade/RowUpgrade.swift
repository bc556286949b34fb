// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import Foundation
import ItemStore
import SecurityWire

/// Brings rows of earlier versions to the present form, some at a time, when the writer has nothing
/// else to do. Readers know both forms meanwhile. At a row of a locked class it waits for the unlock.
final class RowUpgrade {
    /// What a step has come to.
    enum Progress {
        /// There is more to do now.
        case more
        /// Nothing can be done now, or ever.
        case idle
    }

    private let writer: StoreWriter
    private let keys: ItemKeys
    private let writeKeys: WriteKeys
    private let judge: RootJudge
    private let requests: WriteRequests
    /// Whether a user's programs are served here.
    private let serves: (UInt32) -> Bool
    private let now: () -> Date
    private let onStoreFailure: (StoreError) -> Void
    /// What isn't over; nil before it was looked up.
    private var pending: [StoredUpgrade]?
    /// Users at one of whose rows nothing can be done now.
    private var waiting: Set<UInt32> = []

    /// Rows that a step looks at.
    private static let stepRowCount = 64

    init(
        writer: StoreWriter, keys: ItemKeys, writeKeys: WriteKeys, judge: RootJudge,
        requests: WriteRequests, serves: @escaping (UInt32) -> Bool, now: @escaping () -> Date,
        onStoreFailure: @escaping (StoreError) -> Void
    ) {
        self.writer = writer
        self.keys = keys
        self.writeKeys = writeKeys
        self.judge = judge
        self.requests = requests
        self.serves = serves
        self.now = now
        self.onStoreFailure = onStoreFailure
    }

    /// A user's device was unlocked: rows at which this had to stop may open now.
    func resume(_ userID: UInt32) { waiting.remove(userID) }

    /// Looks at the next rows.
    func step() -> Progress {
        do throws(StoreError) {
            if pending == nil { pending = try read().filter { serves($0.userID) } }
        } catch {
            onStoreFailure(error)
            pending = []
        }
        guard var upgrades = pending,
            let index = upgrades.firstIndex(where: { !waiting.contains($0.userID) })
        else { return .idle }
        do throws(DaemonError) {
            try advance(&upgrades[index])
            if upgrades[index].isOver { upgrades.remove(at: index) }
        } catch {
            // Whatever it is, the rows stay as they are, and are of use as they are.
            waiting.insert(upgrades[index].userID)
            if case .store(let failure) = error { onStoreFailure(failure) }
        }
        pending = upgrades
        return upgrades.contains { !waiting.contains($0.userID) } ? .more : .idle
    }

    private func read() throws(StoreError) -> [StoredUpgrade] {
        var found: [StoredUpgrade] = []
        try writer.commit { (transaction) throws(StoreError) in
            found = try transaction.upgrades()
        }
        return found
    }

    // MARK: - One step

    /// What is to become of a row.
    private enum Verdict {
        case stays
        case rewrite(ItemAttributes)
        case corrupt
        case locked
    }

    /// Looks at up to 64 rows, and writes what changes in one transaction. Before a locked one it
    /// stops, and throws ``DaemonError/locked`` once what comes before is written.
    private func advance(_ upgrade: inout StoredUpgrade) throws(DaemonError) {
        guard let indexer = try writeKeys.ownIndexer(userID: upgrade.userID) else {
            // No row of the user's can be found, and none needs to be.
            upgrade.lastRowID = upgrade.endRowID
            return
        }
        try judge.admit(upgrade.userID)
        var rows: [SealedItem] = []
        try inTransaction { (transaction) throws(StoreError) in
            rows = try transaction.rows(upgrade, limit: Self.stepRowCount)
        }
        let isLast = rows.count < Self.stepRowCount
        var verdicts: [(row: SealedItem, verdict: Verdict)] = []
        var isLocked = false
        for row in rows {
            let verdict = try verdict(on: row, indexer)
            if case .locked = verdict {
                isLocked = true
                break
            }
            verdicts.append((row, verdict))
        }
        try prepareKeys(verdicts.map(\.row), upgrade.userID)
        var next = upgrade
        next.lastRowID =
            isLast && !isLocked
            ? upgrade.endRowID : verdicts.last?.row.rowID ?? upgrade.lastRowID
        try write(verdicts, next)
        upgrade = next
        if isLocked { throw .locked }
    }

    private func verdict(
        on row: SealedItem, _ indexer: BlindIndexer
    ) throws(DaemonError) -> Verdict {
        do throws(DaemonError) {
            switch try keys.open(row, writeKeys.source) {
            case .corrupt: return .corrupt
            case .keyMissing, .newerFormat: return .stays
            case .attributes(let attributes):
                let fits = indexer.values(row.table, attributes) == row.indexes
                return fits ? .stays : .rewrite(attributes)
            }
        } catch {
            guard error == .locked else { throw error }
            return .locked
        }
    }

    private func prepareKeys(_ rows: [SealedItem], _ userID: UInt32) throws(DaemonError) {
        for keyClass in Set(rows.compactMap { ProtectionClass(rawValue: $0.keyClass) }) {
            do throws(DaemonError) {
                try writeKeys.prepare(
                    userID: userID, keyClass: keyClass, seals: Int64(rows.count))
            } catch {
                // A class without a key has no row that opens.
                guard error == .locked || error == .enclave(.classMissing) else { throw error }
            }
        }
    }

    private func write(
        _ verdicts: [(row: SealedItem, verdict: Verdict)], _ next: StoredUpgrade
    ) throws(DaemonError) {
        let moment = Int64(now().timeIntervalSince1970)
        var failure: DaemonError?
        do {
            try writer.commit { (transaction) throws(StoreError) in
                for (row, verdict) in verdicts {
                    switch verdict {
                    case .stays, .locked: continue
                    case .corrupt: try transaction.quarantine(row, .metadata, now: moment)
                    case .rewrite(let attributes):
                        failure = try rewrite(row, attributes, transaction, moment)
                        if failure != nil { return transaction.undo() }
                    }
                }
                try transaction.note(next)
            }
        } catch { throw .store(error) }
        if let failure { throw failure }
    }

    /// Seals a row anew; nothing else about it changes.
    /// - Returns: Why nothing can be done now.
    private func rewrite(
        _ row: SealedItem, _ attributes: ItemAttributes, _ transaction: StoreTransaction,
        _ moment: Int64
    ) throws(StoreError) -> DaemonError? {
        let sealed: SealedItem
        do throws(DaemonError) {
            sealed = try requests.reseal(row, attributes, nil, transaction).item
        } catch {
            guard error == .keyGone else { return error }
            try transaction.quarantine(row, .secret, now: moment)
            return nil
        }
        do throws(StoreError) { try transaction.replace(row, with: sealed) } catch {
            // Another item has its name in the present form: both stay.
            guard error == .constraint else { throw error }
        }
        return nil
    }

    private func inTransaction(
        _ body: (StoreTransaction) throws(StoreError) -> Void
    ) throws(DaemonError) {
        do { try writer.commit(body) } catch { throw .store(error) }
    }
}
