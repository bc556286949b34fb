// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import KeychainVocabulary
import SecurityWire

/// What a person must prove before a value is read or replaced. enclaved judges it.
public struct ItemRequirement: Hashable, Sendable {
    private let constraint: AccessControl.Constraint

    /// The device's owner is present.
    public static let userPresence = ItemRequirement(constraint: .owner)
    /// The device's passcode.
    public static let devicePasscode = ItemRequirement(constraint: .passcode)

    /// The access control of an item: storing and deleting are free.
    func control(_ accessibility: Accessibility) -> AccessControl {
        AccessControl(
            protectionClass: accessibility.rawValue,
            operations: [.decrypt: constraint, .encrypt: .always, .delete: .always])
    }
}
