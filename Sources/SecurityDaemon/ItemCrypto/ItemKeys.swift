// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import EnclaveWire
import Foundation
import ItemStore
import SecretBytes
import SecurityWire
import Synchronization

/// Keys of items that are open now, for all threads: metadata keys, and each user's indexer.
final class KeyCache: Sendable {
    let metadata = MetadataKeyring()
    private let indexers = Mutex<[UInt32: BlindIndexer]>([:])

    func indexer(userID: UInt32) -> BlindIndexer? { indexers.withLock { $0[userID] } }

    /// Keeps an indexer; its key is of a class that is always available.
    func keep(_ indexer: BlindIndexer, userID: UInt32) {
        indexers.withLock { $0[userID] = indexer }
    }
}

/// One thread's way to keys: the cache, else the store's wrapped key and the enclave.
final class ItemKeys {
    /// Where wrapped keys are read: a reader, or the transaction that is open.
    struct Source {
        let metadataKey: (UInt32, UInt8, UInt32?) throws(StoreError) -> StoredMetadataKey?
        let indexKey: (UInt32) throws(StoreError) -> [UInt8]?
    }

    /// The class of the blind-index key: it must find rows before the first unlock too.
    static let indexKeyClass = ProtectionClass.dku
    /// There is one index key for each user, for good: changing it would change every row.
    static let indexKeyGeneration: UInt32 = 1

    let cache: KeyCache
    var enclave: EnclaveClient
    /// This thread's hold on the metadata key of the rows that it goes through.
    private let grip: MetadataKeyring.Grip

    init(cache: KeyCache, enclave: consuming EnclaveClient) {
        self.cache = cache
        self.enclave = enclave
        grip = cache.metadata.makeGrip()
    }

    // MARK: - Blind indexes

    /// The user's indexer.
    /// - Returns: Nil when the user has never stored anything.
    /// - Throws: ``DaemonError/enclave(_:)`` with `classMissing` when the key doesn't open any more:
    ///   it is never replaced, since no row could be found again.
    func indexer(userID: UInt32, _ source: Source) throws(DaemonError) -> BlindIndexer? {
        if let indexer = cache.indexer(userID: userID) { return indexer }
        let stored: [UInt8]?
        do { stored = try source.indexKey(userID) } catch { throw .store(error) }
        guard let stored else { return nil }
        do {
            let key = try enclave.openTableKey(
                purpose: .blindIndex, class: Self.indexKeyClass,
                generation: Self.indexKeyGeneration, wrapped: stored, userID: userID)
            let indexer = BlindIndexer(key: key)
            cache.keep(indexer, userID: userID)
            return indexer
        } catch {
            throw DaemonError(error == .undecodable ? .classMissing : error)
        }
    }

    // MARK: - Metadata

    /// Opens the metadata of a row, and takes its attributes apart.
    /// - Throws: As ``openStored(_:_:)``.
    func open(
        _ item: SealedItem, _ source: Source
    ) throws(DaemonError) -> MetadataSealer.Opened<ItemAttributes> {
        switch try openStored(item, source) {
        case .attributes(let stored):
            guard let attributes = try? stored.decoded() else { return .corrupt }
            return .attributes(attributes)
        case .corrupt: return .corrupt
        case .keyMissing: return .keyMissing
        case .newerFormat: return .newerFormat
        }
    }

    /// Opens the metadata of a row.
    /// - Throws: ``DaemonError/locked`` when its class is locked; ``DaemonError/enclave(_:)`` when
    ///   the enclave can't be asked. What is wrong with the row itself is in the result.
    func openStored(
        _ item: SealedItem, _ source: Source
    ) throws(DaemonError) -> MetadataSealer.Opened<StoredAttributes> {
        let name = MetadataKeyring.Name(
            userID: item.userID, keyClass: item.keyClass, generation: item.keyGeneration)
        if let opened = cache.metadata.use(name, { MetadataSealer.open(item, under: $0) }) {
            return opened
        }
        return try cache.metadata.whileFetching {
            (epoch) throws(DaemonError) -> MetadataSealer.Opened<StoredAttributes> in
            guard let key = try fetch(name, source, since: epoch) else { return .keyMissing }
            return unsafe MetadataSealer.open(
                item, under: key.bytes.withUnsafeBytes { unsafe SymmetricKey(data: $0) })
        }
    }

