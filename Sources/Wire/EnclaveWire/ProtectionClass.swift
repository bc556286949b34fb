// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// The protection class of an item: when its class key is usable.
///
/// The cases carry the codes of the `pdmn` attribute; the raw values are used on the wire and on
/// disk.
package enum ProtectionClass: UInt8, CaseIterable, Sendable {
    /// While unlocked.
    case ak = 6
    /// After the first unlock since boot.
    case ck = 7
    /// Always.
    case dk = 8
    /// While unlocked, this device only.
    case aku = 9
    /// After the first unlock since boot, this device only.
    case cku = 10
    /// Always, this device only.
    case dku = 11
    /// While unlocked and a passcode is set, this device only.
    case akpu = 12
}

/// A set of protection classes; bit n stands for the class with the number n.
package struct ProtectionClassSet: OptionSet, Sendable, Hashable {
    /// The bits as used on the wire.
    package let rawValue: UInt16

    /// Takes the bits unchanged; bits without a class are kept and have no meaning.
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The set of one class.
    package init(_ protectionClass: ProtectionClass) {
        rawValue = 1 << UInt16(protectionClass.rawValue)
    }

    /// Whether the class is in the set.
    package func contains(_ protectionClass: ProtectionClass) -> Bool {
        contains(ProtectionClassSet(protectionClass))
    }
}
