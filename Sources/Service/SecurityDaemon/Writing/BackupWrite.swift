// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import Foundation
import ItemStore
import SecurityWire

/// A step of a backup or a restore that changes the database.
struct BackupWrite: WriteOperation {
    enum Work: Sendable {
        /// Take the next number for an archive.
        case reserve(now: Int64)
        /// An archive is complete.
        case conclude(number: UInt32, madeAt: Int64, rowCount: Int64)
        /// Store what makes keys and rows portable.
        case attach([KeyAttachment], [RowAttachment])
        /// Seal items of an archive for this keychain, and keep them apart.
        case stage([ArchivedItem], session: UInt32)
        /// Make all that was kept apart part of the keychain.
        case finish(RestoreOptions)
        /// Forget what was kept apart.
        case clear
    }

    let work: Work
    /// What the outcome is asked for by.
    var identity: WriteIdentity?

    func prepare(
        _ requests: WriteRequests, _ scope: borrowing ItemScope, _ source: ItemKeys.Source
    ) throws(DaemonError) -> WriteRequests.PreparedItem? {
        if case .stage(let items, _) = work { try requests.prepare(items, scope) }
        return nil
    }

    func perform(
        _ requests: WriteRequests, _ prepared: WriteRequests.PreparedItem?,
        _ scope: borrowing ItemScope, _ transaction: StoreTransaction
    ) throws(DaemonError) -> WriteResult {
        switch work {
        case .reserve(let now):
            return .ofBackup(
                try requests.reserveArchive(scope.userID, now: now, transaction))
        case .conclude(let number, let madeAt, let rowCount):
            try requests.concludeArchive(
                scope.userID, number: number, madeAt: madeAt, rowCount: rowCount, transaction)
            return .ofBackup(.done)
        case .attach(let keys, let rows):
            do throws(StoreError) {
                for key in keys {
                    try transaction.putKeyAttachment(
                        key.attachment, userID: scope.userID, keyClass: key.keyClass,
                        generation: key.generation)
                }
                for row in rows { _ = try transaction.putSecret(row.secret, of: row.item) }
            } catch { throw .store(error) }
            return .ofBackup(.done)
        case .stage(let items, let session):
            return .ofBackup(
                .restored(try requests.stage(items, session: session, scope, transaction)))
        case .finish(let options):
            return try requests.finishRestore(options, identity, scope, transaction)
        case .clear:
            try requests.clearStaged(scope.userID, transaction)
            return .ofBackup(.done)
        }
    }

    func repeated(
        _ requests: WriteRequests, uuid: [UInt8], _ scope: borrowing ItemScope,
        _ transaction: StoreTransaction
    ) throws(DaemonError) -> WriteResult { .ofBackup(.done) }
}

/// What makes a metadata key portable.
struct KeyAttachment: Sendable {
    let keyClass: UInt8
    let generation: UInt32
    let attachment: [UInt8]
}

/// What makes a row portable: its secret with an attachment.
struct RowAttachment: Sendable {
    let item: SealedItem
    let secret: [UInt8]
}

extension WriteResult {
    fileprivate static func ofBackup(_ answer: BackupAnswer) -> WriteResult {
        WriteResult(reply: .backup(answer))
    }
}

extension WriteRequests {
    // MARK: - Archives

    /// The set and the next number, as a status.
    fileprivate func reserveArchive(
        _ userID: UInt32, now: Int64, _ transaction: StoreTransaction
    ) throws(DaemonError) -> BackupAnswer {
        do throws(StoreError) {
            var backup =
                try transaction.backup(userID: userID)
                ?? StoredBackup(
                    set: randomUUID(), reserved: 0, number: 0, madeAt: 0, rowCount: 0)
            guard backup.reserved < .max else { throw StoreError.other(0) }
            backup.reserved += 1
            try transaction.put(backup, userID: userID)
            var status = BackupStatus()
            status.set = backup.set
            status.lastNumber = backup.reserved
            return .status(status)
        } catch { throw .store(error) }
    }

