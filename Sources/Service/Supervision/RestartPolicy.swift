// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// When to restart a service that died: at once at first, then after longer and longer waits, and
/// from some point on every half minute. It never gives up: the cause may go away by itself.
package struct RestartPolicy: Sendable {
    /// When to restart it.
    package struct Restart: Equatable, Sendable {
        /// How long to wait first.
        package let delay: Duration
        /// Whether the service can't stay alive: clients are refused meanwhile, not kept waiting.
        package let isSlow: Bool
        /// Whether this is the first slow restart: the moment to tell a person.
        package let isFirstSlow: Bool
    }

    private var shortLives = 0

    /// A run of this length counts as healthy.
    private static let healthyLife = Duration.seconds(2)
    /// After up to this many short runs, it restarts at once.
    private static let immediateStarts = 5
    /// From this many short runs in a row on, it restarts slowly.
    private static let limit = 25
    private static let longestDelay = Duration.milliseconds(800)
    /// Between slow restarts.
    package static let slowDelay = Duration.seconds(30)

    /// A policy before the first death.
    package init() {}

    /// When to start it again.
    /// - Parameter life: How long the service ran that has just died.
    /// - Returns: When, and what to say.
    package mutating func restart(afterLifeOf life: Duration) -> Restart {
        shortLives = life >= Self.healthyLife ? 0 : min(shortLives + 1, Self.limit + 1)
        guard shortLives < Self.limit else {
            return Restart(
                delay: Self.slowDelay, isSlow: true, isFirstSlow: shortLives == Self.limit)
        }
        var delay = Duration.zero
        if shortLives > Self.immediateStarts {
            let doublings = min(shortLives - Self.immediateStarts, 10)
            delay = min(.milliseconds(50 << doublings), Self.longestDelay)
        }
        return Restart(delay: delay, isSlow: false, isFirstSlow: false)
    }
}
