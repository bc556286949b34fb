// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import ItemStore
import SecurityWire

/// Finds out what a restore would do, and writes nothing.
struct RestoreWeighing {
    private static let pageRowCount = 256

    let reader: StoreReader
    let keys: ItemKeys

    func weigh(
        _ items: [ArchivedItem], _ session: RestoreSession
    ) throws(DaemonError) -> RestoreCounts {
        var counts = RestoreCounts()
        // What is sealed here is dropped: it only shows whether the secrets open.
        let secrets = items.compactMap { item in
            item.source.map {
                ArchivedSecret(
                    sealed: item.row.secret, portable: item.portable, from: $0, to: $0)
            }
        }
        guard secrets.count == items.count else { throw .invalidRequest }
        let opened = try keys.restoreSecrets(
            secrets, session: session.session, userID: session.userID)
        for (item, secret) in zip(items, opened) {
            guard secret != nil else {
                counts.lost += 1
                continue
            }
            switch try decision(item, session) {
            case .add: counts.added += 1
            case .replace: counts.replaced += 1
            case .keep: counts.kept += 1
            }
        }
        return counts
    }

    private func decision(
        _ item: ArchivedItem, _ session: RestoreSession
    ) throws(DaemonError) -> RestoreDecision {
        let owner = RowOwner(userID: session.userID)
        let source = ItemKeys.Source(reader)
        guard let indexer = try keys.indexer(owner, source) else { return .add }
        var present: [SealedItem] = []
        do throws(StoreError) {
            let same = try reader.row(item.table, uuid: item.row.uuid)
            if let same, same.userID == session.userID, same.owner.isLogin { present.append(same) }
            let primaryKey = indexer.primaryKey(item.table, item.attributes)
            if let other = try reader.row(item.table, primaryKey: primaryKey),
                !present.contains(where: { $0.rowID == other.rowID })
            {
                present.append(other)
            }
        } catch { throw .store(error) }
        let conflicts = RestoreConflicts(keys, source)
        if session.options.replaces {
            var staying: [SealedItem] = []
            for row in present where try !conflicts.goes(row) { staying.append(row) }
            present = staying
        }
        return try conflicts.decision(item.attributes, beside: present, session.options)
    }

    /// How many rows go when a backup replaces everything.
    func removedCount(userID: UInt32) throws(DaemonError) -> UInt64 {
        let conflicts = RestoreConflicts(keys, ItemKeys.Source(reader))
        var count: UInt64 = 0
        for table in ItemTable.allCases {
            var last: Int64 = 0
            while true {
                let rows: [SealedItem]
                do { rows = try reader.allRows(table, after: last, limit: Self.pageRowCount) } catch
                {
                    throw .store(error)
                }
                for row in rows where row.userID == userID {
                    if try conflicts.goes(row) { count += 1 }
                }
                guard rows.count == Self.pageRowCount, let final = rows.last else { break }
                last = final.rowID
            }
        }
        return count
    }
}
