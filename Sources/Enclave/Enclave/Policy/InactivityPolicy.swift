// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// How long a user stays locked before the keys go that a lock leaves.
package struct InactivityPolicy: Hashable, Sendable {
    /// Locked for so long, a user is as before the first unlock.
    package let seconds: UInt64

    /// Makes a policy.
    package init(seconds: UInt64) { self.seconds = seconds }

    /// Three days, after which newer phones restart.
    package static let classic = InactivityPolicy(seconds: 72 * 60 * 60)
}
