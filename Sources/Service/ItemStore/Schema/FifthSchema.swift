// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import GRDB

/// Schema version 5: the ledger of rows, and the roots over it (STORAGE.md, "Ledger").
enum FifthSchema {
    static func create(in database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE leaves (number INTEGER PRIMARY KEY, tags BLOB NOT NULL);

                CREATE TABLE roots (
                    userid INTEGER PRIMARY KEY,
                    number INTEGER NOT NULL,
                    keygeneration INTEGER NOT NULL,
                    sealed BLOB NOT NULL
                );
                """)
        // Rows of before are taken as they are: nothing tells more about them.
        let statements = StatementCache()
        for table in ItemTable.allCases {
            try LedgerRebuild.tags(table, userID: nil, database, statements) {
                (number, leaf) throws(StoreError) in
                try LeafRows.store(leaf, number, database, statements)
            }
        }
    }
}
