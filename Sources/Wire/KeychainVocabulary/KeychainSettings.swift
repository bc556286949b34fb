// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// When a keychain with a password of its own locks by itself.
package struct KeychainSettings: Hashable, Sendable {
    /// The interval that never ends. Source: Apple's SecKeychainSettings, as observed.
    package static let never: UInt32 = 0x7FFF_FFFF

    /// Whether it locks before the machine sleeps.
    package let locksOnSleep: Bool
    /// Whether the interval was asked for by name; only shown again.
    package let usesInterval: Bool
    /// After so many seconds without use it locks: 0 … ``never``.
    package let intervalSeconds: UInt32

    /// - Returns: Nil for an interval over ``never``.
    package init?(locksOnSleep: Bool, usesInterval: Bool, intervalSeconds: UInt32) {
        guard intervalSeconds <= Self.never else { return nil }
        self.locksOnSleep = locksOnSleep
        self.usesInterval = usesInterval
        self.intervalSeconds = intervalSeconds
    }

    /// From both wires' form: bit 0, it locks on sleep; bit 1, it uses the interval.
    /// - Returns: Nil for other bits, and as ``init(locksOnSleep:usesInterval:intervalSeconds:)``.
    package init?(bits: UInt8, intervalSeconds: UInt32) {
        guard bits <= 3 else { return nil }
        self.init(
            locksOnSleep: bits & 1 != 0, usesInterval: bits & 2 != 0,
            intervalSeconds: intervalSeconds)
    }

    /// The bits of both wires' form.
    package var bits: UInt8 { (locksOnSleep ? 1 : 0) | (usesInterval ? 2 : 0) }

    /// Those of a new keychain: it locks on sleep and after five minutes. Source: macOS, as observed.
    package init() {
        locksOnSleep = true
        usesInterval = false
        intervalSeconds = 300
    }

    /// After how long without use it locks; nil for never. 0 counts as 1.
    package var idleSeconds: UInt32? {
        intervalSeconds == Self.never ? nil : max(intervalSeconds, 1)
    }
}
