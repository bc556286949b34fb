// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import GRDB

/// The rows that have a tag, or several (STORAGE.md, "Secret Service").
package struct TagPlan: Sendable {
    package let userID: UInt32
    /// At least one.
    package let tags: [IndexValue]
    /// Whether to read the secret halves.
    package let wantsSecret: Bool

    /// - Returns: Nil without a tag: there is no plan for every row.
    package init?(userID: UInt32, tags: [IndexValue], wantsSecret: Bool) {
        guard !tags.isEmpty else { return nil }
        self.userID = userID
        self.tags = tags
        self.wantsSecret = wantsSecret
    }
}

/// Searching by tags.
enum TagScan {
    /// So many rows of a tag are counted at first, and then so many times as many: the search goes
    /// through the shortest list, and finding it costs no more than that.
    private static let firstBound = 16
    private static let boundStep = 8
    private static let otherTag =
        " AND EXISTS (SELECT 1 FROM secrettags "
        + "WHERE userid = ? AND tag = ? AND item = rarest.item)"

    /// Calls `body` for each row that has all tags, in the order of row numbers, until it returns false.
    static func run(
        _ plan: TagPlan, after rowID: Int64, _ database: Database, _ statements: StatementCache,
        _ ledger: LedgerWriter?, _ body: (SealedItem) throws(StoreError) -> Bool
    ) throws(StoreError) {
        let rarest = try rarest(plan, after: rowID, database, statements)
        let others = plan.tags.filter { $0 != rarest }
        let table = ItemTable.genericPasswords
        let columns = ItemRow.columns(table, wantsSecret: plan.wantsSecret)
        // A row without another of the tags isn't read: its secret may be long.
        let name = "tags \(plan.wantsSecret) \(others.count)"
        let statement = try statements.statement(name, database) {
            """
            SELECT \(columns) FROM \
            (SELECT item FROM secrettags AS rarest WHERE userid = ? AND tag = ? AND item > ?\
            \(String(repeating: otherTag, count: others.count))) \
            CROSS JOIN genp ON genp.rowid = item WHERE genp.userid = ? ORDER BY item
            """
        }
        statement.start()
        defer { statement.end() }
        statement.bind(Int64(plan.userID))
        statement.bind(rarest)
        statement.bind(rowID)
        for tag in others {
            statement.bind(Int64(plan.userID))
            statement.bind(tag)
        }
        statement.bind(Int64(plan.userID))
        var leaves = LeafCursor(database, statements, ledger)
        var item = ItemRow.blank(table)
        while try statement.step() {
            ItemRow.read(statement, into: &item)
            guard !item.isTombstone else { continue }
            item.isCurrent = try leaves.holds(item)
            guard try body(item) else { return }
        }
    }

    /// The tag with the fewest rows.
    private static func rarest(
        _ plan: TagPlan, after rowID: Int64, _ database: Database, _ statements: StatementCache
    ) throws(StoreError) -> IndexValue {
        guard plan.tags.count > 1 else { return plan.tags[0] }
        var bound = firstBound
        while true {
            var fewest: (tag: IndexValue, count: Int)?
            for tag in plan.tags {
                let count = try count(
                    tag, plan.userID, after: rowID, upTo: bound, database, statements)
                if count < fewest?.count ?? .max { fewest = (tag, count) }
                if count == 0 { return tag }
            }
            guard let fewest else { return plan.tags[0] }
            if fewest.count < bound || bound >= Int(Int32.max) / boundStep { return fewest.tag }
            bound *= boundStep
        }
    }

    private static func count(
        _ tag: IndexValue, _ userID: UInt32, after rowID: Int64, upTo bound: Int,
        _ database: Database, _ statements: StatementCache
    ) throws(StoreError) -> Int {
        let statement = try statements.statement("tag count", database) {
            """
            SELECT count(*) FROM (SELECT 1 FROM secrettags \
            WHERE userid = ? AND tag = ? AND item > ? LIMIT ?)
            """
        }
        statement.start()
        defer { statement.end() }
        statement.bind(Int64(userID))
        statement.bind(tag)
        statement.bind(rowID)
        statement.bind(Int64(bound))
        return try statement.step() ? Int(statement.integer(0)) : 0
    }

