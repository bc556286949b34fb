// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// The version of a program. All programs of one build have the same.
package struct Release: Hashable, Sendable, CustomStringConvertible {
    /// major · 1,000,000 + minor · 1,000 + patch; 0 is unknown.
    package let number: UInt32

    /// The version of this program.
    package static let own = Release(number: 0_001_000)

    /// A version that another program reports.
    package init(number: UInt32) { self.number = number }

    /// Whether the other program said which version it has.
    package var isKnown: Bool { number != 0 }

    /// `major.minor.patch`.
    package var description: String {
        isKnown ? "\(number / 1_000_000).\(number / 1_000 % 1_000).\(number % 1_000)" : "unknown"
    }
}
