// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// For formats that are too short for a ``ByteWriter`` and a ``ByteReader``.
extension [UInt8] {
    /// Appends 4 bytes, the least significant first.
    package mutating func append(littleEndian value: UInt32) {
        unsafe Swift.withUnsafeBytes(of: value.littleEndian) { unsafe append(contentsOf: $0) }
    }

    /// Appends 8 bytes, the least significant first.
    package mutating func append(littleEndian value: UInt64) {
        unsafe Swift.withUnsafeBytes(of: value.littleEndian) { unsafe append(contentsOf: $0) }
    }
}

extension FixedWidthInteger {
    /// Reads an integer from exactly its bytes, the least significant first.
    /// - Returns: Nil for another number of bytes.
    package init?(littleEndianBytes bytes: some BidirectionalCollection<UInt8>) {
        guard bytes.count == Self.bitWidth / 8 else { return nil }
        self = bytes.reversed().reduce(0) { ($0 << 8) | Self(truncatingIfNeeded: $1) }
    }
}
