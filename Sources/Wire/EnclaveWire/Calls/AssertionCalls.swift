// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
import KeychainVocabulary

/// A request about an assertion: while one is held, a lock waits.
package enum LockAssertion: Hashable, Sendable {
    /// The maximum number that a user holds at the same time.
    package static let countLimit = 8

    /// Take one, for this many seconds.
    case take(seconds: UInt16)
    /// Release one.
    case release(token: UInt32)
}

// MARK: - Layout

extension LockAssertion {
    init(_ reader: inout ByteReader) throws(DecodingFailure) {
        let operation = try unsafe reader.u8()
        let token = try unsafe reader.u32()
        let seconds = try unsafe reader.u16()
        switch operation {
        case 1 where token == 0 && AssertionBounds.seconds.contains(seconds):
            self = .take(seconds: seconds)
        case 2 where seconds == 0: self = .release(token: token)
        case _: throw DecodingFailure()
        }
    }
}

extension MessageBuffer {
    mutating func append(_ assertion: LockAssertion) {
        switch assertion {
        case .take(let seconds):
            u8(1)
            u32(0)
            u16(seconds)
        case .release(let token):
            u8(2)
            u32(token)
            u16(0)
        }
    }
}

// MARK: - Calls

extension EnclaveClient {
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
