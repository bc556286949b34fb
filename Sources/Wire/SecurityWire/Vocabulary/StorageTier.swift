// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// How strongly a keychain is bound to its machine; an item has the tier of its keychain. The raw
/// values are the wire's.
public enum StorageTier: UInt32, CaseIterable, Comparable, Sendable {
    /// The device key is in a file, or in an emulated TPM: a copy of the files can be used
    /// elsewhere.
    case software = 0
    /// A TPM of the machine holds the device key.
    case hardware = 1

    /// A lower tier is protected less.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
