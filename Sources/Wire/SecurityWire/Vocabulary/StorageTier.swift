// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// How well a keychain is tied to its machine; an item has the tier of its keychain. The raw values are
/// the wire's.
public enum StorageTier: UInt32, CaseIterable, Comparable, Sendable {
    /// The device key is a file, or a TPM's that is a program: a copy of the files is as good as they
    /// are.
    case software = 0
    /// A TPM of the machine holds the device key.
    case hardware = 1

    /// Less is protected worse.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
