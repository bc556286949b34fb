// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import Foundation
import ItemStore
import SecretBytes
import SecurityWire

/// Carries out adds, updates and deletes inside a transaction, on the writer thread. Each kind is in
/// a file of its own; here is what they share.
final class WriteRequests {
    let keys: ItemKeys
    let writeKeys: WriteKeys
    let now: () -> Date
    private let bootClock: () -> BootMoment
    let randomUUID: () -> [UInt8]
    /// Rows that an update couldn't open: whoever runs the writes moves them, since the update
    /// itself may be undone.
    private var corruptRows: [SealedItem] = []

    /// Rows that an update or delete holds in memory at a time.
    private static let chunkRowCount = 256
    /// How long the outcome of a write can be asked for.
    static let outcomeLifetimeSeconds: Int64 = 60

    init(
        keys: ItemKeys, writeKeys: WriteKeys, now: @escaping () -> Date,
        bootClock: @escaping () -> BootMoment, randomUUID: @escaping () -> [UInt8]
    ) {
        self.keys = keys
        self.writeKeys = writeKeys
        self.now = now
        self.bootClock = bootClock
        self.randomUUID = randomUUID
    }

    /// Seconds since 1970.
    var seconds: Int64 { Int64(now().timeIntervalSince1970) }

    // MARK: - Which rows

    /// Calls `body` for each row that matches a query or one of those besides it.
    func forEachRow(
        ofAll query: ItemQuery, _ request: borrowing AuthorizedRequest,
        _ transaction: StoreTransaction, wantsSecret: Bool,
        _ body: (SealedItem, RowFilter) throws(DaemonError) -> Void
    ) throws(DaemonError) {
        for query in [query] + query.besides {
            try forEachRow(query, request, transaction, wantsSecret: wantsSecret, body)
        }
    }

    /// Calls `body` for each row that matches by what the database tells; the filter is for what
    /// the opened row tells.
    func forEachRow(
        _ query: ItemQuery, _ request: borrowing AuthorizedRequest,
        _ transaction: StoreTransaction, wantsSecret: Bool,
        _ body: (SealedItem, RowFilter) throws(DaemonError) -> Void
    ) throws(DaemonError) {
        let indexer = try keys.indexer(userID: request.userID, ItemKeys.Source(transaction))
        guard let indexer else { throw .absent }
        let planned = try PlanningContext(request, indexer).plan(query, wantsSecret: wantsSecret)
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

    /// Notes a row that doesn't open any more. There are only so many kept in memory: the others
    /// come up again.
    func noteCorrupt(_ item: SealedItem) {
        if corruptRows.count < Self.chunkRowCount { corruptRows.append(item) }
    }

    /// Gives up the rows that were noted.
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
        do {
            item.secret = try keys.enclave.seal(
                class: keyClass, context: AssociatedData.contextForSecret(item),
                secret: bytes.bytes, userID: item.userID)
        } catch { throw DaemonError(error) }
    }

    // MARK: - Primary keys

    /// What stood in the way of a row whose primary key it had.
    enum Displaced {
        /// A row that doesn't open; its number is free.
        case corrupt(rowID: Int64)
        /// A tombstone, which is still there.
        case tombstone(SealedItem)
    }

    /// Sees what has a primary key that another row is to have: a readable item stands in the way, a
    /// corrupt one is moved to the quarantine, a locked one can't be told.
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

    /// Whether a row whose metadata is sound has a secret that will never open.
    func hasLostSecret(
        _ item: SealedItem, _ attributes: ItemAttributes
    ) throws(DaemonError) -> Bool {
        guard attributes.hasSecret, item.secretHasKnownFormat, let sealed = SealedSecret(item)
        else { return false }
        return try keys.openSecrets([sealed], userID: item.userID).allSatisfy { $0 == nil }
    }

    // MARK: - Tombstones

    /// A row that marks where an item was: its primary key, its creation date, and nothing else.
    /// It takes over the clear fields of the item's row; `uuid` is its own, or the item's when it
    /// takes the item's place.
    func tombstone(
        of item: SealedItem, _ stored: ItemAttributes, uuid: [UInt8],
        _ transaction: StoreTransaction
    ) throws(DaemonError) -> SealedItem {
        guard let keyClass = ProtectionClass(rawValue: item.keyClass), item.rowGeneration < .max
        else { throw .invalidRequest }
        var kept = Self.tombstoneAttributes(of: stored, item.table)
        kept[.modificationDate] = .date(laterThan(stored[.modificationDate]))
        let source = ItemKeys.Source(transaction)
        guard let indexer = try keys.indexer(userID: item.userID, source) else { throw .absent }
        guard let generation = writeKeys.takePreparedSeal(userID: item.userID, keyClass: keyClass)
        else { throw .keyNotPrepared(keyClass) }
        var row = item
        row.uuid = uuid
        row.isTombstone = true
        row.keyGeneration = generation
        row.rowGeneration += 1
        row.indexes = indexer.values(item.table, kept)
        _ = try sealMetadata(kept, into: &row, source)
        try sealSecret(nil, keyClass, into: &row)
        return row
    }

    /// What a tombstone keeps of an item's attributes.
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

    /// Modification dates only go forward, even where the clock doesn't.
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
