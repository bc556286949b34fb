// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// When a service that died is started again: at once at first, then ever later, and not at all
/// when it can't stay alive.
package struct RestartPolicy: Sendable {
    private var shortLives = 0

    /// A life of this length counts as healthy.
    private static let healthyLife = Duration.seconds(2)
    /// So many short lives are followed by a start at once.
    private static let immediateStarts = 5
    /// After so many short lives in a row there is no further start.
    private static let limit = 25
    private static let longestDelay = Duration.seconds(5)

    /// A policy that has seen no death.
    package init() {}

    /// How long to wait before the next start.
    /// - Parameter life: How long the service lived that has just died.
    /// - Returns: Nil when it is not to be started again.
    package mutating func delay(afterLifeOf life: Duration) -> Duration? {
        shortLives = life >= Self.healthyLife ? 0 : shortLives + 1
        guard shortLives < Self.limit else { return nil }
        guard shortLives > Self.immediateStarts else { return .zero }
        let doublings = min(shortLives - Self.immediateStarts, 10)
        return min(.milliseconds(50 << doublings), Self.longestDelay)
    }
}
