// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import GRDB

/// Every step from an empty file to the present schema (STORAGE.md, "Schema"). A released step
/// never changes; a new one is added behind it.
package enum Migrations {
    /// The steps, in order. GRDB does those that a file's list doesn't have, each in a transaction.
    package static var all: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("version 1") { database in
            try FirstSchema.create(in: database)
        }
        migrator.registerMigration("version 2") { database in
            try KeychainSchema.grow(database)
        }
        migrator.registerMigration("version 3") { database in
            try BackupSchema.grow(database)
        }
        migrator.registerMigration("version 4") { database in
            try TagSchema.grow(database)
        }
        return migrator
    }
}
