// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// How a row says which of its user's keychains it is in.
package enum KeychainNumber {
    /// The keychain that each user has. Its rows are under the user's own keys.
    package static let login: UInt32 = 0
}