    fileprivate func concludeArchive(
        _ userID: UInt32, number: UInt32, madeAt: Int64, rowCount: Int64,
        _ transaction: StoreTransaction
    ) throws(DaemonError) {
        do throws(StoreError) {
            guard var backup = try transaction.backup(userID: userID), backup.number < number
            else { return }
            backup.number = number
            backup.madeAt = madeAt
            backup.rowCount = rowCount
            try transaction.put(backup, userID: userID)
        } catch { throw .store(error) }
    }

    // MARK: - Staging

    fileprivate func prepare(
        _ items: [ArchivedItem], _ scope: borrowing ItemScope
    ) throws(DaemonError) {
        _ = try writeKeys.prepareIndexer(scope.owner)
        var counts: [ProtectionClass: Int64] = [:]
        for item in items {
            if let keyClass = item.protectionClass { counts[keyClass, default: 0] += 1 }
        }
        for (keyClass, count) in counts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            try writeKeys.prepare(scope.owner, keyClass: keyClass, seals: count)
        }
    }

    /// Seals items for this keychain and keeps them apart.
    /// - Returns: How many don't open.
    fileprivate func stage(
        _ items: [ArchivedItem], session: UInt32, _ scope: borrowing ItemScope,
        _ transaction: StoreTransaction
    ) throws(DaemonError) -> RestoreCounts {
        var counts = RestoreCounts()
        var waiting: [(item: SealedItem, secret: ArchivedSecret)] = []
        for archived in items {
            waiting.append(try sealAgain(archived, scope, transaction))
        }
        let restored = try keys.restoreSecrets(
            waiting.map(\.secret), session: session, userID: scope.userID)
        for (entry, secret) in zip(waiting, restored) {
            guard let secret else {
                counts.lost += 1
                continue
            }
            var item = entry.item
            item.secret = secret
            try shares.take(item.usedByteCount, userID: scope.userID, transaction)
            do { try transaction.stage(item) } catch { throw .store(error) }
        }
        return counts
    }

    private func sealAgain(
        _ archived: ArchivedItem, _ scope: borrowing ItemScope, _ transaction: StoreTransaction
    ) throws(DaemonError) -> (item: SealedItem, secret: ArchivedSecret) {
        let source = ItemKeys.Source(transaction)
        guard let keyClass = archived.protectionClass, let binding = archived.source else {
            throw .invalidRequest
        }
        guard let indexer = try keys.indexer(scope.owner, source),
            let generation = writeKeys.takePreparedSeal(scope.owner, keyClass: keyClass)
        else { throw .keyNotPrepared(keyClass) }
        var item = SealedItem(
            table: archived.table, rowID: 0,
            uuid: try freeUUID(archived.row.uuid, archived.table, scope, transaction),
            userID: scope.userID, keyClass: keyClass.rawValue, keyGeneration: generation,
            rowGeneration: max(archived.row.rowGeneration, 1),
            isTombstone: archived.row.isTombstone,
            indexes: [], metadata: Data(), secret: [])
        item.take(archived.attributes, indexer)
        _ = try sealMetadata(archived.attributes, into: &item, source)
        guard keys.cache.indexer(item.owner)?.rootKeys === indexer.rootKeys,
            let target = SecretBinding(
                protectionClass: keyClass, context: AssociatedData.contextForSecret(item))
        else { throw .keyNotPrepared(keyClass) }
        return (
            item,
            ArchivedSecret(
                sealed: archived.row.secret, portable: archived.portable, from: binding,
                to: target)
        )
    }

    /// References stay, unless another user's row has the same one.
    private func freeUUID(
        _ uuid: [UInt8], _ table: ItemTable, _ scope: borrowing ItemScope,
        _ transaction: StoreTransaction
    ) throws(DaemonError) -> [UInt8] {
        let holder: SealedItem?
        do { holder = try transaction.row(table, uuid: uuid) } catch { throw .store(error) }
        guard let holder, holder.userID != scope.userID || !holder.owner.isLogin else {
            return uuid
        }
        return randomUUID()
    }

    fileprivate func clearStaged(
        _ userID: UInt32, _ transaction: StoreTransaction
    ) throws(DaemonError) {
        let byteCount: Int64
        do throws(StoreError) {
            byteCount = try transaction.stagedByteCount(userID: userID)
            try transaction.clearStaged(userID: userID)
        } catch { throw .store(error) }
        try shares.take(-byteCount, userID: userID, transaction)
    }
}
