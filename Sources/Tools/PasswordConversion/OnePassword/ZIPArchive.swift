// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ConversionWire

/// Reads a ZIP archive in memory: its directory, and single entries. Nothing is written anywhere.
/// Source: PKWARE's APPNOTE 6.3.
///
/// Archives of over 4 GiB, encrypted ones and those in several files aren't read.
struct ZIPArchive {
    /// A file of the archive.
    struct Entry {
        let name: String
        let packedByteCount: Int
        let byteCount: Int
        fileprivate let sum: UInt32
        fileprivate let method: UInt16
        /// Where its own head begins.
        fileprivate let start: Int
    }

    private enum Sizes {
        static let end = 22
        static let directoryEntry = 46
        static let head = 30
        static let comment = 65_535
        static let entries = 65_535
    }
    private enum Signatures {
        static let end: UInt32 = 0x0605_4B50
        static let directoryEntry: UInt32 = 0x0201_4B50
        static let head: UInt32 = 0x0403_4B50
    }
    private enum Methods {
        static let stored: UInt16 = 0
        static let deflated: UInt16 = 8
    }
    /// Encryption, in several forms.
    private static let encryptionFlags: UInt16 = 0x2041
    /// The system whose modes an entry has.
    private static let unix: UInt8 = 3
    private static let modeOfKind: UInt32 = 0xF000
    private static let modesOfFiles: Set<UInt32> = [0, 0x8000, 0x4000]

    private let bytes: [UInt8]
    /// The files, without folders.
    let entries: [Entry]

    init(_ bytes: [UInt8]) throws(ConversionFailure) {
        self.bytes = bytes
        entries = try Self.directory(bytes)
    }

    /// The unpacked bytes of an entry.
    func content(_ entry: Entry) throws(ConversionFailure) -> [UInt8] {
        let head = Fields(bytes, entry.start)
        guard try head.u32(0) == Signatures.head else { throw ConversionFailure(.damaged) }
        let first = entry.start + Sizes.head + Int(try head.u16(26)) + Int(try head.u16(28))
        let end = first.addingReportingOverflow(entry.packedByteCount)
        guard !end.overflow, end.partialValue <= bytes.count else {
            throw ConversionFailure(.damaged)
        }
        try Inflater.check(unpacked: entry.byteCount, packed: entry.packedByteCount)
        let packed = bytes[first..<end.partialValue]
        var content: [UInt8] = []
        switch entry.method {
        case Methods.stored: content = Array(packed)
        case Methods.deflated:
            let inflater = try Inflater(MemorySource(packed), .none)
            while let chunk = try inflater.nextChunk() {
                content += chunk
                guard content.count <= entry.byteCount else { throw ConversionFailure(.damaged) }
            }
        default: throw ConversionFailure(.unsupported)
        }
        guard content.count == entry.byteCount, CRC32.of(content) == entry.sum else {
            throw ConversionFailure(.damaged)
        }
        return content
    }

    // MARK: - Directory

    private static func directory(_ bytes: [UInt8]) throws(ConversionFailure) -> [Entry] {
        let end = Fields(bytes, try endRecord(bytes))
        let count = Int(try end.u16(10))
        var place = Int(try end.u32(16))
        guard try end.u16(4) == 0, try end.u16(6) == 0, try Int(end.u16(8)) == count,
            count < Sizes.entries, place != Int(UInt32.max)
        else { throw ConversionFailure(.unsupported) }
        var entries: [Entry] = []
        var names: Set<String> = []
        for _ in 0..<count {
            let fields = Fields(bytes, place)
            guard try fields.u32(0) == Signatures.directoryEntry else {
                throw ConversionFailure(.damaged)
            }
            let nameByteCount = Int(try fields.u16(28))
            let next =
                place + Sizes.directoryEntry + nameByteCount + Int(try fields.u16(30))
                + Int(try fields.u16(32))
            if let entry = try entry(fields, nameByteCount) {
                guard names.insert(entry.name).inserted else { throw ConversionFailure(.badPath) }
                entries.append(entry)
            }
            place = next
        }
        return entries
    }

    /// The record at the end, before a comment.
    private static func endRecord(_ bytes: [UInt8]) throws(ConversionFailure) -> Int {
        var place = bytes.count - Sizes.end
        let last = max(place - Sizes.comment, 0)
        while place >= last {
            let fields = Fields(bytes, place)
            if try fields.u32(0) == Signatures.end,
                place + Sizes.end + Int(try fields.u16(20)) == bytes.count
            {
                return place
            }
            place -= 1
        }
        throw ConversionFailure(.damaged)
    }

    /// An entry of the directory; nil for a folder.
    private static func entry(
        _ fields: Fields, _ nameByteCount: Int
    ) throws(ConversionFailure) -> Entry? {
        let nameBytes = try fields.bytes(Sizes.directoryEntry, nameByteCount)
        guard let name = String(validating: nameBytes, as: UTF8.self), isInside(name) else {
            throw ConversionFailure(.badPath)
        }
        let system = UInt8(try fields.u16(4) >> 8)
        let mode = try fields.u32(38) >> 16
        guard system != unix || modesOfFiles.contains(mode & modeOfKind) else {
            throw ConversionFailure(.badPath)
        }
        guard try fields.u16(8) & encryptionFlags == 0 else {
            throw ConversionFailure(.unsupported)
        }
        let packed = try fields.u32(20)
        let unpacked = try fields.u32(24)
        let start = try fields.u32(42)
        // These numbers are elsewhere in an archive of over 4 GiB.
        guard ![packed, unpacked, start].contains(UInt32.max) else {
            throw ConversionFailure(over: .fileByteCount)
        }
        guard !name.hasSuffix("/") else { return nil }
        return Entry(
            name: name, packedByteCount: Int(packed), byteCount: Int(unpacked),
            sum: try fields.u32(16), method: try fields.u16(10), start: Int(start))
    }

    /// Whether a path can only lead to a place below the archive's own.
    private static func isInside(_ name: String) -> Bool {
        guard !name.isEmpty, !name.hasPrefix("/"), !name.contains("\\"), !name.contains("\0"),
            !name.contains(":")
        else { return false }
        return !name.split(separator: "/").contains { $0 == ".." || $0 == "." }
    }

    /// Little-endian numbers at places that are checked.
    private struct Fields {
        private let source: [UInt8]
        private let start: Int

        init(_ bytes: [UInt8], _ start: Int) {
            source = bytes
            self.start = start
        }

        func u16(_ offset: Int) throws(ConversionFailure) -> UInt16 {
            try bytes(offset, 2).reversed().reduce(0) { $0 << 8 | UInt16($1) }
        }

        func u32(_ offset: Int) throws(ConversionFailure) -> UInt32 {
            try bytes(offset, 4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
        }

        func bytes(_ offset: Int, _ count: Int) throws(ConversionFailure) -> ArraySlice<UInt8> {
            let first = start + offset
            guard first >= 0, count <= source.count - first else {
                throw ConversionFailure(.damaged)
            }
            return source[first..<first + count]
        }
    }
}
