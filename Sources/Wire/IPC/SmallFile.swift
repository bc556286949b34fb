// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc

/// A short file of text, such as options.
package enum SmallFile {
    /// Reads a file.
    /// - Returns: Nil if there is none, or it is too long or isn't a plain file.
    package static func read(_ path: String, limit: Int) -> String? {
        let raw = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard raw >= 0 else { return nil }
        let file = Descriptor(owning: raw)
        var status = stat()
        guard unsafe fstat(file.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_size <= limit
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = unsafe bytes.withUnsafeMutableBytes { room in
            unsafe Glibc.read(file.rawValue, room.baseAddress, room.count)
        }
        return count >= 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }
}
