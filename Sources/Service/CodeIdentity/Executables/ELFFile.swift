// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc

/// The parts of an ELF program that signing needs. The file is anybody's: nothing in it is
/// believed, and no count or offset is used unchecked. Source: the ELF specification, version 1.2,
/// and its 64-bit form.
package struct ELFFile {
    /// A part of the file that the kernel or the dynamic linker uses.
    package struct Segment {
        package let type: UInt32
        package let offset: Int
        package let byteCount: Int
    }

    /// A named part of the file that nobody loads, or that lies in a segment.
    package struct Section {
        package let name: [UInt8]
        package let type: UInt32
        package let offset: Int
        package let byteCount: Int
        /// The 64 bytes of its header.
        package let header: [UInt8]
    }

    package static let headerByteCount = 64
    package static let segmentHeaderByteCount = 56
    package static let sectionHeaderByteCount = 64
    package static let segmentLimit = 128
    package static let sectionLimit = 4096

    /// The segment types that matter here.
    package enum SegmentType {
        package static let load: UInt32 = 1
        package static let dynamic: UInt32 = 2
        package static let interpreter: UInt32 = 3
        package static let note: UInt32 = 4
        package static let property: UInt32 = 0x6474_E553
    }
    /// A section type: its bytes aren't in the file.
    package static let noBits: UInt32 = 8

    package let source: ByteSource
    /// The file's first 64 bytes.
    package let header: [UInt8]
    /// Where the table of segments is.
    package let segmentTableOffset: Int
    /// The table's bytes.
    package let segmentTable: [UInt8]
    package let segments: [Segment]

    /// Reads the header and the table of segments.
    package init(_ source: ByteSource) throws(SignatureProblem) {
        self.source = source
        header = try source.read(0, Self.headerByteCount)
        var fields = DocumentFields(header)
        guard try fields.bytes(7) == [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1] else {
            throw .notAnExecutable
        }
        _ = try fields.bytes(9)
        let type = try fields.integer(UInt16.self)
        guard type == 2 || type == 3 else { throw .notAnExecutable }
        _ = try fields.bytes(2 + 4 + 8)
        let offset = try fields.integer(UInt64.self)
        _ = try fields.bytes(8 + 4 + 2)
        let size = try fields.integer(UInt16.self)
        let count = Int(try fields.integer(UInt16.self))
        guard size == Self.segmentHeaderByteCount, (1...Self.segmentLimit).contains(count),
            let start = Int(exactly: offset)
        else { throw .notAnExecutable }
        segmentTableOffset = start
        segmentTable = try source.read(start, count * Self.segmentHeaderByteCount)
        var table = DocumentFields(segmentTable)
        var segments: [Segment] = []
        for _ in 0..<count {
            let type = try table.integer(UInt32.self)
            _ = try table.bytes(4)
            let offset = try table.integer(UInt64.self)
            _ = try table.bytes(16)
            let byteCount = try table.integer(UInt64.self)
            _ = try table.bytes(16)
            guard let offset = Int(exactly: offset), let byteCount = Int(exactly: byteCount) else {
                throw .notAnExecutable
            }
            segments.append(Segment(type: type, offset: offset, byteCount: byteCount))
        }
        self.segments = segments
    }

    /// Whether an open file begins as one does.
    static func isOne(_ descriptor: Int32) -> Bool {
        var magic = [UInt8](repeating: 0, count: 4)
        return unsafe pread(descriptor, &magic, 4, 0) == 4 && magic == [0x7F, 0x45, 0x4C, 0x46]
    }

    /// The sections with their names; none in a file without a section table.
    package func sections() throws(SignatureProblem) -> [Section] {
        var fields = DocumentFields(header.dropFirst(0x28))
        let offset = try fields.integer(UInt64.self)
        _ = try fields.bytes(0x3A - 0x30)
        let size = try fields.integer(UInt16.self)
        let count = Int(try fields.integer(UInt16.self))
        let nameIndex = Int(try fields.integer(UInt16.self))
        guard count > 0 else { return [] }
        guard size == Self.sectionHeaderByteCount, count <= Self.sectionLimit,
            nameIndex < count, let start = Int(exactly: offset)
        else { throw .notAnExecutable }
        let table = try source.read(start, count * Self.sectionHeaderByteCount)
        let names = try sectionRange(table, nameIndex)
        guard names.byteCount <= 1024 * 1024 else { throw .notAnExecutable }
        let texts = try source.read(names.offset, names.byteCount)
        var sections: [Section] = []
        for index in 0..<count {
            let range = try sectionRange(table, index)
            let start = min(range.name, texts.count)
            let name = texts[start...].prefix { $0 != 0 }
            let at = index * Self.sectionHeaderByteCount
            sections.append(
                Section(
                    name: Array(name.prefix(64)), type: range.type, offset: range.offset,
                    byteCount: range.byteCount,
                    header: Array(table[at..<at + Self.sectionHeaderByteCount])))
        }
        return sections
    }

    /// The bytes of a section; nil when there is none of that name.
    /// - Throws: ``SignatureProblem/malformed`` when there are two, or it is too large.
    package func sectionBytes(
        _ name: String, in sections: [Section], limit: Int
    ) throws(SignatureProblem) -> [UInt8]? {
        let named = sections.filter { $0.name.elementsEqual(name.utf8) }
        guard let section = named.first else { return nil }
        guard named.count == 1, section.byteCount <= limit, section.type != Self.noBits else {
            throw .malformed
        }
        return try source.read(section.offset, section.byteCount)
    }

    private func sectionRange(
        _ table: [UInt8], _ index: Int
    ) throws(SignatureProblem) -> (name: Int, type: UInt32, offset: Int, byteCount: Int) {
        var fields = DocumentFields(
            table[(index * Self.sectionHeaderByteCount)...].prefix(Self.sectionHeaderByteCount))
        let name = Int(try fields.integer(UInt32.self))
        let type = try fields.integer(UInt32.self)
        _ = try fields.bytes(16)
        let offset = try fields.integer(UInt64.self)
        let byteCount = try fields.integer(UInt64.self)
        guard let offset = Int(exactly: offset), let byteCount = Int(exactly: byteCount) else {
            throw .notAnExecutable
        }
        return (name, type, offset, byteCount)
    }
}
