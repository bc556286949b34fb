// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import Keychain
import SecretBytes
import SecretService
import SecurityWire

/// What a process reaches over its channel.
struct ChannelClient: RepresentedClient {
    private static let questionDeadline = Duration.seconds(100)

    private let store: ChannelStore
    private let channel: SecretChannel
    private let number: UInt64
    let owner: ItemOwner

    init(_ store: ChannelStore, _ channel: SecretChannel, _ number: UInt64) {
        self.store = store
        self.channel = channel
        self.number = number
        owner = ItemOwner(
            name: channel.who.owner, isSandboxed: channel.who.isSandboxed,
            reachesAll: channel.who.isIsolationOff)
    }

    func close() {
        store.remove(watcher: number)
        channel.close()
    }

    // MARK: - Collections

    func collectionIDs() throws(SecretStoreError) -> [String] {
        owner.isSandboxed ? [CollectionID.login] : try store.records.read().ids
    }

    func collections() throws(SecretStoreError) -> [FoundCollection] {
        let isLocked = try isLocked()
        let all = try store.records.read().records
        let records = owner.isSandboxed ? all.filter { $0.id == CollectionID.login } : all
        return records.map { Self.found($0, isLocked) }
    }

    private static func found(
        _ record: CollectionRecords.Record, _ isLocked: Bool
    ) -> FoundCollection {
        FoundCollection(
            id: record.id, label: record.label, isLocked: isLocked, created: record.created,
            modified: record.modified)
    }

    func createCollection(
        label: String, isDefault: Bool
    ) throws(SecretStoreError) -> FoundCollection {
        let (record, isNew) = try store.records.create(label: label, isDefault: isDefault)
        if isNew { store.tell(.collectionCreated(record.id)) }
        return Self.found(record, try isLocked())
    }

    func setLabel(_ label: String, ofCollection id: String) throws(SecretStoreError) {
        try store.records.setLabel(label, of: id)
        store.tell(.collectionChanged(id))
    }

    func deleteCollection(_ id: String) throws(SecretStoreError) {
        _ = try channel.write { .deleteCollection(id, $0) }
        try store.records.delete(id)
        store.tell(.collectionDeleted(id))
    }

    func defaultCollection() throws(SecretStoreError) -> String {
        owner.isSandboxed ? CollectionID.login : try store.records.read().defaultID
    }

    func setDefaultCollection(_ id: String?) throws(SecretStoreError) {
        try store.records.setDefault(id)
    }

    // MARK: - Finding

    func find(
        in collection: String?, _ attributes: SecretAttributes
    ) throws(SecretStoreError) -> [StoredItem] {
        var query = SecretQuery()
        query.wantsAttributes = true
        query.seeksForeign = true
        query.pairs = try Self.pairs(attributes)
        query.collection = collection ?? ""
        let found = try channel.find(query).compactMap { Self.item($0, in: collection) }
        // A locked item doesn't say where it is: each collection is asked for.
        guard collection == nil, found.contains(where: { $0.collection.isEmpty }) else {
            return found
        }
        var items = found.filter { !$0.collection.isEmpty }
        for id in try collectionIDs() {
            query.collection = id
            let some = try channel.find(query).compactMap { Self.item($0, in: id) }
            items += some.filter { item in !items.contains { $0.id == item.id } }
        }
        return items
    }

    func items(_ ids: [SecretID]) throws(SecretStoreError) -> [StoredItem] {
        try rows(ids, withSecrets: false).compactMap { Self.item($0, in: nil) }
    }

    func secrets(_ ids: [SecretID]) throws(SecretStoreError) -> [(StoredItem, SecretValue?)] {
        try rows(ids, withSecrets: true).compactMap { row in
            guard let item = Self.item(row, in: nil) else { return nil }
            let value = row.secret.map {
                SecretValue(
                    secret: $0, contentType: row.attributes?.fields.contentType ?? "")
            }
            return (item, value)
        }
    }

    private func rows(
        _ ids: [SecretID], withSecrets: Bool
    ) throws(SecretStoreError) -> [SecretRow] {
        var rows: [SecretRow] = []
        for start in stride(from: 0, to: ids.count, by: SecretQuery.referenceLimit) {
            var query = SecretQuery()
            query.references = ids[start..<min(start + SecretQuery.referenceLimit, ids.count)]
                .map(\.bytes)
            query.wantsAttributes = true
            query.wantsSecrets = withSecrets
            query.seeksForeign = true
            rows += try channel.find(query)
        }
        return rows
    }

    private static func item(_ row: SecretRow, in collection: String?) -> StoredItem? {
        let state: StoredItemState =
            switch row.state {
            case .usable: .usable
            case .locked, .lockedByClient: .locked
            case .foreign: .foreign
            case .gone: .keyGone
            }
        guard let id = SecretID(row.reference) else { return nil }
        var item = StoredItem(id: id, collection: collection ?? "", state: state)
        guard let attributes = row.attributes else { return item }
        item.collection = attributes.fields.collection
        item.label = attributes.label
        item.attributes = SecretAttributes(
            attributes.fields.pairs.pairs.map {
                SecretAttributes.Pair(name: $0.name, value: $0.value)
            })
        item.created = UnixTime.seconds(attributes.created)
        item.modified = UnixTime.seconds(attributes.modified)
        return item
    }

