// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import GRDB

/// Schema version 2: internet passwords, certificates and keys, laid out as generic passwords are.
enum SecondSchema {
    static func create(in database: Database) throws {
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
}
