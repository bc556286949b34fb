// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import GRDB

/// Schema version 4: which keybag an index key belongs to, and how far rows of earlier versions have
/// been brought to the present form.
enum FourthSchema {
    static func create(in database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE newindexkeys (
                    userid INTEGER NOT NULL,
                    generation INTEGER NOT NULL,
                    wrapped BLOB NOT NULL,
                    keybaguuid BLOB NOT NULL,
                    erasures INTEGER NOT NULL,
                    PRIMARY KEY (userid, generation)
                ) WITHOUT ROWID;
                INSERT INTO newindexkeys SELECT userid, 1, wrapped, x'', 0 FROM indexkeys;
                DROP TABLE indexkeys;
                ALTER TABLE newindexkeys RENAME TO indexkeys;

                CREATE TABLE upgrades (
                    name TEXT NOT NULL,
                    source TEXT NOT NULL,
                    userid INTEGER NOT NULL,
                    lastrowid INTEGER NOT NULL,
                    endrowid INTEGER NOT NULL,
                    PRIMARY KEY (name, source, userid)
                ) WITHOUT ROWID;
                """)
        for table in ["genp", "inet", "cert", "keys"] {
            // Whoever has rows has an index key.
            try database.execute(
                sql: """
                    INSERT INTO upgrades SELECT 'reindex', '\(table)', userid, 0,
                        (SELECT coalesce(max(rowid), 0) FROM \(table)) FROM indexkeys
                    """)
        }
    }
}
