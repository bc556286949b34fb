// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire

// The list is replaced as that of protectors is: its first copy before the keybag, its second one
// after it. So after a crash, one of them is the list of the keybag that is there.
extension Enclave {
    private static func records(_ user: UInt32) -> [StateRecord] {
        [.keychains(user: user), .keychainsCopy(user: user)]
    }

    /// Reads the list that belongs to a keybag.
    func loadKeychains(of keybag: UserKeybag) {
        guard let digest = keybag.keybag.keychainsDigest else { return removeStaleList(of: keybag) }
        let records = Self.records(keybag.user)
        var isUnread = false
        let lists = records.map { (record) -> KeychainList? in
            do throws(DurableStateFailure) {
                return try state.load(record).flatMap { KeychainList($0) }
            } catch {
                isUnread = true
                return nil
            }
        }
        guard let list = lists.compactMap({ $0 }).first(where: { $0.digest == digest }) else {
            if !isUnread { notify(.keychainsRefused(user: keybag.user)) }
            return keybag.keychains.fail(isUnread ? .unread : .refused)
        }
        keybag.keychains.take(list)
        // A copy that can't be read now may be as good as the other.
        guard !isUnread else { return }
        let stale = zip(records, lists).filter { $0.1?.digest != digest }
        // Without the second copy the first one is as good as before: continue.
        if !stale.isEmpty { try? state.apply(stale.map { .replace($0.0, list.file) }) }
    }

    /// A crash came behind the keybag of the last deletion, or before that of the first creation: what the
    /// files have must not stay. A keybag that may be an old one proves nothing.
    private func removeStaleList(of keybag: UserKeybag) {
        guard case .record = keybag.anchor else { return }
        var stale: [StateChange] = []
        for record in Self.records(keybag.user) where ((try? state.load(record)) ?? nil) != nil {
            stale.append(.remove(record))
        }
        if !stale.isEmpty { try? state.apply(stale) }
    }

    /// Reads a list again that couldn't be read before.
    /// - Throws: `stateNotWritten` when it still can't be.
    func checkKeychains(_ keybag: UserKeybag) throws(Refusal) {
        guard keybag.keychains.standing == .unread else { return }
        loadKeychains(of: keybag)
        guard keybag.keychains.standing != .unread else { throw .status(.stateNotWritten) }
    }

    /// Makes another list durable, together with a keybag that has its digest.
    mutating func put(_ list: KeychainList, _ keybag: UserKeybag) throws(Refusal) {
        guard let next = keybag.listing(list) else { throw .status(.stateNotWritten) }
        let files = Self.records(keybag.user)
        let changes = next.keybag.changes(user: keybag.user, keybag.keys)
        let file = list.file
        try apply(
            list.isEmpty
                ? changes + files.map { .remove($0) }
                : [.replace(files[0], file)] + changes + [.replace(files[1], file)],
            user: keybag.user)
        keybag.adopt(next)
        keybag.keychains.take(list)
        try anchorKeybag(keybag)
    }

    /// After a recovery without the keybag nothing says which list was the last one. Each entry says
    /// itself whether it belongs to the class keys that the code opened.
    func recoverableKeychains(_ keybag: Keybag, user: UInt32) -> KeychainList? {
        for record in Self.records(user) {
            let file = (try? state.load(record)) ?? nil
            if let list = file.flatMap({ KeychainList($0) }), list.uuid == keybag.uuid {
                return list
            }
        }
        return nil
    }

    /// The owner accepts the list of keychains that is there, even an older one. Where none can be read,
    /// no keychain is left, and new ones can be made.
    mutating func acceptKeychains(_ keybag: UserKeybag) throws(Refusal) {
        guard keybag.keychains.standing == .refused else { return }
        let list = recoverableKeychains(keybag.keybag, user: keybag.user)
        try put(list ?? KeychainList(of: keybag.keybag), keybag)
    }

    /// Takes a change of what is unlocked into account.
    mutating func noteIdleLock(_ keybag: UserKeybag) {
        keybag.schedule.keychainDue = keybag.keychains.nextIdleLock
        noteDeadline(keybag)
    }
}

extension UserKeybag {
    /// What the keys of its keychains are tied to.
    var keychainOwner: KeychainEntry.Owner {
        KeychainEntry.Owner(user: user, keybagUUID: keybag.uuid)
    }

    /// The next keybag, with the same keys and another list of keychains.
    func listing(_ list: KeychainList) -> NextKeybag? {
        guard keybag.generation < .max else { return nil }
        var next = keybag
        next.keychainsDigest = list.digest
        next.generation += 1
        return nextKeybag(next)
    }
}
