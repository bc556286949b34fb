// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import Foundation
import ItemStore
import SecretBytes
import SecurityWire

/// Carries out adds, updates and deletes inside a transaction, on the writer thread. Each kind has
/// its own file; the shared parts are here.
final class WriteRequests {
    let keys: ItemKeys
    let writeKeys: WriteKeys
    let now: () -> Date
    private let bootClock: () -> BootMoment
    let randomUUID: () -> [UInt8]
    let shares: DiskShares
    /// Rows that an update couldn't open. The caller of the writes moves them to the quarantine,
    /// since the update itself may be rolled back.
    private var corruptRows: [SealedItem] = []
    private var revoked = RevokedWrites()

    /// The number of rows that an update or delete holds in memory at a time.
    private static let chunkRowCount = 256
    /// How long a client can ask for the outcome of a write.
    static let outcomeLifetimeSeconds: Int64 = 60

    init(
        keys: ItemKeys, writeKeys: WriteKeys, now: @escaping () -> Date,
        bootClock: @escaping () -> BootMoment, randomUUID: @escaping () -> [UInt8],
        shares: DiskShares = DiskShares(nil)
    ) {
        self.shares = shares
        self.keys = keys
        self.writeKeys = writeKeys
        self.now = now
        self.bootClock = bootClock
        self.randomUUID = randomUUID
    }

    /// Seconds since 1970.
    var seconds: Int64 { Int64(now().timeIntervalSince1970) }

    // MARK: - Which rows

    /// Calls `body` for each row that matches a query or one of its additional queries.
    func forEachRow(
        ofAll query: ItemQuery, _ scope: borrowing ItemScope,
        _ transaction: StoreTransaction, wantsSecret: Bool,
        _ body: (SealedItem, RowFilter) throws(DaemonError) -> Void
    ) throws(DaemonError) {
        for query in [query] + query.besides {
            try forEachRow(query, scope, transaction, wantsSecret: wantsSecret, body)
        }
    }

    /// Calls `body` for each row that the database finds; the filter is for the opened row.
    func forEachRow(
        _ query: ItemQuery, _ scope: borrowing ItemScope,
        _ transaction: StoreTransaction, wantsSecret: Bool,
        _ body: (SealedItem, RowFilter) throws(DaemonError) -> Void
    ) throws(DaemonError) {
        let indexer = try keys.indexer(scope.owner, ItemKeys.Source(transaction))
        guard let indexer else { throw .absent }
        let planned = try PlanningContext(scope, indexer).plan(query, wantsSecret: wantsSecret)
        var last: Int64 = 0
        while true {
            let rows: [SealedItem]
            do {
                rows = try transaction.rows(planned.plan, after: last, limit: Self.chunkRowCount)
            } catch { throw .store(error) }
            for row in rows where planned.filter.admits(row) {
                if let generation = query.generation, generation.number != row.rowGeneration {
                    throw .generationChanged
                }
                try body(row, planned.filter)
            }
            guard rows.count == Self.chunkRowCount, let final = rows.last else { return }
            last = final.rowID
        }
    }

    // MARK: - Corrupt rows

    /// Records a row that can't be opened any more. Only a limited number is kept in memory: the
    /// others will be found again.
    func noteCorrupt(_ item: SealedItem) {
        if corruptRows.count < Self.chunkRowCount { corruptRows.append(item) }
    }

    /// Returns and clears the recorded rows.
    func takeCorruptRows() -> [SealedItem] {
        defer { corruptRows = [] }
        return corruptRows
    }

    // MARK: - Sealing

    func sealMetadata(
        _ attributes: ItemAttributes, into item: inout SealedItem, _ source: ItemKeys.Source
    ) throws(DaemonError) -> Data {
        let row = item
        var encoded = Data()
        item.metadata = try keys.seal(
            item,
            { (key) throws(DaemonError) in
                let sealed = try MetadataSealer.seal(attributes, for: row, under: key)
                encoded = sealed.encoded
                return sealed.bytes
            }, source)
        return encoded
    }

    func sealSecret(
        _ secret: Secret?, _ keyClass: ProtectionClass, into item: inout SealedItem
    ) throws(DaemonError) {
        let bytes = secret ?? Secret(SecretBytes(byteCount: 0))
        let context = AssociatedData.contextForSecret(item)
        do throws(EnclaveCallError) {
            guard item.owner.isLogin else {
                guard let binding = SecretBinding(protectionClass: keyClass, context: context)
                else { throw .malformed }
                // A locked keychain takes no item.
                let sealed = try keys.enclave.seal(
                    bytes, binding, keychain: item.keychain, userID: item.userID)
                guard item.table == .certificates else {
                    item.secret = sealed
                    return
                }
                // A certificate is no secret: it is found while its keychain is locked.
                item.secret = try keys.enclave.seal(
                    class: keyClass, context: context, secret: bytes.bytes, userID: item.userID)
                return
            }
            item.secret = try keys.enclave.seal(
                class: keyClass, context: context, secret: bytes.bytes, userID: item.userID)
        } catch { throw DaemonError(error) }
    }

    // MARK: - Primary keys

    /// The row that already had a primary key.
    enum Displaced {
        /// A row that couldn't be opened; its number is free now.
        case corrupt(rowID: Int64)
        /// A tombstone, which still exists.
        case tombstone(SealedItem)
    }

