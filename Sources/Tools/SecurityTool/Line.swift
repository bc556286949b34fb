// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import SecretBytes

/// A line of input, in memory for secrets.
enum Line: ~Copyable {
    /// The line with its end, if it has one, and one additional zero byte.
    case line(SecretBytes, isTerminated: Bool)
    /// Over the limit; the rest of the line has been read and dropped.
    case tooLong
    /// The input has ended.
    case end
    /// The input can't be read.
    case failed

    /// Reads a line and not a byte more: the bytes after it may be for another program.
    static func read(from descriptor: Int32, limit: Int) -> Line {
        var bytes = SecretBytes(byteCount: 256)
        var count = 0
        var byte: UInt8 = 0
        defer { byte = 0 }
        while true {
            let step = unsafe Glibc.read(descriptor, &byte, 1)
            if step < 0 {
                if errno == EINTR { continue }
                return .failed
            }
            if step == 0 {
                if count == 0 { return .end }
                guard count <= limit else { return .tooLong }
                return .line(bytes.prefix(count + 1), isTerminated: false)
            }
            if count < limit {
                if count + 2 > bytes.byteCount { bytes = enlarged(bytes, count) }
                unsafe bytes.withUnsafeMutableBytes { unsafe $0[count] = byte }
            }
            // Beyond the limit bytes are only counted, up to the maximum of an Int.
            if count <= limit { count += 1 }
            guard byte == UInt8(ascii: "\n") else { continue }
            return count > limit ? .tooLong : .line(bytes.prefix(count + 1), isTerminated: true)
        }
    }

    /// Reads a line without its end.
    /// - Returns: Nil when the input has ended, can't be read, or is over the limit.
    static func readSecret(from descriptor: Int32, limit: Int) -> SecretBytes? {
        switch read(from: descriptor, limit: limit) {
        case .line(let line, let isTerminated):
            return line.prefix(line.byteCount - (isTerminated ? 2 : 1))
        case .tooLong: return nil
        case .end: return nil
        case .failed: return nil
        }
    }

    private static func enlarged(
        _ bytes: borrowing SecretBytes, _ count: Int
    ) -> SecretBytes {
        unsafe SecretBytes(byteCount: bytes.byteCount * 2) { target in
            unsafe bytes.withUnsafeBytes { source in
                unsafe target.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[..<count]))
            }
        }
    }
}
