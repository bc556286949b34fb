// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// What fingerprints count for. Their reader's daemon proves nothing to enclaved: its owner decides
/// whether its word is enough.
package enum BiometryMode: UInt8, CaseIterable, Sendable {
    /// Nothing.
    case off = 0
    /// Presence: any enrolled finger.
    case presence = 1
    /// Also the enrolled set, as far as `security` changed it.
    case sets = 2

    /// In a letter: what they count for stays as it is.
    package static let unchanged: UInt8 = 255
}
