// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

extension EnclaveClient {
    /// The most a thread waits for an event: for as long as anybody runs the service.
    private static let eventMilliseconds = 1_000_000_000_000

    /// The highest lock count of a user that any reply on this connection has told.
    ///
    /// `locked` is thrown only after it has been taken from the reply. A count that is higher than
    /// one known before means that what the dropped keys opened must be dropped, too, before the
    /// answer is passed on.
    package func lockCount(userID: UInt32) -> UInt32 { link.lockCounts[userID] ?? 0 }

    /// Locks; when the answer says 0 seconds, enclaved has no class-A key of the user any more.
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
    /// - Returns: The next event. Of one user, several may have become one.
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

    /// Puts a lock off.
    /// - Parameters:
    ///   - seconds: 1 to 60.
    ///   - userID: The user.
    /// - Returns: A token, to give the assertion back with.
    /// - Throws: `locked` when the user is locked or a lock has been asked for; `busy` when there
    ///   are 8; or that the call failed.
    package mutating func takeAssertion(
        seconds: UInt16, userID: UInt32
    ) throws(EnclaveCallError) -> UInt32 {
        guard LockAssertion.secondsBounds.contains(seconds) else { throw .malformed }
        return try assertion(.take(seconds: seconds), userID: userID)
    }

    /// Gives an assertion back, one that is over too; a lock that only waited for it is done when
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
    /// Has a commit of the user's database remembered, unless a later one is already.
    /// - Parameters:
    ///   - commit: The commit's number; 0 asks alone.
    ///   - userID: The user.
    ///   - binds: Whether the device key's counter counts up: no earlier state of the enclave's files
    ///     holds any more then, where the device key can tell.
    /// - Returns: The latest commit that is remembered; 0 when none is.
    /// - Throws: `undecodable` when what is remembered is damaged; or that the call failed.
    package mutating func anchor(
        _ commit: UInt64, userID: UInt32, binds: Bool = false
    ) throws(EnclaveCallError) -> UInt64 {
        switch try call(binds ? .bindAnchor(commit) : .anchor(commit), userID: userID) {
        case .anchored(let commit): return commit
        case let reply: throw link.unexpected(reply)
        }
    }
}
