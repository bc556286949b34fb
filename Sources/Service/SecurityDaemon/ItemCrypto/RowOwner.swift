// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ItemStore

/// Whose rows have the same index key and metadata keys: those of one keychain of one user.
package struct RowOwner: Hashable, Sendable {
    /// The user.
    package let userID: UInt32
    /// Which of the user's keychains.
    package let keychain: UInt32

    /// Names a keychain.
    package init(userID: UInt32, keychain: UInt32 = KeychainNumber.login) {
        self.userID = userID
        self.keychain = keychain
    }

    /// Whether its keys are the user's own.
    var isLogin: Bool { keychain == KeychainNumber.login }
}

extension SealedItem {
    /// Its keychain.
    var owner: RowOwner { RowOwner(userID: userID, keychain: keychain) }
}
