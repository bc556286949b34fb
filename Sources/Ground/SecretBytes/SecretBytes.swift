// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc

/// Secret bytes: with one owner, in pages that are not dumped or swapped, wiped when the owner
/// releases them.
///
/// There is no way to get the bytes as `Data`, `String` or `[UInt8]`: those leave copies behind.
/// `@unchecked Sendable` because the one owner holds the only pointer to the block.
@safe public struct SecretBytes: ~Copyable, @unchecked Sendable {
    private let block: UnsafeMutableRawPointer
    /// How many bytes it holds.
    public let byteCount: Int

    /// Makes `byteCount` zero bytes.
    /// - Parameter byteCount: 0 or more.
    public init(byteCount: Int) {
        precondition(byteCount >= 0)
        self.byteCount = byteCount
        unsafe block = SecretMemory.allocate(byteCount: byteCount)
    }

    /// Copies bytes; the caller wipes the source.
    public init(copying source: UnsafeRawBufferPointer) {
        self.init(byteCount: source.count)
        if let base = source.baseAddress {
            unsafe block.copyMemory(from: base, byteCount: source.count)
        }
    }

    /// Makes `byteCount` bytes and lets `body` fill them.
    /// - Throws: what `body` throws; the bytes are then wiped.
    public init<E: Error>(
        byteCount: Int,
        initializingWith body: (UnsafeMutableRawBufferPointer) throws(E) -> Void
    ) throws(E) {
        self.init(byteCount: byteCount)
        try unsafe body(UnsafeMutableRawBufferPointer(start: block, count: byteCount))
    }

    deinit { unsafe SecretMemory.deallocate(block, byteCount: byteCount) }

    /// Passes the bytes to a closure, for the length of the call.
    public borrowing func withUnsafeBytes<R: ~Copyable, E: Error>(
        _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        try unsafe body(UnsafeRawBufferPointer(start: block, count: byteCount))
    }

    /// Passes the bytes to a closure for writing, for the length of the call.
    public mutating func withUnsafeMutableBytes<R: ~Copyable, E: Error>(
        _ body: (UnsafeMutableRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        try unsafe body(UnsafeMutableRawBufferPointer(start: block, count: byteCount))
    }

    /// A copy of the first `count` bytes.
    public borrowing func prefix(_ count: Int) -> SecretBytes { slice(0..<count) }

    /// A copy of the bytes in a range, which must lie within `0..<byteCount`.
    public borrowing func slice(_ range: Range<Int>) -> SecretBytes {
        precondition(range.lowerBound >= 0 && range.upperBound <= byteCount)
        return unsafe SecretBytes(
            copying: UnsafeRawBufferPointer(start: block + range.lowerBound, count: range.count))
    }

    /// Fresh random bytes from the kernel.
    public static func random(byteCount: Int) -> SecretBytes {
        unsafe SecretBytes(byteCount: byteCount) { target in
            var filled = 0
            while filled < target.count {
                let count = unsafe getrandom(
                    target.baseAddress.map { unsafe $0 + filled }, target.count - filled, 0)
                precondition(count > 0 || errno == EINTR, "the kernel gives no randomness")
                filled += max(count, 0)
            }
        }
    }

    /// Whether both hold the same bytes; takes time that depends only on their count.
    public borrowing func isEqual(to other: borrowing SecretBytes) -> Bool {
        guard byteCount == other.byteCount else { return false }
        var difference: UInt8 = 0
        for offset in 0..<byteCount {
            let mine = unsafe block.load(fromByteOffset: offset, as: UInt8.self)
            let theirs = unsafe other.block.load(fromByteOffset: offset, as: UInt8.self)
            difference |= mine ^ theirs
        }
        return difference == 0
    }

    /// The count, never the bytes.
    public var description: String { "<\(byteCount) bytes>" }
}

/// A secret that several owners share; wiped when the last one releases it.
public final class Secret: Sendable, CustomStringConvertible {
    /// The bytes.
    public let bytes: SecretBytes

    /// Takes ownership of the bytes.
    public init(_ bytes: consuming SecretBytes) { self.bytes = bytes }

    /// The count, never the bytes.
    public var description: String { bytes.description }
}
