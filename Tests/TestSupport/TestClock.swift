// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import Synchronization

/// A clock that tests can set.
package final class TestClock: Sendable {
    /// Milliseconds.
    private let ahead = Atomic<Int64>(0)
    private let stoppedAt: Int64?

    /// The machine's time.
    /// - Parameter isStopped: It runs only when it is advanced.
    package init(isStopped: Bool = false) { stoppedAt = isStopped ? Self.machineSeconds : nil }

    /// Seconds since 1970, plus those by which it was advanced.
    package var seconds: UInt64 { UInt64(max(milliseconds / 1000, 0)) }

    /// The same in milliseconds.
    package var milliseconds: Int64 {
        (stoppedAt ?? Self.machineSeconds) * 1000 + ahead.load(ordering: .sequentiallyConsistent)
    }

    private static var machineSeconds: Int64 { Int64(max(time(nil), 0)) }

    /// Advances it.
    package func advance(bySeconds seconds: UInt64) {
        advance(byMilliseconds: Int64(seconds) * 1000)
    }

    /// Advances it, or sets it back.
    package func advance(byMilliseconds milliseconds: Int64) {
        ahead.wrappingAdd(milliseconds, ordering: .sequentiallyConsistent)
    }

    /// Sets it back.
    package func setBack(bySeconds seconds: UInt64) {
        advance(byMilliseconds: -Int64(seconds) * 1000)
    }
}
