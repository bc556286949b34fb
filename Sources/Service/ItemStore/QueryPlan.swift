// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// The access groups whose rows a query may read, as blind-index values. The set is never empty and
/// there is no value for "all", so an unscoped query can't be expressed.
package struct GroupScope: Sendable {
    /// At least one.
    package let values: [IndexValue]

    /// Nil for no groups.
    package init?(_ values: [IndexValue]) {
        guard !values.isEmpty else { return nil }
        self.values = values
    }

    /// Whether a row of this group may be read.
    func contains(_ group: IndexValue?) -> Bool { group.map(values.contains) ?? false }
}

/// The rows of a table to read.
package struct QueryPlan: Sendable {
    /// One row, whatever its attributes.
    package enum Row: Sendable {
        /// The row with this UUID.
        case uuid([UInt8])
        /// The row with this number.
        case number(Int64)
    }

    package let table: ItemTable
    package let userID: UInt32
    /// Which of the user's keychains.
    package let keychain: UInt32
    package let scope: GroupScope
    /// Columns that must have a value.
    package var equalities: [(column: IndexColumn, value: IndexValue)]
    /// Only this row.
    package let row: Row?
    /// Rows that mark deleted items, instead of those of items.
    package let wantsTombstones: Bool
    /// Whether to read the secret halves.
    package let wantsSecret: Bool

    /// A plan always has a user, a keychain and a scope.
    package init(
        table: ItemTable, userID: UInt32, keychain: UInt32 = KeychainNumber.login,
        scope: GroupScope,
        equalities: [(column: IndexColumn, value: IndexValue)], row: Row?,
        wantsTombstones: Bool = false, wantsSecret: Bool
    ) {
        self.table = table
        self.userID = userID
        self.keychain = keychain
        self.scope = scope
        self.equalities = equalities
        self.row = row
        self.wantsTombstones = wantsTombstones
        self.wantsSecret = wantsSecret
    }

    /// How the database finds the rows. The statement names the index, so that the time of a lookup
    /// depends neither on SQLite's guess nor on its statistics.
    private enum Lead {
        case rowNumber
        case index(String)
        /// By the groups alone: many rows.
        case groups
    }

    private var lead: Lead {
        switch row {
        case .number: return .rowNumber
        case .uuid: return .index("uuid")
        case nil: break
        }
        let columns = Set(equalities.map(\.column))
        let first = table.leads.first { columns.contains($0.column) }
        return first.map { .index($0.name) } ?? .groups
    }

    /// For programs with more groups than this, `RowScan` compares rows' groups instead of SQLite,
    /// which would make a table of them for each lookup.
    private static let groupsInStatement = 4

    /// Whether the statement compares groups. If not, `RowScan` does.
    var comparesGroups: Bool {
        if scope.values.count <= Self.groupsInStatement { return true }
        if case .groups = lead { return true }
        return false
    }

    /// The statement's text; it depends only on the shape of the plan, so that it can be cached.
    var sql: String {
        let name = table.rawValue
        let columns = ItemRow.columns(table, wantsSecret: wantsSecret)
        var conditions = ["userid = ?", "keychain = ?", "tombstone = \(wantsTombstones ? 1 : 0)"]
        switch row {
        case .uuid: conditions.append("uuid = ?")
        case .number: conditions.append("\(name).rowid = ?")
        case nil: break
        }
        conditions += equalities.map { "\($0.column.rawValue) = ?" }
        let places = Array(repeating: "?", count: scope.values.count).joined(separator: ", ")
        let groups = scope.values.count == 1 ? "agrp = ?" : "agrp IN (\(places))"
        let source: String
        switch lead {
        case .groups where scope.values.count > 1:
            // For several groups only the row numbers are sorted, not the rows.
            return """
                SELECT \(columns) FROM \
                (SELECT rowid AS number FROM \(name) INDEXED BY \(name)_agrp \
                WHERE rowid > ? AND \(groups) ORDER BY rowid) \
                CROSS JOIN \(name) ON \(name).rowid = number \
                WHERE \(conditions.joined(separator: " AND ")) ORDER BY number
                """
        case .groups: source = "\(name) INDEXED BY \(name)_agrp"
        case .rowNumber: source = "\(name) NOT INDEXED"
        case .index(let index): source = "\(name) INDEXED BY \(name)_\(index)"
        }
        if comparesGroups { conditions.insert(groups, at: 0) }
        conditions.insert("\(name).rowid > ?", at: 0)
        return """
            SELECT \(columns) FROM \(source) \
            WHERE \(conditions.joined(separator: " AND ")) ORDER BY \(name).rowid
            """
    }

    /// Binds the statement's values, in its order.
    func bind(to statement: SQLStatement, after rowID: Int64) {
        statement.bind(rowID)
        if comparesGroups { for value in scope.values { statement.bind(value) } }
        statement.bind(Int64(userID))
        statement.bind(Int64(keychain))
        switch row {
        case .uuid(let uuid): statement.bind(uuid)
        case .number(let number): statement.bind(number)
        case nil: break
        }
        for equality in equalities { statement.bind(equality.value) }
    }

    /// Identifies the shape: plans with the same shape have the same statement.
    struct Shape: Hashable {
        let table: ItemTable
        let wantsSecret: Bool
        let wantsTombstones: Bool
        let rowKind: Int
        let scopeCount: Int
        let columns: [IndexColumn]
    }

    var shape: Shape {
        let rowKind =
            switch row {
            case nil: 0
            case .uuid: 1
            case .number: 2
            }
        return Shape(
            table: table, wantsSecret: wantsSecret, wantsTombstones: wantsTombstones,
            rowKind: rowKind, scopeCount: scope.values.count, columns: equalities.map(\.column))
    }
}
