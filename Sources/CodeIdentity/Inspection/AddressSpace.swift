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

    /// Takes an open `maps` file.
    init(maps: consuming Descriptor) { self.maps = maps }

    /// The open file; stays owned here.
    var rawValue: Int32 { maps.rawValue }

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
        var lines = TextLines(text)
        while let line = lines.next() {
            guard let isExecutable = Mapping.isExecutable(line) else { return nil }
            guard isExecutable else { continue }
            guard let mapping = Mapping(line) else { return nil }
            mappings.append(mapping)
        }
        return mappings.isEmpty ? nil : mappings
    }
}

/// A line of `maps`.
struct Mapping {
    /// Major and minor number of the device, as one.
    let device: UInt64
    let inode: UInt64
    /// The range, as the name of a file in `map_files`.
    let range: String
    /// As the process sees it.
    let path: String

    /// Whether what a line is about is mapped with the right to be executed; nil for a line that
    /// isn't one of `maps`.
    static func isExecutable(_ line: ArraySlice<UInt8>) -> Bool? {
        var fields = LineFields(line)
        guard fields.next() != nil, let rights = fields.next(), rights.count == 4 else {
            return nil
        }
        return rights[rights.startIndex + 2] == UInt8(ascii: "x")
    }

    init?(_ line: ArraySlice<UInt8>) {
        var fields = LineFields(line)
        guard let range = fields.next(), fields.next() != nil, fields.next() != nil,
            let device = fields.next(), let colon = device.firstIndex(of: UInt8(ascii: ":")),
            let major = UInt64(digits: device[..<colon], radix: 16), major <= UInt32.max,
            let minor = UInt64(digits: device[(colon + 1)...], radix: 16), minor <= UInt32.max,
            let inode = fields.next().flatMap({ UInt64(digits: $0, radix: 10) })
        else { return nil }
        self.device = major << 32 | minor
        self.inode = inode
        self.range = String(decoding: range, as: UTF8.self)
        path = String(decoding: fields.rest(), as: UTF8.self)
    }

    /// What the kernel itself puts into every process.
    var isKernels: Bool { inode == 0 && (path == "[vdso]" || path == "[vsyscall]") }
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
