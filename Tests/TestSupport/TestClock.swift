// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Synchronization

/// A clock that tests can set.
package final class TestClock: Sendable {
    private let ahead = Atomic<UInt64>(0)

    /// The machine's time.
    package init() {}

    /// Seconds since 1970, and as many as it has been put forward.
    package var seconds: UInt64 {
        UInt64(max(time(nil), 0)) &+ ahead.load(ordering: .sequentiallyConsistent)
    }

    /// Puts it forward.
    package func advance(bySeconds seconds: UInt64) {
        ahead.wrappingAdd(seconds, ordering: .sequentiallyConsistent)
    }

    /// Sets it back.
    package func setBack(bySeconds seconds: UInt64) {
        ahead.wrappingSubtract(seconds, ordering: .sequentiallyConsistent)
    }
}
