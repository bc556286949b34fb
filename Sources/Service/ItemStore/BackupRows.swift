// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import GRDB

/// What the database knows of a user's archives.
package struct StoredBackup: Equatable, Sendable {
    /// The set: 16 random bytes.
    package var set: [UInt8]
    /// The highest number that an archive was begun with.
    package var reserved: UInt32
    /// The number of the last archive that was read to its end; 0: none.
    package var number: UInt32
    /// When it was begun: seconds since 1970.
    package var madeAt: Int64
    /// The rows in it.
    package var rowCount: Int64

    /// Combines the parts.
    package init(
        set: [UInt8], reserved: UInt32, number: UInt32, madeAt: Int64, rowCount: Int64
    ) {
        self.set = set
        self.reserved = reserved
        self.number = number
        self.madeAt = madeAt
        self.rowCount = rowCount
    }
}

/// Rows of the tables of backups.
enum BackupRows {
    static func backup(
        _ database: Database, _ statements: StatementCache, _ userID: UInt32
    ) throws(StoreError) -> StoredBackup? {
        let statement = try statements.statement("backup", database) {
            "SELECT setuuid, reserved, number, madeat, rowcount FROM backups WHERE userid = ?"
        }
        statement.start()
        defer { statement.end() }
        statement.bind(Int64(userID))
        guard try statement.step() else { return nil }
        let set = statement.bytes(0)
        guard set.count == 16, let reserved = UInt32(exactly: statement.integer(1)),
            let number = UInt32(exactly: statement.integer(2))
        else { throw .damaged }
        return StoredBackup(
            set: set, reserved: reserved, number: number, madeAt: statement.integer(3),
            rowCount: statement.integer(4))
    }
}

extension StoreReader {
    /// What is known of a user's archives.
    package func backup(userID: UInt32) throws(StoreError) -> StoredBackup? {
        try borrow { (database) throws(StoreError) in
            try BackupRows.backup(database, statements, userID)
        }
    }

    /// What makes a metadata key of login portable.
    package func keyAttachment(
        userID: UInt32, keyClass: UInt8, generation: UInt32
    ) throws(StoreError) -> [UInt8]? {
        try borrow { (database) throws(StoreError) in
            let statement = try statements.statement("backupkey", database) {
                """
                SELECT attachment FROM backupkeys
                WHERE userid = ? AND keyclass = ? AND generation = ?
                """
            }
            statement.start()
            defer { statement.end() }
            statement.bind(Int64(userID))
            statement.bind(Int64(keyClass))
            statement.bind(Int64(generation))
            return try statement.step() ? statement.bytes(0) : nil
        }
    }
}

extension StoreTransaction {
    /// What is known of a user's archives.
    package func backup(userID: UInt32) throws(StoreError) -> StoredBackup? {
        try BackupRows.backup(database, statements, userID)
    }

    /// Records what is known of a user's archives.
    package func put(_ backup: StoredBackup, userID: UInt32) throws(StoreError) {
        let statement = try statements.statement("backup put", database) {
            """
            INSERT OR REPLACE INTO backups (userid, setuuid, reserved, number, madeat, rowcount)
            VALUES (?, ?, ?, ?, ?, ?)
            """
        }
        statement.start()
        statement.bind(Int64(userID))
        statement.bind(backup.set)
        statement.bind(Int64(backup.reserved))
        statement.bind(Int64(backup.number))
        statement.bind(backup.madeAt)
        statement.bind(backup.rowCount)
        try statement.run()
    }

    /// Stores what makes a metadata key of login portable.
    package func putKeyAttachment(
        _ attachment: [UInt8], userID: UInt32, keyClass: UInt8, generation: UInt32
    ) throws(StoreError) {
        let statement = try statements.statement("backupkey put", database) {
            """
            INSERT OR REPLACE INTO backupkeys (userid, keyclass, generation, attachment)
            VALUES (?, ?, ?, ?)
            """
        }
        statement.start()
        statement.bind(Int64(userID))
        statement.bind(Int64(keyClass))
        statement.bind(Int64(generation))
        statement.bind(attachment)
        try statement.run()
    }

