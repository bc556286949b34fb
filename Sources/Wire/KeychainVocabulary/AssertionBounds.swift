// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// What a program may ask for when it takes a lock assertion.
package enum AssertionBounds {
    /// How long an assertion can last, in seconds. The client, securityd and enclaved each check it.
    package static let seconds: ClosedRange<UInt16> = 1...60
}
