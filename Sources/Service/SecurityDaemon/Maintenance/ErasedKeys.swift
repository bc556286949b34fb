// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import ItemStore
import SecurityWire

/// A user's keys that were destroyed with a keybag when everything was erased: rows that need them
/// aren't damaged, and can't be restored.
///
/// The index keys show which keybags were erased, and the copies of keys show the keybag of each
/// key. A key without a copy, or of an unrecorded keybag, isn't included: damage is never taken for
/// an erasure.
struct ErasedKeys {
    private struct Name: Hashable {
        /// Nil for an index key.
        let keyClass: UInt8?
        let generation: UInt32
    }

    private let names: Set<Name>

    /// Asks the enclave how often everything has been erased.
    /// - Throws: when the enclave, or the database, can't be asked. A damaged database gives no
    ///   information.
    init(_ keys: ItemKeys, _ reader: StoreReader, userID: UInt32) throws(DaemonError) {
        let stored: [StoredIndexKey]
        do throws(StoreError) { stored = try reader.indexKeys(userID: userID) } catch {
            guard error == .damaged else { throw .store(error) }
            names = []
            return
        }
        let keybag: EnclaveStatus
        do { keybag = try keys.enclave.status(userID: userID) } catch { throw DaemonError(error) }
        let isErased = { (key: StoredIndexKey) in
            key.keybagUUID != keybag.keybagUUID && key.erasures < keybag.erasures
        }
        let uuids = Set(stored.filter(isErased).map(\.keybagUUID))
        let copies = keys.cache.copies.copies(userID: userID)
        names = Set(
            copies.filter {
                $0.keychain == KeychainNumber.login && uuids.contains($0.keybagUUID)
            }.map {
                Name(keyClass: $0.keyClass, generation: $0.generation)
            })
    }

    /// Whether this key was erased.
    func contains(_ key: StoredTableKey) -> Bool {
        key.keychain == KeychainNumber.login
            && names.contains(Name(keyClass: key.keyClass, generation: key.generation))
    }

    /// Whether the row's key was erased.
    func holdsKey(of item: SealedItem) -> Bool {
        item.owner.isLogin
            && names.contains(Name(keyClass: item.keyClass, generation: item.keyGeneration))
    }
}

extension MaintenancePage {
    /// Counts a row whose key was erased.
    mutating func noteErased() {
        if let place = findings.firstIndex(where: { $0.kind == .erased }) {
            findings[place].number += 1
        } else {
            findings.append(MaintenanceFinding(.erased, number: 1))
        }
    }
}
