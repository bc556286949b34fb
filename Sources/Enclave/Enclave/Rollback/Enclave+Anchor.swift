// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import EnclaveWire
import SecretBytes

/// The state of a user's anchor as the enclave has read it.
enum KnownAnchor {
    case record(AnchorRecord)
    /// The record is invalid, or isn't the latest.
    /// - Parameter sequence: The sequence of the latest one, as far as it is known.
    case refused(sequence: UInt32)
}

// MARK: - Anchors

extension Enclave {
    /// Records a commit of the user's rows, unless a later one is recorded already.
    /// - Parameters:
    ///   - commit: The commit's number; 0 only asks.
    ///   - keybag: The user's.
    ///   - binds: Whether to increment the device key's counter.
    /// - Returns: The latest recorded commit.
    /// - Throws: `undecodable` when the record is damaged, or isn't the latest; when it can't be
    ///   written.
    mutating func anchor(
        _ commit: UInt64, _ keybag: UserKeybag, binds: Bool = false
    ) throws(Refusal) -> UInt64 {
        guard case .record(let known) = keybag.anchor else { throw .status(.undecodable) }
        if commit == 0 { keybag.forgetsCommits = false }
        guard !keybag.forgetsCommits else { return known.commit }
        if commit > known.commit { try storeAnchor(commit: commit, keybag) }
        if binds { try rollback.bind(keybag, among: keybags) }
        return max(commit, known.commit)
    }

    /// The owner accepts the database as it is: an unreadable record is replaced by a new one.
    mutating func acceptRollback(_ keybag: UserKeybag) throws(Refusal) {
        if case .refused(let sequence) = keybag.anchor { try accept(sequence, keybag) }
        try acceptKeychains(keybag)
    }

    private mutating func accept(_ sequence: UInt32, _ keybag: UserKeybag) throws(Refusal) {
        try rollback.accept(keybag.user)
        let known = keybag.anchor
        keybag.anchor = .record(AnchorRecord(sequence: sequence, commit: 0, keybagGeneration: 0))
        do throws(Refusal) { try storeAnchor(commit: 0, keybag) } catch {
            keybag.anchor = known
            throw error
        }
        try rollback.bind(keybag, among: keybags)
    }

    /// Records the current generation of the keybag, so that no earlier one opens again.
    ///
    /// The keybag is already stored; if this fails, the next change or anchor makes up for it.
    mutating func anchorKeybag(_ keybag: UserKeybag) throws(Refusal) {
        guard case .record(let known) = keybag.anchor else { return }
        do throws(Refusal) {
            try storeAnchor(commit: known.commit, keybag)
            try rollback.bind(keybag, among: keybags)
        } catch {
            if hasEnded { throw error }
        }
    }

    /// Resets the commit for a keybag that has been erased: nothing in its database opens any more,
    /// and the next one begins at 0. The generation stays, so that the erased keybag doesn't open
    /// again.
    mutating func anchorErased(_ new: UserKeybag, after old: UserKeybag) throws(Refusal) {
        new.anchor = old.anchor
        new.forgetsCommits = true
        guard case .record = new.anchor else { return }
        do throws(Refusal) {
            try storeAnchor(commit: 0, new)
            try rollback.bind(new, among: keybags)
        } catch {
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

    /// Reads the record; a missing record counts as commit 0.
    /// - Throws: When the keybag is older than the recorded one: it was rolled back.
    func loadAnchor(
        _ user: UInt32, _ keys: KeybagKeys, _ keybag: Keybag
    ) throws(Refusal) -> KnownAnchor {
        let least = rollback.leastSequence(user)
        guard let file = try load(.anchor(user: user)) else {
            if least == 0 {
                return .record(AnchorRecord(sequence: 0, commit: 0, keybagGeneration: 0))
            }
            if least != nil { notify(.filesRolledBack(user: user)) }
            return .refused(sequence: least ?? 0)
        }
        guard let record = AnchorRecord(file, key: keys.anchor.bytes.symmetricKey()) else {
            notify(.anchorRefused(user: user))
            return .refused(sequence: least ?? 0)
        }
        guard let least, record.sequence >= least else {
            if least != nil { notify(.filesRolledBack(user: user)) }
            return .refused(sequence: max(record.sequence, least ?? 0))
        }
        guard record.keybagGeneration <= keybag.generation else {
            notify(.keybagRolledBack(user: user))
            throw .status(.stateNotWritten)
        }
        return .record(record)
    }
}
