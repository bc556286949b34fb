// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC

/// A metadata key as an archive has it.
package struct ArchivedKey: Hashable, Sendable {
    package var keyClass: UInt8
    package var generation: UInt32
    /// 60 bytes, as the device opens it.
    package var wrapped: [UInt8]
    /// 72 bytes, as the bag opens it; or none.
    package var portable: [UInt8]

    /// Combines the parts.
    package init(keyClass: UInt8, generation: UInt32, wrapped: [UInt8], portable: [UInt8]) {
        self.keyClass = keyClass
        self.generation = generation
        self.wrapped = wrapped
        self.portable = portable
    }
}

/// A row as an archive has it: as it is stored, and what makes its row key portable.
package struct ArchivedRow: Hashable, Sendable {
    /// 0 `genp`, 1 `inet`, 2 `cert`, 3 `keys`.
    package var table: UInt8
    package var uuid: [UInt8]
    package var keyClass: UInt8
    package var keyGeneration: UInt32
    package var rowGeneration: UInt32
    package var isTombstone: Bool
    /// For each column 16 bytes, or none.
    package var indexes: [[UInt8]]
    /// Of an item of the Secret Service 16 bytes, or none.
    package var tagDigest: [UInt8]
    package var metadata: [UInt8]
    /// The first format alone.
    package var secret: [UInt8]
    /// 72 bytes, or none.
    package var portable: [UInt8]

    /// Combines the parts.
    package init(
        table: UInt8, uuid: [UInt8], keyClass: UInt8, keyGeneration: UInt32,
        rowGeneration: UInt32, isTombstone: Bool, indexes: [[UInt8]], tagDigest: [UInt8] = [],
        metadata: [UInt8], secret: [UInt8], portable: [UInt8]
    ) {
        self.table = table
        self.uuid = uuid
        self.keyClass = keyClass
        self.keyGeneration = keyGeneration
        self.rowGeneration = rowGeneration
        self.isTombstone = isTombstone
        self.indexes = indexes
        self.tagDigest = tagDigest
        self.metadata = metadata
        self.secret = secret
        self.portable = portable
    }
}

