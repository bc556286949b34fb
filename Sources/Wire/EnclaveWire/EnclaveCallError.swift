// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// Why a call to enclaved failed.
package enum EnclaveCallError: Error, Hashable, Sendable {
    /// The class key exists and is not usable now.
    case locked
    /// There is no key of that class.
    case classMissing
    /// The sealed data can't be opened.
    case undecodable
    /// Another passcode than the current one.
    case wrongPasscode
    /// Too early after wrong passcodes.
    case throttled(seconds: UInt32)
    /// No passcode is tried any more.
    case disabled
    /// Another passcode operation is under way.
    case busy
    /// A passcode is already set, or none is.
    case wrongState
    /// The nonce is not valid (any more).
    case staleChallenge
    /// The enclave's files can't be read or written; nothing has changed.
    case stateNotWritten
    /// The device key is unreachable, or isn't the one of these files; nothing has changed.
    case deviceKeyUnavailable
    /// An empty passcode, or one that is too long.
    case passcodeUnacceptable
    /// Without a passcode, only root may do this.
    case administratorNeeded
    /// Another protector has this name.
    case nameTaken
    /// No protector has this name.
    case noSuchProtector
    /// Only removing the passcode removes it.
    case lastProtector
    /// There are too many protectors.
    case tooManyProtectors
    /// The person must approve this first.
    case personNeeded
    /// A password of the application must be supplied first.
    case passwordNeeded
    /// The access control refuses this.
    case accessRefused
    /// The provider of biometry doesn't prove its enrolled set.
    case setUnproven
    /// The keychain's key is not open now: it takes its password.
    case keychainLocked
    /// The user has no keychain of this number: it was deleted, or never made.
    case noSuchKeychain
    /// The user has a keychain of this number or UUID.
    case keychainExists
    /// There are 1000 keychains, or 64 are unlocked.
    case tooManyKeychains
    /// The request breaks a limit of the protocol.
    case malformed
    /// No reply before the deadline; the outcome is unknown.
    case unreachable
    /// A passcode was sent, and no reply came: the outcome is unknown.
    case outcomeUnknown
    /// The connection has ended, or the peer violated the protocol: a new one is needed.
    case gone

    /// The error of a status.
    init(_ status: EnclaveStatusCode) {
        switch status {
        case .success, .malformed: self = .malformed
        case .locked: self = .locked
        case .classMissing: self = .classMissing
        case .undecodable: self = .undecodable
        case .wrongPasscode: self = .wrongPasscode
        case .throttled: self = .throttled(seconds: 0)
        case .disabled: self = .disabled
        case .busy: self = .busy
        case .wrongState: self = .wrongState
        case .staleChallenge: self = .staleChallenge
        case .stateNotWritten: self = .stateNotWritten
        case .deviceKeyUnavailable: self = .deviceKeyUnavailable
        case .passcodeUnacceptable: self = .passcodeUnacceptable
        case .administratorNeeded: self = .administratorNeeded
        case .nameTaken: self = .nameTaken
        case .noSuchProtector: self = .noSuchProtector
        case .lastProtector: self = .lastProtector
        case .tooManyProtectors: self = .tooManyProtectors
        case .personNeeded: self = .personNeeded
        case .passwordNeeded: self = .passwordNeeded
        case .accessRefused: self = .accessRefused
        case .setUnproven: self = .setUnproven
        case .keychainLocked: self = .keychainLocked
        case .noSuchKeychain: self = .noSuchKeychain
        case .keychainExists: self = .keychainExists
        case .tooManyKeychains: self = .tooManyKeychains
        }
    }
}
