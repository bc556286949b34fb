// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import IPC
import SecretBytes

/// Writes messages to a pipe: u32 byte count, and the bytes. It gathers small messages, since a file
/// may have a million of them.
package final class ConversionOutput {
    private static let bufferByteCount = 64 << 10

    private let descriptor: Int32
    private var buffer = SecretBytes(byteCount: bufferByteCount)
    private var used = 0

    /// Writes to an open descriptor, which stays the caller's.
    package init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Writes a message; some of it may stay here until ``flush()``.
    /// - Returns: Whether the receiver is still there.
    package func send(_ message: ConversionMessage) -> Bool {
        let bytes = message.encoded()
        let head = LayoutWriter.secret { $0.u32(UInt32(clamping: bytes.bytes.byteCount)) }
        return append(head.bytes) && append(bytes.bytes)
    }

    /// Writes what is here.
    /// - Returns: Whether all of it was written.
    package func flush() -> Bool {
        defer { used = 0 }
        return unsafe buffer.withUnsafeBytes { bytes in
            unsafe Self.write(UnsafeRawBufferPointer(rebasing: bytes[..<used]), to: descriptor)
        }
    }

    private func append(_ bytes: borrowing SecretBytes) -> Bool {
        if bytes.byteCount > Self.bufferByteCount - used, !flush() { return false }
        if bytes.byteCount > Self.bufferByteCount {
            return unsafe bytes.withUnsafeBytes { unsafe Self.write($0, to: descriptor) }
        }
        let start = used
        unsafe buffer.withUnsafeMutableBytes { target in
            unsafe bytes.withUnsafeBytes { source in
                unsafe UnsafeMutableRawBufferPointer(
                    rebasing: target[start..<start + source.count]
                ).copyMemory(from: source)
            }
        }
        used += bytes.byteCount
        return true
    }

    /// Writes all bytes to a descriptor.
    /// - Returns: Whether it could.
    package static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
        var rest = unsafe bytes
        while unsafe !rest.isEmpty {
            let count = unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            unsafe rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
        return true
    }
}

/// Reads messages from a pipe.
package final class ConversionInput {
    /// What comes next.
    package enum Next: Sendable {
        case message(ConversionMessage)
        /// The sender has ended.
        case ended
        /// Bytes that are no message, or too many.
        case invalid
    }

    private static let bufferByteCount = 64 << 10

    private let descriptor: Int32
    private var buffer = SecretBytes(byteCount: bufferByteCount)
    private var start = 0
    private var end = 0
    /// Whether the sender has ended within a message.
    private var isCut = false

    /// Reads from an open descriptor, which stays the caller's.
    package init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Waits for the next message.
    package func next() -> Next {
        guard let head = take(4) else { return isCut ? .invalid : .ended }
        let count = unsafe head.bytes.withUnsafeBytes {
            UInt32(littleEndian: unsafe $0.loadUnaligned(as: UInt32.self))
        }
        guard count <= ConversionLimits.messageByteCount, let bytes = take(Int(count)),
            let message = unsafe bytes.bytes.withUnsafeBytes({
                unsafe try? ConversionMessage(decoding: $0)
            })
        else { return .invalid }
        return .message(message)
    }

    /// The next bytes; nil if there are fewer.
    private func take(_ count: Int) -> Secret? {
        if count <= end - start {
            defer { start += count }
            return Secret(buffer.slice(start..<start + count))
        }
        var isWhole = true
        let bytes = unsafe SecretBytes(byteCount: count) { target in
            var filled = 0
            while filled < count {
                if start == end, !fill() {
                    isWhole = false
                    isCut = filled > 0
                    return
                }
                let part = min(count - filled, end - start)
                unsafe buffer.withUnsafeBytes { source in
                    unsafe UnsafeMutableRawBufferPointer(
                        rebasing: target[filled..<filled + part]
                    ).copyMemory(
                        from: UnsafeRawBufferPointer(rebasing: source[start..<start + part]))
                }
                filled += part
                start += part
            }
        }
        return isWhole ? Secret(bytes) : nil
    }

    private func fill() -> Bool {
        start = 0
        end = 0
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes {
                unsafe read(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            end = count
            return true
        }
    }
}
