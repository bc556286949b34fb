// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import GRDB

/// How far the rows of an earlier version have been upgraded: rows of one user in one table.
package struct StoredUpgrade: Equatable, Sendable {
    /// The kind of upgrade. Names are stored: only ever added.
    package enum Name: String, Sendable {
        /// Recompute the blind indexes.
        case reindex
    }

    /// The kind of upgrade.
    package let name: Name
    /// The rows' table.
    package let table: ItemTable
    /// The user whose rows.
    package let userID: UInt32
    /// The last row that has been processed.
    package var lastRowID: Int64
    /// The last row that an earlier version can have written.
    package let endRowID: Int64

    /// Whether all rows are done.
    package var isOver: Bool { lastRowID >= endRowID }
}

extension StoreTransaction {
    /// The unfinished upgrades.
    package func upgrades() throws(StoreError) -> [StoredUpgrade] {
        let statement = try statements.statement("upgrades", database) {
            """
            SELECT name, source, userid, lastrowid, endrowid FROM upgrades
            WHERE lastrowid < endrowid
            """
        }
        statement.start()
        defer { statement.end() }
        var upgrades: [StoredUpgrade] = []
        while try statement.step() {
            let name = String(decoding: statement.bytes(0), as: UTF8.self)
            let source = String(decoding: statement.bytes(1), as: UTF8.self)
            guard let name = StoredUpgrade.Name(rawValue: name),
                let table = ItemTable(rawValue: source),
                let userID = UInt32(exactly: statement.integer(2))
            else { continue }
            upgrades.append(
                StoredUpgrade(
                    name: name, table: table, userID: userID, lastRowID: statement.integer(3),
                    endRowID: statement.integer(4)))
        }
        return upgrades
    }

    /// Records the progress of an upgrade.
    package func note(_ upgrade: StoredUpgrade) throws(StoreError) {
        let statement = try statements.statement("upgrade note", database) {
            """
            UPDATE upgrades SET lastrowid = ?
            WHERE name = '\(upgrade.name.rawValue)' AND source = ? AND userid = ?
            """
        }
        statement.start()
        statement.bind(upgrade.lastRowID)
        statement.bind(text: upgrade.table.rawValue)
        statement.bind(Int64(upgrade.userID))
        try statement.run()
    }

    /// The next rows that an upgrade must process, with their secrets.
    package func rows(_ upgrade: StoredUpgrade, limit: Int) throws(StoreError) -> [SealedItem] {
        let table = upgrade.table
        let statement = try statements.statement("\(table.rawValue) upgrade", database) {
            """
            SELECT \(ItemRow.columns(table, wantsSecret: true)) FROM \(table.rawValue) NOT INDEXED \
            WHERE rowid > ? AND rowid <= ? AND userid = ? ORDER BY rowid LIMIT ?
            """
        }
        statement.start()
        defer { statement.end() }
        statement.bind(upgrade.lastRowID)
        statement.bind(upgrade.endRowID)
        statement.bind(Int64(upgrade.userID))
        statement.bind(Int64(limit))
        var items: [SealedItem] = []
        while try statement.step() {
            items.append(ItemRow.read(statement, table, wantsSecret: true))
        }
        return items
    }
}
