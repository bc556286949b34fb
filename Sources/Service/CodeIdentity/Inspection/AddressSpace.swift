// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CLinuxSupport
import Glibc
import IPC

/// One program of a process, from its `exec` to the next. The kernel ties open `maps` and `pagemap`
/// files to the address space they were opened for: after another `exec` they are empty for good,
/// while the process, its number and its pidfd go on.
package struct AddressSpace: ~Copyable, Sendable {
    /// The open files; they stay owned here.
    let maps: Descriptor
    let pages: Descriptor
    /// Which of the two files about pages it is.
    let pageFile: PageFile

    /// Where the kernel tells whose the pages of an address space are.
    enum PageFile {
        /// `pagemap`, which the process's own user may open.
        case map
        /// `smaps`, which takes longer and is for all whom the kernel lets look into the process.
        case sizes
    }

    private static let byteLimit = 8 * 1024 * 1024
    private static let startByteCount = 512
    private static let sizesByteLimit = 64 * 1024 * 1024
    private static let entryByteCount = 8

    /// Opens a process's present one; nil when this process may not look into it.
    init?(process: Int32) {
        let maps = unsafe llavero_open("/proc/\(process)/maps", O_RDONLY | O_CLOEXEC, 0)
        var pages = unsafe llavero_open("/proc/\(process)/pagemap", O_RDONLY | O_CLOEXEC, 0)
        pageFile = pages >= 0 ? .map : .sizes
        if pages < 0 {
            pages = unsafe llavero_open("/proc/\(process)/smaps", O_RDONLY | O_CLOEXEC, 0)
        }
        guard maps >= 0, pages >= 0 else {
            if maps >= 0 { close(maps) }
            if pages >= 0 { close(pages) }
            return nil
        }
        self.maps = Descriptor(owning: maps)
        self.pages = Descriptor(owning: pages)
    }

    /// Takes open files.
    init(maps: consuming Descriptor, pages: consuming Descriptor, pageFile: PageFile) {
        self.maps = maps
        self.pages = pages
        self.pageFile = pageFile
    }

    /// Whether it is still the one that its process runs in. Waits for the process's memory lock,
    /// which the process can hold.
    borrowing func isInUse() -> Bool {
        var byte: UInt8 = 0
        return unsafe pread(maps.rawValue, &byte, 1, 0) == 1
    }

    /// The same without waiting, as far as it can be told: always true where `pagemap` couldn't be
    /// opened. The kernel looks whether the address space lives before it looks at the count of a
    /// read, and refuses an odd one (`pagemap_read` in fs/proc/task_mmu.c; observed on Linux 6.18).
    borrowing func seemsInUse() -> Bool {
        guard pageFile == .map else { return true }
        var byte: UInt8 = 0
        return unsafe pread(pages.rawValue, &byte, 1, 0) == -1 && errno == EINVAL
    }

    /// The first code that is mapped from a file: where it is, and of which file. `exec` puts it at
    /// another address each time.
    static func firstCode(_ mappings: [Mapping]) -> FirstCode? {
        guard let mapping = mappings.first(where: { $0.isExecutable && $0.inode != 0 }) else {
            return nil
        }
        return FirstCode(start: mapping.start, file: mapping.file)
    }

    /// See ``firstCode(_:)``.
    struct FirstCode: Equatable {
        let start: UInt64
        let file: Mapping.File
    }

    /// Everything that is mapped from a file, or with the right to be executed; nil when it can't be
    /// read.
    borrowing func mappings() -> [Mapping]? {
        ProcessFile.content(maps.rawValue, limit: Self.byteLimit).flatMap(Self.mappings)
    }

    private static func mappings(_ text: [UInt8]) -> [Mapping]? {
        var mappings: [Mapping] = []
        var lines = TextLines(text)
        while let line = lines.next() {
            switch Mapping.read(line) {
            case .mapping(let mapping): mappings.append(mapping)
            case .other: continue
            case .malformed: return nil
            }
        }
        return mappings.isEmpty ? nil : mappings
    }

    /// The first code that is mapped now. Most often it is near the start of `maps`; only otherwise
    /// all of it is read.
    borrowing func firstCode() -> FirstCode? {
        if let start = ProcessFile.firstLines(maps.rawValue, Self.startByteCount),
            let mappings = Self.mappings(start), let first = Self.firstCode(mappings)
        {
            return first
        }
        return mappings().flatMap(Self.firstCode)
    }

    /// Whether mappings of files have pages that are no longer the file's: the process wrote to
    /// them, or a debugger did. Nil when that can't be seen.
    borrowing func haveCopiedPages(_ mappings: [Mapping]) -> Bool? {
        switch pageFile {
        case .sizes: return haveAnonymousSizes(mappings)
        case .map:
            var entries = [UInt64](repeating: 0, count: 1024)
            for mapping in mappings {
                guard let hasCopies = hasCopiedPages(mapping, &entries) else { return nil }
                if hasCopies { return true }
            }
            return false
        }
    }

    private borrowing func haveAnonymousSizes(_ mappings: [Mapping]) -> Bool? {
        guard let text = ProcessFile.content(pages.rawValue, limit: Self.sizesByteLimit) else {
            return nil
        }
        let starts = Set(mappings.map(\.start))
        var seen = 0
        var isAsked = false
        var lines = TextLines(text)
        while let line = lines.next() {
            if let mapping = Mapping(line) {
                isAsked = starts.contains(mapping.start)
            } else if isAsked {
                var fields = LineFields(line)
                let name = fields.next()
                let isAnonymous = name?.elementsEqual("Anonymous:".utf8) == true
                guard isAnonymous || name?.elementsEqual("Swap:".utf8) == true else { continue }
                guard let count = fields.next().flatMap({ UInt64(digits: $0, radix: 10) }) else {
                    return nil
                }
                if count > 0 { return true }
                if isAnonymous { seen += 1 }
            }
        }
        return seen == starts.count ? false : nil
    }

    private borrowing func hasCopiedPages(
        _ mapping: Mapping, _ entries: inout [UInt64]
    ) -> Bool? {
        // Ten times as fast, where the kernel has it.
        let found = llavero_scan_copied_pages(pages.rawValue, mapping.start, mapping.end)
        guard found < 0 else { return found > 0 }
        let pageByteCount = UInt64(sysconf(Int32(_SC_PAGESIZE)))
        var page = mapping.start / pageByteCount
        let end = mapping.end / pageByteCount
        while page < end {
            let wanted = min(entries.count, Int(end - page))
            let count = unsafe entries.withUnsafeMutableBytes { room in
                unsafe pread(
                    pages.rawValue, room.baseAddress, wanted * Self.entryByteCount,
                    off_t(page) * off_t(Self.entryByteCount))
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0, count % Self.entryByteCount == 0 else { return nil }
            let read = count / Self.entryByteCount
            if entries[..<read].contains(where: PageEntry.isCopied) { return true }
            page += UInt64(read)
        }
        return false
    }

    /// An entry of `pagemap` (Documentation/admin-guide/mm/pagemap.rst of the kernel).
    private enum PageEntry {
        private static let isPresent: UInt64 = 1 << 63
        private static let isSwapped: UInt64 = 1 << 62
        private static let isOfFile: UInt64 = 1 << 61

        /// Memory of a file is read again from it, never swapped, unless it was copied.
        static func isCopied(_ entry: UInt64) -> Bool {
            entry & isOfFile == 0 && entry & (isPresent | isSwapped) != 0
        }
    }
}
