// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// A record that outlives the process.
package enum StateRecord: Hashable, Sendable {
    /// A user's wrapped class keys.
    case keybag(user: UInt32)
    /// The same bytes once more: damage to one of the two costs nothing.
    case keybagCopy(user: UInt32)
    /// A user's count of wrong passcodes.
    case attempts(user: UInt32)
    /// A user's class keys under a key that the user keeps.
    case escrow(user: UInt32)
    /// The last commit of a user's database, and the keybag's generation.
    case anchor(user: UInt32)
    /// A user's class keys under a code that the user keeps, and nothing else.
    case recovery(user: UInt32)
    /// The same bytes once more.
    case recoveryCopy(user: UInt32)
    /// What the device key's counter stands at, and how new each user's anchor was then.
    case binding
    /// What is to be taken out of the TPM.
    case releases
}

/// One step of what is done to the records.
package enum StateChange: Hashable, Sendable {
    /// The record has these bytes from now on.
    case replace(StateRecord, [UInt8])
    /// There is no such record any more.
    case remove(StateRecord)
}

/// A record can't be read or written.
package enum DurableStateFailure: Error, Hashable, Sendable {
    /// Nothing has changed.
    case notDone
    /// The records may be the old or the new ones, also after a power cut: whoever asked must not
    /// go on as if one of the two held.
    case outcomeUnknown
}

/// Where the enclave keeps its records.
package protocol DurableState: AnyObject {
    /// The record's bytes; nothing when there is no such record.
    func load(_ record: StateRecord) throws(DurableStateFailure) -> [UInt8]?

    /// Makes the changes, in their order; when it returns, a power cut brings back all of them.
    /// What replaced and removed records had in them is overwritten where it lay, as far as the
    /// disk does what it is told.
    func apply(_ changes: [StateChange]) throws(DurableStateFailure)

    /// The users who have a keybag, be it damaged.
    /// - Throws: when that can't be told.
    func keybagOwners() throws(DurableStateFailure) -> Set<UInt32>

    /// Overwrites a part of a record in its place. A crash leaves any mixture of the old and the
    /// new bytes there, and all others as they are; when it returns, the new ones last.
    /// - Parameters:
    ///   - record: The record.
    ///   - byteCount: What it has, before and after.
    ///   - offset: Where the part begins.
    ///   - bytes: The part.
    /// - Returns: False when there is no record of this size; nothing has changed then.
    /// - Throws: `outcomeUnknown` when the new bytes may not last.
    func overwrite(
        _ record: StateRecord, byteCount: Int, at offset: Int, _ bytes: [UInt8]
    ) throws(DurableStateFailure) -> Bool
}

/// Something that the machine's owner should know: one line of the log each. It names no secret.
package enum EnclaveNotice: Hashable, Sendable {
    /// A keybag on the disk is not one.
    case keybagRefused(user: UInt32, KeybagError)
    /// One of the two copies of a keybag was missing or damaged; the other one has replaced it.
    case keybagMended(user: UInt32)
    /// There is no keybag, but there was one: nothing is made in its place.
    case keybagMissing(user: UInt32)
    /// The count of wrong passcodes is missing or isn't this keybag's; one attempt is left.
    case attemptsRefused(user: UInt32)
    /// The record of the user's last commit is damaged: the database isn't believed before the
    /// owner accepts it.
    case anchorRefused(user: UInt32)
    /// The keybag is an older one than was there before: somebody put it back.
    case keybagRolledBack(user: UInt32)
    /// The enclave's files are older than the device key's counter tells: all of them were put back.
    case filesRolledBack(user: UInt32)
    /// The device key's counter is gone or was set back, or what was kept of it is: nothing tells how
    /// new the files are.
    case counterLost(user: UInt32)
    /// The device key doesn't do what was asked.
    case deviceKeyFailed(user: UInt32, DeviceKeyFailure)
    /// The list of what is to be taken out of the TPM is damaged: what was on it stays there.
    case releasesRefused
    /// Something that is to be taken out of the TPM is still there; tried again later.
    case releaseFailed(DeviceKeyFailure)
    /// Nothing could be derived from a passcode.
    case derivationFailed(user: UInt32)
    /// The escrow record on the disk isn't this keybag's and passcode's.
    case escrowRefused(user: UInt32, KeybagError)
    /// Too many wrong passcodes: all class keys of the user are destroyed.
    case erased(user: UInt32)
    /// They would have to be destroyed, but the disk can't be written; tried again later.
    case eraseFailed(user: UInt32)
    /// Keys were dropped because their time was over.
    case lockedInTime(user: UInt32)
    /// Whether a change is on the disk isn't known: the process ends, and the next one looks.
    case outcomeUnknown(user: UInt32)
}
