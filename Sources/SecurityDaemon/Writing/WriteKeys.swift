// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import Foundation
import ItemStore
import SecurityWire

/// Makes the keys that writes need, before the transaction of the writes: a key that is in use is
/// always committed.
final class WriteKeys {
    /// The metadata key that new rows of a class are sealed under.
    private struct Current {
        var generation: UInt32
        /// Seals that may still be made before more must be set aside.
        var sealsLeft: Int64
    }

    private struct Name: Hashable {
        let userID: UInt32
        let keyClass: UInt8
    }

    private let writer: StoreWriter
    private let keys: ItemKeys
    /// Wrapped keys as they are committed.
    private let source: ItemKeys.Source
    private let sealLimit: Int64
    private var current: [Name: Current] = [:]

    /// How many seals are set aside at a time; a restart loses at most these.
    private static let reservation: Int64 = 1 << 16

    /// Starts with no key loaded; one key makes `sealLimit` seals before another takes its place.
    init(writer: StoreWriter, source: ItemKeys.Source, keys: ItemKeys, sealLimit: Int64) {
        self.source = source
        self.writer = writer
        self.keys = keys
        self.sealLimit = sealLimit
    }

    /// Makes sure that the user has a blind-index key.
    func prepareIndexer(userID: UInt32) throws(DaemonError) -> BlindIndexer {
        if let indexer = keys.cache.indexer(userID: userID) { return indexer }
        if let indexer = try keys.indexer(userID: userID, source) { return indexer }
        let wrapped: [UInt8]
        let indexer: BlindIndexer
        do {
            let made = try keys.enclave.makeTableKey(
                purpose: .blindIndex, class: ItemKeys.indexKeyClass,
                generation: ItemKeys.indexKeyGeneration, userID: userID)
            wrapped = made.wrapped
            indexer = BlindIndexer(key: made.key)
        } catch { throw DaemonError(error) }
        try inTransaction { (transaction) throws(StoreError) in
            try transaction.insertIndexKey(userID: userID, wrapped: wrapped)
        }
        keys.cache.keep(indexer, userID: userID)
        return indexer
    }

    /// Makes sure that a class has a metadata key with so many seals left.
    /// - Throws: ``DaemonError/locked`` and never a new key when the class is locked.
    func prepare(
        userID: UInt32, keyClass: ProtectionClass, seals: Int64
    ) throws(DaemonError) {
        let name = Name(userID: userID, keyClass: keyClass.rawValue)
        if let key = current[name], key.sealsLeft >= seals { return }
        current[name] = try load(name, keyClass, seals: max(seals, Self.reservation))
    }

    /// Makes sure that a class has a metadata key with seals left, and takes one seal.
    /// - Returns: The generation to seal under.
    func takeSeal(userID: UInt32, keyClass: ProtectionClass) throws(DaemonError) -> UInt32 {
        try prepare(userID: userID, keyClass: keyClass, seals: 1)
        guard let generation = takePreparedSeal(userID: userID, keyClass: keyClass) else {
            throw .keyNotPrepared(keyClass)
        }
        return generation
    }

    /// Takes one seal of a class whose key is loaded already, inside a transaction.
    /// - Returns: Nil when no key with seals left is loaded.
    func takePreparedSeal(userID: UInt32, keyClass: ProtectionClass) -> UInt32? {
        let name = Name(userID: userID, keyClass: keyClass.rawValue)
        guard var key = current[name], key.sealsLeft > 0 else { return nil }
        key.sealsLeft -= 1
        current[name] = key
        return key.generation
    }

    /// Forgets which key a class is sealed under, because the class has another key now or none.
    func forget(userID: UInt32, keyClass: ProtectionClass) {
        current[Name(userID: userID, keyClass: keyClass.rawValue)] = nil
    }

    /// The newest key that opens, with a fresh reservation; a new key where there is none.
    private func load(
        _ name: Name, _ keyClass: ProtectionClass, seals: Int64
    ) throws(DaemonError) -> Current {
        let newest = try inTransaction { (transaction) throws(StoreError) in
            try transaction.metadataKey(
                userID: name.userID, keyClass: name.keyClass, generation: nil)
        }
        guard let newest else { return try make(name, keyClass, generation: 1, seals: seals) }
        let reserved = newest.sealsReserved + seals
        let keyName = MetadataKeyring.Name(
            userID: name.userID, keyClass: name.keyClass, generation: newest.generation)
        let opens = try keys.opens(keyName, source)
        guard opens, newest.sealsReserved >= 0, reserved <= sealLimit else {
            guard newest.generation < .max else { throw .enclave(.classMissing) }
            return try make(name, keyClass, generation: newest.generation + 1, seals: seals)
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
        _ name: Name, _ keyClass: ProtectionClass, generation: UInt32, seals: Int64
    ) throws(DaemonError) -> Current {
        let wrapped: [UInt8]
        do {
            let made = try keys.enclave.makeTableKey(
                purpose: .metadata, class: keyClass, generation: generation, userID: name.userID)
            wrapped = made.wrapped
        } catch { throw DaemonError(error) }
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
    /// Keys as a reader's connection sees them: what is committed.
    init(_ reader: StoreReader) {
        self.init(
            metadataKey: { (user, keyClass, generation) throws(StoreError) in
                try reader.metadataKey(userID: user, keyClass: keyClass, generation: generation)
            },
            indexKey: { (user) throws(StoreError) in try reader.indexKey(userID: user) })
    }

    /// Keys as the open transaction sees them.
    init(_ transaction: StoreTransaction) {
        self.init(
            metadataKey: { (user, keyClass, generation) throws(StoreError) in
                try transaction.metadataKey(
                    userID: user, keyClass: keyClass, generation: generation)
            },
            indexKey: { (user) throws(StoreError) in try transaction.indexKey(userID: user) })
    }
}
