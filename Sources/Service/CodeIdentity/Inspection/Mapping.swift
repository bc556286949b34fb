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
        guard let parts = Parts(line) else { return nil }
        self.init(parts)
    }

    /// What a line of `maps` is to an inspection.
    enum Line {
        case mapping(Mapping)
        /// It has no file and can't be executed: most lines.
        case other
        /// It isn't a line of `maps`.
        case malformed
    }

    /// Reads a line, no further than it must.
    static func read(_ line: ArraySlice<UInt8>) -> Line {
        guard let parts = Parts(line) else { return .malformed }
        guard parts.isExecutable || !parts.inode.elementsEqual(CollectionOfOne(UInt8(ascii: "0")))
        else { return .other }
        return Mapping(parts).map(Line.mapping) ?? .malformed
    }

    /// The fields of a line.
    private struct Parts {
        let range: ArraySlice<UInt8>
        let rights: ArraySlice<UInt8>
        let device: ArraySlice<UInt8>
        let inode: ArraySlice<UInt8>
        var rest: LineFields

        init?(_ line: ArraySlice<UInt8>) {
            var fields = LineFields(line)
            guard let range = fields.next(), let rights = fields.next(), rights.count == 4,
                fields.next() != nil, let device = fields.next(), let inode = fields.next()
            else { return nil }
            self.range = range
            self.rights = rights
            self.device = device
            self.inode = inode
            rest = fields
        }

        var isExecutable: Bool { rights[rights.startIndex + 2] == UInt8(ascii: "x") }
    }

    private init?(_ parts: consuming Parts) {
        let (range, device) = (parts.range, parts.device)
        guard let dash = range.firstIndex(of: UInt8(ascii: "-")),
            let start = UInt64(digits: range[..<dash], radix: 16),
            let end = UInt64(digits: range[(dash + 1)...], radix: 16), start < end,
            let colon = device.firstIndex(of: UInt8(ascii: ":")),
            let major = UInt64(digits: device[..<colon], radix: 16), major <= UInt32.max,
            let minor = UInt64(digits: device[(colon + 1)...], radix: 16), minor <= UInt32.max,
            let inode = UInt64(digits: parts.inode, radix: 10)
        else { return nil }
        self.start = start
        self.end = end
        isExecutable = parts.isExecutable
        isShared = parts.rights[parts.rights.startIndex + 3] == UInt8(ascii: "s")
        self.device = major << 32 | minor
        self.inode = inode
        pathBytes = parts.rest.rest()
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
}
