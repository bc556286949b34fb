// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

// The blind indexes of a row in one value, in the quarantine and among staged rows: 16 bytes each,
// zeros for none.
extension IndexValue {
    private static let none = [UInt8](repeating: 0, count: byteCount)

    /// The bytes of a row's blind indexes.
    static func bytes(_ indexes: [IndexValue?]) -> [UInt8] {
        indexes.flatMap { value in
            unsafe value?.withBytes { unsafe [UInt8]($0) } ?? none
        }
    }

    /// Parses the blind indexes of a row; missing ones at the end count as no value.
    static func values(_ bytes: [UInt8], of table: ItemTable) -> [IndexValue?] {
        table.indexColumns.indices.map { position in
            let start = position * byteCount
            guard bytes.count >= start + byteCount else { return nil }
            let part = Array(bytes[start..<start + byteCount])
            return part == none ? nil : unsafe part.withUnsafeBytes { unsafe IndexValue($0) }
        }
    }
}
