// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import FoundationEssentials

/// Identifies a leaf: 64 rows of one user, in one table, with consecutive numbers.
///
/// As it is stored: the user in the upper 32 bits, the table's number in 2, then 30 bits of the
/// row's number divided by 64. So a user's leaves are adjacent.
package struct LeafNumber: Hashable, Sendable {
    /// The number under which the leaf is stored.
    package let rawValue: Int64

    /// A row's leaf.
    /// - Returns: Nil for a row number that no store assigns: 2³⁶ and above, or below 0.
    init?(_ table: ItemTable, userID: UInt32, rowID: Int64) {
        guard rowID >= 0, rowID < 1 << 36 else { return nil }
        let place = UInt64(table.ledgerNumber) << 30 | UInt64(rowID) / UInt64(Leaf.rowCount)
        rawValue = Int64(bitPattern: UInt64(userID) << 32 | place)
    }

    init(rawValue: Int64) { self.rawValue = rawValue }

    /// The user whose rows it covers.
    package var userID: UInt32 {
        UInt32(truncatingIfNeeded: UInt64(bitPattern: rawValue) >> 32)
    }

    /// The first row's number, and the table.
    package var firstRow: (table: ItemTable, rowID: Int64)? {
        let place = UInt64(bitPattern: rawValue) & 0xFFFF_FFFF
        guard let table = ItemTable.allCases.first(where: { $0.ledgerNumber == place >> 30 })
        else { return nil }
        return (table, Int64(place & 0x3FFF_FFFF) * Int64(Leaf.rowCount))
    }

    /// The range of all leaves that a user can have.
    static func range(userID: UInt32) -> ClosedRange<Int64> {
        let first = UInt64(userID) << 32
        return Int64(bitPattern: first)...Int64(bitPattern: first | 0xFFFF_FFFF)
    }
}

extension ItemTable {
    /// Part of leaf numbers, so it never changes.
    fileprivate var ledgerNumber: UInt64 {
        switch self {
        case .genericPasswords: 0
        case .internetPasswords: 1
        case .certificates: 2
        case .keys: 3
        }
    }
}

/// The tags of 64 rows, 16 bytes each; zeros where there is no row.
///
/// A row's tag is that of its sealed metadata. Each write of the row makes a new one, and any
/// change of the row changes it. So a row whose tag differs from its leaf is an older state of it,
/// or was never committed, or is damaged.
package struct Leaf: Equatable, Sendable {
    static let rowCount = 64
    static let tagByteCount = 16
    /// The bytes of a leaf.
    package static let byteCount = rowCount * tagByteCount

    /// The tags; ``byteCount``.
    package private(set) var bytes: [UInt8]

    init() { bytes = [UInt8](repeating: 0, count: Self.byteCount) }

    /// A stored leaf. One of another size is damaged, and matches no row.
    init(stored: [UInt8]) {
        let isWhole = stored.count == Self.byteCount
        bytes = isWhole ? stored : [UInt8](repeating: 0, count: Self.byteCount)
    }

    /// Whether it has no rows.
    package var isEmpty: Bool { !bytes.contains { $0 != 0 } }

    /// Sets a row's tag, or nil for no row.
    mutating func set(_ tag: [UInt8]?, rowID: Int64) {
        let start = Self.offset(rowID)
        for position in 0..<Self.tagByteCount { bytes[start + position] = tag?[position] ?? 0 }
    }

    /// Whether a row with this metadata is the one that was committed.
    func holds(_ metadata: Data, rowID: Int64) -> Bool {
        guard metadata.count >= Self.tagByteCount else { return false }
        let start = Self.offset(rowID)
        return unsafe metadata.withUnsafeBytes { metadata in
            let tag = unsafe UnsafeRawBufferPointer(
                rebasing: metadata.suffix(Self.tagByteCount))
            for position in 0..<Self.tagByteCount {
                guard unsafe bytes[start + position] == tag[position] else { return false }
            }
            return true
        }
    }

    /// Whether there is a row at a place: 0 ..< 64.
    package func hasRow(at place: Int) -> Bool {
        let start = place * Self.tagByteCount
        return bytes[start..<start + Self.tagByteCount].contains { $0 != 0 }
    }

    private static func offset(_ rowID: Int64) -> Int {
        Int(rowID % Int64(rowCount)) * tagByteCount
    }
}

extension SealedItem {
    /// The tag of the sealed metadata; nil if it is missing. Every row that we write has one.
    var tag: [UInt8]? {
        metadata.count >= Leaf.tagByteCount ? [UInt8](metadata.suffix(Leaf.tagByteCount)) : nil
    }
}
