// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import BackupArchive
import Crypto
import Testing

/// The form of an archive: damage is found without the key, and its place named; a forgery is found with
/// the key.
@Suite struct ArchiveTests {
    private static let key = SymmetricKey(data: [UInt8](repeating: 7, count: 32))

    private static func head(number: UInt32 = 5) -> ArchiveHead {
        var head = ArchiveHead(
            kind: .full, hasPassword: true, set: [UInt8](1...16), number: number,
            date: 1_700_000_000, salt: [UInt8](repeating: 9, count: 32),
            keys: [UInt8](repeating: 3, count: 500))
        head.sign(key)
        return head
    }

    private static func chunks(_ content: [UInt8], _ head: ArchiveHead) -> [UInt8] {
        var sealer = ArchiveSealer(head, key)
        return sealer.append(content) + sealer.finish()
    }

    private static func content(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    }

    private static func opened(
        _ bytes: [UInt8], _ head: ArchiveHead, _ key: SymmetricKey = key
    ) throws(ArchiveError) -> [UInt8] {
        var opener = ArchiveOpener(head, key)
        let content = try opener.open(bytes)
        try opener.finish()
        return content
    }

    private static func verify(_ bytes: [UInt8], _ head: ArchiveHead) throws(ArchiveError) {
        var verifier = ArchiveVerifier(head)
        var rest = bytes[...]
        while !rest.isEmpty {
            let chunk = rest.prefix(ArchiveChunk.byteCount)
            try verifier.verify(chunk)
            rest = rest.dropFirst(chunk.count)
        }
        try verifier.finish()
    }

    // MARK: - Head

    @Test func aHeadIsReadAsItWasWritten() throws {
        let head = Self.head()
        #expect(try ArchiveHead(head.bytes) == head)
        #expect(try ArchiveHead.byteCount(prefix: Array(head.bytes.prefix(12))) == head.bytes.count)
        #expect(head.isAuthentic(Self.key))
        #expect(!head.isAuthentic(SymmetricKey(data: [UInt8](repeating: 8, count: 32))))
    }

    @Test func everyChangedByteOfAHeadIsFound() {
        let bytes = Self.head().bytes
        for place in bytes.indices {
            var changed = bytes
            changed[place] ^= 1
            #expect(throws: ArchiveError.self) { try ArchiveHead(changed) }
        }
        for count in bytes.indices {
            #expect(throws: ArchiveError.self) { try ArchiveHead(Array(bytes.prefix(count))) }
        }
    }

    @Test func aNewerVersionIsNamed() {
        var bytes = Self.head().bytes
        bytes[8] = 2
        #expect(throws: ArchiveError.newerVersion(2)) { try ArchiveHead(bytes) }
    }

    /// Whoever lacks the key can't give a head other values, even with a right checksum.
    @Test func aHeadWithAnotherNumberIsNotAuthentic() throws {
        let other = try ArchiveHead(Self.head(number: 6).bytes)
        var forged = ArchiveHead(
            kind: .full, hasPassword: true, set: other.set, number: 7, date: other.date,
            salt: other.salt, keys: other.keys)
        #expect(!forged.isAuthentic(Self.key))
        forged.sign(SymmetricKey(size: .bits256))
        #expect(!forged.isAuthentic(Self.key))
    }

    // MARK: - Chunks

    @Test(arguments: [
        0, 1, ArchiveChunk.plainByteCount - 1, ArchiveChunk.plainByteCount,
        ArchiveChunk.plainByteCount + 1, 3 * ArchiveChunk.plainByteCount,
    ])
    func contentOfEachSizeComesBack(_ count: Int) throws {
        let head = Self.head()
        let bytes = Self.chunks(Self.content(count), head)
        #expect(try Self.opened(bytes, head) == Self.content(count))
        #expect(throws: Never.self) { try Self.verify(bytes, head) }
    }

    /// K15 in small: each byte of a chunk, its tag and its checksum.
    @Test func everyChangedByteOfAChunkIsFoundWithoutTheKey() {
        let head = Self.head()
        let bytes = Self.chunks(Self.content(100), head)
        for place in bytes.indices {
            var changed = bytes
            changed[place] ^= 0x80
            #expect(throws: ArchiveError.damagedChunk(0)) { try Self.verify(changed, head) }
            #expect(throws: ArchiveError.damagedChunk(0)) { try Self.opened(changed, head) }
        }
    }

