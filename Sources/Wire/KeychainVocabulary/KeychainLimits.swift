// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// Limits of keychains with a password of their own.
package enum KeychainLimits {
    /// Of one user, besides login: a list of them has some 300 KB then.
    package static let count = 1000
    /// Of one user at a time. Each has a key in memory that is never paged.
    package static let unlockedCount = 64
    /// The longest password: enclaved derives from one byte more, and a derivation takes 1024.
    package static let passwordByteCount = 1023
    /// The byte count of a keychain's UUID.
    package static let uuidByteCount = 16
}
