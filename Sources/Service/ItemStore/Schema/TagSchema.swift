// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import GRDB

/// Version 4: items of the Secret Service are found by tags (STORAGE.md, "Secret Service"). Rows of
/// earlier versions have none, and stay as they are.
enum TagSchema {
    static func grow(_ database: Database) throws {
        for table in ["genp", "quarantine"] {
            try database.execute(sql: "ALTER TABLE \(table) ADD COLUMN tagdigest BLOB")
        }
        try database.execute(sql: tags)
    }

    private static let tags = """
        CREATE TABLE secrettags (
            userid INTEGER NOT NULL,
            tag BLOB NOT NULL,
            item INTEGER NOT NULL,
            PRIMARY KEY (userid, tag, item)
        ) WITHOUT ROWID;
        CREATE INDEX secrettags_item ON secrettags (item);
        """
}
