// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Synchronization

/// Whose devices were unlocked since the thread for backups looked.
final class UnlockedUsers: Sendable {
    private let users = Mutex(Set<UInt32>())
    private let wake: @Sendable () -> Void

    /// - Parameter wake: Lets the thread look.
    init(wake: @escaping @Sendable () -> Void) { self.wake = wake }

    func note(_ userID: UInt32) {
        users.withLock { _ = $0.insert(userID) }
        wake()
    }

    /// All of them; they are asked for once.
    func taken() -> Set<UInt32> {
        users.withLock { users in
            defer { users = [] }
            return users
        }
    }
}
