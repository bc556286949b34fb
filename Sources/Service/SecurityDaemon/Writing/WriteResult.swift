// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ItemStore
import SecurityWire

/// What a write did, for its sender and for those who watch.
struct WriteResult: Sendable {
    var reply: ServiceReply
    var changes = ChangeList()
}

/// What happened to one row, told by its groups' blind-index values: whoever watches sees it
/// through the groups that he holds, and a delete needs no opened metadata.
struct RowChange: Sendable {
    let userID: UInt32
    let table: ItemTable
    let uuid: [UInt8]
    let generation: UInt32
    /// The group before; nil of a new item.
    let groupBefore: IndexValue?
    /// The group now; nil of a deleted item.
    let groupAfter: IndexValue?

    /// The change as somebody with certain groups sees it; nil when it is none of his.
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
    /// Whether there were more than fit.
    private(set) var missedSome = false

    /// An update of every item needs no memory for all.
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
