// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// The bytes don't have the expected layout.
package struct DecodingFailure: Error, Equatable, Sendable {
    /// Makes the error.
    package init() {}
}

/// Reads fixed layouts from untrusted bytes: little-endian, bounds-checked, never reading past the
/// end.
///
/// It borrows the memory, and must not outlive the buffer.
@unsafe package struct ByteReader {
    private let source: UnsafeRawBufferPointer
    private var offset = 0

    /// Starts at the first byte of `source`.
    package init(_ source: UnsafeRawBufferPointer) { unsafe self.source = source }

    /// How many bytes are left.
    package var remaining: Int { unsafe source.count - offset }

    /// The next byte.
    package mutating func u8() throws(DecodingFailure) -> UInt8 { try unsafe integer() }
    /// The next 2 bytes.
    package mutating func u16() throws(DecodingFailure) -> UInt16 { try unsafe integer() }
    /// The next 4 bytes.
    package mutating func u32() throws(DecodingFailure) -> UInt32 { try unsafe integer() }
    /// The next 8 bytes.
    package mutating func u64() throws(DecodingFailure) -> UInt64 { try unsafe integer() }

    /// The next `count` bytes, in place.
    package mutating func bytes(_ count: Int) throws(DecodingFailure) -> UnsafeRawBufferPointer {
        guard count >= 0, unsafe count <= remaining else { throw DecodingFailure() }
        defer { unsafe offset += count }
        return unsafe UnsafeRawBufferPointer(rebasing: source[offset..<offset + count])
    }

    /// The next `count` bytes, copied; not for secrets.
    package mutating func array(_ count: Int) throws(DecodingFailure) -> [UInt8] {
        unsafe [UInt8](try bytes(count))
    }

    /// The remaining bytes, in place.
    package mutating func rest() -> UnsafeRawBufferPointer {
        defer { unsafe offset = source.count }
        return unsafe UnsafeRawBufferPointer(rebasing: source[offset...])
    }

    /// Checks that nothing is left.
    package func finish() throws(DecodingFailure) {
        guard unsafe remaining == 0 else { throw DecodingFailure() }
    }

    private mutating func integer<I: FixedWidthInteger>() throws(DecodingFailure) -> I {
        let bytes = try unsafe bytes(MemoryLayout<I>.size)
        return unsafe I(littleEndian: bytes.loadUnaligned(as: I.self))
    }
}

/// Writes fixed layouts, little-endian. Not for secrets: its buffer is an ordinary array.
package struct ByteWriter: Sendable {
    /// The written bytes.
    package private(set) var bytes: [UInt8] = []

    /// An empty writer.
    package init() {}

    /// Room for `byteCount` bytes without growing.
    package init(reserving byteCount: Int) { bytes.reserveCapacity(byteCount) }

    /// One byte.
    package mutating func u8(_ value: UInt8) { bytes.append(value) }
    /// 2 bytes.
    package mutating func u16(_ value: UInt16) { append(value) }
    /// 4 bytes.
    package mutating func u32(_ value: UInt32) { append(value) }
    /// 8 bytes.
    package mutating func u64(_ value: UInt64) { append(value) }
    /// Bytes without a count.
    package mutating func bytes(_ source: UnsafeRawBufferPointer) {
        unsafe bytes.append(contentsOf: source)
    }
    /// Bytes without a count. Separate from the method for any sequence, which copies byte by byte.
    package mutating func bytes(_ source: [UInt8]) { bytes.append(contentsOf: source) }
    /// Bytes that are 0.
    package mutating func zeros(_ count: Int) {
        bytes.append(contentsOf: repeatElement(0, count: count))
    }
    /// Bytes without a count.
    package mutating func bytes(_ source: some Sequence<UInt8>) { bytes.append(contentsOf: source) }

    private mutating func append(_ value: some FixedWidthInteger) {
        unsafe withUnsafeBytes(of: value.littleEndian) { unsafe bytes.append(contentsOf: $0) }
    }
}
