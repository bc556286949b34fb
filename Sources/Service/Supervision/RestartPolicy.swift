// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// When to restart a service that died: at once at first, then after longer and longer waits, and
/// not at all when it can't stay alive.
package struct RestartPolicy: Sendable {
    private var shortLives = 0

    /// A run of this length counts as healthy.
    private static let healthyLife = Duration.seconds(2)
    /// After up to this many short runs, it restarts at once.
    private static let immediateStarts = 5
    /// After this many short runs in a row it isn't restarted.
    private static let limit = 25
    private static let longestDelay = Duration.seconds(5)

    /// A policy before the first death.
    package init() {}

    /// How long to wait before the next start.
    /// - Parameter life: How long the service ran that has just died.
    /// - Returns: Nil when it must not be restarted.
    package mutating func delay(afterLifeOf life: Duration) -> Duration? {
        shortLives = life >= Self.healthyLife ? 0 : shortLives + 1
        guard shortLives < Self.limit else { return nil }
        guard shortLives > Self.immediateStarts else { return .zero }
        let doublings = min(shortLives - Self.immediateStarts, 10)
        return min(.milliseconds(50 << doublings), Self.longestDelay)
    }
}
