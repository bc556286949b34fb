// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// A record that outlives the process.
package enum StateRecord: Hashable, Sendable {
    /// A user's wrapped class keys.
    case keybag(user: UInt32)
    /// A user's count of wrong passcodes.
    case attempts(user: UInt32)
}

/// A record can't be read or written.
package struct DurableStateFailure: Error, Equatable, Sendable {
    /// Makes the error.
    package init() {}
}

/// Where the enclave keeps its records.
package protocol DurableState: AnyObject {
    /// The record's bytes; nothing when there is no such record.
    func load(_ record: StateRecord) throws(DurableStateFailure) -> [UInt8]?

    /// Replaces the record; when it returns, a power cut brings back the new one, and when it
    /// throws, the old one.
    func store(_ record: StateRecord, _ bytes: [UInt8]) throws(DurableStateFailure)
}

/// Something that the machine's owner should know: one line of the log each. It names no secret.
package enum EnclaveNotice: Hashable, Sendable {
    /// A keybag on the disk is not one.
    case keybagRefused(user: UInt32, KeybagError)
    /// The count of wrong passcodes is missing or isn't this keybag's; one attempt is left.
    case attemptsRefused(user: UInt32)
    /// The device key doesn't do what was asked.
    case deviceKeyFailed(user: UInt32)
    /// Nothing could be derived from a passcode.
    case derivationFailed(user: UInt32)
}
