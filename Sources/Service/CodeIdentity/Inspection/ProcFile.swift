// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC

/// Files below `/proc`.
enum ProcessFile {
    private static let firstByteCount = 4 * 1024
    private static let chunkByteCount = 32 * 1024

    /// All of an open file, from its start; nil when it is empty, too long or can't be read.
    static func content(_ descriptor: Int32, limit: Int) -> [UInt8]? {
        // Most are short; and what is freed is overwritten, so that large buffers cost.
        guard var bytes = piece(descriptor, at: 0, firstByteCount), !bytes.isEmpty else {
            return nil
        }
        while bytes.count <= limit {
            guard let more = piece(descriptor, at: bytes.count, chunkByteCount) else { return nil }
            if more.isEmpty { return bytes }
            bytes += more
        }
        return nil
    }

    /// What one read gives; empty at the end, nil when it fails.
    private static func piece(_ descriptor: Int32, at offset: Int, _ byteCount: Int) -> [UInt8]? {
        var hasFailed = false
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { room, count in
            var result = -1
            repeat {
                result = unsafe pread(descriptor, room.baseAddress, room.count, off_t(offset))
            } while result < 0 && errno == EINTR
            hasFailed = result < 0
            count = max(result, 0)
        }
        return hasFailed ? nil : bytes
    }

    /// All of a file.
    static func content(_ path: String, limit: Int) -> [UInt8]? {
        let file = unsafe llavero_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0)
        guard file >= 0 else { return nil }
        let descriptor = Descriptor(owning: file)
        return content(descriptor.rawValue, limit: limit)
    }

    /// The number of the mount that an open file is on. No file system is asked.
    static func mountNumber(ofOpenFile descriptor: Int32) -> UInt64? {
        guard let text = content("/proc/self/fdinfo/\(descriptor)", limit: 4096) else {
            return nil
        }
        var lines = TextLines(text)
        while let line = lines.next() {
            var fields = LineFields(line)
            guard let name = fields.next(), name.elementsEqual("mnt_id:".utf8) else { continue }
            return fields.next().flatMap { UInt64(digits: $0, radix: 10) }
        }
        return nil
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
