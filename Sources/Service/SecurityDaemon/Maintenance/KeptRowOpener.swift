// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import EnclaveWire
import Foundation
import ItemStore
import SecretBytes
import SecurityWire

extension ItemKeys {
    /// The size limit of sealed secrets that are sent to the enclave together.
    private static let verifiedByteCount = 1024 * 1024

    /// Finds out which secrets can be opened; none of them leaves the enclave.
    /// - Returns: For each row why its secret can't be opened; nil if it can.
    func verifySecrets(
        _ rows: [SealedSecret], userID: UInt32
    ) throws(DaemonError) -> [EnclaveCallError?] {
        var verdicts: [EnclaveCallError?] = []
        var batch: [SealedSecret] = []
        var byteCount = 0
        for row in rows {
            if !batch.isEmpty,
                byteCount + row.sealed.count > Self.verifiedByteCount
                    || batch.count == SealedSecret.rowLimit
            {
                verdicts += try verifyBatch(batch, userID)
                batch = []
                byteCount = 0
            }
            batch.append(row)
            byteCount += row.sealed.count
        }
        if !batch.isEmpty { verdicts += try verifyBatch(batch, userID) }
        return verdicts
    }

    private func verifyBatch(
        _ rows: [SealedSecret], _ userID: UInt32
    ) throws(DaemonError) -> [EnclaveCallError?] {
        do { return try enclave.verify(rows, userID: userID) } catch { throw .enclave(error) }
    }

    /// Why a wrapped key can't be opened; nil when it can.
    func verify(_ key: StoredTableKey) -> EnclaveCallError? {
        do throws(EnclaveCallError) {
            _ = try open(key)
            return nil
        } catch { return error }
    }

    /// Opens a wrapped key from any source. Only inside ``MetadataKeyring/whileFetching(_:)``, so
    /// that a lock waits until it is released.
    func open(_ key: StoredTableKey) throws(EnclaveCallError) -> SecretBytes {
        let number = key.keyClass ?? Self.indexKeyClass.rawValue
        guard let keyClass = ProtectionClass(rawValue: number) else { throw .undecodable }
        guard key.keychain == KeychainNumber.login else {
            let name = TableKeyName(
                purpose: key.keyClass == nil ? .blindIndex : .metadata,
                protectionClass: keyClass, generation: key.generation)
            return try enclave.openTableKey(
                name, wrapped: key.wrapped, keychain: key.keychain, userID: key.userID
            ).copied()
        }
        return try enclave.openTableKey(
            purpose: key.keyClass == nil ? .blindIndex : .metadata, class: keyClass,
            generation: key.generation, wrapped: key.wrapped, userID: key.userID)
    }
}

/// Opens quarantined rows with the known key that matches: authenticated encryption binds a row to
/// its key, so a wrong one can't succeed.
struct KeptRowOpener {
    /// The result of opening.
    enum Opened {
        case attributes(ItemAttributes)
        case locked
        case keyMissing
        case corrupt
        case newerFormat
    }

    private let keys: ItemKeys
    private let known: [StoredTableKey]
    private var opened: [StoredTableKey: Result<SymmetricKey, EnclaveCallError>] = [:]

    /// Makes an opener of wrapped keys, the most likely ones first. It may be used only inside
    /// ``MetadataKeyring/whileFetching(_:)``, and must not outlive it.
    init(_ keys: ItemKeys, _ known: [StoredTableKey]) {
        self.keys = keys
        self.known = known
    }

    /// Opens a row's metadata.
    /// - Throws: ``DaemonError/enclave(_:)`` when the enclave can't be asked.
    mutating func open(_ item: SealedItem) throws(DaemonError) -> Opened {
        var isLocked = false
        var isTried = false
        for key in known where key.keyClass == item.keyClass && key.userID == item.userID {
            guard key.generation == item.keyGeneration, key.keychain == item.keychain else {
                continue
            }
            switch try unwrapped(key) {
            case .failure(.locked): isLocked = true
            case .failure: continue
            case .success(let symmetric):
                isTried = true
                switch MetadataSealer.open(item, under: symmetric) {
                case .corrupt, .keyMissing: continue
                case .newerFormat: return .newerFormat
                case .attributes(let stored):
                    guard let attributes = try? stored.decoded() else { return .corrupt }
                    return .attributes(attributes)
                }
            }
        }
        return isLocked ? .locked : isTried ? .corrupt : .keyMissing
    }

    /// Opens a row with several possible interpretations: the one that can be opened, else the
    /// first.
    mutating func open(
        _ candidate: SalvagedFile.Candidate
    ) throws(DaemonError) -> (SealedItem, Opened) {
        var first: (SealedItem, Opened)?
        for item in candidate {
            let opened = try open(item)
            if case .attributes = opened { return (item, opened) }
            first = first ?? (item, opened)
        }
        guard let first else { throw .invalidRequest }
        return first
    }

    private mutating func unwrapped(
        _ key: StoredTableKey
    ) throws(DaemonError) -> Result<SymmetricKey, EnclaveCallError> {
        if let known = opened[key] { return known }
        let result: Result<SymmetricKey, EnclaveCallError>
        do throws(EnclaveCallError) {
            let bytes = try keys.open(key)
            result = .success(unsafe bytes.withUnsafeBytes { unsafe SymmetricKey(data: $0) })
        } catch {
            switch error {
            case .locked, .classMissing, .undecodable, .noSuchKeychain:
                result = .failure(error)
            // Of a keychain whose list enclaved refused: later it may open.
            case .stateNotWritten: result = .failure(.locked)
            default: throw .enclave(error)
            }
        }
        opened[key] = result
        return result
    }
}

extension Secret {
    /// A copy that its receiver owns.
    fileprivate func copied() -> SecretBytes { bytes.prefix(bytes.byteCount) }
}
