// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC

/// One program of a process, from its `exec` to the next. The kernel ties an open `maps` file to
/// the address space it was opened for: after another `exec` it is empty for good, while the
/// process, its number and its pidfd go on.
package struct AddressSpace: ~Copyable, Sendable {
    private let maps: Descriptor

    private static let byteLimit = 8 * 1024 * 1024

    /// Opens a process's present one; nil when this process may not look into it.
    init?(process: Int32) {
        let file = unsafe llavero_open("/proc/\(process)/maps", O_RDONLY | O_CLOEXEC, 0)
        guard file >= 0 else { return nil }
        maps = Descriptor(owning: file)
    }

    /// Whether it is still the one that its process runs in.
    package borrowing func isInUse() -> Bool {
        var byte: UInt8 = 0
        return unsafe pread(maps.rawValue, &byte, 1, 0) == 1
    }

    /// Everything that is mapped with the right to be executed; nil when it can't be read.
    borrowing func executableMappings() -> [Mapping]? {
        guard let text = ProcessFile.content(maps.rawValue, limit: Self.byteLimit) else {
            return nil
        }
        var mappings: [Mapping] = []
        for line in text.split(separator: UInt8(ascii: "\n")) {
            guard let mapping = Mapping(line) else { return nil }
            if mapping.isExecutable { mappings.append(mapping) }
        }
        return mappings.isEmpty ? nil : mappings
    }
}

/// A line of `maps`.
struct Mapping {
    let isExecutable: Bool
    /// Major and minor number of the device, as one.
    let device: UInt64
    let inode: UInt64
    /// The range, as the name of a file in `map_files`.
    let range: String
    /// As the process sees it.
    let path: String

    init?(_ line: ArraySlice<UInt8>) {
        let fields = line.split(
            separator: UInt8(ascii: " "), maxSplits: 5, omittingEmptySubsequences: true)
        guard fields.count >= 5 else { return nil }
        let device = fields[3].split(separator: UInt8(ascii: ":"))
        guard device.count == 2, let major = Self.number(device[0], 16),
            let minor = Self.number(device[1], 16), let inode = Self.number(fields[4], 10)
        else { return nil }
        isExecutable = fields[1].dropFirst(2).first == UInt8(ascii: "x")
        self.device = major << 32 | minor
        self.inode = inode
        range = String(decoding: fields[0], as: UTF8.self)
        path =
            fields.count == 6
            ? String(decoding: fields[5].drop { $0 == UInt8(ascii: " ") }, as: UTF8.self) : ""
    }

    /// What the kernel itself puts into every process.
    var isKernels: Bool { inode == 0 && (path == "[vdso]" || path == "[vsyscall]") }

    private static func number(_ digits: ArraySlice<UInt8>, _ radix: Int) -> UInt64? {
        UInt64(String(decoding: digits, as: UTF8.self), radix: radix)
    }
}

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
}
