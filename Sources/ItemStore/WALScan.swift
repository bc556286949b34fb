// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Glibc

/// Looks through a write-ahead log before SQLite does. At a frame that is damaged SQLite drops that
/// one and all behind it, without an error, even if they were committed.
/// Source: sqlite.org/fileformat2.html §4.
enum WALScan {
    private static let headerByteCount = 32
    private static let frameHeaderByteCount = 24
    private static let magic: UInt32 = 0x377F_0682
    private static let pageByteCounts = 512...65536

    /// Whether a damaged frame has a whole frame of a commit behind it. A log that ends in the
    /// middle of a commit, as a power cut leaves it, is not damaged.
    /// - Returns: False also for a log that can't be read, or of whose pages nothing is known.
    static func hasCommitBehindDamage(_ path: String) -> Bool {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { return false }
        defer { close(file) }
        var header = [UInt8](repeating: 0, count: headerByteCount)
        guard read(&header, file, at: 0) else { return false }
        let isBigEndian = word(header, 0) == magic | 1
        let pageByteCount = Int(word(header, 8))
        guard word(header, 0) & ~1 == magic, pageByteCounts.contains(pageByteCount),
            pageByteCount.nonzeroBitCount == 1
        else { return false }
        var sum = Checksum(isBigEndian: isBigEndian)
        sum.add(header[..<24])
        // The header's own sum starts the frames'; where it is wrong, nothing behind it counts.
        var isBroken = !sum.matches(header, at: 24)
        sum = sum.stored(header, at: 24)

        var frame = [UInt8](repeating: 0, count: frameHeaderByteCount + pageByteCount)
        var offset = headerByteCount
        while read(&frame, file, at: offset) {
            offset += frame.count
            sum.add(frame[..<8])
            sum.add(frame[frameHeaderByteCount...])
            // Frames of an older use of the log have other salts.
            let isOfThisLog = frame[8..<16].elementsEqual(header[16..<24])
            let isSound = isOfThisLog && sum.matches(frame, at: 16)
            if isBroken, isSound, word(frame, 4) != 0 { return true }
            if !isSound { isBroken = true }
            sum = sum.stored(frame, at: 16)
        }
        return false
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

    /// The log's running sum; each frame's goes on from the frame before.
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
            first == word(bytes, offset) && second == word(bytes, offset + 4)
        }

        /// The sum as a header has it.
        func stored(_ bytes: [UInt8], at offset: Int) -> Checksum {
            var sum = Checksum(isBigEndian: isBigEndian)
            sum.first = word(bytes, offset)
            sum.second = word(bytes, offset + 4)
            return sum
        }
    }
}
