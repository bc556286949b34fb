// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC

/// Files below `/proc`.
enum ProcessFile {
    private static let firstByteCount = 8 * 1024
    private static let chunkByteCount = 32 * 1024

    /// All of an open file, from its start; nil when it is empty, too long or can't be read.
    static func content(_ descriptor: Int32, limit: Int) -> [UInt8]? {
        // Most are short; and what is freed is overwritten, so that large buffers cost.
        var bytes = [UInt8]()
        var byteCount = firstByteCount
        while bytes.count <= limit {
            guard let more = piece(descriptor, at: bytes.count, byteCount) else { return nil }
            if bytes.isEmpty { bytes = more } else { bytes += more }
            if more.count < byteCount {
                return bytes.isEmpty || bytes.count > limit ? nil : bytes
            }
            byteCount = chunkByteCount
        }
        return nil
    }

    /// So much of an open file, or less where it ends; nil when a read fails.
    private static func piece(_ descriptor: Int32, at offset: Int, _ byteCount: Int) -> [UInt8]? {
        var hasFailed = false
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { room, count in
            while count < room.count {
                let rest = unsafe UnsafeMutableBufferPointer(rebasing: room[count...])
                let result = unsafe pread(
                    descriptor, rest.baseAddress, rest.count, off_t(offset + count))
                if result < 0 && errno == EINTR { continue }
                guard result > 0 else {
                    hasFailed = result < 0
                    return
                }
                count += result
            }
        }
        return hasFailed ? nil : bytes
    }

    /// The first lines of an open file, as many as one read gives; nil when it fails.
    static func firstLines(_ descriptor: Int32, _ byteCount: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: byteCount)
        var count = -1
        repeat {
            count = unsafe pread(descriptor, &bytes, byteCount, 0)
        } while count < 0 && errno == EINTR
        guard count >= 0 else { return nil }
        bytes.removeLast(byteCount - count)
        let end = bytes.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        bytes.removeLast(bytes.count - end)
        return bytes
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
