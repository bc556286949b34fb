// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import FoundationEssentials

/// A record from a page, whose values are known only by their types.
/// Source: sqlite.org/fileformat2.html §2.1.
struct RawRecord {
    /// One value.
    enum Value {
        case null
        case integer(Int64)
        case blob(ArraySlice<UInt8>)
        /// Text or a floating-point number: we store none.
        case other
    }

    /// The values, in the order of the columns.
    let values: [Value]

    /// No table has more columns.
    private static let columnLimit = 64

    /// Parses a record.
    /// - Returns: Nil when it is invalid.
    init?(_ bytes: [UInt8]) {
        var place = 0
        guard let headerSize = Varint.read(bytes, &place), headerSize <= UInt64(bytes.count) else {
            return nil
        }
        let headerEnd = Int(headerSize)
        var types: [UInt64] = []
        while place < headerEnd {
            guard let type = Varint.read(bytes, &place), types.count < Self.columnLimit else {
                return nil
            }
            types.append(type)
        }
        guard place == headerEnd else { return nil }
        var values: [Value] = []
        for type in types {
            guard let size = Self.byteCount(type), size <= bytes.count - place else { return nil }
            values.append(Self.value(type, bytes[place..<place + size]))
            place += size
        }
        self.values = values
    }

    private static func byteCount(_ type: UInt64) -> Int? {
        switch type {
        case 0, 8, 9: 0
        case 1...4: Int(type)
        case 5: 6
        case 6, 7: 8
        case 10, 11: nil
        default: Int(exactly: (type - 12) / 2)
        }
    }

    private static func value(_ type: UInt64, _ bytes: ArraySlice<UInt8>) -> Value {
        switch type {
        case 0: return .null
        case 8: return .integer(0)
        case 9: return .integer(1)
        case 1...6:
            let isNegative = (bytes.first ?? 0) & 0x80 != 0
            return .integer(bytes.reduce(isNegative ? -1 : 0) { $0 << 8 | Int64($1) })
        case 7: return .other
        default: return type % 2 == 0 ? .blob(bytes) : .other
        }
    }

    // MARK: - Conversion to our rows

    private static let clearColumnCount = 7
    private static let uuidByteCount = 16

    /// Version 4 of the schema added the digest of tags behind the keychain, in one table: NULL or a blob.
    private var isOfVersion4: Bool {
        guard values.count >= 2, case .integer = values[values.count - 2] else { return false }
        switch values.last {
        case .null: return true
        case .blob(let bytes): return bytes.count == IndexValue.byteCount
        case .integer, .other, nil: return false
        }
    }

    private var columnsOfVersion2: ArraySlice<Value> {
        isOfVersion4 ? values.dropLast() : values[...]
    }

    private var tagDigest: IndexValue? {
        guard isOfVersion4, case .blob(let bytes)? = values.last else { return nil }
        return unsafe bytes.withUnsafeBytes { unsafe IndexValue($0) }
    }

    /// Version 2 of the schema added the keychain as the last column: a number. The last one of version 1
    /// is a blob.
    private var keychain: UInt32? {
        guard case .integer(let number)? = columnsOfVersion2.last else {
            return KeychainNumber.login
        }
        return UInt32(exactly: number)
    }

    private var columnsOfVersion1: ArraySlice<Value> {
        if case .integer? = columnsOfVersion2.last { return columnsOfVersion2.dropLast() }
        return columnsOfVersion2
    }

    /// The rows that it may be, since two tables have the same number of columns. Only opening
    /// shows which one it is, if any.
    func items(rowID: Int64) -> [SealedItem] { ItemTable.allCases.compactMap { item($0, rowID) } }

    private func item(_ table: ItemTable, _ rowID: Int64) -> SealedItem? {
        let count = table.indexColumns.count
        let values = columnsOfVersion1
        guard let keychain, values.count == Self.clearColumnCount + count + 2,
            case .null = values[0],
            case .blob(let uuid) = values[1], uuid.count == Self.uuidByteCount,
            let userID = number(2).flatMap({ UInt32(exactly: $0) }),
            let keyClass = number(3).flatMap({ UInt8(exactly: $0) }),
            let keyGeneration = number(4).flatMap({ UInt32(exactly: $0) }),
            let rowGeneration = number(5).flatMap({ UInt32(exactly: $0) }),
            let tombstone = number(6),
            case .blob(let metadata) = values[values.count - 2],
            case .blob(let secret) = values[values.count - 1], rowID > 0
        else { return nil }
        var indexes: [IndexValue?] = []
        for value in values[Self.clearColumnCount..<Self.clearColumnCount + count] {
            switch value {
            case .null: indexes.append(nil)
            case .blob(let bytes) where bytes.count == IndexValue.byteCount:
                indexes.append(unsafe bytes.withUnsafeBytes { unsafe IndexValue($0) })
            case .blob, .integer, .other: return nil
            }
        }
        var item = SealedItem(
            table: table, rowID: rowID, uuid: Array(uuid), userID: userID, keychain: keychain,
            keyClass: keyClass, keyGeneration: keyGeneration, rowGeneration: rowGeneration,
            isTombstone: tombstone != 0, indexes: indexes, metadata: Data(metadata),
            secret: Array(secret))
        // Another table's rows have none, and don't open with one.
        item.tagDigest = table.hasTags ? tagDigest : nil
        return item
    }

    private func number(_ column: Int) -> Int64? {
        guard case .integer(let number) = values[column] else { return nil }
        return number
    }
}
