// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import EnclaveWire
import SecretBytes

/// What the enclave has read of a user's anchor.
enum KnownAnchor {
    case record(AnchorRecord)
    /// There is a record that isn't one.
    case damaged
}

// MARK: - Anchors

extension Enclave {
    /// Remembers a commit of the user's rows, unless a later one is remembered already.
    /// - Parameters:
    ///   - commit: The commit's number; 0 asks alone.
    ///   - keybag: The user's.
    /// - Returns: The latest commit that is remembered.
    /// - Throws: `undecodable` when what was remembered is damaged; when it can't be written.
    mutating func anchor(_ commit: UInt64, _ keybag: UserKeybag) throws(Refusal) -> UInt64 {
        guard case .record(let known) = keybag.anchor else { throw .status(.undecodable) }
        guard commit > known.commit else { return known.commit }
        try storeAnchor(commit: commit, keybag)
        return commit
    }

    /// The owner takes the database as it is: a record that can't be read is made anew.
    mutating func acceptRollback(_ keybag: UserKeybag) throws(Refusal) {
        guard case .damaged = keybag.anchor else { return }
        keybag.anchor = .record(AnchorRecord(sequence: 0, commit: 0, keybagGeneration: 0))
        try storeAnchor(commit: 0, keybag)
    }

    /// Remembers the present generation of the keybag, so that no earlier one opens again.
    ///
    /// The keybag is stored already; where this fails, the next change or anchor makes up for it.
    mutating func anchorKeybag(_ keybag: UserKeybag) throws(Refusal) {
        guard case .record(let known) = keybag.anchor else { return }
        do throws(Refusal) { try storeAnchor(commit: known.commit, keybag) } catch {
            if hasEnded { throw error }
        }
    }

    /// Forgets the database of a keybag that has been erased: nothing in it opens any more, and the
    /// next one begins anew. The generation stays: the erased keybag doesn't open again.
    mutating func anchorErased(_ new: UserKeybag, after old: UserKeybag) throws(Refusal) {
        new.anchor = old.anchor
        guard case .record = new.anchor else { return }
        do throws(Refusal) { try storeAnchor(commit: 0, new) } catch {
            if hasEnded { throw error }
        }
    }

    private mutating func storeAnchor(
        commit: UInt64, _ keybag: UserKeybag
    ) throws(Refusal) {
        guard case .record(let known) = keybag.anchor, known.sequence < .max else {
            throw .status(.stateNotWritten)
        }
        let next = AnchorRecord(
            sequence: known.sequence + 1, commit: commit,
            keybagGeneration: keybag.keybag.generation)
        let key = keybag.keys.anchor.bytes.symmetricKey()
        do {
            let isDone = try state.overwrite(
                .anchor(user: keybag.user), byteCount: AnchorRecord.byteCount,
                at: next.offset, next.slot(key: key))
            if !isDone {
                try state.apply([.replace(.anchor(user: keybag.user), next.file(key: key))])
            }
        } catch {
            try fail(error, user: keybag.user)
        }
        keybag.anchor = .record(next)
    }

    /// Reads what is remembered; nothing yet counts as commit 0.
    /// - Throws: When the keybag is an older one than is remembered: it was put back.
    func loadAnchor(
        _ user: UInt32, _ keys: KeybagKeys, _ keybag: Keybag
    ) throws(Refusal) -> KnownAnchor {
        guard let file = try load(.anchor(user: user)) else {
            return .record(AnchorRecord(sequence: 0, commit: 0, keybagGeneration: 0))
        }
        guard let record = AnchorRecord(file, key: keys.anchor.bytes.symmetricKey()) else {
            notify(.anchorRefused(user: user))
            return .damaged
        }
        guard record.keybagGeneration <= keybag.generation else {
            notify(.keybagRolledBack(user: user))
            throw .status(.stateNotWritten)
        }
        return .record(record)
    }
}
