// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

extension CallHandler {
    func ofCollection(
        _ view: ClientView, _ name: ObjectPath.CollectionName
    ) throws(Failure) -> [BusValue] {
        let id = try Self.store { () throws(SecretStoreError) in try view.existing(name) }
        switch call.request {
        case .delete: return try delete(try collection(view, id))
        case .searchItems(let attributes):
            let found = try Self.store { () throws(SecretStoreError) in
                try view.find(in: id, attributes)
            }
            return [.paths(found.map { ObjectPath.path($0) })]
        case .createItem(let arguments): return try createItem(view, id, arguments)
        case .setProperty(let interface, "Label", .text(let label)):
            try checkInterface(interface)
            guard !view.owner.isSandboxed, id != CollectionID.session else {
                throw .bus(.notSupported("The label of this collection can't be changed"))
            }
            try Self.store { () throws(SecretStoreError) in
                try view.setLabel(label, ofCollection: id)
            }
            return []
        default: return try propertyValues(try properties(view, try collection(view, id)))
        }
    }

    private func collection(
        _ view: ClientView, _ id: String
    ) throws(Failure) -> FoundCollection {
        try Self.store { () throws(SecretStoreError) in try view.collection(id) }
    }

    private func properties(
        _ view: ClientView, _ collection: FoundCollection
    ) throws(Failure) -> [(name: String, value: BusValue)] {
        var properties: [(name: String, value: BusValue)] = [
            ("Label", .string(collection.label)), ("Locked", .flag(collection.isLocked)),
            ("Created", .number(collection.created)), ("Modified", .number(collection.modified)),
        ]
        // The items are searched for when they are asked for.
        let wantsItems =
            switch call.request {
            case .getProperty(_, "Items"), .getProperties: true
            default: false
            }
        if wantsItems {
            let items = try Self.store { () throws(SecretStoreError) in
                try view.find(in: collection.id, SecretAttributes())
            }
            // A foreign one isn't listed, whatever the store says.
            let paths = items.filter { $0.state != .foreign }.map { ObjectPath.path($0) }
            properties.insert(("Items", .paths(paths)), at: 0)
        }
        return properties
    }

    private func createItem(
        _ view: ClientView, _ collection: String,
        _ arguments: BusRequest.NewItemArguments
    ) throws(Failure) -> [BusValue] {
        let value = try value(arguments.secret)
        let attributes = try withSchema(arguments.attributes)
        let item = NewStoredItem(
            collection: collection, label: arguments.label, attributes: attributes,
            value: value, replaces: arguments.replaces && !attributes.isEmpty)
        let id = try Self.store { () throws(SecretStoreError) in try view.create(item) }
        return [.path(ObjectPath.path(collection: collection, id)), .path("/")]
    }

    /// The attributes of an item that a client stores.
    func withSchema(_ attributes: SecretAttributes) throws(Failure) -> SecretAttributes {
        let result = attributes.withSchema
        guard result.isWithinLimits else {
            throw .bus(
                .limit(
                    "An item may have \(SecretAttributes.countLimit) attributes with xdg:schema, and "
                        + "\(SecretAttributes.byteCountLimit) bytes in all of them"))
        }
        return result
    }

    private func delete(_ collection: FoundCollection) throws(Failure) -> [BusValue] {
        guard collection.id != CollectionID.session else {
            throw .bus(.notSupported("The collection “session” ends with the session"))
        }
        guard !collection.isLocked else { throw .bus(.isLocked) }
        return [.path(try prompt(.deleteCollection(collection.id)))]
    }
}
