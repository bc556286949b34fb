// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// The operation for which a passcode is sent. The number is sealed with it, so it is the same from the
/// client to the enclave.
package enum PasscodeOperation: UInt8, CaseIterable, Sendable {
    /// Set the first passcode.
    case set = 1
    /// Unlock.
    case unlock = 2
    /// Replace the old one by a new one.
    case change = 3
    /// Remove the passcode.
    case remove = 4
    /// Change the settings of the keybag.
    case configure = 5
    /// Make an escrow record: with its key the passcode can be reset.
    case makeEscrow = 6
    /// Remove the passcode, with the key of the escrow record.
    case reset = 7
    /// Accept the database as it is, although it was replaced by an earlier one.
    case acceptRollback = 8
    /// Replace the device key by one of another maker.
    case migrate = 9
    /// Make a recovery code: it opens the keybag without the device key.
    case makeRecoveryCode = 10
    /// Remove the passcode with the recovery code, and replace the device key if necessary.
    case recover = 11
    /// Bind the passcode to registers of the TPM, or to none.
    case bindRegisters = 12
    /// Add a protector: another way to unlock.
    case addProtector = 13
    /// Remove a protector.
    case removeProtector = 14
    /// Unlock with a protector's key.
    case unlockByProtector = 15
    /// Find out whether a protector would unlock.
    case testProtector = 16
    /// Approve the use of secrets with an access control.
    case approve = 17
    /// Supply a password of an application; no passcode.
    case supply = 18
    /// Destroy all keys of a user whose account is gone; from root alone.
    case forget = 19
    /// Approve by the reader of fingerprints; no passcode.
    case approveByTouch = 20
    /// Change whether fingerprints count, or say that the enrolled set changes.
    case configureBiometry = 21
    /// Give a new keychain its password; no passcode.
    case createKeychain = 22
    /// Unlock a keychain by its password.
    case unlockKeychain = 23
    /// Replace a keychain's password.
    case changeKeychainPassword = 24
    /// Set the backup password.
    case setBackupPassword = 25
    /// Remove the backup password.
    case removeBackupPassword = 26
    /// Open an archive of a backup.
    case openBackup = 27

    /// Whether it is about a keychain with a password of its own.
    package var isOfKeychain: Bool {
        self == .createKeychain || self == .unlockKeychain || self == .changeKeychainPassword
    }

    /// Whether it is about a backup: its letter has the passcode, and then the backup's password.
    package var isOfBackup: Bool {
        self == .setBackupPassword || self == .removeBackupPassword || self == .openBackup
    }
}
