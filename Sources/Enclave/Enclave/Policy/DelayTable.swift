// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// How long a user waits after wrong passcodes. No other code decides it.
package struct DelayTable: Hashable, Sendable {
    /// Whether a passcode may be tried now.
    package enum Permission: Hashable, Sendable {
        /// It may.
        case now
        /// Not before so many seconds.
        case after(seconds: UInt32)
        /// Never again.
        case never
    }

    /// From so many wrong passcodes on, so long.
    package struct Step: Hashable, Sendable {
        /// Wrong passcodes since the last right one.
        package let failures: UInt32
        /// The wait before the next attempt.
        package let seconds: UInt32

        /// Makes a step.
        package init(failures: UInt32, seconds: UInt32) {
            self.failures = failures
            self.seconds = seconds
        }
    }

    /// In ascending order of failures.
    package let steps: [Step]
    /// From so many wrong passcodes on, none is tried any more.
    package let disabledAt: UInt32

    /// Makes a table.
    package init(steps: [Step], disabledAt: UInt32) {
        self.steps = steps
        self.disabledAt = disabledAt
    }

    /// The delays that Apple published for years.
    package static let classic = DelayTable(
        steps: [
            Step(failures: 5, seconds: 60), Step(failures: 6, seconds: 5 * 60),
            Step(failures: 7, seconds: 15 * 60), Step(failures: 9, seconds: 60 * 60),
        ],
        disabledAt: 10)

    /// Whether a passcode may be tried after these attempts.
    package func permission(after attempts: AttemptCounter, now: UInt64) -> Permission {
        guard attempts.failures < disabledAt else { return .never }
        let delay = UInt64(seconds(afterFailures: attempts.failures))
        // A clock that went backwards has not moved at all.
        let elapsed = now > attempts.delayStart ? now - attempts.delayStart : 0
        guard elapsed < delay else { return .now }
        return .after(seconds: UInt32(delay - elapsed))
    }

    /// The wait after so many wrong passcodes.
    package func seconds(afterFailures failures: UInt32) -> UInt32 {
        steps.last { $0.failures <= failures }?.seconds ?? 0
    }
}
