// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Foundation
import IPC
import SecretBytes
import SecretService
import Synchronization

/// A store in memory, with the rules of securityd for owners and locks; and faults on demand.
final class MemoryStore: SecretStore {
    struct Item: Sendable {
        var owner: String
        var found: StoredItem
        var value: SecretValue
        var isKeyGone = false
    }

    struct Watcher: Sendable {
        var owner: ItemOwner
        var onChange: @Sendable (StoreChange) -> Void
    }

    struct State: Sendable {
        var items: [SecretID: Item] = [:]
        var order: [SecretID] = []
        var collections = [FoundCollection(id: "login", label: "Login", isLocked: false)]
        var defaultCollection = "login"
        var isLocked = false
        /// Whether a person must unlock.
        var needsPerson = false
        /// What the person answers; nil when there is nobody to ask.
        var answer: (@Sendable (StoreQuestion, PromptCancellation) -> Bool)?
        /// Every call fails like this.
        var failure: SecretStoreError?
        /// What a write does first.
        var beforeWrite: (@Sendable () -> Void)?
        var watchers: [UInt64: Watcher] = [:]
        var number: UInt64 = 0
        var portalKeys: [String: Secret] = [:]
        var represented = 0
        var closed = 0
    }

    let state = Mutex(State())

    func represent(
        _ process: consuming Descriptor, onChange: @escaping @Sendable (StoreChange) -> Void
    ) throws(SecretStoreError) -> any RepresentedClient {
        if let failure = state.withLock({ $0.failure }) { throw failure }
        let owner = Self.owner(process)
        let number = state.withLock { state in
            state.number += 1
            state.represented += 1
            state.watchers[state.number] = Watcher(owner: owner, onChange: onChange)
            return state.number
        }
        return MemoryClient(store: self, owner: owner, number: number)
    }

    /// A test's program says in its environment whose it is.
    private static func owner(_ process: consuming Descriptor) -> ItemOwner {
        let information =
            (try? String(contentsOfFile: "/proc/self/fdinfo/\(process.rawValue)", encoding: .utf8))
            ?? ""
        let pid = information.split(separator: "\n").first { $0.hasPrefix("Pid:") }?
            .dropFirst(4).trimmingCharacters(in: .whitespaces)
        let environment =
            pid.flatMap { FileManager.default.contents(atPath: "/proc/\($0)/environ") } ?? Data()
        let mark = "TEST_OWNER="
        for variable in environment.split(separator: 0) {
            let text = String(decoding: variable, as: UTF8.self)
            guard text.hasPrefix(mark) else { continue }
            let name = String(text.dropFirst(mark.count))
            return ItemOwner(name: name, isSandboxed: name.hasPrefix("flatpak:"))
        }
        return ItemOwner(name: "")
    }

    func tell(_ change: StoreChange, owner: String? = nil) {
        let watchers = state.withLock { Array($0.watchers.values) }
        for watcher in watchers where owner.map({ Self.reaches(watcher.owner, $0) }) ?? true {
            watcher.onChange(change)
        }
    }

    static func reaches(_ owner: ItemOwner, _ item: String) -> Bool {
        item == owner.name || (item.isEmpty && !owner.isSandboxed)
    }
}

extension MemoryStore: PortalStore {
    func portalKey(_ application: String) throws(SecretStoreError) -> Secret {
        try state.withLock { (state) throws(SecretStoreError) in
            if let failure = state.failure { throw failure }
            guard !state.isLocked else { throw .locked }
            let key = state.portalKeys[application] ?? Secret(SecretBytes.random(byteCount: 64))
            state.portalKeys[application] = key
            return key
        }
    }
}

/// A process of the bus, in the store in memory.
struct MemoryClient: RepresentedClient {
    let store: MemoryStore
    let owner: ItemOwner
    let number: UInt64

