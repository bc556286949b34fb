// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// Limits of backups.
package enum BackupLimits {
    /// Of a backup password, in bytes of UTF-8. It is guessed without this device, so ten are the least;
    /// the largest is that of a keychain's password.
    package static let passwordByteCounts = 10...1023
}
