// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// When an item's secret may be used. Raw values are the protection class identifiers of both
/// wires and of stored rows.
public enum Accessibility: UInt8, CaseIterable, Sendable {
    /// While the device is unlocked (`ak`).
    case whenUnlocked = 6
    /// From the first unlock after a start (`ck`).
    case afterFirstUnlock = 7
    /// Always (`dk`).
    case always = 8
    /// As `whenUnlocked`, on this device only (`aku`).
    case whenUnlockedThisDeviceOnly = 9
    /// As `afterFirstUnlock`, on this device only (`cku`).
    case afterFirstUnlockThisDeviceOnly = 10
    /// Always, on this device only (`dku`).
    case alwaysThisDeviceOnly = 11
    /// While unlocked, and only as long as a passcode is set; this device only (`akpu`).
    case whenPasscodeSetThisDeviceOnly = 12

    /// Apple's short code, the value of `kSecAttrAccessible…`.
    public var code: String {
        switch self {
        case .whenUnlocked: "ak"
        case .afterFirstUnlock: "ck"
        case .always: "dk"
        case .whenUnlockedThisDeviceOnly: "aku"
        case .afterFirstUnlockThisDeviceOnly: "cku"
        case .alwaysThisDeviceOnly: "dku"
        case .whenPasscodeSetThisDeviceOnly: "akpu"
        }
    }

    /// The accessibility of a short code; nil for an unknown one.
    public init?(code: String) {
        guard let match = Self.allCases.first(where: { $0.code == code }) else { return nil }
        self = match
    }

    /// Whether its class key is dropped when the device locks (ak, aku, akpu).
    package var isLockedWithTheDevice: Bool {
        switch self {
        case .whenUnlocked, .whenUnlockedThisDeviceOnly, .whenPasscodeSetThisDeviceOnly: true
        case .afterFirstUnlock, .afterFirstUnlockThisDeviceOnly, .always, .alwaysThisDeviceOnly:
            false
        }
    }
}
