// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import GRDB

/// Every step from an empty file to the present schema (STORAGE.md, "Schema"). A released step
/// never changes; a new one is added behind it.
enum Migrations {
    static var all: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 items and keys") { database in
            try FirstSchema.create(in: database)
        }
        migrator.registerMigration("2 internet passwords, certificates, keys") { database in
            try SecondSchema.create(in: database)
        }
        migrator.registerMigration("3 recovering") { database in
            try ThirdSchema.create(in: database)
        }
        migrator.registerMigration("4 index keys and upgrades") { database in
            try FourthSchema.create(in: database)
        }
        migrator.registerMigration("5 ledger") { database in
            try FifthSchema.create(in: database)
        }
        return migrator
    }
}