    private func read<R>(
        _ body: (inout MemoryStore.State) throws(SecretStoreError) -> R
    ) throws(SecretStoreError) -> R {
        try store.state.withLock { (state) throws(SecretStoreError) in
            if let failure = state.failure { throw failure }
            return try body(&state)
        }
    }

    private func write<R>(
        _ body: (inout MemoryStore.State) throws(SecretStoreError) -> R
    ) throws(SecretStoreError) -> R {
        store.state.withLock({ $0.beforeWrite })?()
        return try read(body)
    }

    func collectionIDs() throws(SecretStoreError) -> [String] {
        try collections().map(\.id)
    }

    func collections() throws(SecretStoreError) -> [FoundCollection] {
        try read { state in
            state.collections.filter { !owner.isSandboxed || $0.id == "login" }.map {
                var collection = $0
                collection.isLocked = state.isLocked
                return collection
            }
        }
    }

    func createCollection(
        label: String, isDefault: Bool
    ) throws(SecretStoreError) -> FoundCollection {
        let (collection, isNew) = try write { state in
            if isDefault,
                let found = state.collections.first(where: { $0.id == state.defaultCollection })
            {
                return (found, false)
            }
            let id = CollectionID.derived(from: label) { id in
                state.collections.contains { $0.id == id }
            }
            let collection = FoundCollection(id: id, label: label, isLocked: state.isLocked)
            state.collections.append(collection)
            return (collection, true)
        }
        if isNew { store.tell(.collectionCreated(collection.id)) }
        return collection
    }

    func setLabel(_ label: String, ofCollection id: String) throws(SecretStoreError) {
        try write { (state) throws(SecretStoreError) in
            guard let index = state.collections.firstIndex(where: { $0.id == id }) else {
                throw .absent
            }
            state.collections[index].label = label
        }
        store.tell(.collectionChanged(id))
    }

    func deleteCollection(_ id: String) throws(SecretStoreError) {
        try write { state in
            if id != "login" { state.collections.removeAll { $0.id == id } }
            if state.defaultCollection == id { state.defaultCollection = "login" }
            for (key, item) in state.items where item.found.collection == id {
                state.items[key] = nil
                state.order.removeAll { $0 == key }
            }
        }
        store.tell(.collectionDeleted(id))
    }

    func defaultCollection() throws(SecretStoreError) -> String {
        try read { owner.isSandboxed ? "login" : $0.defaultCollection }
    }

    func setDefaultCollection(_ id: String?) throws(SecretStoreError) {
        try write { $0.defaultCollection = id ?? "login" }
    }

    private static var now: UInt64 { UInt64(Date().timeIntervalSince1970) }

    // MARK: - Items

    private func shown(_ item: MemoryStore.Item, _ state: MemoryStore.State) -> StoredItem {
        var found = item.found
        let isForeign = !MemoryStore.reaches(owner, item.owner)
        if isForeign || state.isLocked {
            found.state = isForeign ? .foreign : .locked
            found.label = ""
            found.attributes = SecretAttributes()
        } else if item.isKeyGone {
            found.state = .keyGone
        }
        return found
    }

    func find(
        in collection: String?, _ attributes: SecretAttributes
    ) throws(SecretStoreError) -> [StoredItem] {
        let namesMore = attributes.pairs.contains { $0.name != SecretAttributes.schemaName }
        return try read { state in
            state.order.compactMap { state.items[$0] }.filter { item in
                guard collection == nil || item.found.collection == collection,
                    item.found.attributes.contains(attributes)
                else { return false }
                return MemoryStore.reaches(owner, item.owner) || (namesMore && !owner.isSandboxed)
            }.map { shown($0, state) }
        }
    }

    func items(_ ids: [SecretID]) throws(SecretStoreError) -> [StoredItem] {
        try read { state in
            ids.compactMap { state.items[$0] }
                .filter { MemoryStore.reaches(owner, $0.owner) || !owner.isSandboxed }
                .map { shown($0, state) }
        }
    }

