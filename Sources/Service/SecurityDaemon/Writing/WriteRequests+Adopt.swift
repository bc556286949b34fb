// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import EnclaveWire
import Foundation
import ItemStore
import SecurityWire

/// The items of a user's own keychain, which move in together or not at all.
struct AdoptWrite: WriteOperation {
    let adopted: AdoptedItems
    let write: WriteIdentity

    var identity: WriteIdentity? { write }

    func prepare(
        _ requests: WriteRequests, _ scope: borrowing ItemScope, _ source: ItemKeys.Source
    ) throws(DaemonError) -> WriteRequests.PreparedItem? {
        try requests.prepare(adopted, scope)
        return nil
    }

    func perform(
        _ requests: WriteRequests, _ prepared: WriteRequests.PreparedItem?,
        _ scope: borrowing ItemScope, _ transaction: StoreTransaction
    ) throws(DaemonError) -> WriteResult {
        try requests.adopt(adopted, write, scope, transaction)
    }

    func repeated(
        _ requests: WriteRequests, uuid: [UInt8], _ scope: borrowing ItemScope,
        _ transaction: StoreTransaction
    ) throws(DaemonError) -> WriteResult {
        WriteResult(reply: .adopted(count: UInt64(adopted.items.count)))
    }
}

extension WriteRequests {
    /// Prepares the keys of all classes.
    /// - Throws: ``DaemonError/locked``, or ``DaemonError/enclave(_:)`` with `classMissing`, for a
    ///   class that has no key now.
    func prepare(_ adopted: AdoptedItems, _ scope: borrowing ItemScope) throws(DaemonError) {
        _ = try writeKeys.prepareIndexer(scope.owner)
        var counts: [ProtectionClass: Int64] = [:]
        for item in adopted.items {
            let attributes = try adoptedAttributes(item)
            counts[try Self.keyClass(attributes), default: 0] += 1
        }
        for (keyClass, count) in counts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            try writeKeys.prepare(scope.owner, keyClass: keyClass, seals: count)
        }
    }

    /// Stores all items, with new references.
    /// - Throws: ``DaemonError/duplicate`` when another item has the primary key of one, unless such
    ///   items are to stay out.
    func adopt(
        _ adopted: AdoptedItems, _ identity: WriteIdentity, _ scope: borrowing ItemScope,
        _ transaction: StoreTransaction
    ) throws(DaemonError) -> WriteResult {
        var result = WriteResult(reply: .adopted(count: 0))
        var count: UInt64 = 0
        for item in adopted.items {
            let prepared = try seal(item, scope, transaction)
            let written: Rewritten
            do throws(DaemonError) {
                written = try insert(item, prepared, scope.program, transaction)
            } catch {
                guard error == .duplicate, adopted.skipsExisting else { throw error }
                continue
            }
            try shares.take(written.item.usedByteCount, userID: scope.userID, transaction)
            result.changes.append(written.change)
            count += 1
        }
        try record(identity, userID: scope.userID, uuid: [], transaction)
        result.reply = .adopted(count: count)
        return result
    }

    private func seal(
        _ new: NewItem, _ scope: borrowing ItemScope, _ transaction: StoreTransaction
    ) throws(DaemonError) -> PreparedItem {
        guard let table = ItemTable(new.itemClass) else { throw .invalidRequest }
        let attributes = try adoptedAttributes(new)
        let keyClass = try Self.keyClass(attributes)
        let source = ItemKeys.Source(transaction)
        guard let indexer = try keys.indexer(scope.owner, source),
            let generation = writeKeys.takePreparedSeal(scope.owner, keyClass: keyClass)
        else { throw .keyNotPrepared(keyClass) }
        var item = SealedItem(
            table: table, rowID: 0, uuid: randomUUID(), userID: scope.userID,
            keyClass: keyClass.rawValue, keyGeneration: generation, rowGeneration: 1,
            isTombstone: false, indexes: [], metadata: Data(), secret: [])
        item.take(attributes, indexer)
        let encoded = try sealMetadata(attributes, into: &item, source)
        try sealSecret(new.secret, keyClass, into: &item)
        guard keys.cache.indexer(item.owner)?.rootKeys === indexer.rootKeys else {
            throw .keyNotPrepared(keyClass)
        }
        return PreparedItem(item: item, encoded: encoded)
    }

    /// The attributes as an add completes them, with the dates of the old keychain.
    /// - Throws: ``DaemonError/invalidRequest`` for an item that no service of a user has made.
    private func adoptedAttributes(
        _ new: NewItem
    ) throws(DaemonError) -> ItemAttributes {
        guard let group = new.attributes.accessGroup, !new.attributes.isTiedToItsGroup,
            new.attributes[.tombstone] != .integer(1),
            BusGroup.isOne(group)
                == (new.itemClass == .genericPassword && new.attributes.secrets != nil)
        else { throw .invalidRequest }
        var attributes = completed(new, group: group)
        for date in [Attribute.creationDate, .modificationDate] {
            if case .date(let moment)? = new.attributes[date], moment.isFinite {
                attributes[date] = .date(moment)
            }
        }
        return attributes
    }

    private static func keyClass(
        _ attributes: ItemAttributes
    ) throws(DaemonError) -> ProtectionClass {
        guard let accessibility = attributes.accessibility,
            let keyClass = ProtectionClass(rawValue: accessibility.rawValue)
        else { throw .invalidRequest }
        return keyClass
    }
}
