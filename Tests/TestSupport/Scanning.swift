// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import Glibc

/// Looks for bytes.
package enum ByteSearch {
    /// Whether the bytes are there.
    package static func contains(
        _ needle: [UInt8], in haystack: UnsafeRawBufferPointer
    ) -> Bool {
        unsafe needle.withUnsafeBytes { needle in
            // Counts and addresses are read once: a scan covers gigabytes.
            guard let start = needle.baseAddress, let first = unsafe needle.first,
                var place = haystack.baseAddress
            else { return false }
            let byteCount = needle.count
            var room = haystack.count - byteCount + 1
            while room > 0, let hit = unsafe memchr(place, Int32(first), room) {
                if unsafe memcmp(hit, start, byteCount) == 0 { return true }
                let next = unsafe UnsafeRawPointer(hit) + 1
                unsafe room -= next - place
                unsafe place = next
            }
            return false
        }
    }

    /// Whether all bytes are zero, as in the untouched part of a thread's stack.
    static func isZero(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let base = bytes.baseAddress, bytes.count > 1 else { return false }
        return unsafe bytes[0] == 0 && memcmp(base, base + 1, bytes.count - 1) == 0
    }

    /// Whether the bytes are there.
    package static func contains(_ needle: [UInt8], in haystack: [UInt8]) -> Bool {
        unsafe haystack.withUnsafeBytes { unsafe contains(needle, in: $0) }
    }
}

/// Looks for bytes in all files of a directory.
package enum FileScan {
    /// The needles that occur in any file below a directory.
    /// - Returns: `name in file`, for each.
    package static func find(_ needles: [String: [UInt8]], below directory: String) throws
        -> [String]
    {
        var findings: [String] = []
        for file in try files(below: directory) {
            let path = directory + "/" + file
            guard let bytes = FileManager.default.contents(atPath: path) else {
                // A running service replaces files: a file that was renamed meanwhile has another
                // name.
                guard FileManager.default.fileExists(atPath: path) else { continue }
                throw TestFailure("\(file) can't be read.")
            }
            unsafe bytes.withUnsafeBytes { content in
                for (name, needle) in needles where unsafe ByteSearch.contains(needle, in: content)
                {
                    findings.append("\(name) in \(file)")
                }
            }
        }
        return findings.sorted()
    }

    /// The regular files below a directory.
    package static func files(below directory: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: directory).filter { path in
            var status = stat()
            return unsafe lstat(directory + "/" + path, &status) == 0
                && status.st_mode & S_IFMT == S_IFREG
        }
    }
}

/// Looks for bytes in the memory of another process, as root or as the process's user.
package struct MemoryScan {
    /// The needles that occur.
    package private(set) var found: Set<String> = []
    /// Mappings that even the reader's rights don't open, by the kernel's name.
    package private(set) var unreadable: [String] = []
    /// The number of scanned bytes.
    package private(set) var byteCount = 0

    private static let pieceByteCount = 4 << 20

    /// Reads every readable mapping of a process.
    /// - Throws: when the process's memory can't be opened at all.
    package init(of pid: Int32, for needles: [String: [UInt8]]) throws {
        let memory = unsafe open("/proc/\(pid)/mem", O_RDONLY | O_CLOEXEC)
        guard memory >= 0 else {
            throw TestFailure("/proc/\(pid)/mem can't be opened: error \(errno).")
        }
        defer { close(memory) }
        let maps = try ProcessFile.read(pid, "maps")
        guard maps.contains("[stack]") else {
            throw TestFailure("The list of process \(pid)'s memory is not whole.")
        }
        let overlap = (needles.values.map(\.count).max() ?? 1) - 1
        var buffer = [UInt8](repeating: 0, count: Self.pieceByteCount + overlap)
        for line in maps.split(separator: "\n") {
            guard let mapping = Mapping(line) else { continue }
            scan(mapping, memory, needles, &buffer, overlap)
        }
    }

    private mutating func scan(
        _ mapping: Mapping, _ memory: Int32, _ needles: [String: [UInt8]],
        _ buffer: inout [UInt8], _ overlap: Int
    ) {
        var address = mapping.range.lowerBound
        while address < mapping.range.upperBound {
            let wanted = min(buffer.count, mapping.range.upperBound - address)
            let count = unsafe pread(memory, &buffer, wanted, address)
            guard count > 0 else {
                unreadable.append(mapping.name)
                return
            }
            byteCount += count
            unsafe buffer.withUnsafeBytes { bytes in
                let piece = unsafe UnsafeRawBufferPointer(rebasing: bytes[..<count])
                guard unsafe !ByteSearch.isZero(piece) else { return }
                for (name, needle) in needles
                where unsafe !found.contains(name) && ByteSearch.contains(needle, in: piece) {
                    found.insert(name)
                }
            }
            address +=
                count > overlap && count == wanted && wanted == buffer.count
                ? count - overlap : count
        }
    }

    private struct Mapping {
        let range: Range<Int>
        let name: String

        /// A line of `maps`; nil if it can't be read or isn't the process's own memory.
        init?(_ line: Substring) {
            let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
            guard fields.count >= 5, fields[1].hasPrefix("r") else { return nil }
            name = fields.count > 5 ? fields[5].trimmingCharacters(in: .whitespaces) : ""
            guard !name.hasPrefix("[v") else { return nil }
            let bounds = fields[0].split(separator: "-").compactMap { Int($0, radix: 16) }
            guard bounds.count == 2 else { return nil }
            range = bounds[0]..<bounds[1]
        }
    }
}
