// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import Foundation
import ItemStore
import KeychainVocabulary
import SecretBytes
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
        let owner: RowOwner
        let keyClass: UInt8
    }

    private let writer: StoreWriter
    private let keys: ItemKeys
    /// The committed wrapped keys.
    private let source: ItemKeys.Source
    private let sealLimit: Int64
    private var current: [Name: Current] = [:]
    /// Keychains whose index key is known to be in the database.
    private var ownersWithIndexKey: Set<RowOwner> = []
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

    /// Ensures that a keychain has a blind-index key: makes the first one, or a new one after
    /// everything has been erased.
    func prepareIndexer(_ owner: RowOwner) throws(DaemonError) -> BlindIndexer {
        // The root over all rows of the user is under the keys of login.
        if !owner.isLogin { _ = try prepareIndexer(RowOwner(userID: owner.userID)) }
        do throws(DaemonError) {
            if let indexer = try keys.indexer(owner, source) {
                try storeIndexKeyFromCopy(owner)
                return indexer
            }
        } catch {
            // A keychain without keys in enclaved gets no other ones.
            guard error == .keyGone, owner.isLogin else { throw error }
        }
        let stored = try storedIndexKey(owner)
        let newest = max(
            stored?.generation ?? 0,
            keys.cache.copies.newestGeneration(
                userID: owner.userID, keychain: owner.keychain, keyClass: nil))
        guard newest < .max else { throw .enclave(.classMissing) }
        var keybag = try keybag(userID: owner.userID)
        let made = try makeTableKey(.blindIndex, ItemKeys.indexKeyClass, newest + 1, owner)
        // A new user's keybag was made for this key.
        if keybag.keybagGeneration == 0 { keybag = try self.keybag(userID: owner.userID) }
        try copy(nil, owner, newest + 1, keybag, made.wrapped)
        let key = StoredIndexKey(
            generation: newest + 1, wrapped: made.wrapped, keybagUUID: keybag.keybagUUID,
            erasures: keybag.erasures)
        try inTransaction { (transaction) throws(StoreError) in
            guard !owner.isLogin else {
                return try transaction.putIndexKey(key, userID: owner.userID)
            }
            try transaction.insertKeychainKey(
                StoredTableKey(
                    userID: owner.userID, keychain: owner.keychain, keyClass: nil,
                    generation: key.generation, wrapped: key.wrapped), sealsReserved: 0)
        }
        let indexer = BlindIndexer(key: made.key.bytes, generation: key.generation)
        keys.cache.keep(indexer, owner)
        return indexer
    }

    private func makeTableKey(
        _ purpose: TableKeyPurpose, _ keyClass: ProtectionClass, _ generation: UInt32,
        _ owner: RowOwner
    ) throws(DaemonError) -> (wrapped: [UInt8], key: Secret) {
        do throws(EnclaveCallError) {
            guard owner.isLogin else {
                let name = TableKeyName(
                    purpose: purpose, protectionClass: keyClass, generation: generation)
                return try keys.enclave.makeTableKey(
                    name, keychain: owner.keychain, userID: owner.userID)
            }
            let made = try keys.enclave.makeTableKey(
                purpose: purpose, class: keyClass, generation: generation, userID: owner.userID)
            return (made.wrapped, Secret(made.key.prefix(made.key.byteCount)))
        } catch { throw DaemonError(error) }
    }

    /// A new database, as made after damage, continues with the copied index key.
    private func storeIndexKeyFromCopy(_ owner: RowOwner) throws(DaemonError) {
        forgetIfOutdated()
        guard !ownersWithIndexKey.contains(owner) else { return }
        if try storedIndexKey(owner) == nil {
            let copies = keys.cache.copies.indexKeys(
                userID: owner.userID, keychain: owner.keychain)
            guard let copy = copies.first(where: { keys.verify($0.key) == nil }) else { return }
            try inTransaction { (transaction) throws(StoreError) in
                try transaction.putBack(copy)
            }
        }
        ownersWithIndexKey.insert(owner)
    }

    private func storedIndexKey(_ owner: RowOwner) throws(DaemonError) -> StoredIndexKey? {
        do { return try source.indexKey(owner) } catch { throw .store(error) }
    }

    private func keybag(userID: UInt32) throws(DaemonError) -> EnclaveStatus {
        do { return try keys.enclave.status(userID: userID) } catch { throw DaemonError(error) }
    }

    /// Writes a copy of a key, before the key is stored and seals anything.
    private func copy(
        _ keyClass: UInt8?, _ owner: RowOwner, _ generation: UInt32, _ keybag: EnclaveStatus,
        _ wrapped: [UInt8]
    ) throws(DaemonError) {
        let copy = KeyCopy(
            keyClass: keyClass, userID: owner.userID, keychain: owner.keychain,
            generation: generation,
            keybagUUID: keybag.keybagUUID, wrapped: wrapped)
        guard let copy else { throw .enclave(.malformed) }
        do { try keys.cache.copies.add(copy) } catch { throw .store(error) }
    }

    /// Ensures that a class has a metadata key with this many seals left.
    /// - Throws: ``DaemonError/locked``, and makes no new key, when the class is locked.
    func prepare(
        _ owner: RowOwner, keyClass: ProtectionClass, seals: Int64
    ) throws(DaemonError) {
        forgetIfOutdated()
        let name = Name(owner: owner, keyClass: keyClass.rawValue)
        if let key = current[name], key.sealsLeft >= seals { return }
        current[name] = try load(name, keyClass, seals: max(seals, Self.reservation))
    }

    /// Drops the cached keys that have been destroyed since.
    private func forgetIfOutdated() {
        guard epoch != keys.cache.epoch else { return }
        epoch = keys.cache.epoch
        current = [:]
        ownersWithIndexKey = []
    }

    /// Ensures that a class has a metadata key with seals left, and uses one seal.
    /// - Returns: The generation to seal under.
    func takeSeal(_ owner: RowOwner, keyClass: ProtectionClass) throws(DaemonError) -> UInt32 {
        try prepare(owner, keyClass: keyClass, seals: 1)
        guard let generation = takePreparedSeal(owner, keyClass: keyClass) else {
            throw .keyNotPrepared(keyClass)
        }
        return generation
    }

    /// Uses one seal of a class whose key is loaded already, inside a transaction.
    /// - Returns: Nil when no key with seals left is loaded.
    func takePreparedSeal(_ owner: RowOwner, keyClass: ProtectionClass) -> UInt32? {
        let name = Name(owner: owner, keyClass: keyClass.rawValue)
        guard var key = current[name], key.sealsLeft > 0 else { return nil }
        key.sealsLeft -= 1
        current[name] = key
        return key.generation
    }

    /// Drops the cached key of a class, because the class has another key now or none.
    func forget(_ owner: RowOwner, keyClass: ProtectionClass) {
        current[Name(owner: owner, keyClass: keyClass.rawValue)] = nil
    }

    /// The newest key that can be opened, with a new reservation; if there is none, a new key.
    private func load(
        _ name: Name, _ keyClass: ProtectionClass, seals: Int64
    ) throws(DaemonError) -> Current {
        let owner = name.owner
        let newest = try inTransaction { (transaction) throws(StoreError) in
            try transaction.metadataKey(
                userID: owner.userID, keychain: owner.keychain, keyClass: name.keyClass,
                generation: nil)
        }
        let copied = keys.cache.copies.newestGeneration(
            userID: owner.userID, keychain: owner.keychain, keyClass: name.keyClass)
        guard let newest else {
            return try make(name, keyClass, after: copied, seals: seals)
        }
        let reserved = newest.sealsReserved + seals
        let keyName = MetadataKeyring.Name(
            owner, keyClass: name.keyClass, generation: newest.generation)
        let opens = try keys.opens(keyName, source)
        guard opens, newest.sealsReserved >= 0, reserved <= sealLimit else {
            return try make(
                name, keyClass, after: max(newest.generation, copied), seals: seals)
        }
        try inTransaction { (transaction) throws(StoreError) in
            guard owner.isLogin else {
                return try transaction.reserveSeals(
                    userID: owner.userID, keychain: owner.keychain, keyClass: name.keyClass,
                    generation: newest.generation, upTo: reserved)
            }
            try transaction.reserveSeals(
                userID: owner.userID, keyClass: name.keyClass, generation: newest.generation,
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
        let owner = name.owner
        let wrapped = try makeTableKey(.metadata, keyClass, generation, owner).wrapped
        try copy(
            name.keyClass, owner, generation, try keybag(userID: owner.userID), wrapped)
        let reserved = min(seals, sealLimit)
        let attachment = portable(name, keyClass, generation, wrapped)
        try inTransaction { (transaction) throws(StoreError) in
            guard owner.isLogin else {
                return try transaction.insertKeychainKey(
                    StoredTableKey(
                        userID: owner.userID, keychain: owner.keychain, keyClass: name.keyClass,
                        generation: generation, wrapped: wrapped), sealsReserved: reserved)
            }
            try transaction.insertMetadataKey(
                userID: owner.userID, keyClass: name.keyClass, generation: generation,
                wrapped: wrapped, sealsReserved: reserved)
            guard !attachment.isEmpty else { return }
            try transaction.putKeyAttachment(
                attachment, userID: owner.userID, keyClass: name.keyClass, generation: generation)
        }
        return Current(generation: generation, sealsLeft: reserved)
    }

    /// What makes a new key portable. Where that fails, the next pass over all keys makes up for it.
    private func portable(
        _ name: Name, _ keyClass: ProtectionClass, _ generation: UInt32, _ wrapped: [UInt8]
    ) -> [UInt8] {
        guard name.owner.isLogin, keyClass.mayMove, name.owner.userID != MachineKeybag.userID else {
            return []
        }
        let key = TableKeyName(
            purpose: .metadata, protectionClass: keyClass, generation: generation)
        return
            (try? keys.enclave.attachKey(key, wrapped: wrapped, userID: name.owner.userID)) ?? []
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
            metadataKey: { (owner, keyClass, generation) throws(StoreError) in
                try reader.metadataKey(
                    userID: owner.userID, keychain: owner.keychain, keyClass: keyClass,
                    generation: generation)
            },
            indexKey: { (owner) throws(StoreError) in
                try reader.indexKey(userID: owner.userID, keychain: owner.keychain)
            })
    }

    /// Keys in the open transaction.
    init(_ transaction: StoreTransaction) {
        self.init(
            metadataKey: { (owner, keyClass, generation) throws(StoreError) in
                try transaction.metadataKey(
                    userID: owner.userID, keychain: owner.keychain, keyClass: keyClass,
                    generation: generation)
            },
            indexKey: { (owner) throws(StoreError) in
                try transaction.indexKey(userID: owner.userID, keychain: owner.keychain)
            })
    }
}
