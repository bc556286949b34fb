// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc
import IPC

/// Where a program's bytes are read from: a file, or memory in tests.
package struct ByteSource {
    /// How many bytes there are.
    package let byteCount: Int
    private let reading: (Int, Int) -> [UInt8]?

    /// Bytes in memory.
    package init(_ bytes: [UInt8]) {
        byteCount = bytes.count
        reading = { Array(bytes[$0..<$0 + $1]) }
    }

    /// An open file, which the caller keeps open.
    package init(descriptor: Int32, byteCount: Int) {
        self.byteCount = byteCount
        reading = { offset, count in
            var bytes = [UInt8](repeating: 0, count: count)
            var filled = 0
            while filled < count {
                let result = unsafe bytes.withUnsafeMutableBytes { room in
                    unsafe pread(
                        descriptor, room.baseAddress.map { unsafe $0 + filled }, count - filled,
                        off_t(offset + filled))
                }
                if result < 0 && errno == EINTR { continue }
                guard result > 0 else { return nil }
                filled += result
            }
            return bytes
        }
    }

    /// Bytes of a range.
    /// - Throws: ``SignatureProblem/notAnExecutable`` when it isn't inside;
    ///   ``SignatureProblem/unreadable`` when reading fails.
    func read(_ offset: Int, _ count: Int) throws(SignatureProblem) -> [UInt8] {
        guard offset >= 0, count >= 0, offset <= byteCount, count <= byteCount - offset else {
            throw .notAnExecutable
        }
        guard let bytes = reading(offset, count) else { throw .unreadable }
        return bytes
    }
}
