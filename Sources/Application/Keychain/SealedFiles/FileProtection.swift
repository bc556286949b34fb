// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SecurityWire

/// When a sealed file may be read and written. The raw values are the ids of Apple's file classes
/// and are stored in the files.
public enum FileProtection: UInt8, CaseIterable, Sendable {
    /// While the device is unlocked; a handle that was opened before stops working at the lock.
    case complete = 1
    /// Opened while the device is unlocked, and used until it is closed; new files can be written
    /// at any time.
    case completeUnlessOpen = 2
    /// From the first unlock after a start.
    case completeUntilFirstUserAuthentication = 3
    /// Always.
    case none = 4

    /// The name in commands and of key items.
    public var name: String {
        switch self {
        case .complete: "complete"
        case .completeUnlessOpen: "complete-unless-open"
        case .completeUntilFirstUserAuthentication: "until-first-authentication"
        case .none: "none"
        }
    }

    /// The class of a name; nil for an unknown one.
    public init?(name: String) {
        guard let match = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = match
    }

    /// When the item with the key is readable. For `completeUnlessOpen` the item has a public key,
    /// and a private one that only enclaved opens, under ``privateKeyAccessibility``.
    var accessibility: Accessibility {
        switch self {
        case .complete: .whenUnlocked
        case .completeUnlessOpen: .alwaysThisDeviceOnly
        case .completeUntilFirstUserAuthentication: .afterFirstUnlock
        case .none: .always
        }
    }

    /// When the private key can be used to which files are sealed.
    static let privateKeyAccessibility = Accessibility.whenUnlockedThisDeviceOnly
}
