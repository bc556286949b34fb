// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

/// The signals that tell one client of a change. What it may not see, it isn't told.
enum ChangeSignals {
    /// Over this many items, a lock is told of the collection alone.
    static let lockedItemLimit = 1000

    static func signals(_ change: StoreChange, _ view: ClientView) -> [BusSignal] {
        switch change {
        case .itemCreated(let collection, let id):
            [itemSignal("ItemCreated", collection, id)]
        case .itemDeleted(let collection, let id):
            [itemSignal("ItemDeleted", collection, id)]
        case .itemChanged(let collection, let id): itemChanged(collection, id, view)
        case .collectionCreated(let id): collectionSignals("CollectionCreated", id, view)
        case .collectionDeleted(let id): collectionSignals("CollectionDeleted", id, view)
        case .collectionChanged(let id): collectionChanged(id, view)
        case .lockChanged(let ids): ids.flatMap { lockChanged($0, view) }
        }
    }

    // MARK: - Items

    private static func itemSignal(
        _ member: String, _ collection: String, _ id: SecretID
    ) -> BusSignal {
        BusSignal(
            path: ObjectPath.path(collection: collection), interface: Interfaces.collection,
            member: member, values: [.path(ObjectPath.path(collection: collection, id))])
    }

    private static func itemChanged(
        _ collection: String, _ id: SecretID, _ view: ClientView
    ) -> [BusSignal] {
        guard let item = try? view.item(id, in: collection) else { return [] }
        return [
            itemSignal("ItemChanged", collection, id),
            properties(ObjectPath.path(item), Interfaces.item, ItemProperties.all(item)),
        ]
    }

    private static func properties(
        _ path: String, _ interface: String, _ values: [(name: String, value: BusValue)]
    ) -> BusSignal {
        BusSignal(
            path: path, interface: Interfaces.properties, member: "PropertiesChanged",
            values: [.string(interface), .properties(values), .strings([])])
    }

    // MARK: - Collections

    private static func collectionSignal(_ member: String, _ id: String) -> BusSignal {
        BusSignal(
            path: ObjectPath.root, interface: Interfaces.service, member: member,
            values: [.path(ObjectPath.path(collection: id))])
    }

    private static func collectionSignals(
        _ member: String, _ id: String, _ view: ClientView
    ) -> [BusSignal] {
        guard !view.owner.isSandboxed else { return [] }
        var signals = [collectionSignal(member, id)]
        if let ids = try? view.collectionIDs() {
            let paths = ids.map { ObjectPath.path(collection: $0) }
            signals.append(
                properties(
                    ObjectPath.root, Interfaces.service, [("Collections", .paths(paths))]))
        }
        return signals
    }

    private static func collectionChanged(_ id: String, _ view: ClientView) -> [BusSignal] {
        guard let collection = try? view.collection(id) else { return [] }
        return [
            collectionSignal("CollectionChanged", id),
            properties(
                ObjectPath.path(collection: id), Interfaces.collection,
                [("Label", .string(collection.label)), ("Locked", .flag(collection.isLocked))]),
        ]
    }

    private static func lockChanged(_ id: String, _ view: ClientView) -> [BusSignal] {
        guard let collection = try? view.collection(id) else { return [] }
        let isLocked = BusValue.flag(collection.isLocked)
        let path = ObjectPath.path(collection: id)
        var signals: [BusSignal] = []
        let items = (try? view.find(in: id, SecretAttributes())) ?? []
        if items.count <= lockedItemLimit {
            for item in items {
                signals.append(itemSignal("ItemChanged", id, item.id))
                signals.append(
                    properties(
                        ObjectPath.path(item), Interfaces.item,
                        [("Locked", .flag(item.state.looksLocked))]))
            }
        }
        signals.append(collectionSignal("CollectionChanged", id))
        signals.append(properties(path, Interfaces.collection, [("Locked", isLocked)]))
        return signals
    }
}
