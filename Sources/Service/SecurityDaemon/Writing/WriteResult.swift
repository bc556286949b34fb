// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ItemStore
import SecurityWire

/// The result of a write, for its sender and for watchers.
struct WriteResult: Sendable {
    var reply: ServiceReply
    var changes = ChangeList()

    /// Of a request that writes no rows.
    static let renamed = WriteResult(reply: .protectorNonce([]))
}

/// A change of one row, with its groups' blind-index values: a watcher sees it if it holds one of
/// the groups, and a delete needs no opened metadata.
struct RowChange: Sendable {
    let owner: RowOwner
    let table: ItemTable
    let uuid: [UInt8]
    let generation: UInt32
    /// The group before; nil for a new item.
    let groupBefore: IndexValue?
    /// The group now; nil for a deleted item.
    let groupAfter: IndexValue?
    /// Whether it is an item of the Secret Service.
    var isOfBus = false

    /// The change as a holder of certain groups sees it; nil when it concerns none of them.
    func seen(holding isHeld: (IndexValue) -> Bool) -> ItemChange? {
        let kind: ItemChange.Kind
        switch (groupBefore.map(isHeld) ?? false, groupAfter.map(isHeld) ?? false) {
        case (false, false): return nil
        case (false, true): kind = .added
        case (true, true): kind = .updated
        case (true, false): kind = .deleted
        }
        return ItemChange(
            kind: kind, itemClass: table.itemClass, uuid: uuid, generation: generation)
    }
}

/// Changes in order, up to a bound.
struct ChangeList: Sendable {
    private(set) var changes: [RowChange] = []
    /// Whether there were more than the bound.
    private(set) var missedSome = false

    /// The bound keeps an update of every item from needing memory for all.
    private static let capacity = 1024

    mutating func append(_ change: RowChange) {
        if changes.count < Self.capacity { changes.append(change) } else { missedSome = true }
    }

    mutating func append(_ list: ChangeList) {
        for change in list.changes { append(change) }
        missedSome = missedSome || list.missedSome
    }

    var isEmpty: Bool { changes.isEmpty && !missedSome }
}
