// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// A table of items: one for each stored item class.
package enum ItemTable: String, CaseIterable, Sendable {
    /// Generic passwords.
    case genericPasswords = "genp"

    /// Its blind-index columns, in the order of the associated data (STORAGE.md, "Rows"). Only
    /// ever appended to.
    package var indexColumns: [IndexColumn] {
        switch self {
        case .genericPasswords:
            [
                .primaryKey, .accessGroup, .synchronizable, .account, .service, .label, .generic,
                .alias, .description, .comment, .creator, .type,
            ]
        }
    }
}

/// A column that holds a keyed digest of an attribute's value: it finds, and tells nothing.
/// Raw values are the column names; apart from `pk` they are the attributes' names.
package enum IndexColumn: String, Sendable {
    /// All primary-key attributes together; unique.
    case primaryKey = "pk"
    case accessGroup = "agrp"
    case synchronizable = "sync"
    case account = "acct"
    case service = "svce"
    case label = "labl"
    case generic = "gena"
    case alias = "alis"
    case description = "desc"
    case comment = "icmt"
    case creator = "crtr"
    case type = "type"
}

/// The value of one blind-index column: 16 bytes.
package struct IndexValue: Hashable, Sendable {
    /// How many bytes it has.
    package static let byteCount = 16

    let low: UInt64
    let high: UInt64

    /// Takes the first 16 bytes of a MAC.
    package init(_ bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count >= Self.byteCount)
        low = unsafe bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
        high = unsafe bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    }

    /// Lends its 16 bytes.
    package func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        unsafe try withUnsafeBytes(of: (low, high)) { try unsafe body($0) }
    }
}
