// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Enclave
import EnclaveWire
import Glibc

/// The log: one line each on standard error.
enum Console {
    /// Writes a line; doesn't wait for a reader that has gone.
    static func say(_ text: String) {
        let line = [UInt8]("enclaved: \(text)\n".utf8)
        _ = unsafe line.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    /// The log's text for a device key's failure.
    static func words(_ failure: DeviceKeyFailure) -> String {
        switch failure {
        case .refused: "what is to be opened isn't its, or is damaged"
        case .wrongPasscode: "it says that it was another passcode"
        case .exhausted: "the TPM has counted too many wrong passcodes"
        case .absent: "there is no TPM, or this user may not use it"
        case .gone: "the connection to the TPM has ended"
        case .timedOut: "the TPM doesn't answer in time"
        case .garbage: "the TPM's answers are none"
        case .busy: "the TPM is busy"
        case .full: "the TPM has no room for another object, session or index"
        case .lockout: "the TPM is in lockout after too many wrong tries; it ends by itself"
        case .otherDevice: "this isn't the TPM that made it, or it has been cleared"
        case .replaced:
            "the TPM's index is gone: of an earlier passcode, or removed or replaced by its owner"
        case .ownerAuthorization: "the TPM's owner has set an authorization value"
        case .failed: "the TPM refuses"
        case .noCounter: "there is no counter"
        case .otherRegisters:
            "the machine was started with something else than what the passcode is bound to"
        }
    }

    /// The log's text for what kept a protector from unlocking.
    private static func words(_ code: EnclaveStatusCode) -> String {
        switch code {
        case .wrongState: "it has none, or there is nothing to unlock"
        case .wrongPasscode: "what the TPM opened isn't its key"
        case .deviceKeyUnavailable: "the device key can't be used"
        case .stateNotWritten: "the keybag can't be read or written"
        case .busy: "there are too many users"
        case .success, .locked, .classMissing, .undecodable, .throttled, .disabled, .malformed,
            .staleChallenge, .passcodeUnacceptable, .administratorNeeded, .nameTaken,
            .noSuchProtector, .lastProtector, .tooManyProtectors, .personNeeded, .passwordNeeded,
            .accessRefused, .setUnproven, .keychainLocked, .noSuchKeychain, .keychainExists,
            .tooManyKeychains:
            "\(code)"
        }
    }

    /// Logs the events that the owner of the machine should know of.
    static func say(_ notice: EnclaveNotice) {
        switch notice {
        case .keybagRefused(let user, let error): say("user \(user): keybag refused: \(error)")
        case .keybagMended(let user):
            say(
                "user \(user): one copy of the keybag was missing or damaged: replaced by the other"
            )
        case .keybagMissing(let user):
            say("user \(user): the keybag is missing although there was one: nothing is made anew")
        case .escrowRefused(let user, let error):
            say("user \(user): escrow record refused: \(error)")
        case .erased(let user): say("user \(user): too many wrong passcodes: everything erased")
        case .forgotten(let user): say("user \(user): forgotten: everything erased")
        case .eraseFailed(let user):
            say(
                "user \(user): too many wrong passcodes, but the keys can't be erased from the disk"
            )
        case .lockedInTime(let user): say("user \(user): keys dropped in time")
        case .outcomeUnknown(let user):
            say("user \(user): what is on the disk is not known: ending, the next start reads it")
        case .anchorRefused(let user):
            say("user \(user): the record of the last commit is damaged")
        case .keybagRolledBack(let user):
            say("user \(user): an older keybag was put in the place of the last one; not used")
        case .filesRolledBack(let user):
            say("user \(user): the files are older than the device key's counter: put back")
        case .counterLost(let user):
            say(
                "user \(user): the device key's counter, or what was kept of it, is gone or was set "
                    + "back: nothing tells whether the files are the last ones")
        case .attemptsRefused(let user):
            say("user \(user): the count of wrong passcodes is missing or damaged: one is left")
        case .deviceKeyFailed(let user, let failure):
            say("user \(user): the device key can't be used: \(words(failure))")
        case .releasesRefused: say("the list of TPM objects to delete is damaged")
        case .releaseFailed(let failure):
            say(
                "the TPM objects of an earlier passcode or device key can't be deleted now: "
                    + words(failure))
        case .unlocked(let user, let name):
            say("user \(user): unlocked by the protector \(name)")
        case .protectorUnknown(let user):
            say(
                "user \(user): the key that was given at the start is of no protector: not unlocked"
            )
        case .protectorFailed(let user, let code):
            say("user \(user): no protector could unlock: \(words(code))")
        case .protectorsRefused(let user):
            say(
                "user \(user): the list of protectors is missing, damaged or an older one: only the "
                    + "passcode unlocks")
        case .keychainsRefused(let user):
            say(
                "user \(user): the list of keychains is missing, damaged or an older one: none of them "
                    + "opens")
        case .backupBagRefused(let user):
            say(
                "user \(user): the bag for backups is missing, damaged or an older one: set the backup "
                    + "password again")
        case .keychainLockedInTime(let user): say("user \(user): a keychain locked in time")
        case .derivationFailed(let user): say("user \(user): too little memory for the passcode")
        }
    }
}