/// A record of an archive's content (BACKUP.md, "Records").
package enum ArchiveRecord: Hashable, Sendable {
    /// It comes before the rows that it opens.
    case key(ArchivedKey)
    case row(ArchivedRow)
    /// The last record: how many rows there are.
    case end(rowCount: UInt64)

    /// The largest record: attributes of 256 KiB and a secret of 1 MiB, sealed, with room for more.
    package static let byteCountLimit = 2 * 1024 * 1024
    private static let wrappedByteCount = 60
    private static let portableByteCount = 72
    private static let uuidByteCount = 16
    private static let indexByteCount = 16

    private enum Kind: UInt8 {
        case key = 1
        case row = 2
        case end = 3
    }

    /// Kind, u32 byte count, content.
    package var bytes: [UInt8] {
        var content = ByteWriter()
        let kind: Kind
        switch self {
        case .key(let key):
            kind = .key
            content.u8(key.keyClass)
            content.u32(key.generation)
            content.bytes(key.wrapped)
            content.optional(key.portable)
        case .row(let row):
            kind = .row
            content.u8(row.table)
            content.bytes(row.uuid)
            content.u8(row.keyClass)
            content.u32(row.keyGeneration)
            content.u32(row.rowGeneration)
            content.u8(row.isTombstone ? 1 : 0)
            content.u8(UInt8(clamping: row.indexes.count))
            for index in row.indexes { content.optional(index) }
            content.optional(row.tagDigest)
            content.u32(UInt32(clamping: row.metadata.count))
            content.bytes(row.metadata)
            content.u32(UInt32(clamping: row.secret.count))
            content.bytes(row.secret)
            content.optional(row.portable)
        case .end(let rowCount):
            kind = .end
            content.u64(rowCount)
        }
        var writer = ByteWriter()
        writer.u8(kind.rawValue)
        writer.u32(UInt32(clamping: content.bytes.count))
        writer.bytes(content.bytes)
        return writer.bytes
    }

    fileprivate init(kind: UInt8, _ content: ArraySlice<UInt8>) throws(ArchiveError) {
        guard let kind = Kind(rawValue: kind) else { throw .damagedRecord }
        let record = unsafe content.withUnsafeBytes { buffer -> ArchiveRecord? in
            var reader = unsafe ByteReader(buffer)
            guard let record = try? unsafe Self.read(kind, &reader), unsafe reader.remaining == 0
            else { return nil }
            return record
        }
        guard let record else { throw .damagedRecord }
        self = record
    }

    private static func read(
        _ kind: Kind, _ reader: inout ByteReader
    ) throws(DecodingFailure) -> ArchiveRecord {
        switch kind {
        case .key:
            let keyClass = try unsafe reader.u8()
            let generation = try unsafe reader.u32()
            let wrapped = try unsafe reader.array(wrappedByteCount)
            return .key(
                ArchivedKey(
                    keyClass: keyClass, generation: generation, wrapped: wrapped,
                    portable: try unsafe reader.optional(portableByteCount)))
        case .row:
            let table = try unsafe reader.u8()
            let uuid = try unsafe reader.array(uuidByteCount)
            let keyClass = try unsafe reader.u8()
            let keyGeneration = try unsafe reader.u32()
            let rowGeneration = try unsafe reader.u32()
            let isTombstone = try unsafe reader.u8()
            let indexCount = try unsafe Int(reader.u8())
            var indexes: [[UInt8]] = []
            for _ in 0..<indexCount { indexes.append(try unsafe reader.optional(indexByteCount)) }
            let tagDigest = try unsafe reader.optional(indexByteCount)
            let metadata = try unsafe reader.counted()
            let secret = try unsafe reader.counted()
            let portable = try unsafe reader.optional(portableByteCount)
            guard isTombstone <= 1 else { throw DecodingFailure() }
            return .row(
                ArchivedRow(
                    table: table, uuid: uuid, keyClass: keyClass, keyGeneration: keyGeneration,
                    rowGeneration: rowGeneration, isTombstone: isTombstone == 1,
                    indexes: indexes, tagDigest: tagDigest, metadata: metadata, secret: secret,
                    portable: portable))
        case .end: return .end(rowCount: try unsafe reader.u64())
        }
    }
}

/// Cuts an archive's content into records, as it arrives.
package struct ArchiveRecordReader {
    private static let headByteCount = 5

    private var pending: [UInt8] = []
    /// Whether the last record was read.
    package private(set) var isAtEnd = false

    /// Begins with the first byte.
    package init() {}

    /// Takes more content.
    /// - Returns: The records that are whole now.
    /// - Throws: ``ArchiveError/damagedRecord``.
    package mutating func read(_ content: [UInt8]) throws(ArchiveError) -> [ArchiveRecord] {
        pending += content
        var records: [ArchiveRecord] = []
        var offset = 0
        while pending.count - offset >= Self.headByteCount {
            guard !isAtEnd, let count = UInt32(littleEndianBytes: pending[offset + 1..<offset + 5]),
                Int(count) <= ArchiveRecord.byteCountLimit
            else { throw .damagedRecord }
            let start = offset + Self.headByteCount
            guard pending.count - start >= Int(count) else { break }
            let end = start + Int(count)
            let record = try ArchiveRecord(kind: pending[offset], pending[start..<end])
            if case .end = record { isAtEnd = true }
            records.append(record)
            offset = end
        }
        if offset > 0 { pending.removeFirst(offset) }
        return records
    }

    /// - Throws: ``ArchiveError/damagedRecord`` unless the last record was there and nothing follows it.
    package func finish() throws(ArchiveError) {
        guard isAtEnd, pending.isEmpty else { throw .damagedRecord }
    }
}

extension ByteWriter {
    fileprivate mutating func optional(_ value: [UInt8]) {
        u8(value.isEmpty ? 0 : 1)
        bytes(value)
    }
}

extension ByteReader {
    fileprivate mutating func optional(_ byteCount: Int) throws(DecodingFailure) -> [UInt8] {
        switch try unsafe u8() {
        case 0: return []
        case 1: return try unsafe array(byteCount)
        case _: throw DecodingFailure()
        }
    }

    fileprivate mutating func counted() throws(DecodingFailure) -> [UInt8] {
        try unsafe array(Int(u32()))
    }
}
