// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ItemStore
import SecurityWire

/// A move of items to another group.
struct MoveWrite: WriteOperation {
    let move: ItemMove
    let write: WriteIdentity

    var identity: WriteIdentity? { write }

    func perform(
        _ requests: WriteRequests, _ prepared: WriteRequests.PreparedItem?,
        _ scope: borrowing ItemScope, _ transaction: StoreTransaction
    ) throws(DaemonError) -> WriteResult {
        try requests.move(move, write, scope, transaction)
    }

    func repeated(
        _ requests: WriteRequests, uuid: [UInt8], _ scope: borrowing ItemScope,
        _ transaction: StoreTransaction
    ) throws(DaemonError) -> WriteResult {
        WriteResult(reply: .moved(count: 0))
    }
}

extension WriteRequests {
    /// Moves every item of one access group to another: a failure for one of them leaves all in the
    /// old group. A row that can't be opened any more doesn't count as an item, and stays.
    func move(
        _ move: ItemMove, _ identity: WriteIdentity, _ scope: borrowing ItemScope,
        _ transaction: StoreTransaction
    ) throws(DaemonError) -> WriteResult {
        var noted = ChangeList()
        var count: UInt64 = 0
        for itemClass in move.itemClasses {
            var query = ItemQuery(itemClass)
            query.attributes[.accessGroup] = .text(move.source)
            query.synchronizable = .any
            try forEachRow(query, scope, transaction, wantsSecret: true) {
                (item, filter) throws(DaemonError) in
                guard
                    let change = try self.move(
                        item, filter, to: move.target, scope.program, transaction)
                else { return }
                noted.append(change)
                count += 1
            }
        }
        guard count > 0 else { throw .absent }
        try record(identity, userID: scope.userID, uuid: [], transaction)
        return WriteResult(reply: .moved(count: count), changes: noted)
    }

    private func move(
        _ item: SealedItem, _ filter: RowFilter, to group: String,
        _ program: GrantedProgram, _ transaction: StoreTransaction
    ) throws(DaemonError) -> RowChange? {
        switch try keys.open(item, ItemKeys.Source(transaction)) {
        case .keyMissing: return nil
        // An existing item that can't move.
        case .newerFormat: throw .store(.newerVersion)
        case .corrupt:
            noteCorrupt(item)
            return nil
        case .attributes(let stored):
            guard filter.admits(stored) else { return nil }
            var changes = ItemChanges()
            changes.attributes[.accessGroup] = .text(group)
            do throws(DaemonError) {
                return try rewrite(
                    item, stored, changes, tombstones: .ofSynchronizable, ItemAccess(),
                    program, transaction
                ).change
            } catch {
                guard error == .keyGone else { throw error }
                noteCorrupt(item)
                return nil
            }
        }
    }
}

extension ItemAttributes {
    /// Whether the item is a key that enclaved made for its access group, and for no other.
    var isTiedToItsGroup: Bool { self[.tokenID] == .text("com.apple.setoken") }
}
