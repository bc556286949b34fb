// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import EnclaveWire
import Foundation
import ItemStore
import SecretBytes
import SecurityWire
import Synchronization

/// Keys of items that are open now, for all threads: metadata keys, and each keychain's indexer.
final class KeyCache: Sendable {
    let metadata = MetadataKeyring()
    /// Copies of the wrapped keys.
    let copies: KeyCopies
    private let indexers = Mutex<[RowOwner: BlindIndexer]>([:])
    private let erasures = Mutex(Erasures())

    private struct Erasures {
        /// How often everything of a user has been erased, if known.
        var counts: [UInt32: UInt32] = [:]
        /// Incremented when the cached keys of a user become invalid.
        var epoch: UInt64 = 0
    }

    /// For each user, the enclave's count of lock events for which keys were last dropped here.
    private let lockCounts = Mutex<[UInt32: UInt32]>([:])

    init(copies: KeyCopies) { self.copies = copies }

    /// Drops the keys that class keys opened which the enclave has dropped, unless that was done.
    ///
    /// Called before a reply that reports a lock is forwarded: after a client has seen the lock, no
    /// data is read with the dropped keys. The count doesn't say which classes are locked, so all
    /// keys of the user are dropped; one that is still usable is opened again with one call.
    /// - Parameters:
    ///   - lockCount: How often the enclave has dropped keys of the user.
    ///   - userID: The user.
    /// - Returns: False when a thread still uses such a key, after longer than a use may take.
    func follow(lockCount: UInt32, userID: UInt32) -> Bool {
        guard lockCounts.withLock({ $0[userID] ?? 0 }) < lockCount else { return true }
        guard metadata.dropAll(userID: userID) else { return false }
        lockCounts.withLock { $0[userID] = max($0[userID] ?? 0, lockCount) }
        return true
    }

    func indexer(_ owner: RowOwner) -> BlindIndexer? { indexers.withLock { $0[owner] } }

    /// Caches an indexer; its key is of a class that is always available.
    func keep(_ indexer: BlindIndexer, _ owner: RowOwner) {
        indexers.withLock { $0[owner] = indexer }
    }

    /// Incremented when the cached keys of a user become invalid.
    var epoch: UInt64 { erasures.withLock { $0.epoch } }

    /// Drops every key of a user whose class keys have all been destroyed.
    func forget(_ userID: UInt32) {
        indexers.withLock { indexers in
            indexers = indexers.filter { $0.key.userID != userID }
        }
        _ = metadata.dropAll(userID: userID)
        erasures.withLock { $0.epoch += 1 }
    }

    /// Records how often everything of a user has been erased, and drops the user's keys if that
    /// has happened since.
    func note(erasures count: UInt32, userID: UInt32) {
        let known = erasures.withLock { erasures in
            defer { erasures.counts[userID] = count }
            return erasures.counts[userID] ?? 0
        }
        if count != known { forget(userID) }
    }
}

/// One thread's access to keys: from the cache, else from the store's wrapped key and the enclave.
final class ItemKeys {
    /// The source of wrapped keys: a reader, or the open transaction.
    struct Source {
        let metadataKey: (RowOwner, UInt8, UInt32?) throws(StoreError) -> StoredMetadataKey?
        let indexKey: (RowOwner) throws(StoreError) -> StoredIndexKey?
    }

    /// The class of the blind-index key: it must find rows also before the first unlock.
    static let indexKeyClass = ProtectionClass.dku

    let cache: KeyCache
    var enclave: EnclaveClient
    /// This thread's hold on the metadata key of the rows that it scans.
    private let grip: MetadataKeyring.Grip

    init(cache: KeyCache, enclave: consuming EnclaveClient) {
        self.cache = cache
        self.enclave = enclave
        grip = cache.metadata.makeGrip()
    }

    // MARK: - Locks

    /// Drops keys after a lock that a reply on this thread's connection has reported. Call it
    /// before the reply is forwarded, and not while a key is being fetched.
    func followLock(userID: UInt32) throws(DaemonError) {
        guard cache.follow(lockCount: enclave.lockCount(userID: userID), userID: userID) else {
            throw .enclave(.unreachable)
        }
    }

    // MARK: - Blind indexes

