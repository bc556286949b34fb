// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SecurityWire

/// Goes through audit files, oldest first, and keeps account of the chain.
///
/// A record opens by itself, so that damage costs what is damaged and no more: reading goes on at
/// the next place where a record can begin.
struct AuditScan {
    /// What the next record must be; nil before the first file.
    private(set) var expected: (sequence: UInt64, chain: AuditChain)?
    /// The records at which the chain is broken, in the order they were met.
    private(set) var brokenAt: [UInt64] = []
    /// Where the last file's last record ends, if its header was readable.
    private(set) var validEnd = 0
    /// Bytes behind that.
    private(set) var tailByteCount = 0

    /// Numbers of records that were not where they belong; they may come yet.
    private var missing: [ClosedRange<UInt64>] = []

    /// Most places that are kept; a log in such a state has no more to tell.
    private static let brokenLimit = 1024
    /// How far record numbers may jump: more than a file holds.
    private static let sequenceLeap: UInt64 = 1 << 32

    /// Notes a break.
    mutating func breaks(at sequence: UInt64) {
        guard brokenAt.last != sequence, brokenAt.count < Self.brokenLimit else { return }
        brokenAt.append(sequence)
    }

    /// A file is missing its header, or its key.
    mutating func skipsUnreadableFile() {
        breaks(at: expected?.sequence ?? 1)
    }

    /// Goes through one file.
    /// - Parameters:
    ///   - bytes: The file.
    ///   - header: Its header.
    ///   - sealer: Opens its records.
    ///   - isNewest: What doesn't open at its end is its tail, and no break yet.
    ///   - take: Gets each record.
    mutating func read(
        _ bytes: [UInt8], _ header: AuditHeader, _ sealer: AuditSealer, isNewest: Bool,
        _ take: (AuditRecord) -> Void
    ) {
        if let expected,
            header.firstSequence != expected.sequence || header.previous != expected.chain
        {
            breaks(at: expected.sequence)
        }
        var next = (
            sequence: expected?.sequence ?? header.firstSequence, chain: AuditChain(header: header)
        )
        var offset = AuditHeader.byteCount
        validEnd = offset
        unsafe bytes.withUnsafeBytes { source in
            while offset < source.count {
                let rest = unsafe UnsafeRawBufferPointer(rebasing: source[offset...])
                let range = 1...next.sequence + Self.sequenceLeap
                guard let opened = unsafe sealer.open(rest, sequences: range) else {
                    offset += AuditFormat.unitByteCount
                    continue
                }
                // The header isn't authentic by itself: the first record of all says where it is.
                if expected == nil && validEnd == AuditHeader.byteCount {
                    next.sequence = min(next.sequence, opened.record.sequence)
                }
                unsafe step(
                    opened, UnsafeRawBufferPointer(rebasing: rest[..<opened.byteCount]), &next,
                    isAdjacent: validEnd == offset, take)
                offset += opened.byteCount
                validEnd = offset
            }
        }
        tailByteCount = bytes.count - validEnd
        if tailByteCount > 0 && !isNewest { breaks(at: next.sequence) }
        expected = next
    }

    /// Compares one record with what it should be.
    private mutating func step(
        _ opened: AuditSealer.Opened, _ bytes: UnsafeRawBufferPointer,
        _ next: inout (sequence: UInt64, chain: AuditChain), isAdjacent: Bool,
        _ take: (AuditRecord) -> Void
    ) {
        let sequence = opened.record.sequence
        if !isAdjacent || sequence != next.sequence || opened.chain != next.chain {
            breaks(at: min(sequence, next.sequence))
        }
        guard sequence >= next.sequence else {
            // In the wrong place, or a second time.
            if let index = missing.firstIndex(where: { $0.contains(sequence) }) {
                let gap = missing.remove(at: index)
                if gap.lowerBound < sequence { missing.append(gap.lowerBound...sequence - 1) }
                if gap.upperBound > sequence { missing.append(sequence + 1...gap.upperBound) }
                take(opened.record)
            }
            return
        }
        if sequence > next.sequence, missing.count < Self.brokenLimit {
            missing.append(next.sequence...sequence - 1)
        }
        take(opened.record)
        next = unsafe (sequence + 1, opened.chain.adding(bytes))
    }

    /// Gives the records of a file from a number on, in the order of the file, until `take` says
    /// no. The chain is not looked at.
    /// - Returns: Whether `take` wants more.
    static func records(
        _ bytes: [UInt8], _ sealer: AuditSealer, from start: UInt64, _ take: (AuditRecord) -> Bool
    ) -> Bool {
        unsafe bytes.withUnsafeBytes { source in
            var offset = AuditHeader.byteCount
            while offset < source.count {
                let rest = unsafe UnsafeRawBufferPointer(rebasing: source[offset...])
                if let head = unsafe AuditSealer.head(rest),
                    head.sequence < start, start - head.sequence > skipMargin
                {
                    offset += head.byteCount
                } else if let opened = unsafe sealer.open(rest, sequences: start ... .max) {
                    guard take(opened.record) else { return false }
                    offset += opened.byteCount
                } else {
                    offset += AuditFormat.unitByteCount
                }
            }
            return true
        }
    }

    /// A head that was changed leads at most so many records too far: those before `start` are
    /// passed over by their heads, which prove nothing, only while it is further away.
    private static let skipMargin: UInt64 = 64
}
