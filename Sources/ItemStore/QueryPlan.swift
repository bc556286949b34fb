// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// The access groups whose rows a query may touch, as blind-index values. There is no empty one
/// and no "all": an unscoped query can't be written down.
package struct GroupScope: Sendable {
    /// At least one.
    package let values: [IndexValue]

    /// Nil for no groups.
    package init?(_ values: [IndexValue]) {
        guard !values.isEmpty else { return nil }
        self.values = values
    }
}

/// Which rows of a table to read.
package struct QueryPlan: Sendable {
    package let table: ItemTable
    package let userID: UInt32
    package let scope: GroupScope
    /// Columns that must have a value.
    package let equalities: [(column: IndexColumn, value: IndexValue)]
    /// Only the row with this UUID.
    package let uuid: [UInt8]?
    /// Whether the secret halves are needed.
    package let wantsSecret: Bool

    /// A plan always has a user and a scope.
    package init(
        table: ItemTable, userID: UInt32, scope: GroupScope,
        equalities: [(column: IndexColumn, value: IndexValue)], uuid: [UInt8]?, wantsSecret: Bool
    ) {
        self.table = table
        self.userID = userID
        self.scope = scope
        self.equalities = equalities
        self.uuid = uuid
        self.wantsSecret = wantsSecret
    }

    /// The index that leads to the fewest rows. It is named in the statement, so that neither
    /// SQLite's guess nor its statistics decide how long a lookup takes.
    var leadingIndex: String {
        if uuid != nil { return "\(table.rawValue)_uuid" }
        let columns = Set(equalities.map(\.column))
        if columns.contains(.primaryKey) { return "\(table.rawValue)_pk" }
        if columns.contains(.service) { return "\(table.rawValue)_svce_acct" }
        if columns.contains(.account) { return "\(table.rawValue)_acct" }
        if columns.contains(.label) { return "\(table.rawValue)_labl" }
        return "\(table.rawValue)_agrp"
    }

    /// The statement's text; depends on the shape of the plan alone, so that it can be kept.
    var sql: String {
        let columns = ItemRow.columns(table, wantsSecret: wantsSecret)
        var conditions = ["userid = ?", "tombstone = 0", "rowid > ?"]
        if uuid != nil { conditions.append("uuid = ?") }
        conditions += equalities.map { "\($0.column.rawValue) = ?" }
        let places = Array(repeating: "?", count: scope.values.count).joined(separator: ", ")
        conditions.append(scope.values.count == 1 ? "agrp = ?" : "agrp IN (\(places))")
        return """
            SELECT \(columns) FROM \(table.rawValue) INDEXED BY \(leadingIndex) \
            WHERE \(conditions.joined(separator: " AND ")) ORDER BY rowid
            """
    }

    /// Names the shape: plans with the same shape have the same statement.
    struct Shape: Hashable {
        let table: ItemTable
        let wantsSecret: Bool
        let hasUUID: Bool
        let scopeCount: Int
        let columns: [IndexColumn]
    }

    var shape: Shape {
        Shape(
            table: table, wantsSecret: wantsSecret, hasUUID: uuid != nil,
            scopeCount: scope.values.count, columns: equalities.map(\.column))
    }
}