    /// Writes what is attached to a sealed secret, unless the row has changed since it was read. The
    /// secret itself stays as it is, so the row's tag and the ledger do, too.
    /// - Returns: Whether it was written.
    package func putSecret(
        _ secret: [UInt8], of item: SealedItem
    ) throws(StoreError) -> Bool {
        let statement = try statements.statement("\(item.table.rawValue) attach", database) {
            """
            UPDATE \(item.table.rawValue) SET secret = ?
            WHERE rowid = ? AND uuid = ? AND secret = ?
            """
        }
        statement.start()
        statement.bind(secret)
        statement.bind(item.rowID)
        statement.bind(item.uuid)
        statement.bind(item.secret)
        try statement.run()
        return database.changesCount > 0
    }

    /// Forgets what is known of a user's backups.
    package func forgetBackups(userID: UInt32) throws(StoreError) {
        for table in ["backupkeys", "backups", "staged"] {
            let statement = try statements.statement("\(table) of user", database) {
                "DELETE FROM \(table) WHERE userid = ?"
            }
            statement.start()
            statement.bind(Int64(userID))
            try statement.run()
        }
    }
}

/// How many rows of login there are of one class whose sealed secrets have one form.
package struct SecretForm: Sendable {
    package let keyClass: UInt8
    /// The first byte.
    package let format: UInt8
    /// Of the form with an attachment: the bag's number, 4 bytes.
    package let bag: [UInt8]
    package let rowCount: Int64
}

extension StoreReader {
    /// The forms of all sealed secrets in a user's login.
    package func secretForms(userID: UInt32) throws(StoreError) -> [SecretForm] {
        try borrow { (database) throws(StoreError) in
            var forms: [SecretForm] = []
            for table in ItemTable.allCases {
                let statement = try statements.statement("\(table.rawValue) forms", database) {
                    """
                    SELECT keyclass, substr(secret, 1, 1), substr(secret, 45, 4), count(*)
                    FROM \(table.rawValue) NOT INDEXED
                    WHERE userid = ? AND keychain = \(KeychainNumber.login)
                    GROUP BY 1, 2, CASE WHEN substr(secret, 1, 1) = x'04'
                        THEN substr(secret, 45, 4) END
                    """
                }
                statement.start()
                defer { statement.end() }
                statement.bind(Int64(userID))
                while try statement.step() {
                    forms.append(
                        SecretForm(
                            keyClass: UInt8(exactly: statement.integer(0)) ?? 0,
                            format: statement.bytes(1).first ?? 0, bag: statement.bytes(2),
                            rowCount: statement.integer(3)))
                }
            }
            return forms
        }
    }

    /// The row with a UUID, tombstones included.
    package func row(_ table: ItemTable, uuid: [UInt8]) throws(StoreError) -> SealedItem? {
        try row(table, where: "uuid") { $0.bind(uuid) }
    }

    /// The row with a primary key, tombstones included.
    package func row(
        _ table: ItemTable, primaryKey: IndexValue
    ) throws(StoreError) -> SealedItem? {
        try row(table, where: "pk") { $0.bind(primaryKey) }
    }

    private func row(
        _ table: ItemTable, where column: String, _ bind: (SQLStatement) -> Void
    ) throws(StoreError) -> SealedItem? {
        try borrow { (database) throws(StoreError) in
            let statement = try statements.statement("\(table.rawValue) by \(column)", database) {
                """
                SELECT \(ItemRow.columns(table, wantsSecret: true)) FROM \(table.rawValue) \
                WHERE \(column) = ?
                """
            }
            statement.start()
            defer { statement.end() }
            bind(statement)
            guard try statement.step() else { return nil }
            var item = ItemRow.read(statement, table)
            var leaves = LeafCursor(database, statements)
            item.isCurrent = try leaves.holds(item)
            return item
        }
    }
}