    @Test func theDamagedChunkIsNamed() {
        let head = Self.head()
        var bytes = Self.chunks(Self.content(3 * ArchiveChunk.plainByteCount), head)
        bytes[ArchiveChunk.byteCount + 17] ^= 1
        #expect(throws: ArchiveError.damagedChunk(1)) { try Self.verify(bytes, head) }
    }

    @Test func anArchiveThatWasCutIsNotWhole() {
        let head = Self.head()
        let bytes = Self.chunks(Self.content(2 * ArchiveChunk.plainByteCount + 10), head)
        for count in [0, ArchiveChunk.byteCount, 2 * ArchiveChunk.byteCount] {
            let cut = Array(bytes.prefix(count))
            let chunks = UInt64(count / ArchiveChunk.byteCount)
            #expect(throws: ArchiveError.cutOff(chunks)) { try Self.verify(cut, head) }
            #expect(throws: ArchiveError.cutOff(chunks)) { try Self.opened(cut, head) }
        }
        #expect(throws: ArchiveError.self) { try Self.verify(bytes + [0], head) }
    }

    @Test func swappedDoubledAndForeignChunksAreFound() {
        let head = Self.head()
        let bytes = Self.chunks(Self.content(2 * ArchiveChunk.plainByteCount + 10), head)
        let first = bytes[..<ArchiveChunk.byteCount]
        let second = bytes[ArchiveChunk.byteCount..<2 * ArchiveChunk.byteCount]
        let last = bytes[(2 * ArchiveChunk.byteCount)...]
        let other = Self.head(number: 6)
        let foreign = Self.chunks(Self.content(2 * ArchiveChunk.plainByteCount + 10), other)
        for mixed in [
            Array(second + first + last), Array(first + first + second + last),
            Array(first + last), Array(foreign[..<ArchiveChunk.byteCount] + second + last),
        ] {
            #expect(throws: ArchiveError.self) { try Self.verify(mixed, head) }
            #expect(throws: ArchiveError.self) { try Self.opened(mixed, head) }
        }
        #expect(throws: ArchiveError.self) { try Self.opened(bytes, other) }
        #expect(throws: ArchiveError.damagedChunk(0)) {
            try Self.opened(bytes, head, SymmetricKey(size: .bits256))
        }
    }

    // MARK: - Records

    private static let records: [ArchiveRecord] = [
        .key(
            ArchivedKey(
                keyClass: 6, generation: 2, wrapped: [UInt8](repeating: 1, count: 60),
                portable: [UInt8](repeating: 2, count: 72))),
        .row(
            ArchivedRow(
                table: 0, uuid: [UInt8](1...16), keyClass: 6, keyGeneration: 2, rowGeneration: 9,
                isTombstone: true, indexes: [[], [UInt8](repeating: 4, count: 16)],
                metadata: [5, 6], secret: [7, 8, 9], portable: [])),
        .end(rowCount: 1),
    ]

    @Test func recordsAreReadHoweverTheyArrive() throws {
        let bytes = Self.records.flatMap(\.bytes)
        for size in [1, 3, 50, bytes.count] {
            var reader = ArchiveRecordReader()
            var read: [ArchiveRecord] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                read += try reader.read(Array(bytes[start..<min(start + size, bytes.count)]))
            }
            #expect(read == Self.records)
            #expect(throws: Never.self) { try reader.finish() }
        }
    }

    @Test func recordsThatEndTooEarlyOrGoOnAreRefused() throws {
        let bytes = Self.records.flatMap(\.bytes)
        for count in bytes.indices {
            var reader = ArchiveRecordReader()
            _ = try reader.read(Array(bytes.prefix(count)))
            #expect(throws: ArchiveError.damagedRecord) { try reader.finish() }
        }
        var reader = ArchiveRecordReader()
        #expect(throws: ArchiveError.damagedRecord) {
            _ = try reader.read(bytes + [2, 0, 0, 0, 0])
            try reader.finish()
        }
    }

    /// K21: a length of 4 GiB takes no memory.
    @Test func aRecordOverTheLimitIsRefusedAtItsHead() {
        for count in [UInt32(ArchiveRecord.byteCountLimit) + 1, .max] {
            let head = [UInt8(2)] + (0..<4).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) }
            var reader = ArchiveRecordReader()
            #expect(throws: ArchiveError.damagedRecord) { _ = try reader.read(head) }
        }
        var reader = ArchiveRecordReader()
        let limit = UInt32(ArchiveRecord.byteCountLimit)
        let head = [UInt8(2)] + (0..<4).map { UInt8(truncatingIfNeeded: limit >> (8 * $0)) }
        #expect(throws: Never.self) { _ = try reader.read(head) }
    }
}
