// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import KeychainVocabulary

extension EnclaveClient {
    /// The time limit of a wait for an event: longer than any service runs.
    private static let eventMilliseconds = 1_000_000_000_000

    /// The highest lock count of a user in any reply on this connection.
    ///
    /// It is updated before `locked` is thrown. If the count has increased, the caller must drop
    /// the keys that the dropped class keys opened, before it forwards the reply.
    package func lockCount(userID: UInt32) -> UInt32 { link.lockCounts[userID] ?? 0 }

    /// Locks; when the reply says 0 seconds, enclaved has no class-A key of the user any more.
    @discardableResult
    package mutating func lock(
        _ mode: LockMode = .now, userID: UInt32
    ) throws(EnclaveCallError) -> LockAnswer {
        switch try call(.lock(mode), userID: userID) {
        case .locking(let answer): return answer
        case let reply: throw link.unexpected(reply)
        }
    }

    /// Waits, for as long as it takes, until keys of any user have been dropped.
    /// - Parameter lastEvent: The number of the last event that was seen; 0 at first.
    /// - Returns: The next event. Several of one user may be combined.
    /// - Throws: when the connection ends.
    package mutating func awaitLock(
        after lastEvent: UInt32
    ) throws(EnclaveCallError) -> LockEvent {
        switch try call(
            .awaitLock(after: lastEvent), userID: 0, milliseconds: Self.eventMilliseconds)
        {
        case .lockEvent(let event): return event
        case let reply: throw link.unexpected(reply)
        }
    }

    /// Delays a lock.
    /// - Parameters:
    ///   - seconds: 1 to 60.
    ///   - userID: The user.
    /// - Returns: A token, with which to release the assertion.
    /// - Throws: `locked` when the user is locked or a lock has been requested; `busy` when there
    ///   are 8; or that the call failed.
    package mutating func takeAssertion(
        seconds: UInt16, userID: UInt32
    ) throws(EnclaveCallError) -> UInt32 {
        guard AssertionBounds.seconds.contains(seconds) else { throw .malformed }
        return try assertion(.take(seconds: seconds), userID: userID)
    }

    /// Releases an assertion, even an expired one; a lock that only waited for it has happened when
    /// this returns.
    package mutating func releaseAssertion(
        _ token: UInt32, userID: UInt32
    ) throws(EnclaveCallError) {
        _ = try assertion(.release(token: token), userID: userID)
    }

    private mutating func assertion(
        _ assertion: LockAssertion, userID: UInt32
    ) throws(EnclaveCallError) -> UInt32 {
        switch try call(.assertion(assertion), userID: userID) {
        case .assertion(let token): return token
        case let reply: throw link.unexpected(reply)
        }
    }
}

// MARK: - Anchors

extension EnclaveClient {
    /// Makes the enclave record a commit of the user's database, unless a later one is recorded
    /// already.
    /// - Parameters:
    ///   - commit: The commit's number; 0 only asks.
    ///   - userID: The user.
    ///   - binds: Whether to increment the device key's counter: no earlier state of the enclave's
    ///     files is valid afterwards, if the device key has a counter.
    /// - Returns: The latest recorded commit; 0 when there is none.
    /// - Throws: `undecodable` when the record is damaged; or that the call failed.
    package mutating func anchor(
        _ commit: UInt64, userID: UInt32, binds: Bool = false
    ) throws(EnclaveCallError) -> UInt64 {
        switch try call(binds ? .bindAnchor(commit) : .anchor(commit), userID: userID) {
        case .anchored(let commit): return commit
        case let reply: throw link.unexpected(reply)
        }
    }
}
