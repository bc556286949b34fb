// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Keychain
import SecurityWire

/// Prints an error and, if possible, what to do.
/// - Parameters:
///   - error: The error.
///   - place: The prefix that macOS prints.
///   - other: The text that replaces the usual advice.
/// - Returns: The status.
func complain(_ error: KeychainError, at place: String, advice other: String? = nil) -> Int32 {
    complain("security: \(place): \(SecurityStatus.message(for: error.status))")
    if let advice = other ?? advice(error) { complain("security: " + advice) }
    return error.status
}

/// The text of an error's status, and what to do if that is known.
func explanation(_ error: KeychainError) -> String {
    let message = SecurityStatus.message(for: error.status)
    return advice(error).map { message + " " + $0 } ?? message
}

private func advice(_ error: KeychainError) -> String? {
    switch error.reason {
    case .locked: return "The device is locked. Unlock it with `security device unlock`."
    case .unreachable:
        return "No keychain service answers. Start one with `securityd --user`, or run the command "
            + "under a keychain of its own with `securityd --ephemeral -- COMMAND`."
    case .busy:
        return "The keychain service has too much to do, and has done nothing. Try again later."
    case .socketPathTooLong:
        return "The path of the keychain's socket has over 107 bytes, more than the kernel takes. "
            + "Set LLAVERO_SOCKET or XDG_RUNTIME_DIR to a shorter one."
    case .keyGone:
        return error.status == SecurityStatus.itemNotFound
            ? "It is there, but it can't be opened any more; `security device check` tells why."
            : "The key of this class of items needs a passcode. Set one with "
                + "`security device set-passcode`."
    case .secretWithheld:
        return "It was stored with -T, for other programs. With the keychain's password or login's "
            + "passcode, `security set-key-partition-list -S apple-tool:` or its like grants it."
    case .archiveDamaged: return "The archive is damaged, or was forged."
    case .archiveForeign: return "Neither this device nor the password opens the archive."
    case .archiveOlder: return "It isn't the newest archive of this keychain."
    case .generationChanged: return "Another program has changed the item meanwhile."
    case .personNeeded:
        return "Using it takes the device passcode, and nobody could be asked for it: the service "
            + "has no agent, or this program has no terminal."
    case .passwordNeeded: return "The item demands a password of the application that stored it."
    case .accessRefused: return "The item's access control refuses that."
    case .personCanceled: return nil
    case .calledOff:
        return "The device wasn't locked: another program unlocked it before the lock."
    case .unknownOutcome:
        return "It is not known whether the change was made. Look before you try again."
    case .wrongPasscode: return "That is not the passcode."
    case .throttled:
        return "Too many wrong passcodes. Try again in \(error.retryAfterSeconds ?? 0) seconds."
    case .disabled: return "Too many wrong passcodes: no further one is tried."
    case .rolledBack:
        return "The keychain isn't the one that was written last: an older state of it, or of a "
            + "part, was put in its place. If that was you, say `security device accept-rollback`."
    case .wrongState:
        return "A passcode is set already, or none is; `security device status` tells."
    case .deviceKeyUnavailable:
        return
            "The device key can't be used: a TPM that is absent, busy, in lockout, or not the one "
            + "that made this keychain. enclaved's line in the service's log says which."
    case .tierNotMet:
        return
            "The item was to be stored only where hardware backs the keychain; none does. Nothing "
            + "was stored."
    case .leased, .leaseLost: return "Another program is at work on it. Try again."
    case .cancelled, .timedOut: return "It was given up; nothing was changed."
    case .undecodable: return "What is stored isn't of the kind that was asked for."
    case .tooLarge: return "A secret may have 1 MiB, all attributes together 256 KiB."
    case .denied:
        return error.status == SecurityStatus.notAvailable
            ? "What listens at the keychain's socket isn't a service of yours or the system's, or "
                + "this program may not use the keychain."
            : nil
    case .administratorNeeded:
        return
            "In the keychain of a whole machine only root permits this. For the first passcode of "
            + "a user, root says `security device permit-passcode USER`, which prints a code. Within "
            + "ten minutes the user gives it to `security device set-passcode`, once. If this account "
            + "has the number of another one, or has another name than before, its keychain is closed "
            + "until root says `security device forget-user USER` or `rename-user USER`."
    case .shareUsed:
        return
            "Your share of the disk for keychains is used up; nothing was written. Delete items, or ask "
            + "the administrator for more (/etc/llavero/disk-share)."
    case .nameTaken:
        return "Another protector has this name; `security device protector list` tells."
    case .noSuchProtector:
        return "No protector has this name; `security device protector list` tells."
    case .lastProtector:
        return
            "Nothing else would unlock. `security device remove-passcode` removes it, and with it "
            + "all that locks."
    case .tooManyProtectors: return "There are 16 protectors; remove one first."
    case .keychainLocked: return "The keychain is locked; `security unlock-keychain` opens it."
    case .tooManyKeychains:
        return "There are 1000 keychains, or 64 are unlocked. Delete one, or lock one."
    case .notRepresented: return "There is no such process of yours."
    case .notAFront:
        return
            "The program isn't the one that the service was installed with, or it is being debugged."
    case .tooManyChannels: return "Too many programs use the Secret Service at once. Try again."
    case .secretsLocked: return "A program has locked the secrets of the desktop."
    case .foreignSecret: return "The secret is another program's."
    case .noSuchKeychain, .keychainExists, .invalidKeychain: return nil
    case .absent, .duplicate, .invalidRequest, .unimplemented, .internalFailure: return nil
    }
}
