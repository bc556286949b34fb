// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import EnclaveWire

/// A record that outlives the process.
package enum StateRecord: Hashable, Sendable {
    /// A user's wrapped class keys.
    case keybag(user: UInt32)
    /// A second copy of the same bytes: damage to one of the two is harmless.
    case keybagCopy(user: UInt32)
    /// A user's count of wrong passcodes.
    case attempts(user: UInt32)
    /// A user's class keys under a key that the user has.
    case escrow(user: UInt32)
    /// The last commit of a user's database, and the keybag's generation.
    case anchor(user: UInt32)
    /// What unlocks a user's keybag besides the passcode.
    case protectors(user: UInt32)
    /// A second copy of the same bytes.
    case protectorsCopy(user: UInt32)
    /// A user's keychains with passwords of their own.
    case keychains(user: UInt32)
    /// A second copy of the same bytes.
    case keychainsCopy(user: UInt32)
    /// The key pairs that make a user's backups portable.
    case backup(user: UInt32)
    /// A second copy of the same bytes.
    case backupCopy(user: UInt32)
    /// The value of the device key's counter, and each user's anchor sequence at that value.
    case binding
    /// The objects to delete from the TPM.
    case releases
}

/// One change of the records.
package enum StateChange: Hashable, Sendable {
    /// The record gets these bytes.
    case replace(StateRecord, [UInt8])
    /// The record is deleted.
    case remove(StateRecord)
}

/// A record can't be read or written.
package enum DurableStateFailure: Error, Hashable, Sendable {
    /// Nothing has changed.
    case notDone
    /// The records may be the old or the new ones, and a power cut may still bring back either: the
    /// caller must not continue as if it knew which.
    case outcomeUnknown
}

/// Where the enclave keeps its records.
package protocol DurableState: AnyObject {
    /// The record's bytes; nil when there is no such record.
    func load(_ record: StateRecord) throws(DurableStateFailure) -> [UInt8]?

    /// Makes the changes, in their order; when it returns, they survive a power cut. It overwrites
    /// the old content of replaced and deleted records in place, as far as the disk supports that.
    func apply(_ changes: [StateChange]) throws(DurableStateFailure)

    /// The users who have a keybag, even a damaged one.
    /// - Throws: when they can't be determined.
    func keybagOwners() throws(DurableStateFailure) -> Set<UInt32>

    /// Overwrites a part of a record in place. A crash leaves any mixture of the old and the new
    /// bytes in that part, and doesn't change the rest. When it returns, the new bytes are durable.
    /// - Parameters:
    ///   - record: The record.
    ///   - byteCount: The record's size, which doesn't change.
    ///   - offset: Where the part begins.
    ///   - bytes: The part.
    /// - Returns: False when there is no record of this size; nothing has changed then.
    /// - Throws: `outcomeUnknown` when the new bytes may not be durable.
    func overwrite(
        _ record: StateRecord, byteCount: Int, at offset: Int, _ bytes: [UInt8]
    ) throws(DurableStateFailure) -> Bool
}

/// An event that the machine's owner should know of: one line of the log each. It contains no
/// secret.
package enum EnclaveNotice: Hashable, Sendable {
    /// A keybag on the disk is invalid.
    case keybagRefused(user: UInt32, KeybagError)
    /// One of the two copies of a keybag was missing or damaged; the other one has replaced it.
    case keybagMended(user: UInt32)
    /// The keybag is missing although there was one: no new one is made.
    case keybagMissing(user: UInt32)
    /// The count of wrong passcodes is missing or isn't this keybag's; one attempt is left.
    case attemptsRefused(user: UInt32)
    /// The record of the user's last commit is damaged: the enclave doesn't accept the database
    /// before the owner does.
    case anchorRefused(user: UInt32)
    /// The keybag is older than the last one: it was replaced by an old copy.
    case keybagRolledBack(user: UInt32)
    /// The enclave's files are older than the device key's counter: all of them were rolled back.
    case filesRolledBack(user: UInt32)
    /// The device key's counter, or its record, is missing or was set back: the enclave can't tell
    /// how new the files are.
    case counterLost(user: UInt32)
    /// The device key failed.
    case deviceKeyFailed(user: UInt32, DeviceKeyFailure)
    /// The list of objects to delete from the TPM is damaged: the objects on it stay there.
    case releasesRefused
    /// An object that must be deleted from the TPM is still there; the enclave will retry.
    case releaseFailed(DeviceKeyFailure)
    /// A protector has unlocked.
    case unlocked(user: UInt32, protector: String)
    /// A protector's key was given at the start, and no protector has it.
    case protectorUnknown(user: UInt32)
    /// A protector couldn't be used at the start.
    case protectorFailed(user: UInt32, EnclaveStatusCode)
    /// The list of protectors is missing, damaged or an older one: none is used.
    case protectorsRefused(user: UInt32)
    /// The list of keychains is missing, damaged or an older one: no key of a keychain opens.
    case keychainsRefused(user: UInt32)
    /// The bag for backups is missing, damaged or an older one: none is used.
    case backupBagRefused(user: UInt32)
    /// A keychain was locked because it wasn't used for as long as its settings say.
    case keychainLockedInTime(user: UInt32)
    /// No key could be derived from a passcode.
    case derivationFailed(user: UInt32)
    /// The escrow record on the disk isn't this keybag's and passcode's.
    case escrowRefused(user: UInt32, KeybagError)
    /// Too many wrong passcodes: all class keys of the user are destroyed.
    case erased(user: UInt32)
    /// Root had all class keys of the user destroyed.
    case forgotten(user: UInt32)
    /// The class keys must be destroyed, but the disk can't be written; the enclave will retry.
    case eraseFailed(user: UInt32)
    /// Keys were dropped because their time expired.
    case lockedInTime(user: UInt32)
    /// It isn't known whether a change is on the disk: the process ends, and its successor reads
    /// the files.
    case outcomeUnknown(user: UInt32)
}
