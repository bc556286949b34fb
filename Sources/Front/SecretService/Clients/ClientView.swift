// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SecretBytes

/// What a client reaches: the store's items and those of the collection `session`.
final class ClientView: Sendable {
    let owner: ItemOwner
    private let client: any RepresentedClient
    private let session: SessionCollection
    private let watch: UInt64

    init(
        _ client: any RepresentedClient, _ session: SessionCollection,
        onChange: @escaping @Sendable (StoreChange) -> Void
    ) {
        self.client = client
        self.session = session
        owner = client.owner
        watch = session.watch(client.owner, onChange)
    }

    func close() {
        session.endWatching(watch)
        client.close()
    }

    // MARK: - Collections

    func collections() throws(SecretStoreError) -> [FoundCollection] {
        let collections = try client.collections()
        return owner.isSandboxed ? collections : collections + [session.description()]
    }

    func collectionIDs() throws(SecretStoreError) -> [String] {
        let ids = try client.collectionIDs()
        return owner.isSandboxed ? ids : ids + [CollectionID.session]
    }

    /// The identifier of the collection that a path names.
    /// - Throws: ``SecretStoreError/absent``.
    func existing(_ name: ObjectPath.CollectionName) throws(SecretStoreError) -> String {
        let id = try resolve(name)
        if case .alias = name { return id }
        if id == CollectionID.login { return id }
        guard try collectionIDs().contains(id) else { throw .absent }
        return id
    }

    /// The collection of an identifier.
    /// - Throws: ``SecretStoreError/absent``.
    func collection(_ id: String) throws(SecretStoreError) -> FoundCollection {
        if id == CollectionID.session {
            guard !owner.isSandboxed else { throw .absent }
            return session.description()
        }
        guard let found = try client.collections().first(where: { $0.id == id }) else {
            throw .absent
        }
        return found
    }

    /// The identifier that an alias leads to; nil if it leads nowhere.
    func resolve(alias: String) throws(SecretStoreError) -> String? {
        switch alias {
        case "default": try client.defaultCollection()
        case CollectionID.login: CollectionID.login
        case CollectionID.session: owner.isSandboxed ? nil : CollectionID.session
        default: nil
        }
    }

    func resolve(_ name: ObjectPath.CollectionName) throws(SecretStoreError) -> String {
        switch name {
        case .id(let id): return id
        case .alias(let alias):
            guard let id = try resolve(alias: alias) else { throw .absent }
            return id
        }
    }

    func createCollection(
        label: String, isDefault: Bool
    ) throws(SecretStoreError) -> FoundCollection {
        try client.createCollection(label: label, isDefault: isDefault)
    }

    func setLabel(_ label: String, ofCollection id: String) throws(SecretStoreError) {
        guard id != CollectionID.session else { throw .denied }
        try client.setLabel(label, ofCollection: id)
    }

    func deleteCollection(_ id: String) throws(SecretStoreError) {
        guard id != CollectionID.session else { throw .denied }
        try client.deleteCollection(id)
    }

    func setDefaultCollection(_ id: String?) throws(SecretStoreError) {
        guard id != CollectionID.session else { throw .denied }
        try client.setDefaultCollection(id)
    }

    // MARK: - Items

    func find(
        in collection: String?, _ attributes: SecretAttributes
    ) throws(SecretStoreError) -> [StoredItem] {
        let isSession = collection == CollectionID.session
        guard !isSession || !owner.isSandboxed else { throw .absent }
        var found = isSession ? [] : try client.find(in: collection, attributes)
        if isSession || collection == nil { found += session.find(attributes, owner) }
        return found
    }

    /// An item.
    /// - Throws: ``SecretStoreError/absent``.
    func item(_ id: SecretID, in collection: String) throws(SecretStoreError) -> StoredItem {
        if collection == CollectionID.session {
            guard let (item, _) = session.read(id, owner) else { throw .absent }
            return item
        }
        guard var item = try client.items([id]).first, item.isIn(collection) else {
            throw .absent
        }
        item.collection = collection
        return item
    }

    func items(_ ids: [SecretID]) throws(SecretStoreError) -> [StoredItem] {
        let own = ids.compactMap { session.read($0, owner)?.0 }
        let others = ids.filter { !session.has($0) }
        return others.isEmpty ? own : own + (try client.items(others))
    }

    func secrets(_ ids: [SecretID]) throws(SecretStoreError) -> [(StoredItem, SecretValue?)] {
        var found: [(StoredItem, SecretValue?)] = []
        var others: [SecretID] = []
        for id in ids {
            if let (item, value) = session.read(id, owner) {
                found.append((item, value))
            } else if !session.has(id) {
                others.append(id)
            }
        }
        if !others.isEmpty { found += try client.secrets(others) }
        return found
    }

    func create(_ item: NewStoredItem) throws(SecretStoreError) -> SecretID {
        guard item.collection == CollectionID.session else { return try client.create(item) }
        guard !owner.isSandboxed else { throw .absent }
        return try session.create(item, owner)
    }

    /// Changes an item, whose collection was checked.
    func update(_ id: SecretID, _ change: StoredItemChange) throws(SecretStoreError) {
        if session.has(id) {
            try session.update(id, change, owner)
        } else {
            try client.update(id, change)
        }
    }

    /// Deletes an item, whose collection was checked.
    func delete(_ id: SecretID) throws(SecretStoreError) {
        if session.has(id) { try session.delete(id, owner) } else { try client.delete(id) }
    }

    // MARK: - Locking

    func lock(_ collections: [String]) throws(SecretStoreError) -> [String] {
        try client.lock(collections)
    }

    func unlockSilently(
        _ objects: [LockedObject]
    ) throws(SecretStoreError) -> [LockedObject] {
        try client.unlockSilently(objects)
    }

    func ask(
        _ question: StoreQuestion, _ cancellation: PromptCancellation
    ) throws(SecretStoreError) -> [LockedObject]? {
        try client.ask(question, cancellation)
    }
}
