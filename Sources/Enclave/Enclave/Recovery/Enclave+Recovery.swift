// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Crypto
import EnclaveWire
import SecretBytes

// MARK: - Settings and escrow

extension Enclave {
    /// Changes the settings; the passcode was the right one.
    mutating func configure(
        _ letter: PasscodeLetter, _ keybag: UserKeybag
    ) throws(Refusal) {
        guard let settings = letter.settings else { throw .status(.malformed) }
        guard let next = keybag.configured(settings) else { throw .status(.stateNotWritten) }
        try apply(next.keybag.changes(user: keybag.user, keybag.keys), user: keybag.user)
        keybag.adopt(next)
        try anchorKeybag(keybag)
    }

    /// Changes what fingerprints count for, or notes that their set changes; the passcode was the
    /// right one.
    mutating func configureBiometry(
        _ letter: PasscodeLetter, _ keybag: UserKeybag
    ) throws(Refusal) {
        guard let change = letter.biometry,
            let next = keybag.configured(change.mode, changesSet: change.changesSet)
        else { throw .status(.stateNotWritten) }
        try apply(next.keybag.changes(user: keybag.user, keybag.keys), user: keybag.user)
        keybag.adopt(next)
        // What a finger of the old set has approved is over.
        contexts.forget(keybag.user)
        try anchorKeybag(keybag)
    }

    /// Makes the escrow record, which replaces an earlier one; the passcode was the right one.
    mutating func makeEscrow(
        _ letter: PasscodeLetter, _ keybag: UserKeybag
    ) throws(Refusal) {
        guard let key = letter.escrowKey else { throw .status(.malformed) }
        let wrappingKey = try escrowWrappingKey(key, keybag)
        guard let keys = keybag.wholeKeys,
            let bag = EscrowBag(keys, of: keybag.keybag, using: wrappingKey)
        else { throw .status(.stateNotWritten) }
        let bytes = bag.encode(signingKey: keybag.keys.signing.bytes.symmetricKey())
        try apply([.replace(.escrow(user: keybag.user), bytes)], user: keybag.user)
        keybag.escrow = bag
    }

    /// Removes the passcode with the escrow record's key, also after too many wrong passcodes. A
    /// key of 256 bits can't be guessed, so its use isn't counted.
    mutating func reset(_ letter: PasscodeLetter, _ keybag: UserKeybag) throws(Refusal) {
        guard let escrow = keybag.escrow, let key = letter.escrowKey else {
            throw .status(.wrongState)
        }
        guard let classKeys = escrow.unwrap(using: try escrowWrappingKey(key, keybag)) else {
            throw .status(.wrongPasscode)
        }
        let list = keybag.protectors.onlyRecovering
        guard let next = keybag.reset(classKeys, list) else { throw .status(.stateNotWritten) }
        try store(next.keybag, list, keybag)
        keybag.attempts.reset()
        try adopt(next, keybag)
    }

    private func escrowWrappingKey(
        _ key: Secret, _ keybag: UserKeybag
    ) throws(Refusal) -> SymmetricKey {
        do {
            let tangled = try deviceKey.tangle(.escrow, key.bytes)
            return KeybagKeys.escrowKey(key: key, tangled: tangled)
        } catch {
            notify(.deviceKeyFailed(user: keybag.user, error))
            throw .status(.deviceKeyUnavailable)
        }
    }

    /// The record of this keybag and passcode, if there is one.
    func loadEscrow(_ keybag: Keybag, _ user: UInt32, _ keys: KeybagKeys) -> EscrowBag? {
        guard keybag.passcode != nil, let found = try? state.load(.escrow(user: user)) else {
            return nil
        }
        do throws(KeybagError) {
            return try EscrowBag(
                found, of: keybag, signingKey: keys.signing.bytes.symmetricKey())
        } catch {
            notify(.escrowRefused(user: user, error))
            return nil
        }
    }

    /// Adopts a stored keybag with another passcode, or with none: requests made under the old one,
    /// and its escrow record, are dropped.
    mutating func adopt(
        _ next: NextKeybag, _ keybag: UserKeybag
    ) throws(Refusal) {
        locks.drop(keybag) { $0.adopt(next) }
        releaseWhatIsDue()
        keybag.escrow = nil
        keybag.schedule.lockedSince = nil
        if !next.keybag.isProtected { keybag.schedule.finish() }
        try anchorKeybag(keybag)
    }
}

// MARK: - Erasing

extension Enclave {
    /// Destroys all class keys of the user, if the settings ask for that after so many wrong
    /// passcodes. A new keybag replaces the old one, whose bytes are overwritten.
    ///
    /// If the disk can't be written, no key stays in memory, no passcode is tried any more, and the
    /// next one that is sent tries to erase again.
    mutating func eraseIfDue(_ old: UserKeybag) throws(Refusal) {
        guard ErasurePolicy.isDue(old.keybag.settings, old.attempts) else { return }
        let new: UserKeybag
        do throws(Refusal) { new = try storeErased(old) } catch {
            guard !hasEnded else { throw error }
            lockNow(old)
            locks.drop(old) { $0.forget() }
            old.schedule.lockedSince = nil
            notify(.eraseFailed(user: old.user))
            return
        }
        try adoptErased(new, after: old)
        notify(.erased(user: old.user))
    }

    /// Destroys all class keys of a user whose account is gone; what is there later is new.
    /// - Throws: `stateNotWritten` when nothing has changed, `ended` when that isn't known.
    mutating func forget(_ old: UserKeybag) throws(Refusal) {
        try adoptErased(try storeErased(old), after: old)
        notify(.forgotten(user: old.user))
    }

    /// Makes a new keybag durable in place of a user's.
    private mutating func storeErased(_ old: UserKeybag) throws(Refusal) -> UserKeybag {
        guard
            let new = UserKeybag.make(
                user: old.user, keys: old.keys, after: old.keybag, now: clock())
        else { throw .status(.stateNotWritten) }
        try apply(
            try releasing(old, keeping: ProtectorList(of: new.keybag))
                + Self.removals(old.user)
                + [.remove(.keychains(user: old.user)), .remove(.keychainsCopy(user: old.user))]
                + Self.backupRemovals(old.user)
                + new.keybag.changes(user: old.user, new.keys),
            user: old.user)
        return new
    }

    private mutating func adoptErased(
        _ new: UserKeybag, after old: UserKeybag
    ) throws(Refusal) {
        new.noteDrop(number: locks.nextEvent(), old.existingClasses, after: old)
        keybags[old.user] = new
        archives.forget(old.user)
        releaseWhatIsDue()
        try anchorErased(new, after: old)
    }
}
