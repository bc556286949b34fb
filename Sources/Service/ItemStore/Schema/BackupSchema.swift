// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import GRDB

/// Version 3: what backups need (STORAGE.md, "Backups"). Rows of items stay as they are.
enum BackupSchema {
    static func grow(_ database: Database) throws {
        try database.execute(sql: tables)
    }

    /// `staged` has rows of a restore under way: sealed for this keychain, not yet part of it.
    private static let tables = """
        CREATE TABLE backupkeys (
            userid INTEGER NOT NULL,
            keyclass INTEGER NOT NULL,
            generation INTEGER NOT NULL,
            attachment BLOB NOT NULL,
            PRIMARY KEY (userid, keyclass, generation)
        ) WITHOUT ROWID;
        CREATE TABLE backups (
            userid INTEGER PRIMARY KEY,
            setuuid BLOB NOT NULL,
            reserved INTEGER NOT NULL,
            number INTEGER NOT NULL,
            madeat INTEGER NOT NULL,
            rowcount INTEGER NOT NULL
        );
        CREATE TABLE staged (
            number INTEGER PRIMARY KEY,
            userid INTEGER NOT NULL,
            source TEXT NOT NULL,
            uuid BLOB NOT NULL,
            keyclass INTEGER NOT NULL,
            keygeneration INTEGER NOT NULL,
            rowgeneration INTEGER NOT NULL,
            tombstone INTEGER NOT NULL,
            indexes BLOB NOT NULL,
            tagdigest BLOB,
            metadata BLOB NOT NULL,
            secret BLOB NOT NULL
        );
        CREATE INDEX staged_user ON staged (userid);
        """
}
