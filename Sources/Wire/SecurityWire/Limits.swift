// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// The limits of an item. A page of a reply always has room for one item.
package enum ItemLimits {
    /// Maximum byte count of one secret: 1 MiB, so that two sealed copies fit a reply page.
    package static let secretByteCount = 1024 * 1024
    /// Maximum byte count of one item's encoded attributes.
    package static let attributesByteCount = 256 * 1024
    /// Maximum byte count of a sealed passcode message: two passcodes of 1 KiB, nonce, HPKE
    /// overhead.
    package static let sealedPasscodeByteCount = 4096
    /// Maximum byte count of a protobuf message in a request.
    package static let messageByteCount = 1024 * 1024
}
