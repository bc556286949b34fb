// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// Why a TPM operation failed.
package enum TPMFailure: Error, Hashable, Sendable {
    /// The connection has ended or can't be used.
    case gone
    /// No answer within the time of the operation.
    case timedOut
    /// The bytes aren't a response, or their sender doesn't have the session's key.
    case garbage
    /// It asks for retries during the whole time limit.
    case busy
    /// No space for another session, object or index.
    case full
    /// Too many wrong authorizations on this TPM: it refuses protected objects for a while.
    case lockout
    /// It can't load an object that was made here: it is another TPM, or was cleared.
    case otherDevice
    /// The authorization was wrong.
    case wrongAuthorization
    /// The index has counted as many wrong authorizations as it allows.
    case exhausted
    /// The index is missing, or was replaced by another one.
    case replaced
    /// The owner's authorization is set.
    case ownerAuthorization
    /// The TPM has failed its own tests.
    case broken
    /// The machine was started with other software than the passcode was bound to.
    case otherRegisters
    /// It lost its handles in a reset.
    case forgotten
    /// Any other response code.
    case code(UInt32)
}

/// The numbers of responses.
/// Source: TPM 2.0 Library, part 2, 6.6.
enum ResponseCode {
    static let success: UInt32 = 0
    static let initialize: UInt32 = 0x100
    static let failure: UInt32 = 0x101
    /// A register was extended while a policy was being satisfied.
    static let registersChanged: UInt32 = 0x128
    static let authUnavailable: UInt32 = 0x12F
    static let nvUninitialized: UInt32 = 0x14A
    static let nvSpace: UInt32 = 0x14B
    static let nvDefined: UInt32 = 0x14C
    /// Responses after which the caller retries: NV_RATE, RETRY, YIELDED, TESTING.
    static let temporary: Set<UInt32> = [0x920, 0x922, 0x908, 0x90A]
    static let lockout: UInt32 = 0x921
    /// CONTEXT_GAP, OBJECT_MEMORY, SESSION_MEMORY, MEMORY, SESSION_HANDLES, OBJECT_HANDLES.
    static let full: ClosedRange<UInt32> = 0x901...0x906
    /// REFERENCE_H0 … REFERENCE_S6: a handle of ours that the TPM doesn't know.
    static let reference: ClosedRange<UInt32> = 0x910...0x91E

    // Format one, without the number of the handle, session or parameter.
    static let value: UInt32 = 0x084
    static let handle: UInt32 = 0x08B
    static let authFail: UInt32 = 0x08E
    static let integrity: UInt32 = 0x09F
    static let badAuth: UInt32 = 0x0A2

    /// The code without the number of the handle, session or parameter.
    static func base(_ code: UInt32) -> UInt32 { code & 0x80 != 0 ? code & 0xBF : code }
}

extension TPMFailure {
    /// The failure for a response code.
    init(responseCode code: UInt32) {
        switch code {
        case ResponseCode.lockout: self = .lockout
        case ResponseCode.full, ResponseCode.nvSpace: self = .full
        case ResponseCode.reference: self = .forgotten
        case ResponseCode.authUnavailable: self = .exhausted
        case ResponseCode.registersChanged: self = .busy
        case ResponseCode.failure, ResponseCode.initialize: self = .broken
        case _:
            switch ResponseCode.base(code) {
            case ResponseCode.authFail, ResponseCode.badAuth: self = .wrongAuthorization
            case ResponseCode.integrity: self = .otherDevice
            case _: self = .code(code)
            }
        }
    }

    /// Whether the objects must be loaded again.
    var losesHandles: Bool {
        switch self {
        case .gone, .timedOut, .garbage, .forgotten, .full, .broken: true
        case .busy, .lockout, .otherDevice, .wrongAuthorization, .exhausted, .replaced,
            .ownerAuthorization, .otherRegisters, .code:
            false
        }
    }

    /// The same for commands in which the authorization is the owner's.
    var ofOwner: TPMFailure { self == .wrongAuthorization ? .ownerAuthorization : self }
}
