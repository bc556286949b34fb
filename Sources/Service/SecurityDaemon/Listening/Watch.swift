// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ItemStore
import SecurityWire

/// A connection that hears of changes, and what it has yet to hear.
struct Watch {
    /// The sequence number of the request; every frame carries it.
    let sequence: UInt32
    private let userID: UInt32
    private let groups: [String]
    private var groupIndexes: [ItemTable: Set<IndexValue>] = [:]
    private var changes: [ItemChange] = []
    private var missedSome = false

    /// A client that doesn't read learns that it missed something, and costs no more memory.
    private static let capacity = 1024

    init(sequence: UInt32, userID: UInt32, groups: [String]) {
        self.sequence = sequence
        self.userID = userID
        self.groups = groups
    }

    /// Notes the changes that are this connection's business.
    mutating func note(_ list: ChangeList, _ indexer: (UInt32) -> BlindIndexer?) {
        missedSome = missedSome || list.missedSome
        for change in list.changes where change.userID == userID {
            guard let indexer = indexer(userID) else { continue }
            let held = heldIndexes(change.table, indexer)
            guard let seen = change.seen(holding: held.contains) else { continue }
            if changes.count < Self.capacity { changes.append(seen) } else { missedSome = true }
        }
    }

    /// The next frame's content; nil when there is nothing to say.
    mutating func take() -> ServiceReply? {
        guard !changes.isEmpty || missedSome else { return nil }
        defer {
            changes = []
            missedSome = false
        }
        return .changes(changes, missedSome: missedSome)
    }

    private mutating func heldIndexes(
        _ table: ItemTable, _ indexer: BlindIndexer
    ) -> Set<IndexValue> {
        if let known = groupIndexes[table] { return known }
        let values = Set(groups.map { indexer.value(table, .accessGroup, [UInt8]($0.utf8)) })
        groupIndexes[table] = values
        return values
    }
}
