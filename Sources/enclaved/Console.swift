// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Enclave
import Glibc

/// The log: one line each on standard error.
enum Console {
    /// Writes a line; a reader that is gone is not waited for.
    static func say(_ text: String) {
        let line = [UInt8]("enclaved: \(text)\n".utf8)
        _ = unsafe line.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    /// Writes what the owner of the machine should know.
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
        case .eraseFailed(let user):
            say(
                "user \(user): too many wrong passcodes, but the keys can't be erased from the disk"
            )
        case .lockedInTime(let user): say("user \(user): keys dropped in time")
        case .outcomeUnknown(let user):
            say("user \(user): what is on the disk is not known: ending, the next start reads it")
        case .attemptsRefused(let user):
            say("user \(user): the count of wrong passcodes is missing or damaged: one is left")
        case .deviceKeyFailed(let user): say("user \(user): the device key failed")
        case .derivationFailed(let user): say("user \(user): too little memory for the passcode")
        }
    }
}
