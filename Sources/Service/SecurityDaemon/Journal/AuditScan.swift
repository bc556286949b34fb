// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SecurityWire

/// Reads audit files, oldest first, and checks the chain.
///
/// Each record can be opened alone, so damage affects only the damaged records: reading continues
/// at the next position where a record can begin.
struct AuditScan {
    /// The expected next record; nil before the first file.
    private(set) var expected: (sequence: UInt64, chain: AuditChain)?
    /// The records at which the chain is broken, in the order in which they were found.
    private(set) var brokenAt: [UInt64] = []
    /// The end of the last file's last record, if its header was readable.
    private(set) var validEnd = 0
    /// Bytes after that.
    private(set) var tailByteCount = 0

    /// Numbers of missing records; they may still come later.
    private var missing: [ClosedRange<UInt64>] = []

    /// The maximum number of breaks that are kept; more would add no information.
    private static let brokenLimit = 1024
    /// The maximum gap in record numbers: more than a file holds.
    private static let sequenceLeap: UInt64 = 1 << 32

    /// Records a break.
    mutating func breaks(at sequence: UInt64) {
        guard brokenAt.last != sequence, brokenAt.count < Self.brokenLimit else { return }
        brokenAt.append(sequence)
    }

    /// A file is missing its header, or its key.
    mutating func skipsUnreadableFile() {
        breaks(at: expected?.sequence ?? 1)
    }

    /// Reads one file.
    /// - Parameters:
    ///   - bytes: The file.
    ///   - header: Its header.
    ///   - sealer: Opens its records.
    ///   - isNewest: If so, unreadable bytes at its end are its tail, and not yet a break.
    ///   - take: Receives each record.
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
                // The header itself isn't authenticated: the first record of the file must match
                // it.
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

    /// Compares one record with the expected one.
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
            // At the wrong place, or a duplicate.
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

    /// Passes on the records of a file from a number on, in the order of the file, until `take`
    /// returns false. The chain is not checked.
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

    /// The clear fields prove nothing, so they are used only to skip records far before `start`. A
    /// changed field can then skip at most this many records too many.
    private static let skipMargin: UInt64 = 64
}
