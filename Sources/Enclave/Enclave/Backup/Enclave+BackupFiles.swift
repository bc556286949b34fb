// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire

// The bag is replaced as the list of keychains is: its first copy before the keybag, its second one
// after it. So after a crash, one of them is the bag of the keybag that is there.
extension Enclave {
    private static func records(_ user: UInt32) -> [StateRecord] {
        [.backup(user: user), .backupCopy(user: user)]
    }

    /// What deletes both copies.
    static func backupRemovals(_ user: UInt32) -> [StateChange] {
        records(user).map { .remove($0) }
    }

    /// Reads the bag that belongs to a keybag.
    func loadBackup(of keybag: UserKeybag) {
        guard let digest = keybag.keybag.backupDigest else { return keybag.backup.take(nil) }
        let records = Self.records(keybag.user)
        var isUnread = false
        let bags = records.map { (record) -> StoredBag? in
            do throws(DurableStateFailure) {
                return try state.load(record).flatMap { StoredBag($0) }
            } catch {
                isUnread = true
                return nil
            }
        }
        guard let bag = bags.compactMap({ $0 }).first(where: { $0.digest == digest }) else {
            if !isUnread { notify(.backupBagRefused(user: keybag.user)) }
            return keybag.backup.fail(isUnread: isUnread)
        }
        keybag.backup.take(bag)
        guard !isUnread else { return }
        let stale = zip(records, bags).filter { $0.1?.digest != digest }
        // Without the second copy the first one is as good as before: continue.
        if !stale.isEmpty { try? state.apply(stale.map { .replace($0.0, bag.file) }) }
    }

    /// Reads a bag again that couldn't be read before.
    /// - Throws: `stateNotWritten` when it still can't be: it must not look as if there were none.
    func checkBackup(_ keybag: UserKeybag) throws(Refusal) {
        guard keybag.backup.isUnread else { return }
        loadBackup(of: keybag)
        guard !keybag.backup.isUnread else { throw .status(.stateNotWritten) }
    }

    /// Makes another bag durable, or none, together with a keybag that has its digest.
    mutating func put(_ bag: StoredBag?, _ keybag: UserKeybag) throws(Refusal) {
        guard keybag.keybag.generation < .max else { throw .status(.stateNotWritten) }
        var next = keybag.keybag
        next.backupDigest = bag?.digest
        next.generation += 1
        let files = Self.records(keybag.user)
        let changes = next.changes(user: keybag.user, keybag.keys)
        let all: [StateChange] =
            if let bag {
                [.replace(files[0], bag.file)] + changes + [.replace(files[1], bag.file)]
            } else {
                changes + Self.backupRemovals(keybag.user)
            }
        try apply(all, user: keybag.user)
        keybag.adopt(keybag.nextKeybag(next))
        keybag.backup.take(bag)
        try anchorKeybag(keybag)
    }
}
