// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import ItemStore

/// Stores the number of rows in the leaves instead of a root: enough to check the store's calls of
/// its keeper.
final class TestRoots: RootKeeper {
    private(set) var committed: Int64 = 0
    private(set) var calls = 0
    private var open: Int64?
    private var openBeforePart: Int64?
    /// While it is false, the keeper refuses.
    var isKept = true

    func begin() { open = nil }

    func beginPart() { openBeforePart = open }

    func undoPart() { open = openBeforePart }

    func replace(
        _ leaf: LeafNumber, _ old: Leaf, with new: Leaf, in transaction: StoreTransaction
    ) throws(StoreError) {
        guard isKept else { throw .rootNotKept }
        calls += 1
        let difference = Self.rowCount(new) - Self.rowCount(old)
        open = (open ?? committed) + difference
    }

    func records() throws(StoreError) -> [RootRecord] {
        open.map { [RootRecord(userID: 1000, number: $0, keyGeneration: 1, sealed: [1])] } ?? []
    }

    func end(isCommitted: Bool) {
        if isCommitted, let open { committed = open }
        open = nil
    }

    private static func rowCount(_ leaf: Leaf) -> Int64 {
        Int64((0..<64).filter { leaf.hasRow(at: $0) }.count)
    }
}
