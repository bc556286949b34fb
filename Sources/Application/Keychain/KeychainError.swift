// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

public import SecurityWire

/// Why a call failed.
public struct KeychainError: Error, Equatable, Sendable {
    /// The `OSStatus` that Apple's API reports for it.
    public let status: Int32
    /// What happened; it tells apart failures that share one status.
    public let reason: FailureReason
    /// How long to wait before another passcode; only with ``FailureReason/throttled``.
    public let retryAfterSeconds: UInt32?
    /// A write whose outcome isn't known, only with ``FailureReason/unknownOutcome``: the service
    /// can be asked for it later.
    public internal(set) var pendingWrite: PendingWrite?
    /// What is wrong with a value, as text without any part of the value; only with
    /// ``FailureReason/undecodable``.
    public internal(set) var detail: String?

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
    static let cancelled = KeychainError(
        status: SecurityStatus.userCanceled, reason: .cancelled)
    static let timedOut = KeychainError(status: SecurityStatus.notAvailable, reason: .timedOut)
    static let leased = KeychainError(status: SecurityStatus.notAvailable, reason: .leased)
    static let leaseLost = KeychainError(status: SecurityStatus.notAvailable, reason: .leaseLost)
    static let invalidRequest = KeychainError(
        status: SecurityStatus.param, reason: .invalidRequest)
    static let duplicate = KeychainError(
        status: SecurityStatus.duplicateItem, reason: .duplicate)
    static let locked = KeychainError(
        status: SecurityStatus.interactionNotAllowed, reason: .locked)
    static let generationChanged = KeychainError(
        status: SecurityStatus.recordModified, reason: .generationChanged)
    static let absent = KeychainError(status: SecurityStatus.itemNotFound, reason: .absent)
    static let tooLarge = KeychainError(status: SecurityStatus.dataTooLarge, reason: .tooLarge)
    static let denied = KeychainError(status: SecurityStatus.notAvailable, reason: .denied)
    static let unimplemented = KeychainError(
        status: SecurityStatus.unimplemented, reason: .unimplemented)
}

extension KeychainError {
    /// The outcome of a write can't be obtained now.
    static func unknownOutcome(of identity: WriteIdentity) -> KeychainError {
        var error = KeychainError.unknownOutcome
        error.pendingWrite = PendingWrite(requestID: identity.requestID)
        return error
    }

    /// The item exists, but isn't what was asked for.
    static func undecodable(_ detail: String) -> KeychainError {
        var error = KeychainError(status: SecurityStatus.decode, reason: .undecodable)
        error.detail = detail
        return error
    }
}

/// Names a write whose outcome is unknown.
public struct PendingWrite: Hashable, Sendable {
    let requestID: [UInt8]
}
