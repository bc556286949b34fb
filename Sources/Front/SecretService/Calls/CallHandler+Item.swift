// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

extension CallHandler {
    func ofItem(
        _ view: ClientView, _ collection: String, _ id: SecretID
    ) throws(Failure) -> [BusValue] {
        if case .getSecret(let session) = call.request {
            return try getSecret(view, collection, id, session)
        }
        let item = try Self.store { () throws(SecretStoreError) in
            try view.item(id, in: collection)
        }
        switch call.request {
        case .delete:
            try checkUsable(item)
            try Self.store { () throws(SecretStoreError) in try view.delete(id) }
            return [.path("/")]
        case .setSecret(let transferred):
            let value = try value(transferred)
            try update(view, item, StoredItemChange(value: value))
            return []
        case .setProperty(let interface, "Label", .text(let label)):
            try checkInterface(interface)
            try update(view, item, StoredItemChange(label: label))
            return []
        case .setProperty(let interface, "Attributes", .attributes(let attributes)):
            try checkInterface(interface)
            try update(view, item, StoredItemChange(attributes: try withSchema(attributes)))
            return []
        default: return try propertyValues(ItemProperties.all(item))
        }
    }

    private func checkUsable(_ item: StoredItem) throws(Failure) {
        guard !item.state.looksLocked else { throw .bus(.isLocked) }
    }

    private func update(
        _ view: ClientView, _ item: StoredItem, _ change: StoredItemChange
    ) throws(Failure) {
        try checkUsable(item)
        try Self.store { () throws(SecretStoreError) in try view.update(item.id, change) }
    }

    private func getSecret(
        _ view: ClientView, _ collection: String, _ id: SecretID, _ sessionPath: String
    ) throws(Failure) -> [BusValue] {
        let session = try session(sessionPath)
        let found = try Self.store { () throws(SecretStoreError) in try view.secrets([id]) }
        guard let (item, value) = found.first, item.isIn(collection) else {
            throw .store(.absent)
        }
        try checkUsable(item)
        guard item.state != .keyGone, let value else { throw .store(.keyGone) }
        return [.secret(try transferred(value, session, sessionPath))]
    }
}
