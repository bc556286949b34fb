// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

public import SecurityWire

/// Why a call failed.
public struct KeychainError: Error, Equatable, Sendable {
    /// What Apple's API reports for it, an `OSStatus`.
    public let status: Int32
    /// What happened; keeps apart what the status mixes up.
    public let reason: FailureReason
    /// How long to wait before another passcode; only with ``FailureReason/throttled``.
    public let retryAfterSeconds: UInt32?

    /// An error with a status and a reason.
    public init(status: Int32, reason: FailureReason) {
        self.status = status
        self.reason = reason
        retryAfterSeconds = nil
    }

    init(_ failure: Failure) {
        status = failure.status
        reason = failure.reason
        retryAfterSeconds = reason == .throttled ? failure.retryAfterSeconds : nil
    }

    static let unreachable = KeychainError(
        status: SecurityStatus.notAvailable, reason: .unreachable)
    static let socketPathTooLong = KeychainError(
        status: SecurityStatus.notAvailable, reason: .socketPathTooLong)
    static let unknownOutcome = KeychainError(status: SecurityStatus.io, reason: .unknownOutcome)
    static let absent = KeychainError(status: SecurityStatus.itemNotFound, reason: .absent)
    static let tooLarge = KeychainError(status: SecurityStatus.dataTooLarge, reason: .tooLarge)
    static let denied = KeychainError(status: SecurityStatus.notAvailable, reason: .denied)
}