    /// The tags of a row, in ascending order of their bytes.
    static func tags(
        ofRow rowID: Int64, _ database: Database, _ statements: StatementCache
    ) throws(StoreError) -> [IndexValue] {
        let statement = try statements.statement("tags of row", database) {
            "SELECT tag FROM secrettags WHERE item = ? ORDER BY tag LIMIT \(limit)"
        }
        statement.start()
        defer { statement.end() }
        statement.bind(rowID)
        var tags: [IndexValue] = []
        while try statement.step() {
            // One of another size is damage, and makes another digest.
            if let tag = statement.indexValue(0) { tags.append(tag) }
        }
        return tags
    }

    /// No item has so many: one for each pair, and two.
    private static let limit = 256
}

extension StoreReader {
    /// Calls `body` for each row that has all tags of a plan, in the order of row numbers, until it
    /// returns false. All rows are of one snapshot.
    package func scan(
        _ plan: TagPlan, after rowID: Int64, _ body: (SealedItem) -> Bool
    ) throws(StoreError) {
        try borrow { (database) throws(StoreError) in
            try TagScan.run(plan, after: rowID, database, statements, nil, body)
        }
    }

    /// The tags that are stored for a row.
    package func tags(ofRow rowID: Int64) throws(StoreError) -> [IndexValue] {
        try borrow { (database) throws(StoreError) in
            try TagScan.tags(ofRow: rowID, database, statements)
        }
    }

    /// The item of a user with a UUID, in the table of generic passwords of login; it may be of any
    /// group.
    package func secretRow(
        uuid: [UInt8], userID: UInt32, wantsSecret: Bool
    ) throws(StoreError) -> SealedItem? {
        try borrow { (database) throws(StoreError) in
            let statement = try statements.statement("secret \(wantsSecret)", database) {
                """
                SELECT \(ItemRow.columns(.genericPasswords, wantsSecret: wantsSecret)) FROM genp \
                INDEXED BY genp_uuid WHERE uuid = ? AND userid = ? AND keychain = ? \
                AND tombstone = 0 AND tagdigest IS NOT NULL
                """
            }
            statement.start()
            defer { statement.end() }
            statement.bind(uuid)
            statement.bind(Int64(userID))
            statement.bind(Int64(KeychainNumber.login))
            guard try statement.step() else { return nil }
            var item = ItemRow.read(statement, .genericPasswords)
            var leaves = LeafCursor(database, statements)
            item.isCurrent = try leaves.holds(item)
            return item
        }
    }
}

extension StoreTransaction {
    /// The next rows that have all tags of a plan.
    package func rows(
        _ plan: TagPlan, after rowID: Int64, limit: Int
    ) throws(StoreError) -> [SealedItem] {
        var items: [SealedItem] = []
        try TagScan.run(plan, after: rowID, database, statements, ledger) { item in
            items.append(item)
            return items.count < limit
        }
        return items
    }

    func put(_ tags: [IndexValue], of item: SealedItem) throws(StoreError) {
        for tag in tags {
            let statement = try statements.statement("tag insert", database) {
                "INSERT OR IGNORE INTO secrettags (userid, tag, item) VALUES (?, ?, ?)"
            }
            statement.start()
            statement.bind(Int64(item.userID))
            statement.bind(tag)
            statement.bind(item.rowID)
            try statement.run()
        }
    }

    /// Removes the tags of a row, if it has any.
    func deleteTags(of item: SealedItem) throws(StoreError) {
        guard item.tagDigest != nil else { return }
        let statement = try statements.statement("tags delete", database) {
            "DELETE FROM secrettags WHERE item = ?"
        }
        statement.start()
        statement.bind(item.rowID)
        try statement.run()
    }
}
