// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// Why a call to enclaved gives no result.
package enum EnclaveCallError: Error, Hashable, Sendable {
    /// The class key exists and is not usable now.
    case locked
    /// There is no key of that class.
    case classMissing
    /// The sealed thing doesn't open.
    case undecodable
    /// Another passcode than the one that is set.
    case wrongPasscode
    /// Too early after wrong passcodes.
    case throttled(seconds: UInt32)
    /// No passcode is tried any more.
    case disabled
    /// Another passcode is being worked on.
    case busy
    /// A passcode is already set, or none is.
    case wrongState
    /// The nonce is not good (any more).
    case staleChallenge
    /// The enclave's files can't be read or written; nothing has changed.
    case stateNotWritten
    /// The device key is out of reach, or isn't the one of these files; nothing has changed.
    case deviceKeyUnavailable
    /// An empty passcode, or one that is too long.
    case passcodeUnacceptable
    /// The request breaks a limit of the protocol.
    case malformed
    /// No answer within the deadline; the outcome is not known.
    case unreachable
    /// A passcode was handed on, and no answer came: what became of it is not known.
    case outcomeUnknown
    /// The connection has ended, or the other side doesn't keep to the protocol: a new one is
    /// needed.
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
        }
    }
}
