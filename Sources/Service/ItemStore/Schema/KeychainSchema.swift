// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import GRDB

/// Version 2: rows say which keychain of their user they are in, and other keychains than login have
/// keys of their own (STORAGE.md, "Schema"). Rows of version 1 are in login, and stay as they are.
enum KeychainSchema {
    static func grow(_ database: Database) throws {
        for table in ["genp", "inet", "cert", "keys", "quarantine"] {
            try database.execute(
                sql: "ALTER TABLE \(table) ADD COLUMN keychain INTEGER NOT NULL DEFAULT 0")
        }
        try database.execute(sql: keys)
    }

    /// Class 0 is the index key's.
    private static let keys = """
        CREATE TABLE keychainkeys (
            userid INTEGER NOT NULL,
            keychain INTEGER NOT NULL,
            keyclass INTEGER NOT NULL,
            generation INTEGER NOT NULL,
            wrapped BLOB NOT NULL,
            sealsreserved INTEGER NOT NULL,
            PRIMARY KEY (userid, keychain, keyclass, generation)
        ) WITHOUT ROWID;
        """
}
