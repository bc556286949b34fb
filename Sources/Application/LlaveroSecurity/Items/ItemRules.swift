// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation

/// Which of the Mac's two keychains a call means, and so how strictly its values are read. There is one
/// store here: nothing but types and references hangs on it. Source: Apple's SecItem, as observed.
enum ItemRules {
    /// `kSecUseDataProtectionKeychain` is true, or something is asked for that only that keychain has.
    case dataProtection
    /// The file keychain of the Mac, which takes text as a secret and numbers as truth values, and has
    /// objects for passwords.
    case fileKeychain
}