    /// Opens the metadata of one row of many. ``endScan()`` is to be called after the last.
    /// - Throws: As ``openStored(_:_:)``.
    func openScanned(
        _ item: SealedItem, _ source: Source, _ associatedData: inout [UInt8]
    ) throws(DaemonError) -> MetadataSealer.Opened<StoredAttributes> {
        let name = MetadataKeyring.Name(
            userID: item.userID, keyClass: item.keyClass, generation: item.keyGeneration)
        let opened = cache.metadata.use(name, grip) {
            MetadataSealer.open(item, under: $0, &associatedData)
        }
        if let opened { return opened }
        return try openStored(item, source)
    }

    /// Lets go of the key of the rows that were scanned.
    func endScan() { grip.release() }

    /// Seals the metadata of a row under the key that the row names; the key is open.
    func seal(
        _ item: SealedItem, _ body: (SymmetricKey) throws(DaemonError) -> Data, _ source: Source
    ) throws(DaemonError) -> Data {
        let name = MetadataKeyring.Name(
            userID: item.userID, keyClass: item.keyClass, generation: item.keyGeneration)
        if let sealed = try cache.metadata.use(name, body) { return sealed }
        return try cache.metadata.whileFetching { (epoch) throws(DaemonError) -> Data in
            guard let key = try fetch(name, source, since: epoch) else {
                throw .enclave(.undecodable)
            }
            return try body(unsafe key.bytes.withUnsafeBytes { unsafe SymmetricKey(data: $0) })
        }
    }

    /// Whether a key is there and opens; it is in the cache then.
    func opens(_ name: MetadataKeyring.Name, _ source: Source) throws(DaemonError) -> Bool {
        try cache.metadata.whileFetching { (epoch) throws(DaemonError) in
            try fetch(name, source, since: epoch) != nil
        }
    }

    /// Reads a wrapped key and has it opened.
    /// - Returns: Nil when the key is not there, or will never open.
    private func fetch(
        _ name: MetadataKeyring.Name, _ source: Source, since epoch: MetadataKeyring.Epoch
    ) throws(DaemonError) -> Secret? {
        guard let keyClass = ProtectionClass(rawValue: name.keyClass) else { return nil }
        let stored: StoredMetadataKey?
        do {
            stored = try source.metadataKey(name.userID, name.keyClass, name.generation)
        } catch { throw .store(error) }
        guard let stored else { return nil }
        do {
            let key = Secret(
                try enclave.openTableKey(
                    purpose: .metadata, class: keyClass, generation: name.generation,
                    wrapped: stored.wrapped, userID: name.userID))
            cache.metadata.keep(name, key, since: epoch)
            return key
        } catch {
            if error == .undecodable || error == .classMissing { return nil }
            throw DaemonError(error)
        }
    }

    // MARK: - Secrets

    /// Has the secrets of rows opened, about one MiB a call.
    /// - Returns: One for each row; nil for a secret that will never open.
    func openSecrets(
        _ rows: [SealedSecret], userID: UInt32
    ) throws(DaemonError) -> [Secret?] {
        var opened: [Secret?] = []
        opened.reserveCapacity(rows.count)
        var batch: [SealedSecret] = []
        var byteCount = 0
        for row in rows {
            if byteCount + row.sealed.count > Self.batchByteCount, !batch.isEmpty {
                opened += try openBatch(batch, userID: userID)
                batch = []
                byteCount = 0
            }
            batch.append(row)
            byteCount += row.sealed.count
            if batch.count == SealedSecret.rowLimit { byteCount = Self.batchByteCount }
        }
        if !batch.isEmpty { opened += try openBatch(batch, userID: userID) }
        return opened
    }

    private static let batchByteCount = 1024 * 1024 + 1024

    private func openBatch(
        _ rows: [SealedSecret], userID: UInt32
    ) throws(DaemonError) -> [Secret?] {
        let results: [Result<Secret, EnclaveCallError>]
        do { results = try enclave.open(rows, userID: userID) } catch { throw DaemonError(error) }
        var secrets: [Secret?] = []
        for result in results {
            switch result {
            case .success(let secret): secrets.append(secret)
            case .failure(.undecodable), .failure(.classMissing): secrets.append(nil)
            case .failure(let error): throw DaemonError(error)
            }
        }
        return secrets
    }
}
