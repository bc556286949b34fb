// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import GRDB

/// Version 1: items, wrapped keys, the ledger of rows with the roots over it, quarantine, outcomes of
/// writes (STORAGE.md, "Schema").
enum FirstSchema {
    /// "LLVR": tells `file` and us what the database is.
    static let applicationID = 0x4C4C_5652

    static func create(in database: Database) throws {
        try database.execute(sql: "PRAGMA application_id = \(applicationID)")
        try createItems(in: database)
        try database.execute(sql: others)
    }

    private static func createItems(in database: Database) throws {
        try create(
            "genp", required: ["pk", "agrp", "sync", "acct", "svce"],
            optional: ["labl", "gena", "alis", "desc", "icmt", "crtr", "type"],
            indexes: [["svce", "acct"], ["acct"], ["labl"], ["agrp"]], in: database)
        try create(
            "inet",
            required: [
                "pk", "agrp", "sync", "acct", "srvr", "sdmn", "ptcl", "atyp", "port", "path",
            ],
            optional: ["labl", "alis", "desc", "icmt", "crtr", "type"],
            indexes: [["srvr", "acct"], ["acct"], ["labl"], ["agrp"]], in: database)
        try create(
            "cert", required: ["pk", "agrp", "sync", "ctyp", "issr", "slnr"],
            optional: ["subj", "skid", "pkhh", "cenc", "labl", "alis"],
            indexes: [["pkhh"], ["skid"], ["subj"], ["issr", "slnr"], ["labl"], ["agrp"]],
            in: database)
        try create(
            "keys",
            required: ["pk", "agrp", "sync", "kcls", "klbl", "atag", "type", "bsiz", "crtr"],
            optional: ["labl", "alis"], indexes: [["klbl"], ["atag"], ["labl"], ["agrp"]],
            in: database)
    }

    private static func create(
        _ table: String, required: [String], optional: [String], indexes: [[String]],
        in database: Database
    ) throws {
        let columns =
            required.map { "\($0) BLOB NOT NULL,\n" } + optional.map { "\($0) BLOB,\n" }
        try database.execute(
            sql: """
                CREATE TABLE \(table) (
                    rowid INTEGER PRIMARY KEY AUTOINCREMENT,
                    uuid BLOB NOT NULL,
                    userid INTEGER NOT NULL,
                    keyclass INTEGER NOT NULL,
                    keygeneration INTEGER NOT NULL,
                    rowgeneration INTEGER NOT NULL,
                    tombstone INTEGER NOT NULL,
                    \(columns.joined())
                    metadata BLOB NOT NULL,
                    secret BLOB NOT NULL
                );
                CREATE UNIQUE INDEX \(table)_uuid ON \(table) (uuid);
                CREATE UNIQUE INDEX \(table)_pk ON \(table) (pk);
                """)
        for columns in indexes {
            let name = "\(table)_\(columns.joined(separator: "_"))"
            try database.execute(
                sql: "CREATE INDEX \(name) ON \(table) (\(columns.joined(separator: ", ")))")
        }
    }

    private static let others = """
        CREATE TABLE metadatakeys (
            userid INTEGER NOT NULL,
            keyclass INTEGER NOT NULL,
            generation INTEGER NOT NULL,
            wrapped BLOB NOT NULL,
            sealsreserved INTEGER NOT NULL,
            PRIMARY KEY (userid, keyclass, generation)
        ) WITHOUT ROWID;

        CREATE TABLE indexkeys (
            userid INTEGER NOT NULL,
            generation INTEGER NOT NULL,
            wrapped BLOB NOT NULL,
            keybaguuid BLOB NOT NULL,
            erasures INTEGER NOT NULL,
            PRIMARY KEY (userid, generation)
        ) WITHOUT ROWID;

        CREATE TABLE leaves (number INTEGER PRIMARY KEY, tags BLOB NOT NULL);

        CREATE TABLE roots (
            userid INTEGER PRIMARY KEY,
            number INTEGER NOT NULL,
            keygeneration INTEGER NOT NULL,
            sealed BLOB NOT NULL
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
            quarantinedat INTEGER NOT NULL,
            itemrowid INTEGER NOT NULL,
            reason INTEGER NOT NULL
        );

        CREATE TABLE recovered (uuid BLOB PRIMARY KEY) WITHOUT ROWID;

        CREATE TABLE writeoutcomes (
            rowid INTEGER PRIMARY KEY,
            requestid BLOB NOT NULL,
            userid INTEGER NOT NULL,
            finishedat INTEGER NOT NULL,
            bootid BLOB NOT NULL,
            uuid BLOB NOT NULL
        );
        """
}
