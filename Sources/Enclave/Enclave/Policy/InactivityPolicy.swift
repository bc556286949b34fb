// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// How long a user stays locked before the remaining keys are dropped.
package struct InactivityPolicy: Hashable, Sendable {
    /// After this time in the locked state, a user is as before the first unlock.
    package let seconds: UInt64

    /// Makes a policy.
    package init(seconds: UInt64) { self.seconds = seconds }

    /// Three days, the time after which newer phones restart.
    package static let classic = InactivityPolicy(seconds: 72 * 60 * 60)
}
