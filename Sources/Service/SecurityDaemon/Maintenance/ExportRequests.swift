// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire
import ItemStore
import KeychainVocabulary
import SecretBytes
import SecurityWire

/// Reads all items of a user's own keychain, of all groups and with their secrets, so that they can
/// move into the system's. The system's service has no such request: there, one application of a
/// user doesn't get another's items.
final class ExportRequests {
    private let reader: StoreReader
    private let keys: ItemKeys
    private let roots: RootGate

    private static let chunkRowCount = 64
    /// The size that fills a part; one item more is always in it.
    private static let byteCount = 768 * 1024

    init(reader: StoreReader, keys: ItemKeys, roots: RootGate) {
        self.reader = reader
        self.keys = keys
        self.roots = roots
    }

    /// One part.
    /// - Throws: ``DaemonError/locked`` when an item can't be opened now: a part of a keychain is
    ///   none; ``DaemonError/rolledBack``; ``DaemonError/invalidRequest`` for an invalid cursor.
    func page(
        _ cursor: MaintenanceCursor, userID: UInt32
    ) throws(DaemonError) -> ServiceReply {
        var cursor = cursor
        if cursor == MaintenanceCursor() { try roots.pass(userID) }
        let tables = ItemTable.allCases
        let end = ContinuousClock.now + MaintenanceThread.slice
        var part = Part()
        while part.rows.byteCount < Self.byteCount, ContinuousClock.now < end {
            guard tables.indices.contains(Int(cursor.part)) else {
                return .exported(part.rows, nextCursor: [], part.left)
            }
            let table = tables[Int(cursor.part)]
            let rows: [SealedItem]
            do {
                rows = try reader.allRows(table, after: cursor.number, limit: Self.chunkRowCount)
            } catch { throw .store(error) }
            for row in rows where row.userID == userID && !row.isTombstone {
                // The rest comes in the next part.
                guard part.rows.byteCount < Self.byteCount else {
                    return .exported(part.rows, nextCursor: cursor.bytes, part.left)
                }
                try take(row, &part)
                cursor.number = row.rowID
            }
            if rows.count == Self.chunkRowCount, let last = rows.last {
                cursor.number = last.rowID
            } else {
                cursor.part += 1
                cursor.number = 0
            }
        }
        return .exported(part.rows, nextCursor: cursor.bytes, part.left)
    }

    private struct Part {
        var rows = OutgoingRows()
        var left = LeftBehind()
    }

    private func take(_ item: SealedItem, _ part: inout Part) throws(DaemonError) {
        // In the keychain of the machine they would open without their password.
        guard item.owner.isLogin else {
            part.left.keychainItems += 1
            return
        }
        guard case .attributes(let stored) = try keys.openStored(item, ItemKeys.Source(reader)),
            let attributes = try? stored.decoded()
        else {
            part.left.lost += 1
            return
        }
        // Trust settings aren't a program's.
        guard attributes.accessGroup.flatMap(ReservedGroup.init) == nil else { return }
        guard !item.isGuarded else {
            part.left.guarded += 1
            return
        }
        guard !attributes.isTiedToItsGroup else {
            part.left.enclaveKeys += 1
            return
        }
        var row = OutgoingRow(itemClass: item.table.itemClass)
        row.attributes = stored.encoded
        if attributes.hasSecret {
            guard item.secretHasKnownFormat, let sealed = SealedSecret(item),
                let secret = try keys.openSecret(sealed, userID: item.userID)
            else {
                part.left.lost += 1
                return
            }
            row.secret = secret
        }
        part.rows.append(row)
    }
}
