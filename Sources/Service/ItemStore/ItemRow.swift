// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import FoundationEssentials

/// How a ``SealedItem`` is stored in its table's columns.
enum ItemRow {
    private static let clearColumns = [
        "rowid", "uuid", "userid", "keyclass", "keygeneration", "rowgeneration", "tombstone",
    ]

    /// A secret whose use enclaved judges (STORAGE.md, "With an access control"); nothing for any other.
    private static let guardedSecret =
        "CASE WHEN substr(secret, 1, 1) = x'02' THEN secret ELSE x'' END"

    /// The columns of a SELECT, in the order in which `read` takes them. Without the secrets, those of
    /// rows with an access control are read all the same: even their attributes are for those alone who
    /// may use the item. Kept files of earlier versions lack the last columns.
    static func columns(
        _ table: ItemTable, wantsSecret: Bool, hasKeychains: Bool = true, hasTags: Bool = true
    ) -> String {
        var columns =
            ["\(table.rawValue).rowid"] + clearColumns.dropFirst()
            + table.indexColumns.map(\.rawValue)
        columns.append("metadata")
        columns.append(wantsSecret ? "secret" : guardedSecret)
        columns.append(hasKeychains ? "keychain" : "\(KeychainNumber.login)")
        if table.hasTags { columns.append(hasTags ? "tagdigest" : "NULL") }
        return columns.joined(separator: ", ")
    }

    /// An item of a table, for reading rows into.
    static func blank(_ table: ItemTable) -> SealedItem {
        SealedItem(
            table: table, rowID: 0, uuid: [], userID: 0, keyClass: 0, keyGeneration: 0,
            rowGeneration: 0, isTombstone: false,
            indexes: [IndexValue?](repeating: nil, count: table.indexColumns.count),
            metadata: Data(), secret: [])
    }

    /// Reads the current row.
    static func read(
        _ statement: SQLStatement, _ table: ItemTable
    ) -> SealedItem {
        var item = blank(table)
        read(statement, into: &item)
        return item
    }

    /// Reads the current row into an item of its table, and reuses the item's memory unless the
    /// caller keeps a copy. Numbers out of range become 0: such a row fails to authenticate.
    static func read(
        _ statement: SQLStatement, into item: inout SealedItem
    ) {
        item.rowID = statement.integer(0)
        statement.bytes(1, into: &item.uuid)
        item.userID = UInt32(exactly: statement.integer(2)) ?? 0
        item.keyClass = UInt8(exactly: statement.integer(3)) ?? 0
        item.keyGeneration = UInt32(exactly: statement.integer(4)) ?? 0
        item.rowGeneration = UInt32(exactly: statement.integer(5)) ?? 0
        item.isTombstone = statement.integer(6) != 0
        var column = firstIndexColumn
        for position in item.indexes.indices {
            item.indexes[position] = statement.indexValue(column)
            column += 1
        }
        statement.data(column, into: &item.metadata)
        statement.bytes(column + 1, into: &item.secret)
        item.keychain = UInt32(exactly: statement.integer(column + 2)) ?? unknownKeychain
        item.tagDigest = item.table.hasTags ? statement.indexValue(column + 3) : nil
    }

    /// No keychain has this number: such a row fails to authenticate.
    private static let unknownKeychain = UInt32.max

    /// The number of clear columns before the indexes.
    private static let firstIndexColumn: Int32 = 7

    /// `INSERT`, with the values in the order of `bind`.
    static func insertSQL(_ table: ItemTable) -> String {
        let columns = writtenColumns(table)
        let places = Array(repeating: "?", count: columns.count).joined(separator: ", ")
        return
            "INSERT INTO \(table.rawValue) (\(columns.joined(separator: ", "))) VALUES (\(places))"
    }

    /// `UPDATE` of a row, with the values in the order of `bindChanges` and then the row number.
    /// - Parameters:
    ///   - table: The row's table.
    ///   - columns: The index columns that change: SQLite rewrites the index of each column that a
    ///     statement names, whether its value changes or not.
    /// - Returns: The SQL text.
    static func updateSQL(_ table: ItemTable, _ columns: [IndexColumn]) -> String {
        let names =
            ["keyclass", "keygeneration", "rowgeneration", "tombstone", "metadata", "secret"]
            + (table.hasTags ? ["tagdigest"] : []) + columns.map(\.rawValue)
        let assignments = names.map { "\($0) = ?" }.joined(separator: ", ")
        return "UPDATE \(table.rawValue) SET \(assignments) WHERE rowid = ?"
    }

    static func bindChanges(
        _ item: SealedItem, _ columns: [IndexColumn], to statement: SQLStatement
    ) {
        statement.bind(Int64(item.keyClass))
        statement.bind(Int64(item.keyGeneration))
        statement.bind(Int64(item.rowGeneration))
        statement.bind(item.isTombstone ? 1 : 0)
        statement.bind(item.metadata)
        statement.bind(item.secret)
        if item.table.hasTags { statement.bind(item.tagDigest) }
        for column in columns { statement.bind(item.index(column)) }
        statement.bind(item.rowID)
    }

    private static func writtenColumns(_ table: ItemTable) -> [String] {
        clearColumns + table.indexColumns.map(\.rawValue)
            + ["metadata", "secret", "keychain"] + (table.hasTags ? ["tagdigest"] : [])
    }

    static func bind(_ item: SealedItem, to statement: SQLStatement) {
        statement.bind(item.rowID == 0 ? nil : item.rowID)
        statement.bind(item.uuid)
        statement.bind(Int64(item.userID))
        statement.bind(Int64(item.keyClass))
        statement.bind(Int64(item.keyGeneration))
        statement.bind(Int64(item.rowGeneration))
        statement.bind(item.isTombstone ? 1 : 0)
        for value in item.indexes { statement.bind(value) }
        statement.bind(item.metadata)
        statement.bind(item.secret)
        statement.bind(Int64(item.keychain))
        if item.table.hasTags { statement.bind(item.tagDigest) }
    }
}
