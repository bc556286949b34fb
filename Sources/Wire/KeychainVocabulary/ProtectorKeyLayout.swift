// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// The layout of a protector's key file: the magic, 32 random bytes, and the first 8 bytes of the
/// SHA-256 of both, which tell a damaged file from another one. The same bytes are a credential.
///
/// Only `security device protector add` makes one, so that no person chooses a weak key.
package enum ProtectorKeyLayout {
    /// The first bytes.
    package static let magic = [UInt8]("LLPKEY01".utf8)
    /// The key.
    package static let keyByteCount = 32
    /// The check value.
    package static let checkByteCount = 8
    /// All of it.
    package static let byteCount = 8 + keyByteCount + checkByteCount
    /// The key's place.
    package static let keyRange = 8..<8 + keyByteCount
    /// What the check value is made of.
    package static let checkedRange = 0..<8 + keyByteCount
}
