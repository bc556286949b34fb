// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import IPC

/// Adds the two sections of a signature to an ELF file, and removes them. The loaded segments stay
/// where they are; the sections, their names and a new section table are appended.
package enum SectionWriter {
    private static let ours = [
        SignedExecutable.signatureSection, SignedExecutable.entitlementsSection,
    ]

    /// Whether a program has one of our sections.
    package static func isSigned(_ program: [UInt8]) throws -> Bool {
        try ELFFile(ByteSource(program)).sections().contains(where: isOurs)
    }

    /// A program without the sections of a signature.
    package static func unsigned(_ program: [UInt8]) throws -> [UInt8] {
        try rebuilt(program, adding: [])
    }

    /// A program with a signature's sections.
    package static func adding(
        signature: [UInt8], entitlements: [UInt8], to program: [UInt8]
    ) throws -> [UInt8] {
        var added = [(SignedExecutable.signatureSection, signature)]
        if !entitlements.isEmpty {
            added.append((SignedExecutable.entitlementsSection, entitlements))
        }
        return try rebuilt(program, adding: added)
    }

    private static func isOurs(_ section: ELFFile.Section) -> Bool {
        ours.contains { section.name.elementsEqual($0.utf8) }
    }

    private static func rebuilt(
        _ program: [UInt8], adding added: [(String, [UInt8])]
    ) throws -> [UInt8] {
        let file = try ELFFile(ByteSource(program))
        let sections = try file.sections()
        let table = TableLocation(file.header)
        guard sections.isEmpty || table.nameIndex > 0 else { throw SigningProblem.unusualSections }
        let kept = sections.indices.filter { !isOurs(sections[$0]) }
        let end = contentEnd(file, kept.filter { $0 != table.nameIndex }.map { sections[$0] })
        try checkNothingBehind(file, sections, table, end)

        var result = Array(program[..<end])
        var names: [UInt8] = [0]
        var headers: [[UInt8]] = []
        if kept.isEmpty { headers = [[UInt8](repeating: 0, count: 64)] }
        for index in kept {
            var header = try renumbered(sections[index], kept, count: sections.count)
            let name = fullName(of: sections[index], program, sections, table)
            header.set(UInt32(name.isEmpty ? 0 : names.count), littleEndianAt: 0)
            if !name.isEmpty { names += name + [0] }
            headers.append(header)
        }
        for (name, content) in added {
            result.pad(to: 8)
            headers.append(.section(name: names.count, type: 1, at: result.count, content.count))
            names += Array(name.utf8) + [0]
            result += content
        }
        var nameIndex = kept.firstIndex(of: table.nameIndex)
        if nameIndex == nil {
            nameIndex = headers.count
            headers.append(.section(name: names.count, type: 3, at: 0, 0))
            names += Array(".shstrtab".utf8) + [0]
        }
        guard let nameIndex else { throw SigningProblem.unusualSections }
        headers[nameIndex].set(UInt64(result.count), littleEndianAt: 24)
        headers[nameIndex].set(UInt64(names.count), littleEndianAt: 32)
        result += names
        result.pad(to: 8)
        let start = result.count
        result += headers.joined()
        result.set(UInt64(start), littleEndianAt: 0x28)
        result.set(UInt16(64), littleEndianAt: 0x3A)
        result.set(UInt16(headers.count), littleEndianAt: 0x3C)
        result.set(UInt16(nameIndex), littleEndianAt: 0x3E)
        // Final check for unusual files: never write a program that would run differently.
        guard let after = try? CodeDigest.of(ELFFile(ByteSource(result))),
            try after == CodeDigest.of(file)
        else { throw SigningProblem.unusualSections }
        return result
    }

    /// A section's header after others were removed: sections refer to each other by number.
    private static func renumbered(
        _ section: ELFFile.Section, _ kept: [Int], count: Int
    ) throws -> [UInt8] {
        var header = section.header
        let isRelocation = section.type == 4 || section.type == 9
        let refersByInfo =
            isRelocation || header.integer(UInt64.self, littleEndianAt: 8) & 0x40 != 0
        for offset in refersByInfo ? [40, 44] : [40] {
            let old = Int(header.integer(UInt32.self, littleEndianAt: offset))
            guard let new = kept.firstIndex(of: old) else { throw SigningProblem.unusualSections }
            header.set(UInt32(new), littleEndianAt: offset)
        }
        return header
    }

    /// The position of the file's section table.
    private struct TableLocation {
        let offset: Int
        let count: Int
        let nameIndex: Int

        init(_ header: [UInt8]) {
            offset = Int(truncatingIfNeeded: header.integer(UInt64.self, littleEndianAt: 0x28))
            count = Int(header.integer(UInt16.self, littleEndianAt: 0x3C))
            nameIndex = Int(header.integer(UInt16.self, littleEndianAt: 0x3E))
        }
    }

    /// The end of the part that stays.
    private static func contentEnd(_ file: ELFFile, _ kept: [ELFFile.Section]) -> Int {
        let all = file.source.byteCount
        var end = file.segmentTableOffset + file.segmentTable.count
        for segment in file.segments {
            end = max(end, Self.end(segment.offset, segment.byteCount, all))
        }
        for section in kept where section.type != ELFFile.noBits {
            end = max(end, Self.end(section.offset, section.byteCount, all))
        }
        return end
    }

    /// The end of a part of the file, whose position isn't trusted.
    private static func end(_ offset: Int, _ byteCount: Int, _ fileByteCount: Int) -> Int {
        let (end, overflows) = offset.addingReportingOverflow(byteCount)
        return overflows ? fileByteCount : min(end, fileByteCount)
    }

    /// Only the name section and the section table may be at the end.
    private static func checkNothingBehind(
        _ file: ELFFile, _ sections: [ELFFile.Section], _ table: TableLocation, _ end: Int
    ) throws {
        var known = end
        for section in sections where section.type != ELFFile.noBits {
            known = max(known, Self.end(section.offset, section.byteCount, file.source.byteCount))
        }
        if table.count > 0 {
            known = max(
                known,
                Self.end(
                    table.offset, table.count * ELFFile.sectionHeaderByteCount,
                    file.source.byteCount))
        }
        guard file.source.byteCount <= known + 15 else { throw SigningProblem.trailingData }
    }

    private static func fullName(
        of section: ELFFile.Section, _ program: [UInt8], _ sections: [ELFFile.Section],
        _ table: TableLocation
    ) -> [UInt8] {
        let texts = sections[table.nameIndex]
        let (start, overflows) = texts.offset.addingReportingOverflow(
            Int(section.header.integer(UInt32.self, littleEndianAt: 0)))
        let end = Self.end(texts.offset, texts.byteCount, program.count)
        guard !overflows, start < end else { return [] }
        return Array(program[start..<end].prefix { $0 != 0 })
    }
}

extension [UInt8] {
    fileprivate mutating func pad(to multiple: Int) {
        while count % multiple != 0 { append(0) }
    }

    /// A section's header.
    fileprivate static func section(
        name: Int, type: UInt32, at offset: Int, _ byteCount: Int
    ) -> [UInt8] {
        var header = [UInt8](repeating: 0, count: ELFFile.sectionHeaderByteCount)
        header.set(UInt32(name), littleEndianAt: 0)
        header.set(type, littleEndianAt: 4)
        header.set(UInt64(offset), littleEndianAt: 24)
        header.set(UInt64(byteCount), littleEndianAt: 32)
        header.set(UInt64(1), littleEndianAt: 48)
        return header
    }
}
