// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import CodeIdentity
import ItemStore
import SecurityWire

/// A connection that hears of changes, and what it has yet to hear.
struct Watch {
    /// The sequence number of the request; every frame carries it.
    let sequence: UInt32
    private let userID: UInt32
    private let groups: [String]
    private var groupIndexes: [Place: Set<IndexValue>] = [:]
    private var changes: [ItemChange] = []
    private var missedSome = false
    /// What a channel reaches, if every group of the bus.
    private let reach: BusReach?
    /// Whether a client has locked the secrets, or unlocked them, since that was last told.
    private var secretsLocked: Bool?

    /// What has one index for each group: a table of a keychain.
    private struct Place: Hashable {
        let table: ItemTable
        let owner: RowOwner
    }

    /// A user has more keychains than a connection needs to remember.
    private static let placeCount = 64

    /// A client that doesn't read learns that it missed something, and costs no more memory.
    private static let capacity = 1024

    init(sequence: UInt32, userID: UInt32, groups: [String], _ reach: BusReach? = nil) {
        self.reach = reach
        self.sequence = sequence
        self.userID = userID
        self.groups = groups
    }

    /// Notes the changes that are this connection's business.
    mutating func note(_ list: ChangeList, _ indexer: (RowOwner) -> BlindIndexer?) {
        missedSome = missedSome || list.missedSome
        for change in list.changes where change.owner.userID == userID {
            guard let indexer = indexer(change.owner) else { continue }
            let held = heldIndexes(Place(table: change.table, owner: change.owner), indexer)
            let others = reach?.reachesAll == true && change.isOfBus ? ofFront(indexer) : nil
            let seen = change.seen { held.contains($0) || others?.contains($0) == false }
            guard let seen else { continue }
            if changes.count < Self.capacity { changes.append(seen) } else { missedSome = true }
        }
    }

    /// Notes that a client has locked the user's secrets, or unlocked them.
    mutating func note(secretsLocked: Bool, ofUser userID: UInt32) {
        if userID == self.userID, reach != nil { self.secretsLocked = secretsLocked }
    }

    private func ofFront(_ indexer: BlindIndexer) -> [IndexValue] {
        BusGroup.ofFront.map {
            indexer.value(.genericPasswords, .accessGroup, [UInt8]($0.utf8))
        }
    }

    /// The next frame's content; nil when there is nothing to say.
    mutating func take() -> ServiceReply? {
        if let isLocked = secretsLocked {
            secretsLocked = nil
            return .secrets(.lockState(isLocked: isLocked))
        }
        guard !changes.isEmpty || missedSome else { return nil }
        defer {
            changes = []
            missedSome = false
        }
        return .changes(changes, missedSome: missedSome)
    }

    private mutating func heldIndexes(
        _ place: Place, _ indexer: BlindIndexer
    ) -> Set<IndexValue> {
        if let known = groupIndexes[place] { return known }
        let values = Set(
            groups.map { indexer.value(place.table, .accessGroup, [UInt8]($0.utf8)) })
        if groupIndexes.count >= Self.placeCount { groupIndexes = [:] }
        groupIndexes[place] = values
        return values
    }
}
