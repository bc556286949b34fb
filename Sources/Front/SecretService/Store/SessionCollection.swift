// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SecretBytes
import Synchronization

/// The collection `session`: items in the locked memory of this process, which end with it.
///
/// It has the rules of the store for owners: an item is its owner's; what a program without an identity
/// adds is for all that aren't sandboxed. A sandboxed program has no such collection.
package final class SessionCollection: Sendable {
    /// How many items it may have: it is for passwords of a session.
    package static let itemLimit = 4096
    /// How many bytes its items may have together: the kernel locks only some memory for a process.
    package static let byteCountLimit = 8 << 20

    private struct Entry {
        var owner: String
        var item: StoredItem
        var value: SecretValue

        var byteCount: Int {
            item.label.utf8.count + item.attributes.byteCount + value.secret.bytes.byteCount
                + value.contentType.utf8.count
        }

        func isVisible(to owner: ItemOwner) -> Bool {
            guard !owner.isSandboxed else { return false }
            return self.owner.isEmpty || self.owner == owner.name || owner.reachesAll
        }
    }

    private struct Watcher {
        var owner: ItemOwner
        var onChange: @Sendable (StoreChange) -> Void
    }

    private struct State {
        var entries: [SecretID: Entry] = [:]
        /// In the order in which they were added.
        var order: [SecretID] = []
        var byteCount = 0
        var watchers: [UInt64: Watcher] = [:]
        var lastWatcher: UInt64 = 0
        var modified: UInt64 = 0
    }

    private let state = Mutex(State())
    private let clock: @Sendable () -> UInt64

    /// An empty collection.
    /// - Parameter clock: The seconds since 1970.
    package init(clock: @escaping @Sendable () -> UInt64) { self.clock = clock }

    /// Whether it has an item.
    func has(_ id: SecretID) -> Bool { state.withLock { $0.entries[id] != nil } }

    /// What the collection is.
    func description() -> FoundCollection {
        state.withLock {
            FoundCollection(
                id: CollectionID.session, label: CollectionID.session, isLocked: false,
                modified: $0.modified)
        }
    }

    func find(_ attributes: SecretAttributes, _ owner: ItemOwner) -> [StoredItem] {
        state.withLock { state in
            state.order.compactMap { id in
                guard let entry = state.entries[id], entry.isVisible(to: owner),
                    entry.item.attributes.contains(attributes)
                else { return nil }
                return entry.item
            }
        }
    }

    func read(_ id: SecretID, _ owner: ItemOwner) -> (StoredItem, SecretValue)? {
        state.withLock { state in
            guard let entry = state.entries[id], entry.isVisible(to: owner) else { return nil }
            return (entry.item, entry.value)
        }
    }

    func create(_ new: NewStoredItem, _ owner: ItemOwner) throws(SecretStoreError) -> SecretID {
        let now = clock()
        let id = try state.withLock { (state) throws(SecretStoreError) in
            let old = new.replaces ? Self.replaced(new, owner, state) : nil
            guard let id = old ?? SecretID((0..<16).map { _ in UInt8.random(in: 0 ... .max) })
            else { throw .failed }
            var entry = Entry(
                owner: owner.name,
                item: StoredItem(
                    id: id, collection: CollectionID.session, state: .usable, label: new.label,
                    attributes: new.attributes, created: now, modified: now),
                value: new.value)
            if let before = state.entries[id] {
                entry.owner = before.owner
                entry.item.created = before.item.created
            }
            try Self.store(entry, id, &state)
            state.modified = now
            return id
        }
        tell(.itemCreated(collection: CollectionID.session, id), id)
        return id
    }

    private static func replaced(
        _ new: NewStoredItem, _ owner: ItemOwner, _ state: State
    ) -> SecretID? {
        guard !new.attributes.isEmpty else { return nil }
        let candidates = state.order.filter { id in
            guard let entry = state.entries[id] else { return false }
            return entry.isVisible(to: owner) && entry.item.attributes == new.attributes
        }
        return candidates.first { state.entries[$0]?.owner == owner.name } ?? candidates.first
    }

    private static func store(
        _ entry: Entry, _ id: SecretID, _ state: inout State
    ) throws(SecretStoreError) {
        let before = state.entries[id]
        let byteCount = state.byteCount + entry.byteCount - (before?.byteCount ?? 0)
        let count = state.entries.count + (before == nil ? 1 : 0)
        guard byteCount <= byteCountLimit, count <= itemLimit else { throw .limit }
        state.byteCount = byteCount
        if before == nil { state.order.append(id) }
        state.entries[id] = entry
    }

    func update(
        _ id: SecretID, _ change: StoredItemChange, _ owner: ItemOwner
    ) throws(SecretStoreError) {
        let now = clock()
        try state.withLock { (state) throws(SecretStoreError) in
            guard var entry = state.entries[id], entry.isVisible(to: owner) else { throw .absent }
            if let label = change.label { entry.item.label = label }
            if let attributes = change.attributes { entry.item.attributes = attributes }
            if let value = change.value { entry.value = value }
            entry.item.modified = now
            try Self.store(entry, id, &state)
            state.modified = now
        }
        guard change.label != nil || change.attributes != nil else { return }
        tell(.itemChanged(collection: CollectionID.session, id), id)
    }

    func delete(_ id: SecretID, _ owner: ItemOwner) throws(SecretStoreError) {
        let now = clock()
        let told = try state.withLock { (state) throws(SecretStoreError) in
            guard let entry = state.entries[id], entry.isVisible(to: owner) else { throw .absent }
            state.entries[id] = nil
            state.order.removeAll { $0 == id }
            state.byteCount -= entry.byteCount
            state.modified = now
            return state.watchers.values.filter { entry.isVisible(to: $0.owner) }
        }
        for watcher in told {
            watcher.onChange(.itemDeleted(collection: CollectionID.session, id))
        }
    }

    // MARK: - Changes

    func watch(
        _ owner: ItemOwner, _ onChange: @escaping @Sendable (StoreChange) -> Void
    ) -> UInt64 {
        state.withLock { state in
            state.lastWatcher += 1
            state.watchers[state.lastWatcher] = Watcher(owner: owner, onChange: onChange)
            return state.lastWatcher
        }
    }

    func endWatching(_ number: UInt64) { state.withLock { $0.watchers[number] = nil } }

    private func tell(_ change: StoreChange, _ id: SecretID) {
        let told = state.withLock { state in
            state.watchers.values.filter { watcher in
                state.entries[id]?.isVisible(to: watcher.owner) ?? false
            }
        }
        for watcher in told { watcher.onChange(change) }
    }
}