    func secrets(_ ids: [SecretID]) throws(SecretStoreError) -> [(StoredItem, SecretValue?)] {
        let found = try items(ids)
        return try read { state in
            found.map { ($0, $0.state == .usable ? state.items[$0.id]?.value : nil) }
        }
    }

    func create(_ item: NewStoredItem) throws(SecretStoreError) -> SecretID {
        let (id, itemOwner) = try write { (state) throws(SecretStoreError) in
            guard !state.isLocked else { throw .locked }
            var id = SecretID((0..<16).map { _ in UInt8.random(in: 0 ... .max) })
            if item.replaces {
                let same = state.order.filter { key in
                    guard let other = state.items[key] else { return false }
                    return other.found.collection == item.collection
                        && other.found.attributes == item.attributes
                        && MemoryStore.reaches(owner, other.owner)
                }
                id = same.first { state.items[$0]?.owner == owner.name } ?? same.first ?? id
            }
            guard let id else { throw .failed }
            let before = state.items[id]
            let found = StoredItem(
                id: id, collection: item.collection, state: .usable, label: item.label,
                attributes: item.attributes, created: before?.found.created ?? Self.now,
                modified: Self.now)
            let stored = MemoryStore.Item(
                owner: before?.owner ?? owner.name, found: found, value: item.value)
            state.items[id] = stored
            if before == nil { state.order.append(id) }
            return (id, stored.owner)
        }
        store.tell(.itemCreated(collection: item.collection, id), owner: itemOwner)
        return id
    }

    private func own(
        _ id: SecretID, _ state: MemoryStore.State
    ) throws(SecretStoreError) -> MemoryStore.Item {
        guard let item = state.items[id] else { throw .absent }
        guard MemoryStore.reaches(owner, item.owner) else { throw .foreign }
        guard !state.isLocked else { throw .locked }
        return item
    }

    func update(_ id: SecretID, _ change: StoredItemChange) throws(SecretStoreError) {
        let item = try write { (state) throws(SecretStoreError) in
            var item = try own(id, state)
            if let label = change.label { item.found.label = label }
            if let attributes = change.attributes { item.found.attributes = attributes }
            if let value = change.value { item.value = value }
            item.found.modified = Self.now
            state.items[id] = item
            return item
        }
        guard change.label != nil || change.attributes != nil else { return }
        store.tell(.itemChanged(collection: item.found.collection, id), owner: item.owner)
    }

    func delete(_ id: SecretID) throws(SecretStoreError) {
        let item = try write { (state) throws(SecretStoreError) in
            let item = try own(id, state)
            state.items[id] = nil
            state.order.removeAll { $0 == id }
            return item
        }
        store.tell(.itemDeleted(collection: item.found.collection, id), owner: item.owner)
    }

    // MARK: - Locking

    func lock(_ collections: [String]) throws(SecretStoreError) -> [String] {
        try read { $0.isLocked = true }
        store.tell(.lockChanged(collections))
        return collections
    }

    func unlockSilently(
        _ objects: [LockedObject]
    ) throws(SecretStoreError) -> [LockedObject] {
        let foreign = try read { state in
            objects.filter { object in
                guard case .item(let id) = object, let item = state.items[id] else { return false }
                return !MemoryStore.reaches(owner, item.owner)
            }
        }
        let isOpen = try read { state in
            if !state.needsPerson { state.isLocked = false }
            return !state.isLocked
        }
        return isOpen ? objects.filter { !foreign.contains($0) } : []
    }

    func ask(
        _ question: StoreQuestion, _ cancellation: PromptCancellation
    ) throws(SecretStoreError) -> [LockedObject]? {
        guard let answer = try read({ $0.answer }), answer(question, cancellation) else {
            return nil
        }
        guard case .unlock(let objects) = question else { return [] }
        try read { $0.isLocked = false }
        store.tell(.lockChanged(["login"]))
        return objects
    }

    func close() {
        store.state.withLock { state in
            state.watchers[number] = nil
            state.closed += 1
        }
    }
}