    /// Examines the row that already has a primary key. A readable item is a duplicate, a corrupt
    /// one is moved to the quarantine, and a locked one can't be examined.
    func makeRoom(
        _ primaryKey: IndexValue, _ table: ItemTable, _ transaction: StoreTransaction
    ) throws(DaemonError) -> Displaced {
        let existing: SealedItem?
        do { existing = try transaction.row(table, primaryKey: primaryKey) } catch {
            throw .store(error)
        }
        guard let existing else { throw .store(.constraint) }
        let reason: QuarantineReason
        switch try keys.open(existing, ItemKeys.Source(transaction)) {
        case .newerFormat: throw .duplicate
        case .attributes(let attributes):
            if existing.isTombstone { return .tombstone(existing) }
            guard try hasLostSecret(existing, attributes) else { throw .duplicate }
            reason = .secret
        case .corrupt: reason = .metadata
        case .keyMissing: reason = .keyMissing
        }
        do { try transaction.quarantine(existing, reason, now: seconds) } catch {
            throw .store(error)
        }
        return .corrupt(rowID: existing.rowID)
    }

    /// Whether a row with intact metadata has a secret that can never be opened.
    func hasLostSecret(
        _ item: SealedItem, _ attributes: ItemAttributes
    ) throws(DaemonError) -> Bool {
        guard attributes.hasSecret, item.secretHasKnownFormat, let sealed = SealedSecret(item)
        else { return false }
        if item.isGuarded {
            let verdict = try keys.verifySecrets([sealed], userID: item.userID).first ?? nil
            return verdict == .undecodable || verdict == .classMissing
        }
        return try keys.openSecret(sealed, userID: item.userID) == nil
    }

    // MARK: - Tombstones

    /// A tombstone: only the item's primary key and its creation date. It copies the clear fields
    /// of the item's row; `uuid` is its own, or the item's when it replaces the item.
    func tombstone(
        of item: SealedItem, _ stored: ItemAttributes, uuid: [UInt8],
        _ transaction: StoreTransaction
    ) throws(DaemonError) -> SealedItem {
        guard let keyClass = ProtectionClass(rawValue: item.keyClass), item.rowGeneration < .max
        else { throw .invalidRequest }
        var kept = Self.tombstoneAttributes(of: stored, item.table)
        kept[.modificationDate] = .date(laterThan(stored[.modificationDate]))
        let source = ItemKeys.Source(transaction)
        guard let indexer = try keys.indexer(item.owner, source) else { throw .absent }
        guard let generation = writeKeys.takePreparedSeal(item.owner, keyClass: keyClass)
        else { throw .keyNotPrepared(keyClass) }
        var row = item
        row.uuid = uuid
        row.isTombstone = true
        row.keyGeneration = generation
        row.rowGeneration += 1
        row.take(kept, indexer)
        _ = try sealMetadata(kept, into: &row, source)
        try sealSecret(nil, keyClass, into: &row)
        return row
    }

    /// The attributes of an item that a tombstone keeps.
    static func tombstoneAttributes(of stored: ItemAttributes, _ table: ItemTable) -> ItemAttributes
    {
        var kept = ItemAttributes()
        let dates: [Attribute] = [.creationDate, .modificationDate]
        for attribute in table.primaryKey + dates + [.accessible, .uuid] {
            kept[attribute] = stored[attribute]
        }
        kept[.tombstone] = .integer(1)
        return kept
    }

    /// Modification dates never go backwards, even if the clock does.
    func laterThan(_ earlier: AttributeValue?) -> Double {
        let moment = now().timeIntervalSinceReferenceDate
        guard case .date(let date)? = earlier else { return moment }
        return max(moment, date + 0.001)
    }

    // MARK: - Outcomes

    func record(
        _ identity: WriteIdentity, userID: UInt32, uuid: [UInt8], _ transaction: StoreTransaction
    ) throws(DaemonError) {
        do {
            try transaction.recordOutcome(
                requestID: identity.requestID, userID: userID, uuid: uuid, now: bootClock())
        } catch { throw .store(error) }
    }

    /// The outcome of a repeated write: nil when it was never carried out.
    /// - Throws: ``DaemonError/revoked`` if it must never be carried out.
    func outcome(
        of identity: WriteIdentity, userID: UInt32, _ transaction: StoreTransaction
    ) throws(DaemonError) -> [UInt8]? {
        guard !revoked.has(identity.requestID, userID: userID) else { throw .revoked }
        guard identity.isRepeated else { return nil }
        do {
            return try transaction.outcome(requestID: identity.requestID, userID: userID)
        } catch { throw .store(error) }
    }

    /// There is one queue, so any part of the write that was under way has been carried out before;
    /// what arrives later is refused.
    func revoke(
        _ requestID: [UInt8], _ scope: borrowing ItemScope, _ transaction: StoreTransaction
    ) throws(DaemonError) -> WriteResult {
        let uuid: [UInt8]?
        do { uuid = try transaction.outcome(requestID: requestID, userID: scope.userID) } catch {
            throw .store(error)
        }
        if uuid == nil { try revoked.add(requestID, userID: scope.userID) }
        return WriteResult(reply: .revoked(wasCarriedOut: uuid != nil))
    }
}

extension TombstonePolicy {
    /// Whether an item leaves a tombstone.
    func leavesTombstone(ofSynchronizing isSynchronizing: Bool) -> Bool {
        switch self {
        case .ofSynchronizable: isSynchronizing
        case .always: true
        case .never: false
        }
    }
}
