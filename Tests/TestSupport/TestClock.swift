// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Synchronization

/// A clock that tests can set.
package final class TestClock: Sendable {
    private let ahead = Atomic<UInt64>(0)
    private let stoppedAt: UInt64?

    /// The machine's time.
    /// - Parameter isStopped: It goes on only when it is put forward.
    package init(isStopped: Bool = false) { stoppedAt = isStopped ? Self.machineSeconds : nil }

    /// Seconds since 1970, and as many as it has been put forward.
    package var seconds: UInt64 {
        (stoppedAt ?? Self.machineSeconds) &+ ahead.load(ordering: .sequentiallyConsistent)
    }

    private static var machineSeconds: UInt64 { UInt64(max(time(nil), 0)) }

    /// Puts it forward.
    package func advance(bySeconds seconds: UInt64) {
        ahead.wrappingAdd(seconds, ordering: .sequentiallyConsistent)
    }

    /// Sets it back.
    package func setBack(bySeconds seconds: UInt64) {
        ahead.wrappingSubtract(seconds, ordering: .sequentiallyConsistent)
    }
}
