// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import SecretBytes

/// Writes to a descriptor. Its buffer may contain a secret and is protected like one.
struct Output: ~Copyable {
    private let descriptor: Int32
    private var buffer = SecretBytes(byteCount: 4096)
    private var count = 0
    private var hasFailed = false

    /// Writes to `descriptor`, which stays open.
    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Writes a text at once.
    static func write(_ text: String, to descriptor: Int32) {
        var output = Output(descriptor)
        output.put(text)
        _ = output.flush()
    }

    /// Adds one byte.
    mutating func put(_ byte: UInt8) {
        if count == buffer.byteCount { drain() }
        unsafe buffer.withUnsafeMutableBytes { unsafe $0[count] = byte }
        count += 1
    }

    /// Adds a text.
    mutating func put(_ text: String) { for byte in text.utf8 { put(byte) } }

    /// Adds bytes.
    mutating func put(_ bytes: UnsafeRawBufferPointer) {
        for index in bytes.indices { put(unsafe bytes[index]) }
    }

    /// Writes the buffer.
    /// - Returns: Whether everything since the start was written.
    mutating func flush() -> Bool {
        drain()
        return !hasFailed
    }

    private mutating func drain() {
        let end = count
        let descriptor = descriptor
        let isWritten = unsafe buffer.withUnsafeBytes { bytes in
            var written = 0
            while written < end {
                let step = unsafe Glibc.write(
                    descriptor, bytes.baseAddress.map { unsafe $0 + written }, end - written)
                if step > 0 {
                    written += step
                } else if errno != EINTR {
                    return false
                }
            }
            return true
        }
        if !isWritten { hasFailed = true }
        count = 0
    }
}

/// Writes a line to standard error.
func complain(_ text: String) { Output.write(text + "\n", to: STDERR_FILENO) }
