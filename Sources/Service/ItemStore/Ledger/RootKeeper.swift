// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// The stored root over a user's rows: the store interprets only its number.
package struct RootRecord: Equatable, Sendable {
    /// The user whose rows they are.
    package let userID: UInt32
    /// The number of commits that changed rows of the user.
    package let number: Int64
    /// The generation of the index key with which it was made.
    package let keyGeneration: UInt32
    /// The opaque rest.
    package let sealed: [UInt8]

    /// Combines the parts.
    package init(userID: UInt32, number: Int64, keyGeneration: UInt32, sealed: [UInt8]) {
        self.userID = userID
        self.number = number
        self.keyGeneration = keyGeneration
        self.sealed = sealed
    }
}

/// Keeps the roots: it receives each leaf that a transaction changes, and returns the records to
/// store. It has the keys, which the store doesn't have.
package protocol RootKeeper: AnyObject {
    /// A transaction begins.
    func begin()

    /// A part of the transaction begins that may be rolled back alone.
    func beginPart()

    /// That part is rolled back.
    func undoPart()

    /// A leaf changes.
    /// - Parameters:
    ///   - leaf: The leaf.
    ///   - old: Its old content; an empty leaf is all zeros.
    ///   - new: Its new content.
    ///   - transaction: The transaction, for reading the root's last state.
    /// - Throws: When the root can't be kept: then no row may be changed.
    func replace(
        _ leaf: LeafNumber, _ old: Leaf, with new: Leaf, in transaction: StoreTransaction
    ) throws(StoreError)

    /// The records to store, one for each user whose leaves have changed, before the transaction is
    /// committed.
    func records() throws(StoreError) -> [RootRecord]

    /// The transaction is over.
    func end(isCommitted: Bool)
}