    private static func pairs(
        _ attributes: SecretAttributes
    ) throws(SecretStoreError) -> SecretPairs {
        let pairs = attributes.pairs.map {
            SecretPairs.Pair(
                String(decoding: $0.name, as: UTF8.self), String(decoding: $0.value, as: UTF8.self))
        }
        do throws(WireError) { return try SecretPairs(pairs) } catch { throw .limit }
    }

    // MARK: - Writing

    func create(_ item: NewStoredItem) throws(SecretStoreError) -> SecretID {
        guard
            let fields = SecretFields(
                try Self.pairs(item.attributes), collection: item.collection,
                contentType: item.value.contentType)
        else { throw .limit }
        var new = NewSecret(fields, item.value.secret)
        new.label = item.label
        new.replaces = item.replaces
        let made = new
        guard case .added(let reference, _, let row) = try channel.write({ .add(made, $0) }),
            let id = SecretID(reference)
        else { throw .unreachable }
        tell(.itemCreated(collection: item.collection, id), row)
        return id
    }

    func update(_ id: SecretID, _ change: StoredItemChange) throws(SecretStoreError) {
        var wire = SecretChange(id.bytes)
        wire.label = change.label
        wire.pairs = try change.attributes.map { (attributes) throws(SecretStoreError) in
            try Self.pairs(attributes)
        }
        if let value = change.value {
            guard SecretFields.isText(value.contentType) else { throw .limit }
            wire.secret = value.secret
            wire.contentType = value.contentType
        }
        let made = wire
        guard case .updated(let row) = try channel.write({ .update(made, $0) }) else {
            throw .unreachable
        }
        guard change.label != nil || change.attributes != nil else { return }
        tell(.itemChanged(collection: row?.attributes?.fields.collection ?? "", id), row)
    }

    func delete(_ id: SecretID) throws(SecretStoreError) {
        // Who may hear of it follows from its group.
        let row = try rows([id], withSecrets: false).first
        guard case .deleted = try channel.write({ .delete(id.bytes, $0) }) else {
            throw .unreachable
        }
        tell(.itemDeleted(collection: row?.attributes?.fields.collection ?? "", id), row)
    }

    private func tell(_ change: StoreChange, _ row: SecretRow?) {
        // The row of a repeated write may be missing; then nobody is told.
        guard let attributes = row?.attributes else { return }
        store.tell(change, group: attributes.group)
    }

    // MARK: - Locking

    /// Whether a client or the device has locked the secrets.
    private func isLocked() throws(SecretStoreError) -> Bool {
        guard case .lockState(let isLocked) = try channel.read(.lockState(.ask)) else {
            throw .unreachable
        }
        return isLocked ? true : try status().state == .beforeFirstUnlock
    }

    private func status() throws(SecretStoreError) -> DeviceStatus {
        do throws(KeychainError) { return try store.device.deviceStatus() } catch {
            throw .unreachable
        }
    }

    func lock(_ collections: [String]) throws(SecretStoreError) -> [String] {
        let wasLocked = try isLocked()
        guard case .lockState(true) = try channel.read(.lockState(.lock)) else {
            throw .unreachable
        }
        // Each client looks at all of its items then: not for a program that locks in a loop.
        if !wasLocked { tellOfLock() }
        // There is one lock for all of a user's secrets.
        return collections
    }

    private func tellOfLock() {
        let ids = (try? store.records.read().ids) ?? [CollectionID.login]
        store.tell(.lockChanged(ids))
    }

    func unlockSilently(
        _ objects: [LockedObject]
    ) throws(SecretStoreError) -> [LockedObject] {
        guard !owner.isSandboxed, try !status().passcodeSet else { return [] }
        let wasLocked = try isLocked()
        guard case .lockState(false) = try channel.read(.lockState(.unlock)) else { return [] }
        if wasLocked { tellOfLock() }
        return try opened(objects)
    }

    /// Those that are open now: a foreign item isn't, whatever was unlocked.
    private func opened(_ objects: [LockedObject]) throws(SecretStoreError) -> [LockedObject] {
        let isLocked = try isLocked()
        let ids = objects.compactMap { object -> SecretID? in
            guard case .item(let id) = object else { return nil }
            return id
        }
        let open = Set(try items(ids).filter { !$0.state.looksLocked }.map(\.id))
        return objects.filter { object in
            switch object {
            case .collection: !isLocked
            case .item(let id): open.contains(id)
            }
        }
    }

    func ask(
        _ question: StoreQuestion, _ cancellation: PromptCancellation
    ) throws(SecretStoreError) -> [LockedObject]? {
        guard case .unlock(let objects) = question, !owner.isSandboxed else { return nil }
        // Somebody has unlocked meanwhile. If nothing is open then, all are foreign items, whose
        // question securityd doesn't have yet.
        guard try isLocked() else {
            let open = try opened(objects)
            return open.isEmpty ? nil : open
        }
        let connection = try channel.another()
        cancellation.onCancel { connection.interrupt() }
        defer { connection.interrupt() }
        do throws(WireConnection.Fault) {
            let reply = try connection.exchange(
                .secrets(.lockState(.unlock)), within: Self.questionDeadline)
            guard case .secrets(.lockState(isLocked: false)) = reply else { return nil }
        } catch { return nil }
        tellOfLock()
        return try opened(objects)
    }
}
