// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc

/// Scans a write-ahead log before SQLite does. At a damaged frame SQLite drops this frame and all
/// after it, without an error, even if they were committed.
/// Source: sqlite.org/fileformat2.html §4.
enum WALScan {
    /// Whether a frame is damaged: it belongs to the current use of the log, but isn't as it was
    /// written. A log that ends in the middle of a commit has none, and frames of an earlier use
    /// after the end don't count. A power cut can leave one after the last commit, which looks the
    /// same as damage.
    /// - Returns: False also for an unreadable log.
    static func isDamaged(_ path: String) -> Bool {
        guard let log = WALFile(path) else { return false }
        var isBroken = !log.isHeaderSound
        var isFound = false
        log.forEachFrame { frame in
            // After a damaged header the first frame can't be checked.
            if isBroken ? frame.condition != .foreign : frame.condition == .damaged {
                isFound = true
            }
            if frame.condition != .sound { isBroken = true }
            return !isFound
        }
        return isFound
    }
}

/// A write-ahead log, frame by frame.
final class WALFile {
    /// One page as a commit wrote it.
    struct Frame {
        /// The page's number, from 1.
        let page: UInt32
        /// Whether it is the last one of its commit.
        let endsCommit: Bool
        /// The result of checking its salts and checksum.
        let condition: Condition
        /// The offset of the page's content.
        let offset: Int
    }

    /// The result of checking a frame.
    enum Condition {
        /// It belongs to the current use of the log, and its checksum continues the previous
        /// frame's correctly.
        case sound
        /// One of the two is wrong.
        case damaged
        /// Both are wrong: it is left over from an earlier use of the log. The frames after it
        /// continue one another's checksums, so those prove nothing.
        case foreign
    }

    private static let headerByteCount = 32
    private static let frameHeaderByteCount = 24
    private static let magic: UInt32 = 0x377F_0682
    private static let pageByteCounts = 512...65536
    /// The common header of our logs.
    private static let standardPageByteCount = 4096

    private let file: Int32
    private let header: [UInt8]
    /// The byte count of a page.
    let pageByteCount: Int
    /// Whether the header's checksum is right.
    let isHeaderSound: Bool
    private let firstSum: Checksum

    /// Opens a log.
    /// - Returns: Nil when it can't be read.
    init?(_ path: String) {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { return nil }
        var header = [UInt8](repeating: 0, count: Self.headerByteCount)
        let isRead = Self.read(&header, file, at: 0)
        guard isRead else {
            close(file)
            return nil
        }
        let stored = Int(Self.word(header, 8))
        let isKnown = Self.pageByteCounts.contains(stored) && stored.nonzeroBitCount == 1
        self.file = file
        self.header = header
        pageByteCount = isKnown ? stored : Self.standardPageByteCount
        var sum = Checksum(isBigEndian: Self.word(header, 0) == Self.magic | 1)
        sum.add(header[..<24])
        // The frames' sums start with the header's own; if that is wrong, no frame counts.
        isHeaderSound =
            isKnown && Self.word(header, 0) & ~1 == Self.magic && sum.matches(header, at: 24)
        firstSum = sum.stored(header, at: 24)
    }

    deinit { close(file) }

    /// Calls `body` for each frame, in their order, until it returns false.
    func forEachFrame(_ body: (Frame) -> Bool) {
        var sum = firstSum
        var frame = [UInt8](repeating: 0, count: Self.frameHeaderByteCount + pageByteCount)
        var offset = Self.headerByteCount
        var isBehindForeign = false
        while Self.read(&frame, file, at: offset) {
            sum.add(frame[..<8])
            sum.add(frame[Self.frameHeaderByteCount...])
            // Frames of an earlier use of the log have other salts.
            let isOfThisLog = frame[8..<16].elementsEqual(header[16..<24])
            let isIntact = sum.matches(frame, at: 16)
            let condition: Condition =
                switch (isOfThisLog, isIntact) {
                case (true, true): .sound
                case (true, false): .damaged
                case (false, true): isBehindForeign ? .foreign : .damaged
                case (false, false): .foreign
                }
            isBehindForeign = condition == .foreign
            let found = Frame(
                page: Self.word(frame, 0), endsCommit: Self.word(frame, 4) != 0,
                condition: condition,
                offset: offset + Self.frameHeaderByteCount)
            guard body(found) else { return }
            offset += frame.count
            sum = sum.stored(frame, at: 16)
        }
    }

    /// The page of a frame.
    func content(at offset: Int) -> [UInt8]? {
        var page = [UInt8](repeating: 0, count: pageByteCount)
        return Self.read(&page, file, at: offset) ? page : nil
    }

    private static func read(_ bytes: inout [UInt8], _ file: Int32, at offset: Int) -> Bool {
        let count = bytes.count
        return unsafe bytes.withUnsafeMutableBytes { room in
            unsafe pread(file, room.baseAddress, count, off_t(offset)) == count
        }
    }

    /// A big-endian number.
    private static func word(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
        bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The log's running sum; each frame continues the sum of the previous one.
    private struct Checksum {
        let isBigEndian: Bool
        private var first: UInt32 = 0
        private var second: UInt32 = 0

        init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

        /// Adds a multiple of 8 bytes.
        mutating func add(_ bytes: ArraySlice<UInt8>) {
            unsafe bytes.withUnsafeBytes { bytes in
                for offset in stride(from: 0, to: bytes.count - 7, by: 8) {
                    let one = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
                    let two = unsafe bytes.loadUnaligned(
                        fromByteOffset: offset + 4, as: UInt32.self)
                    first &+= (isBigEndian ? one.bigEndian : one.littleEndian) &+ second
                    second &+= (isBigEndian ? two.bigEndian : two.littleEndian) &+ first
                }
            }
        }

        func matches(_ bytes: [UInt8], at offset: Int) -> Bool {
            first == WALFile.word(bytes, offset) && second == WALFile.word(bytes, offset + 4)
        }

        /// The sum in a header's encoding.
        func stored(_ bytes: [UInt8], at offset: Int) -> Checksum {
            var sum = Checksum(isBigEndian: isBigEndian)
            sum.first = WALFile.word(bytes, offset)
            sum.second = WALFile.word(bytes, offset + 4)
            return sum
        }
    }
}
