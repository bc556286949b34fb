// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// swift-format-ignore-file: AlwaysUseLowerCamelCase

// Structures and numbers of keychains. Source: Apple's `SecKeychain.h`, under the names that Swift gives
// them.

/// When a keychain locks by itself.
public struct SecKeychainSettings: Sendable {
    /// The version of this structure: ``SEC_KEYCHAIN_SETTINGS_VERS1``.
    public var version: UInt32 = 0
    /// Whether it locks before the machine sleeps.
    public var lockOnSleep: DarwinBoolean = false
    /// Whether the interval is in use; only shown again.
    public var useLockInterval: DarwinBoolean = false
    /// After so many seconds without use it locks; 0x7FFFFFFF is never.
    public var lockInterval: UInt32 = 0

    /// Zeros.
    public init() {}

    /// Combines the parts.
    public init(
        version: UInt32, lockOnSleep: DarwinBoolean, useLockInterval: DarwinBoolean,
        lockInterval: UInt32
    ) {
        self.version = version
        self.lockOnSleep = lockOnSleep
        self.useLockInterval = useLockInterval
        self.lockInterval = lockInterval
    }
}

/// The one version of ``SecKeychainSettings``.
public let SEC_KEYCHAIN_SETTINGS_VERS1 = 1

/// The state of a keychain, in bits.
public typealias SecKeychainStatus = UInt32

/// It is unlocked.
public let kSecUnlockStateStatus: SecKeychainStatus = 1
/// It can be read.
public let kSecReadPermStatus: SecKeychainStatus = 2
/// It can be written.
public let kSecWritePermStatus: SecKeychainStatus = 4

/// Whose search list and default keychain.
public struct SecPreferencesDomain: RawRepresentable, Hashable, Sendable {
    /// The number.
    public let rawValue: Int32

    /// The domain of a number.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// The user's.
    public static let user = SecPreferencesDomain(rawValue: 0)
    /// The machine's, for its services; it can't be changed.
    public static let system = SecPreferencesDomain(rawValue: 1)
    /// That of all users; it can't be changed.
    public static let common = SecPreferencesDomain(rawValue: 2)
    /// That of smart cards, which has no keychain.
    public static let dynamic = SecPreferencesDomain(rawValue: 3)
}
