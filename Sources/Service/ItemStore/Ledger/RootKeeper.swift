// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// The root over a user's rows as it is stored: nothing in it is for the store to read but the
/// number.
package struct RootRecord: Equatable, Sendable {
    /// The user whose rows they are.
    package let userID: UInt32
    /// Counts the commits that changed rows of the user.
    package let number: Int64
    /// The generation of the index key that it was made under.
    package let keyGeneration: UInt32
    /// The rest.
    package let sealed: [UInt8]

    /// Puts all together.
    package init(userID: UInt32, number: Int64, keyGeneration: UInt32, sealed: [UInt8]) {
        self.userID = userID
        self.number = number
        self.keyGeneration = keyGeneration
        self.sealed = sealed
    }
}

/// Keeps the roots: told of each leaf that a transaction changes, it says what is to be stored with
/// them. It has the keys, which the store hasn't.
package protocol RootKeeper: AnyObject {
    /// A transaction begins.
    func begin()

    /// A part of the transaction begins that may be undone alone.
    func beginPart()

    /// That part is undone.
    func undoPart()

    /// A leaf has other bytes.
    /// - Parameters:
    ///   - leaf: Which.
    ///   - old: What it had; an empty leaf is one of zeros.
    ///   - new: What it has.
    ///   - transaction: The transaction, to read the root's last state from.
    /// - Throws: When the root can't be kept: then nothing may be changed.
    func replace(
        _ leaf: LeafNumber, _ old: Leaf, with new: Leaf, in transaction: StoreTransaction
    ) throws(StoreError)

    /// The records to store, of each user whose leaves have changed, before the transaction is
    /// committed.
    func records() throws(StoreError) -> [RootRecord]

    /// The transaction is over.
    func end(isCommitted: Bool)
}
