// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import ItemStore
import SecurityWire

extension KeychainRecord {
    /// Decides who may delete a keychain or change its settings: a program of its creator's group, or a
    /// connection that has given its password.
    /// - Throws: ``DaemonError/ownerNotProven``.
    func admitOwner(
        _ identity: ClientIdentity, havingProven proven: Set<KeychainID>
    ) throws(DaemonError) {
        if identity.heldGroups.contains(group) { return }
        guard let id = KeychainID(uuid), proven.contains(id) else { throw .ownerNotProven }
    }

    /// Decides whether an item may be deleted with its keychain: one of these groups.
    /// - Throws: ``DaemonError/groupNotHeld``.
    func admitDeletion(
        of item: SealedItem, holding groups: Set<IndexValue>
    ) throws(DaemonError) {
        guard let group = item.index(.accessGroup), groups.contains(group) else {
            throw .groupNotHeld
        }
    }
}
