// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

public import SecretBytes

/// One item of a reply.
public struct FoundItem: Sendable {
    /// Its attributes; empty unless they were asked for.
    public var attributes: ItemAttributes
    /// Its secret; nil when it has none or none was asked for.
    public var secret: Secret?
    /// Its reference; nil unless it was asked for.
    public var persistentReference: PersistentReference?

    package init(
        attributes: ItemAttributes, secret: Secret?, persistentReference: PersistentReference?
    ) {
        self.attributes = attributes
        self.secret = secret
        self.persistentReference = persistentReference
    }
}

/// Why a request failed, where the status alone would mix things up.
public enum FailureReason: UInt32, Sendable {
    /// No such item that the caller may see.
    case absent = 1
    /// There is one already.
    case duplicate = 2
    /// The device is locked.
    case locked = 3
    /// The service, or the enclave behind it, doesn't answer.
    case unreachable = 4
    /// The item is there, but the key that it needs is gone for good or never existed.
    case keyGone = 5
    /// The caller may not.
    case denied = 6
    /// That isn't the passcode.
    case wrongPasscode = 7
    /// Too many wrong passcodes; wait.
    case throttled = 8
    /// The request can't be meant.
    case invalidRequest = 9
    /// Over a limit.
    case tooLarge = 10
    /// The answer to a write was lost and can't be had.
    case unknownOutcome = 11
    /// Not offered.
    case unimplemented = 12
    /// Something broke that isn't the caller's doing.
    case internalFailure = 13
    /// Not in this state: a passcode is set already, or none is.
    case wrongState = 14
    /// No further passcode is tried.
    case disabled = 15
    /// The socket's path is too long for the kernel; said by the client library alone.
    case socketPathTooLong = 16
}

/// A request's refusal.
package struct Failure: Error, Equatable, Sendable {
    /// An OSStatus.
    package var status: Int32
    package var reason: FailureReason
    /// With ``FailureReason/throttled``: how long.
    package var retryAfterSeconds: UInt32 = 0

    package init(_ status: Int32, _ reason: FailureReason, retryAfterSeconds: UInt32 = 0) {
        self.status = status
        self.reason = reason
        self.retryAfterSeconds = retryAfterSeconds
    }
}

/// The device as securityd and enclaved see it.
package struct DeviceReport: Equatable, Sendable {
    package var state: UInt32
    package var passcodeSet: Bool
    package var deviceKey: UInt32
    package var memory: UInt32
    package var failedAttempts: UInt32
    /// 0xFFFFFFFF: no further attempt.
    package var secondsUntilNextAttempt: UInt32
    package var usableClasses: UInt32
    package var existingClasses: UInt32
    package var identityGrade: String

    package init(
        state: UInt32, passcodeSet: Bool, deviceKey: UInt32, memory: UInt32,
        failedAttempts: UInt32, secondsUntilNextAttempt: UInt32, usableClasses: UInt32,
        existingClasses: UInt32, identityGrade: String
    ) {
        self.state = state
        self.passcodeSet = passcodeSet
        self.deviceKey = deviceKey
        self.memory = memory
        self.failedAttempts = failedAttempts
        self.secondsUntilNextAttempt = secondsUntilNextAttempt
        self.usableClasses = usableClasses
        self.existingClasses = existingClasses
        self.identityGrade = identityGrade
    }
}
