// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import GRDB

/// Schema version 1: generic passwords, the keys of metadata and of blind indexes, quarantine,
/// outcomes of writes.
enum FirstSchema {
    /// "LLVR": tells `file` and us what the database is.
    static let applicationID = 0x4C4C_5652

    static func create(in database: Database) throws {
        try database.execute(
            sql: """
                PRAGMA application_id = \(applicationID);

                CREATE TABLE genp (
                    rowid INTEGER PRIMARY KEY AUTOINCREMENT,
                    uuid BLOB NOT NULL,
                    userid INTEGER NOT NULL,
                    keyclass INTEGER NOT NULL,
                    keygeneration INTEGER NOT NULL,
                    rowgeneration INTEGER NOT NULL,
                    tombstone INTEGER NOT NULL,
                    pk BLOB NOT NULL,
                    agrp BLOB NOT NULL,
                    sync BLOB NOT NULL,
                    acct BLOB NOT NULL,
                    svce BLOB NOT NULL,
                    labl BLOB,
                    gena BLOB,
                    alis BLOB,
                    desc BLOB,
                    icmt BLOB,
                    crtr BLOB,
                    type BLOB,
                    metadata BLOB NOT NULL,
                    secret BLOB NOT NULL
                );
                CREATE UNIQUE INDEX genp_uuid ON genp (uuid);
                CREATE UNIQUE INDEX genp_pk ON genp (pk);
                CREATE INDEX genp_svce_acct ON genp (svce, acct);
                CREATE INDEX genp_acct ON genp (acct);
                CREATE INDEX genp_labl ON genp (labl);
                CREATE INDEX genp_agrp ON genp (agrp);

                CREATE TABLE metadatakeys (
                    userid INTEGER NOT NULL,
                    keyclass INTEGER NOT NULL,
                    generation INTEGER NOT NULL,
                    wrapped BLOB NOT NULL,
                    sealsreserved INTEGER NOT NULL,
                    PRIMARY KEY (userid, keyclass, generation)
                ) WITHOUT ROWID;

                CREATE TABLE indexkeys (
                    userid INTEGER PRIMARY KEY,
                    wrapped BLOB NOT NULL
                );

                CREATE TABLE quarantine (
                    rowid INTEGER PRIMARY KEY,
                    source TEXT NOT NULL,
                    uuid BLOB NOT NULL,
                    userid INTEGER NOT NULL,
                    keyclass INTEGER NOT NULL,
                    keygeneration INTEGER NOT NULL,
                    rowgeneration INTEGER NOT NULL,
                    tombstone INTEGER NOT NULL,
                    indexes BLOB NOT NULL,
                    metadata BLOB NOT NULL,
                    secret BLOB NOT NULL,
                    quarantinedat INTEGER NOT NULL
                );

                CREATE TABLE writeoutcomes (
                    rowid INTEGER PRIMARY KEY,
                    requestid BLOB NOT NULL,
                    userid INTEGER NOT NULL,
                    finishedat INTEGER NOT NULL,
                    uuid BLOB NOT NULL
                );
                """)
    }
}
