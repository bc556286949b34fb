// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC

/// When a lock happens, and how much it drops; the numbers are the wire's.
package enum LockMode: UInt8, CaseIterable, Sendable {
    /// At once, unless an assertion delays it.
    case now = 0
    /// After the grace period of the keybag's settings, counted from the first request.
    case afterGrace = 1
    /// At once, despite any assertion, and down to the state before the first unlock.
    case logOut = 2
}

/// Whom a lock concerns that concerns every user: no user has this number.
package enum EverybodysLock {
    /// In the header of a lock request.
    package static let userID = UInt32.max
}

/// The result of a lock.
package struct LockAnswer: Hashable, Sendable {
    /// 0: the keys are gone. Otherwise they are dropped in this many seconds.
    package let seconds: UInt32
    /// How often keys of the user have been dropped since enclaved started.
    package let lockCount: UInt32

    /// Combines the parts.
    package init(seconds: UInt32, lockCount: UInt32) {
        self.seconds = seconds
        self.lockCount = lockCount
    }
}

// MARK: - Layout

extension LockMode {
    init(_ reader: inout ByteReader) throws(DecodingFailure) {
        guard let mode = LockMode(rawValue: try unsafe reader.u8()) else {
            throw DecodingFailure()
        }
        self = mode
    }
}

extension LockAnswer {
    init(_ reader: inout ByteReader) throws(DecodingFailure) {
        self.init(seconds: try unsafe reader.u32(), lockCount: try unsafe reader.u32())
    }
}

extension MessageBuffer {
    mutating func append(_ answer: LockAnswer) {
        u32(answer.seconds)
        u32(answer.lockCount)
    }
}

// MARK: - Call

extension EnclaveClient {
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
}
