// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import Foundation
import ItemStore
import SecurityWire

/// Makes the keys that writes need, before their transaction: a key that is in use is always
/// committed.
final class WriteKeys {
    /// The metadata key that seals new rows of a class.
    private struct Current {
        var generation: UInt32
        /// The remaining reserved seals.
        var sealsLeft: Int64
    }

    private struct Name: Hashable {
        let userID: UInt32
        let keyClass: UInt8
    }

    private let writer: StoreWriter
    private let keys: ItemKeys
    /// The committed wrapped keys.
    private let source: ItemKeys.Source
    private let sealLimit: Int64
    private var current: [Name: Current] = [:]
    /// Users whose index key is known to be in the database.
    private var usersWithIndexKey: Set<UInt32> = []
    /// The epoch of the key cache for which `current` is valid.
    private var epoch: UInt64 = 0

    /// How many seals are reserved at a time; a restart wastes at most these.
    private static let reservation: Int64 = 1 << 16

    /// Starts with no key loaded; one key makes `sealLimit` seals before another replaces it.
    init(writer: StoreWriter, source: ItemKeys.Source, keys: ItemKeys, sealLimit: Int64) {
        self.source = source
        self.writer = writer
        self.keys = keys
        self.sealLimit = sealLimit
    }

    /// Ensures that the user has a blind-index key: makes the first one, or a new one after
    /// everything has been erased.
    func prepareIndexer(userID: UInt32) throws(DaemonError) -> BlindIndexer {
        do throws(DaemonError) {
            if let indexer = try keys.indexer(userID: userID, source) {
                try storeIndexKeyFromCopy(userID: userID)
                return indexer
            }
        } catch {
            guard error == .keyGone else { throw error }
        }
        let stored = try storedIndexKey(userID: userID)
        let newest = max(
            stored?.generation ?? 0,
            keys.cache.copies.newestGeneration(userID: userID, keyClass: nil))
        guard newest < .max else { throw .enclave(.classMissing) }
        var keybag = try keybag(userID: userID)
        let made: MadeTableKey
        do {
            made = try keys.enclave.makeTableKey(
                purpose: .blindIndex, class: ItemKeys.indexKeyClass, generation: newest + 1,
                userID: userID)
        } catch { throw DaemonError(error) }
        // A new user's keybag was made for this key.
        if keybag.keybagGeneration == 0 { keybag = try self.keybag(userID: userID) }
        let key = StoredIndexKey(
            generation: newest + 1, wrapped: made.wrapped, keybagUUID: keybag.keybagUUID,
            erasures: keybag.erasures)
        try copy(nil, userID: userID, key.generation, keybag, key.wrapped)
        try inTransaction { (transaction) throws(StoreError) in
            try transaction.putIndexKey(key, userID: userID)
        }
        let indexer = BlindIndexer(key: made.key, generation: key.generation)
        keys.cache.keep(indexer, userID: userID)
        return indexer
    }

    /// A new database, as made after damage, continues with the copied index key.
    private func storeIndexKeyFromCopy(userID: UInt32) throws(DaemonError) {
        forgetIfOutdated()
        guard !usersWithIndexKey.contains(userID) else { return }
        if try storedIndexKey(userID: userID) == nil {
            let copy = keys.cache.copies.indexKeys(userID: userID).first {
                keys.verify($0.key) == nil
            }
            guard let copy else { return }
            try inTransaction { (transaction) throws(StoreError) in
                try transaction.putBack(copy)
            }
        }
        usersWithIndexKey.insert(userID)
    }

    private func storedIndexKey(userID: UInt32) throws(DaemonError) -> StoredIndexKey? {
        do { return try source.indexKey(userID) } catch { throw .store(error) }
    }

    private func keybag(userID: UInt32) throws(DaemonError) -> EnclaveStatus {
        do { return try keys.enclave.status(userID: userID) } catch { throw DaemonError(error) }
    }

    /// Writes a copy of a key, before the key is stored and seals anything.
    private func copy(
        _ keyClass: UInt8?, userID: UInt32, _ generation: UInt32, _ keybag: EnclaveStatus,
        _ wrapped: [UInt8]
    ) throws(DaemonError) {
        let copy = KeyCopy(
            keyClass: keyClass, userID: userID, generation: generation,
            keybagUUID: keybag.keybagUUID, wrapped: wrapped)
        guard let copy else { throw .enclave(.malformed) }
        do { try keys.cache.copies.add(copy) } catch { throw .store(error) }
    }

    /// Ensures that a class has a metadata key with this many seals left.
    /// - Throws: ``DaemonError/locked``, and makes no new key, when the class is locked.
    func prepare(
        userID: UInt32, keyClass: ProtectionClass, seals: Int64
    ) throws(DaemonError) {
        forgetIfOutdated()
        let name = Name(userID: userID, keyClass: keyClass.rawValue)
        if let key = current[name], key.sealsLeft >= seals { return }
        current[name] = try load(name, keyClass, seals: max(seals, Self.reservation))
    }

