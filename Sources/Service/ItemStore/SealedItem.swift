// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import FoundationEssentials

/// One row as it is stored on disk: the clear part, the blind indexes, and two sealed halves.
package struct SealedItem: Sendable {
    /// Its table.
    package var table: ItemTable
    /// SQLite's row number; 0 before it is inserted.
    package var rowID: Int64
    /// 16 bytes; also the persistent reference.
    package var uuid: [UInt8]
    /// Its user.
    package var userID: UInt32
    /// Which of its user's keychains it is in.
    package var keychain: UInt32
    /// The protection class identifier.
    package var keyClass: UInt8
    /// The number of the class's metadata key that sealed it.
    package var keyGeneration: UInt32
    /// How often the row has been written.
    package var rowGeneration: UInt32
    /// Whether it only marks that an item was deleted.
    package var isTombstone: Bool
    /// One for each of the table's index columns.
    package var indexes: [IndexValue?]
    /// Over the tags by which an item of the Secret Service is found; nil of any other.
    package var tagDigest: IndexValue?
    /// The tags to be written with it; nil leaves those that are there.
    package var newTags: [IndexValue]?
    /// Sealed under the metadata key.
    package var metadata: Data
    /// Sealed by the enclave; empty when it wasn't requested.
    package var secret: [UInt8]
    /// Whether the row, as it was read, is the last committed one. False for an older state of it,
    /// for one that was never committed, and for one whose tag is damaged.
    package var isCurrent = true

    package init(
        table: ItemTable, rowID: Int64, uuid: [UInt8], userID: UInt32,
        keychain: UInt32 = KeychainNumber.login, keyClass: UInt8, keyGeneration: UInt32,
        rowGeneration: UInt32, isTombstone: Bool, indexes: [IndexValue?],
        metadata: Data, secret: [UInt8]
    ) {
        self.table = table
        self.rowID = rowID
        self.uuid = uuid
        self.userID = userID
        self.keychain = keychain
        self.keyClass = keyClass
        self.keyGeneration = keyGeneration
        self.rowGeneration = rowGeneration
        self.isTombstone = isTombstone
        self.indexes = indexes
        self.metadata = metadata
        self.secret = secret
    }

    /// The value of one index column.
    package func index(_ column: IndexColumn) -> IndexValue? {
        guard let position = table.indexColumns.firstIndex(of: column) else { return nil }
        return indexes[position]
    }
}
