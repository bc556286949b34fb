// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ItemStore

/// The writer's roots over users' rows: the last committed ones, and those of the open transaction.
final class RowRoots: RootKeeper {
    /// A user's root.
    struct Root {
        let keys: RootKeys
        var sum: LeafSum
        /// The commit of the sum; 0 before the first.
        var number: Int64
    }

    private var committed: [UInt32: Root] = [:]
    private var open: [UInt32: Root] = [:]
    private var openBeforePart: [UInt32: Root] = [:]
    private var waiting: [UInt32: Root] = [:]

    /// Whether a user's root is known, for these keys.
    func isKept(under keys: RootKeys, _ userID: UInt32) -> Bool {
        committed[userID]?.keys === keys
    }

    /// Adopts a root that has been judged.
    func adopt(_ root: Root, userID: UInt32) { committed[userID] = root }

    /// Drops a user's root, which will be judged again.
    func forget(_ userID: UInt32) { committed[userID] = nil }

    /// The number of the last commit of a user's rows; nil while the root isn't known.
    func number(_ userID: UInt32) -> Int64? { committed[userID]?.number }

    // MARK: - RootKeeper

    func begin() {
        open = [:]
        waiting = [:]
    }

    func beginPart() { openBeforePart = open }

    func undoPart() { open = openBeforePart }

    func replace(
        _ leaf: LeafNumber, _ old: Leaf, with new: Leaf, in transaction: StoreTransaction
    ) throws(StoreError) {
        let userID = leaf.userID
        // Before a write changes a user's rows, the root has been judged.
        guard var root = open[userID] ?? committed[userID] else { throw .rootNotKept }
        root.sum -= root.keys.digest(leaf, old)
        root.sum += root.keys.digest(leaf, new)
        open[userID] = root
    }

    func records() throws(StoreError) -> [RootRecord] {
        var records: [RootRecord] = []
        for (userID, root) in open {
            guard root.number < .max else { throw .rootNotKept }
            var next = root
            next.number += 1
            waiting[userID] = next
            records.append(
                try next.keys.record(next.sum, number: next.number, userID: userID))
        }
        return records
    }

    func end(isCommitted: Bool) {
        if isCommitted { committed.merge(waiting) { _, new in new } }
        open = [:]
        waiting = [:]
    }
}