    /// A keychain's indexer.
    /// - Returns: Nil when nothing has ever been stored in it.
    /// - Throws: ``DaemonError/keyGone`` when everything of the user has been erased since the key
    ///   was made; ``DaemonError/enclave(_:)`` with `classMissing` when it can't be opened for
    ///   another reason. Then it isn't replaced, since no row could be found again.
    func indexer(_ owner: RowOwner, _ source: Source) throws(DaemonError) -> BlindIndexer? {
        if let indexer = cache.indexer(owner) { return indexer }
        let stored: StoredIndexKey?
        do { stored = try source.indexKey(owner) } catch { throw .store(error) }
        for key in indexKeys(stored, owner) {
            do throws(EnclaveCallError) {
                let indexer = BlindIndexer(
                    key: try open(key), generation: key.generation)
                cache.keep(indexer, owner)
                return indexer
            } catch {
                guard error == .undecodable || error == .noSuchKeychain else {
                    throw DaemonError(error)
                }
            }
        }
        guard let stored else { return nil }
        guard owner.isLogin else { throw .keyGone }
        throw try isErased(stored, owner.userID) ? .keyGone : .enclave(.classMissing)
    }

    /// Whether an index key can be opened now: not any more once everything of the user has been
    /// erased. The cache isn't asked.
    func opensIndexKey(
        generation: UInt32, userID: UInt32, _ source: Source
    ) throws(DaemonError) -> Bool {
        let stored: StoredIndexKey?
        let owner = RowOwner(userID: userID)
        do { stored = try source.indexKey(owner) } catch { throw .store(error) }
        for key in indexKeys(stored, owner) where key.generation == generation {
            do throws(EnclaveCallError) {
                _ = try open(key)
                return true
            } catch {
                guard error == .undecodable else { throw DaemonError(error) }
            }
        }
        return false
    }

    /// A stored key and its copy. If none is stored, as in a new database, all known copies, the
    /// newest first.
    private func indexKeys(_ stored: StoredIndexKey?, _ owner: RowOwner) -> [StoredTableKey] {
        let copies = cache.copies.indexKeys(userID: owner.userID, keychain: owner.keychain)
            .map(\.key)
        guard let stored else { return copies }
        let key = StoredTableKey(
            userID: owner.userID, keychain: owner.keychain, keyClass: nil,
            generation: stored.generation, wrapped: stored.wrapped)
        return [key] + copies.filter { $0.generation == key.generation && $0 != key }
    }

    /// Whether a key that can't be opened was destroyed with its keybag, on purpose.
    private func isErased(
        _ key: StoredIndexKey, _ userID: UInt32
    ) throws(DaemonError) -> Bool {
        let status: EnclaveStatus
        do { status = try enclave.status(userID: userID) } catch { throw .enclave(error) }
        return status.erasures > key.erasures && status.keybagUUID != key.keybagUUID
    }

    // MARK: - Metadata

