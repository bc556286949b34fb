// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// A line of `maps` that has a file, or code.
struct Mapping {
    /// The addresses.
    let start: UInt64
    let end: UInt64
    let isExecutable: Bool
    /// Whether the memory is shared with others who map the file.
    let isShared: Bool
    /// Major and minor number of the device, as one.
    let device: UInt64
    let inode: UInt64
    let pathBytes: ArraySlice<UInt8>

    /// Reads a line.
    /// - Returns: Nil for a line that isn't one of `maps`.
    init?(_ line: ArraySlice<UInt8>) {
        var fields = LineFields(line)
        guard let range = fields.next(), let dash = range.firstIndex(of: UInt8(ascii: "-")),
            let start = UInt64(digits: range[..<dash], radix: 16),
            let end = UInt64(digits: range[(dash + 1)...], radix: 16), start < end,
            let rights = fields.next(), rights.count == 4, fields.next() != nil,
            let device = fields.next(), let colon = device.firstIndex(of: UInt8(ascii: ":")),
            let major = UInt64(digits: device[..<colon], radix: 16), major <= UInt32.max,
            let minor = UInt64(digits: device[(colon + 1)...], radix: 16), minor <= UInt32.max,
            let inode = fields.next().flatMap({ UInt64(digits: $0, radix: 10) })
        else { return nil }
        self.start = start
        self.end = end
        isExecutable = rights[rights.startIndex + 2] == UInt8(ascii: "x")
        isShared = rights[rights.startIndex + 3] == UInt8(ascii: "s")
        self.device = major << 32 | minor
        self.inode = inode
        pathBytes = fields.rest()
    }

    /// As the process sees it.
    var path: String { String(decoding: pathBytes, as: UTF8.self) }

    /// Code of the kernel's that a process can have a changed copy of. The other such page,
    /// `[vsyscall]`, can't be written, and the kernel says nothing of it.
    var isChangeableKernels: Bool { inode == 0 && pathBytes.elementsEqual("[vdso]".utf8) }

    /// What the kernel itself puts into every process.
    var isKernels: Bool {
        inode == 0
            && (pathBytes.elementsEqual("[vdso]".utf8)
                || pathBytes.elementsEqual("[vsyscall]".utf8))
    }

    /// Names the file of a mapping among those of one process.
    struct File: Hashable {
        let device: UInt64
        let inode: UInt64
    }

    var file: File { File(device: device, inode: inode) }

    /// Whether a line is one that inspection asks about: it has a file, or can be executed. Most
    /// lines aren't, so this looks no further than it must.
    /// - Returns: Nil for a line that isn't one of `maps`.
    static func concerns(_ line: ArraySlice<UInt8>) -> Bool? {
        var fields = LineFields(line)
        guard fields.next() != nil, let rights = fields.next(), rights.count == 4,
            fields.next() != nil, fields.next() != nil, let inode = fields.next()
        else { return nil }
        return rights[rights.startIndex + 2] == UInt8(ascii: "x")
            || !inode.elementsEqual([UInt8(ascii: "0")])
    }
}
