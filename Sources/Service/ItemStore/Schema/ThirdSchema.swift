// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import GRDB

/// Schema version 3: what recovering needs to know, and outcomes of writes by a clock that nobody
/// sets.
enum ThirdSchema {
    static func create(in database: Database) throws {
        // Outcomes are of the last minute: none is worth carrying over.
        try database.execute(
            sql: """
                ALTER TABLE quarantine ADD COLUMN itemrowid INTEGER NOT NULL DEFAULT 0;
                ALTER TABLE quarantine ADD COLUMN reason INTEGER NOT NULL DEFAULT 0;

                CREATE TABLE recovered (uuid BLOB PRIMARY KEY) WITHOUT ROWID;

                DROP TABLE writeoutcomes;
                CREATE TABLE writeoutcomes (
                    rowid INTEGER PRIMARY KEY,
                    requestid BLOB NOT NULL,
                    userid INTEGER NOT NULL,
                    finishedat INTEGER NOT NULL,
                    bootid BLOB NOT NULL,
                    uuid BLOB NOT NULL
                );
                """)
    }
}