    /// Opens the metadata of a row, and parses its attributes.
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
    ///   the enclave can't be asked. Faults of the row itself are part of the result.
    func openStored(
        _ item: SealedItem, _ source: Source
    ) throws(DaemonError) -> MetadataSealer.Opened<StoredAttributes> {
        guard item.isCurrent else { return .corrupt }
        let name = MetadataKeyring.Name(item)
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

    /// Opens the metadata of one row of many. Call ``endScan()`` after the last.
    /// - Throws: As ``openStored(_:_:)``.
    func openScanned(
        _ item: SealedItem, _ source: Source, _ associatedData: inout [UInt8]
    ) throws(DaemonError) -> MetadataSealer.Opened<StoredAttributes> {
        guard item.isCurrent else { return .corrupt }
        let name = MetadataKeyring.Name(item)
        let opened = cache.metadata.use(name, grip) {
            MetadataSealer.open(item, under: $0, &associatedData)
        }
        if let opened { return opened }
        return try openStored(item, source)
    }

    /// Releases the key of the scanned rows.
    func endScan() { grip.release() }

    /// Seals the metadata of a row under the key that the row names; the key is open.
    func seal(
        _ item: SealedItem, _ body: (SymmetricKey) throws(DaemonError) -> Data, _ source: Source
    ) throws(DaemonError) -> Data {
        let name = MetadataKeyring.Name(item)
        if let sealed = try cache.metadata.use(name, body) { return sealed }
        return try cache.metadata.whileFetching { (epoch) throws(DaemonError) -> Data in
            guard let key = try fetch(name, source, since: epoch) else {
                throw .enclave(.undecodable)
            }
            return try body(unsafe key.bytes.withUnsafeBytes { unsafe SymmetricKey(data: $0) })
        }
    }

    /// Whether a key exists and can be opened; it is in the cache afterwards.
    func opens(_ name: MetadataKeyring.Name, _ source: Source) throws(DaemonError) -> Bool {
        try cache.metadata.whileFetching { (epoch) throws(DaemonError) in
            try fetch(name, source, since: epoch) != nil
        }
    }

    /// Reads a wrapped key and asks the enclave to open it.
    /// - Returns: Nil when the key is missing, or can never be opened.
    private func fetch(
        _ name: MetadataKeyring.Name, _ source: Source, since epoch: MetadataKeyring.Epoch
    ) throws(DaemonError) -> Secret? {
        let stored: StoredMetadataKey?
        do {
            stored = try source.metadataKey(name.owner, name.keyClass, name.generation)
        } catch { throw .store(error) }
        guard let stored else { return nil }
        do {
            let key = Secret(
                try open(
                    StoredTableKey(
                        userID: name.owner.userID, keychain: name.owner.keychain,
                        keyClass: name.keyClass, generation: name.generation,
                        wrapped: stored.wrapped)))
            cache.metadata.keep(name, key, since: epoch)
            return key
        } catch {
            if error == .undecodable || error == .classMissing || error == .noSuchKeychain {
                return nil
            }
            throw DaemonError(error)
        }
    }

    // MARK: - Secrets

    /// Asks the enclave to open the secrets of rows, about one MiB a call.
    /// - Returns: For each name the secret; nil for one that can never be opened.
    func openSecrets<Name>(
        _ rows: [NamedSecret<Name>], userID: UInt32
    ) throws(DaemonError) -> [(name: Name, secret: Secret?)] {
        try openNamed(rows) { (batch) throws(EnclaveCallError) in
            try enclave.open(batch, userID: userID)
        } secret: { (result) throws(DaemonError) -> Secret? in
            switch result {
            case .success(let secret): return secret
            case .failure(.undecodable), .failure(.classMissing), .failure(.noSuchKeychain):
                return nil
            case .failure(let error): throw DaemonError(error)
            }
        }
    }

    /// The secret of one row; nil if it can never be opened.
    func openSecret(_ sealed: SealedSecret, userID: UInt32) throws(DaemonError) -> Secret? {
        try openSecrets([NamedSecret(name: (), sealed: sealed)], userID: userID).first?.secret
    }

    /// Sends rows in batches. Each result is put beside its row's name where the reply is read, so
    /// that nobody has to count rows.
    func openNamed<Name, Opened>(
        _ rows: [NamedSecret<Name>],
        _ send: ([SealedSecret]) throws(EnclaveCallError) -> [Result<Secret, EnclaveCallError>],
        secret: (Result<Secret, EnclaveCallError>) throws(DaemonError) -> Opened
    ) throws(DaemonError) -> [(name: Name, secret: Opened)] {
        var opened: [(name: Name, secret: Opened)] = []
        opened.reserveCapacity(rows.count)
        var rest = rows[...]
        while !rest.isEmpty {
            let batch = rest.prefix(Self.batchCount(rest))
            rest = rest.dropFirst(batch.count)
            let results: [Result<Secret, EnclaveCallError>]
            do throws(EnclaveCallError) { results = try send(batch.map(\.sealed)) } catch {
                throw DaemonError(error)
            }
            for (row, result) in zip(batch, results) {
                opened.append((row.name, try secret(result)))
            }
        }
        return opened
    }

    /// How many of the rows go into one call: at least one.
    private static func batchCount<Name>(_ rows: ArraySlice<NamedSecret<Name>>) -> Int {
        var (count, byteCount) = (0, 0)
        for row in rows {
            byteCount += row.sealed.sealed.count
            guard count == 0 || byteCount <= batchByteCount, count < SealedSecret.rowLimit else {
                break
            }
            count += 1
        }
        return count
    }

    static let batchByteCount = 1024 * 1024 + 1024
}

/// A sealed secret, and what its caller calls the row.
struct NamedSecret<Name> {
    let name: Name
    let sealed: SealedSecret
}
