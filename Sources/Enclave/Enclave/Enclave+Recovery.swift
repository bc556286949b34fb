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

    /// Makes the escrow record, which replaces an earlier one; the passcode was the right one.
    mutating func makeEscrow(
        _ letter: PasscodeLetter, _ keybag: UserKeybag
    ) throws(Refusal) {
        guard let key = letter.escrowKey else { throw .status(.malformed) }
        let wrappingKey = try escrowWrappingKey(key, keybag)
        guard let bag = EscrowBag(keybag.escrowedKeys, of: keybag.keybag, using: wrappingKey)
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
        _ next: (keybag: Keybag, keys: [ProtectionClass: Secret]), _ keybag: UserKeybag
    ) throws(Refusal) {
        drop(keybag) { $0.adopt(next) }
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
    /// passcodes. Attempts of unidentified programs count only if the settings say so. A new keybag
    /// replaces the old one, whose bytes are overwritten.
    ///
    /// If the disk can't be written, no key stays in memory, no passcode is tried any more, and the
    /// next one that is sent tries to erase again.
    mutating func eraseIfDue(_ old: UserKeybag) throws(Refusal) {
        let limit = old.keybag.settings.eraseAfter
        guard limit > 0, old.attempts.failures >= limit else { return }
        // Any program of the user can guess. An unidentified program must not destroy the data of
        // the others, so the passcode is only disabled, as without erasing.
        guard old.keybag.settings.erasesForUnidentified || !old.attempts.hasUnidentified else {
            return
        }
        guard
            let new = UserKeybag.make(
                user: old.user, keys: old.keys, after: old.keybag, now: clock())
        else { throw .status(.stateNotWritten) }
        do throws(Refusal) {
            try apply(
                try releasing(old, keeping: ProtectorList(of: new.keybag))
                    + Self.removals(old.user)
                    + new.keybag.changes(user: old.user, new.keys),
                user: old.user)
        } catch {
            guard !hasEnded else { throw error }
            lockNow(old)
            drop(old) { $0.drop { _ in true } }
            old.schedule.lockedSince = nil
            notify(.eraseFailed(user: old.user))
            return
        }
        new.noteDrop(number: nextLockEvent(), old.existingClasses, after: old)
        keybags[old.user] = new
        releaseWhatIsDue()
        try anchorErased(new, after: old)
        notify(.erased(user: old.user))
    }
}
