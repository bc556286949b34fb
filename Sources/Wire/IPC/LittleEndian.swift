// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// For formats that are too short for a ``ByteWriter`` and a ``ByteReader``.
extension [UInt8] {
    /// Appends 2 bytes, the least significant first.
    package mutating func append(littleEndian value: UInt16) {
        unsafe Swift.withUnsafeBytes(of: value.littleEndian) { unsafe append(contentsOf: $0) }
    }

    /// Appends 4 bytes, the least significant first.
    package mutating func append(littleEndian value: UInt32) {
        unsafe Swift.withUnsafeBytes(of: value.littleEndian) { unsafe append(contentsOf: $0) }
    }

    /// Appends 8 bytes, the least significant first.
    package mutating func append(littleEndian value: UInt64) {
        unsafe Swift.withUnsafeBytes(of: value.littleEndian) { unsafe append(contentsOf: $0) }
    }

    /// The integer whose bytes begin at an offset, the least significant first. All of them must be
    /// there: the caller has checked the size.
    package func integer<I: FixedWidthInteger>(_ type: I.Type, littleEndianAt offset: Int) -> I {
        I(littleEndian: self[offset..<offset + I.bitWidth / 8])
    }

    /// Overwrites the bytes at an offset by an integer's, the least significant first.
    package mutating func set<I: FixedWidthInteger>(_ value: I, littleEndianAt offset: Int) {
        let range = offset..<offset + I.bitWidth / 8
        unsafe Swift.withUnsafeBytes(of: value.littleEndian) { bytes in
            unsafe replaceSubrange(range, with: bytes)
        }
    }
}

extension FixedWidthInteger {
    /// Reads an integer from exactly its bytes, the least significant first.
    /// - Returns: Nil for another number of bytes.
    package init?(littleEndianBytes bytes: some BidirectionalCollection<UInt8>) {
        guard bytes.count == Self.bitWidth / 8 else { return nil }
        self.init(littleEndian: bytes)
    }

    fileprivate init(littleEndian bytes: some BidirectionalCollection<UInt8>) {
        self = bytes.reversed().reduce(0) { ($0 << 8) | Self(truncatingIfNeeded: $1) }
    }
}
