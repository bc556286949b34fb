// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import GRDB
import Synchronization

/// Whether a database's tables and indexes are those that the migrations made. SQLite believes a
/// damaged name in its list of them, and answers that there is no such column from then on.
struct SchemaShape {
    private struct Entry {
        let type: String
        let table: String
        let text: String?
    }

    private static let migrationList = "grdb_migrations"

    private let entries: [String: Entry]

    private init(_ database: Database) throws {
        var entries: [String: Entry] = [:]
        let rows = try Row.fetchAll(
            database, sql: "SELECT name, type, tbl_name, sql FROM sqlite_master")
        for row in rows {
            entries[row["name"] ?? ""] = Entry(
                type: row["type"] ?? "", table: row["tbl_name"] ?? "", text: row["sql"])
        }
        self.entries = entries
    }

    /// Whether everything is there that the migrations make, up to one of them, and nothing that the
    /// later ones make. What is there besides does no harm.
    /// - Parameters:
    ///   - database: The database.
    ///   - migration: The last migration that was done; nil for none.
    /// - Returns: False for a damaged list of tables, or of migrations.
    /// - Throws: What GRDB throws where the list of tables can't be read.
    static func isMade(_ database: Database, upTo migration: String?) throws -> Bool {
        let found = try SchemaShape(database)
        let whole = try Model.made(upTo: Migrations.all.migrations.last).shape.entries
        let model = try Model.made(upTo: migration)
        let later = whole.filter { name, entry in
            // The list of migrations is there before the first of them.
            model.shape.entries[name] == nil && entry.table != Self.migrationList
        }.keys
        guard later.allSatisfy({ found.entries[$0] == nil }) else { return false }
        return try model.shape.entries.allSatisfy { name, entry in
            guard let other = found.entries[name], other.type == entry.type,
                other.table == entry.table
            else { return false }
            if other.text == entry.text { return true }
            // Another version of SQLite puts the text of a changed table together otherwise.
            guard entry.type == "table" else { return false }
            return try columns(of: name, database) == model.columns(of: name)
        }
    }

    /// Name, type and the rest of what SQLite reads of each column.
    private static func columns(of table: String, _ database: Database) throws -> [[String]] {
        let rows = try Row.fetchAll(
            database, sql: "SELECT * FROM pragma_table_xinfo(?)", arguments: [table])
        return rows.map { row in row.databaseValues.map { "\($0)" } }
    }

    /// What the migrations make in an empty database in memory. It is made once.
    private final class Model: Sendable {
        private static let models = Mutex<[String?: Model]>([:])

        let shape: SchemaShape
        private let queue: DatabaseQueue

        private init(upTo migration: String?) throws {
            queue = try DatabaseQueue()
            if let migration { try Migrations.all.migrate(queue, upTo: migration) }
            shape = try queue.inDatabase { try SchemaShape($0) }
        }

        static func made(upTo migration: String?) throws -> Model {
            try models.withLock { models in
                if let model = models[migration] { return model }
                let model = try Model(upTo: migration)
                models[migration] = model
                return model
            }
        }

        func columns(of table: String) throws -> [[String]] {
            try queue.inDatabase { try SchemaShape.columns(of: table, $0) }
        }
    }
}
