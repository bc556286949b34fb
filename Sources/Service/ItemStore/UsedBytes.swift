// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import GRDB

extension StoreTransaction {
    /// About how many bytes of the database a row takes besides its sealed parts: clear columns, their
    /// indexes, and its leaf of the ledger.
    private static let rowOverhead = 1024

    /// How many bytes the database has. Takes no time, and is more than all rows together have.
    package func databaseByteCount() throws(StoreError) -> Int64 {
        do {
            let pages = try Int64.fetchOne(database, sql: "PRAGMA page_count") ?? 0
            return pages * (try Int64.fetchOne(database, sql: "PRAGMA page_size") ?? 0)
        } catch { throw StoreError(error) }
    }

    /// How many bytes each user's rows have. Takes about a second for a million rows.
    package func usedByteCounts() throws(StoreError) -> [UInt32: Int64] {
        var counts: [UInt32: Int64] = [:]
        do {
            // What is staged has been taken from the share already.
            for table in ItemTable.allCases.map(\.rawValue) + ["staged"] {
                let rows = try Row.fetchAll(
                    database,
                    sql: """
                        SELECT userid, SUM(LENGTH(metadata) + LENGTH(secret) + \(Self.rowOverhead)) \
                        FROM \(table) GROUP BY userid
                        """)
                for row in rows {
                    guard let user = UInt32(exactly: row[0] as Int64) else { continue }
                    counts[user, default: 0] += row[1] as Int64
                }
            }
        } catch { throw StoreError(error) }
        return counts
    }
}

extension SealedItem {
    /// About how many bytes of the database the row takes, as ``StoreTransaction/usedByteCounts()``
    /// counts.
    package var usedByteCount: Int64 { Int64(metadata.count + secret.count + 1024) }
}
