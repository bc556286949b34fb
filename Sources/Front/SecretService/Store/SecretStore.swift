// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

package import IPC

/// Where the items are: securityd, or the memory of a test.
///
/// All calls may wait, up to the deadlines of the store, and come on any thread.
package protocol SecretStore: Sendable {
    /// Finds out who a process is.
    /// - Parameters:
    ///   - process: The pidfd of a process on the bus.
    ///   - onChange: Is told of what changes and this process may see, also by its own doing.
    /// - Returns: What this process reaches.
    /// - Throws: when the process can't be told, or the store can't be reached.
    func represent(
        _ process: consuming Descriptor, onChange: @escaping @Sendable (StoreChange) -> Void
    ) throws(SecretStoreError) -> any RepresentedClient
}

/// What one process of the bus reaches in the store.
package protocol RepresentedClient: Sendable {
    /// Who it is.
    var owner: ItemOwner { get }

    /// The identifiers of the collections that it may see. `login` is always one of them; `session`
    /// never is.
    func collectionIDs() throws(SecretStoreError) -> [String]
    /// The same collections, with all that is known of them.
    func collections() throws(SecretStoreError) -> [FoundCollection]
    /// Makes a collection.
    /// - Parameters:
    ///   - label: Its label.
    ///   - isDefault: Whether `default` leads to it from then on.
    /// - Returns: The new collection, or the default one if `isDefault` is set and there is one.
    /// - Throws: when the store refuses or fails.
    func createCollection(
        label: String, isDefault: Bool
    ) throws(SecretStoreError) -> FoundCollection
    /// Changes the label of a collection.
    func setLabel(_ label: String, ofCollection id: String) throws(SecretStoreError)
    /// Deletes a collection with the items that the process may delete. `login` is emptied.
    func deleteCollection(_ id: String) throws(SecretStoreError)
    /// The collection that `default` leads to.
    func defaultCollection() throws(SecretStoreError) -> String
    /// Lets `default` lead to a collection; to `login` with nil.
    func setDefaultCollection(_ id: String?) throws(SecretStoreError)

    /// Finds items.
    /// - Parameters:
    ///   - collection: Only those of this collection; nil for all.
    ///   - attributes: Only those that have all of these.
    /// - Returns: The items, of other owners as well.
    /// - Throws: when the store can't tell what there is.
    func find(
        in collection: String?, _ attributes: SecretAttributes
    ) throws(SecretStoreError) -> [StoredItem]
    /// Finds items by their identifiers; those that are absent are left out.
    func items(_ ids: [SecretID]) throws(SecretStoreError) -> [StoredItem]
    /// Reads secrets. Of an item that isn't usable there is the state alone, of an absent one nothing.
    func secrets(_ ids: [SecretID]) throws(SecretStoreError) -> [(StoredItem, SecretValue?)]
    /// Stores an item.
    /// - Returns: The identifier of the new item, or of the changed one.
    /// - Throws: when nothing was stored.
    func create(_ item: NewStoredItem) throws(SecretStoreError) -> SecretID
    /// Changes an item.
    func update(_ id: SecretID, _ change: StoredItemChange) throws(SecretStoreError)
    /// Deletes an item.
    func delete(_ id: SecretID) throws(SecretStoreError)

    /// Locks collections.
    /// - Returns: The collections that are locked now.
    /// - Throws: when the store fails.
    func lock(_ collections: [String]) throws(SecretStoreError) -> [String]
    /// Unlocks what needs no person.
    /// - Returns: The objects that are unlocked now.
    /// - Throws: when the store fails.
    func unlockSilently(_ objects: [LockedObject]) throws(SecretStoreError) -> [LockedObject]
    /// Asks the person. It may take minutes, and other calls come meanwhile.
    /// - Parameters:
    ///   - question: What for.
    ///   - cancellation: Ends the question early.
    /// - Returns: The objects that the answer opened; nil if there is nobody to ask, or the person
    ///   doesn't want it.
    /// - Throws: when the store fails.
    func ask(
        _ question: StoreQuestion, _ cancellation: PromptCancellation
    ) throws(SecretStoreError) -> [LockedObject]?

    /// Gives back what the process had; no further call comes.
    func close()
}

/// The owner of a process's items.
package struct ItemOwner: Hashable, Sendable {
    /// As securityd names it; empty for a program without an identity.
    package var name: String
    /// Whether it runs in a sandbox, and reaches nothing but its own items.
    package var isSandboxed: Bool
    /// Whether it reaches the items of every owner, since the policy says so.
    package var reachesAll: Bool

    /// An owner.
    package init(name: String, isSandboxed: Bool = false, reachesAll: Bool = false) {
        self.name = name
        self.isSandboxed = isSandboxed
        self.reachesAll = reachesAll
    }
}

/// What a person can open.
package enum LockedObject: Hashable, Sendable {
    /// A collection, by its identifier.
    case collection(String)
    /// An item.
    case item(SecretID)
}

/// What a person is asked.
package enum StoreQuestion: Hashable, Sendable {
    /// Whether these may be opened.
    case unlock([LockedObject])
    /// Whether a collection may be deleted.
    case deleteCollection(String)
}

/// What has changed in the store.
package enum StoreChange: Hashable, Sendable {
    /// An item was added, or replaced.
    case itemCreated(collection: String, SecretID)
    /// The label or the attributes of an item are new.
    case itemChanged(collection: String, SecretID)
    /// An item is gone.
    case itemDeleted(collection: String, SecretID)
    /// There is one more collection.
    case collectionCreated(String)
    /// A collection has another label.
    case collectionChanged(String)
    /// A collection is gone.
    case collectionDeleted(String)
    /// These collections were locked or unlocked.
    case lockChanged([String])
}