    /// Drops the cached keys that have been destroyed since.
    private func forgetIfOutdated() {
        guard epoch != keys.cache.epoch else { return }
        epoch = keys.cache.epoch
        current = [:]
        usersWithIndexKey = []
    }

    /// Ensures that a class has a metadata key with seals left, and uses one seal.
    /// - Returns: The generation to seal under.
    func takeSeal(userID: UInt32, keyClass: ProtectionClass) throws(DaemonError) -> UInt32 {
        try prepare(userID: userID, keyClass: keyClass, seals: 1)
        guard let generation = takePreparedSeal(userID: userID, keyClass: keyClass) else {
            throw .keyNotPrepared(keyClass)
        }
        return generation
    }

    /// Uses one seal of a class whose key is loaded already, inside a transaction.
    /// - Returns: Nil when no key with seals left is loaded.
    func takePreparedSeal(userID: UInt32, keyClass: ProtectionClass) -> UInt32? {
        let name = Name(userID: userID, keyClass: keyClass.rawValue)
        guard var key = current[name], key.sealsLeft > 0 else { return nil }
        key.sealsLeft -= 1
        current[name] = key
        return key.generation
    }

    /// Drops the cached key of a class, because the class has another key now or none.
    func forget(userID: UInt32, keyClass: ProtectionClass) {
        current[Name(userID: userID, keyClass: keyClass.rawValue)] = nil
    }

    /// The newest key that can be opened, with a new reservation; if there is none, a new key.
    private func load(
        _ name: Name, _ keyClass: ProtectionClass, seals: Int64
    ) throws(DaemonError) -> Current {
        let newest = try inTransaction { (transaction) throws(StoreError) in
            try transaction.metadataKey(
                userID: name.userID, keyClass: name.keyClass, generation: nil)
        }
        let copied = keys.cache.copies.newestGeneration(
            userID: name.userID, keyClass: name.keyClass)
        guard let newest else {
            return try make(name, keyClass, after: copied, seals: seals)
        }
        let reserved = newest.sealsReserved + seals
        let keyName = MetadataKeyring.Name(
            userID: name.userID, keyClass: name.keyClass, generation: newest.generation)
        let opens = try keys.opens(keyName, source)
        guard opens, newest.sealsReserved >= 0, reserved <= sealLimit else {
            return try make(
                name, keyClass, after: max(newest.generation, copied), seals: seals)
        }
        try inTransaction { (transaction) throws(StoreError) in
            try transaction.reserveSeals(
                userID: name.userID, keyClass: name.keyClass, generation: newest.generation,
                upTo: reserved)
        }
        return Current(
            generation: newest.generation, sealsLeft: seals)
    }

    private func make(
        _ name: Name, _ keyClass: ProtectionClass, after newest: UInt32, seals: Int64
    ) throws(DaemonError) -> Current {
        guard newest < .max else { throw .enclave(.classMissing) }
        let generation = newest + 1
        let wrapped: [UInt8]
        do {
            let made = try keys.enclave.makeTableKey(
                purpose: .metadata, class: keyClass, generation: generation, userID: name.userID)
            wrapped = made.wrapped
        } catch { throw DaemonError(error) }
        try copy(
            name.keyClass, userID: name.userID, generation, try keybag(userID: name.userID),
            wrapped)
        let reserved = min(seals, sealLimit)
        try inTransaction { (transaction) throws(StoreError) in
            try transaction.insertMetadataKey(
                userID: name.userID, keyClass: name.keyClass, generation: generation,
                wrapped: wrapped, sealsReserved: reserved)
        }
        return Current(generation: generation, sealsLeft: reserved)
    }

    private func inTransaction<R>(
        _ body: (StoreTransaction) throws(StoreError) -> R
    ) throws(DaemonError) -> R {
        var result: R?
        do {
            try writer.commit { (transaction) throws(StoreError) in
                result = try body(transaction)
            }
        } catch { throw .store(error) }
        guard let result else { throw .store(.other(0)) }
        return result
    }
}

extension ItemKeys.Source {
    /// Keys in a reader's connection: the committed ones.
    init(_ reader: StoreReader) {
        self.init(
            metadataKey: { (user, keyClass, generation) throws(StoreError) in
                try reader.metadataKey(userID: user, keyClass: keyClass, generation: generation)
            },
            indexKey: { (user) throws(StoreError) in try reader.indexKey(userID: user) })
    }

    /// Keys in the open transaction.
    init(_ transaction: StoreTransaction) {
        self.init(
            metadataKey: { (user, keyClass, generation) throws(StoreError) in
                try transaction.metadataKey(
                    userID: user, keyClass: keyClass, generation: generation)
            },
            indexKey: { (user) throws(StoreError) in try transaction.indexKey(userID: user) })
    }
}
