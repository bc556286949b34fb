// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

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

/// Class keys of a user have been dropped.
package struct LockEvent: Hashable, Sendable {
    /// Counts the events of all users since enclaved started, from 1.
    package let number: UInt32
    /// The user.
    package let userID: UInt32
    /// The classes whose keys were dropped by this event or an earlier one.
    package let dropped: ProtectionClassSet
    /// How often keys of the user have been dropped.
    package let lockCount: UInt32

    /// Combines the parts.
    package init(
        number: UInt32, userID: UInt32, dropped: ProtectionClassSet, lockCount: UInt32
    ) {
        self.number = number
        self.userID = userID
        self.dropped = dropped
        self.lockCount = lockCount
    }
}

/// A request about an assertion: while one is held, a lock waits.
package enum LockAssertion: Hashable, Sendable {
    /// The maximum number that a user holds at the same time.
    package static let countLimit = 8

    /// Take one, for this many seconds.
    case take(seconds: UInt16)
    /// Release one.
    case release(token: UInt32)
}
