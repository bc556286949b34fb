// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC

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

// MARK: - Layout

extension LockEvent {
    init(_ reader: inout ByteReader) throws(DecodingFailure) {
        self.init(
            number: try unsafe reader.u32(), userID: try unsafe reader.u32(),
            dropped: ProtectionClassSet(rawValue: try unsafe reader.u16()),
            lockCount: try unsafe reader.u32())
    }
}

extension MessageBuffer {
    mutating func append(_ event: LockEvent) {
        u32(event.number)
        u32(event.userID)
        u16(event.dropped.rawValue)
        u32(event.lockCount)
    }
}

// MARK: - Call

extension EnclaveClient {
    /// The time limit of a wait for an event: longer than any service runs.
    private static let eventMilliseconds = 1_000_000_000_000

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
}
