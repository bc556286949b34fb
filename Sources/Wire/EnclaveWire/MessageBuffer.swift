// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
package import SecretBytes

/// One incoming or outgoing message, in pages for secrets.
///
/// It starts with 64 KiB, enough for nearly every message, and is reused; `removeAll` wipes the
/// used part. A larger message gets separate pages, which `removeAll` frees.
package struct MessageBuffer: ~Copyable, Sendable {
    /// The capacity of the buffer.
    package static let smallByteCount = 64 * 1024

    private var pages = SecretBytes(byteCount: smallByteCount)
    /// The byte count of the message so far.
    package private(set) var byteCount = 0
    private var capacity: Int { pages.byteCount }

    /// An empty buffer.
    package init() {}

    /// Wipes the message.
    package mutating func removeAll() {
        if capacity > Self.smallByteCount {
            pages = SecretBytes(byteCount: Self.smallByteCount)
        } else {
            let used = byteCount
            unsafe pages.withUnsafeMutableBytes { bytes in
                unsafe SecretMemory.wipe(UnsafeMutableRawBufferPointer(rebasing: bytes[..<used]))
            }
        }
        byteCount = 0
    }

    /// Makes room for a message of `total` bytes; exactly this many if the size is known in
    /// advance.
    package mutating func reserve(_ total: Int) {
        guard total > capacity else { return }
        var larger = SecretBytes(byteCount: total)
        unsafe larger.withUnsafeMutableBytes { target in
            unsafe withUnsafeBytes { message in unsafe target.copyMemory(from: message) }
        }
        pages = larger
    }

    /// Passes the message to a closure.
    package borrowing func withUnsafeBytes<R: ~Copyable, E: Error>(
        _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        let used = byteCount
        return try unsafe pages.withUnsafeBytes { (bytes) throws(E) -> R in
            try unsafe body(UnsafeRawBufferPointer(rebasing: bytes[..<used]))
        }
    }

    /// Lets `fill` write into the room after the message and return how many bytes it wrote.
    package mutating func extend<E: Error>(
        _ fill: (UnsafeMutableRawBufferPointer) throws(E) -> Int
    ) throws(E) {
        let used = byteCount
        let written = try unsafe pages.withUnsafeMutableBytes { (bytes) throws(E) -> Int in
            try unsafe fill(UnsafeMutableRawBufferPointer(rebasing: bytes[used...]))
        }
        byteCount = min(used + max(written, 0), capacity)
    }
}

// MARK: - Writing

extension MessageBuffer {
    /// Starts a message: a header whose payload byte count is still 0.
    /// - Parameters:
    ///   - kind: For the header.
    ///   - status: For the header.
    ///   - requestID: For the header.
    ///   - userID: For the header.
    ///   - payload: At least this many bytes will follow.
    package mutating func begin(
        kind: UInt16, status: UInt16 = 0, requestID: UInt64, userID: UInt32, payload: Int = 0
    ) {
        removeAll()
        reserve(EnclaveHeader.byteCount + payload)
        u32(0)
        u16(kind)
        u16(status)
        u64(requestID)
        u32(userID)
        u32(EnclaveHeader.version)
    }

    /// Ends a message: fills in the payload's byte count.
    package mutating func finish() {
        let payload = UInt32(truncatingIfNeeded: max(byteCount - EnclaveHeader.byteCount, 0))
        let end = byteCount
        byteCount = 0
        u32(payload)
        byteCount = max(end, EnclaveHeader.byteCount)
    }

    /// One byte.
    package mutating func u8(_ value: UInt8) { append(value) }
    /// 2 bytes.
    package mutating func u16(_ value: UInt16) { append(value) }
    /// 4 bytes.
    package mutating func u32(_ value: UInt32) { append(value) }
    /// 8 bytes.
    package mutating func u64(_ value: UInt64) { append(value) }

    /// Bytes without a count.
    package mutating func bytes(_ source: UnsafeRawBufferPointer) {
        grow(by: source.count)
        unsafe extend { room in
            unsafe room.copyMemory(from: source)
            return source.count
        }
    }

    /// Bytes without a count.
    package mutating func bytes(_ source: [UInt8]) {
        unsafe source.withUnsafeBytes { unsafe bytes($0) }
    }

    /// The bytes of a secret.
    package mutating func bytes(_ source: borrowing SecretBytes) {
        unsafe source.withUnsafeBytes { unsafe bytes($0) }
    }

    /// Room for a value whose size wasn't known in advance.
    private mutating func grow(by count: Int) {
        guard byteCount + count > capacity else { return }
        reserve(max(byteCount + count, 2 * capacity))
    }

    private mutating func append<I: FixedWidthInteger>(_ value: I) {
        grow(by: MemoryLayout<I>.size)
        unsafe extend { room in
            unsafe room.storeBytes(of: value.littleEndian, as: I.self)
            return MemoryLayout<I>.size
        }
    }
}
