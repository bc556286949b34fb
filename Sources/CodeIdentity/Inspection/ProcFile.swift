// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC

/// Files below `/proc`.
enum ProcessFile {
    /// All of an open file, from its start; nil when it is empty, too long or can't be read.
    static func content(_ descriptor: Int32, limit: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 32 * 1024)
        while bytes.count <= limit {
            let count = unsafe chunk.withUnsafeMutableBytes { room in
                unsafe pread(descriptor, room.baseAddress, room.count, off_t(bytes.count))
            }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { return bytes.isEmpty ? nil : bytes }
            bytes += chunk[..<count]
        }
        return nil
    }

    /// All of a file.
    static func content(_ path: String, limit: Int) -> [UInt8]? {
        let file = unsafe llavero_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0)
        guard file >= 0 else { return nil }
        let descriptor = Descriptor(owning: file)
        return content(descriptor.rawValue, limit: limit)
    }

    /// Where a link leads.
    static func link(_ path: String) -> String? {
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe bytes.withUnsafeMutableBytes { room in
            unsafe room.withMemoryRebound(to: CChar.self) { room in
                guard let base = room.baseAddress else { return -1 }
                return unsafe readlink(path, base, room.count)
            }
        }
        guard count > 0, count < bytes.count else { return nil }
        return String(validating: bytes[..<count], as: UTF8.self)
    }

    /// An open file once more, for reading what was only named before.
    static func reopen(_ file: borrowing Descriptor) -> Descriptor? {
        let raw = unsafe llavero_open(
            "/proc/self/fd/\(file.rawValue)", O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0)
        return raw >= 0 ? Descriptor(owning: raw) : nil
    }
}
