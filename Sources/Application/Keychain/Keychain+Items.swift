// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SecurityWire

/// A keychain's values as the store's items.
extension Keychain {
    func newItem<Value>(
        _ value: Value, _ key: ItemKey<Value>, _ lease: KeychainLease?, replaces: Bool
    ) throws(KeychainError) -> NewItem {
        var item = NewItem(.genericPassword)
        item.attributes = primaryKey(key)
        item.attributes.accessibility = key.accessibility
        if let label = key.label { item.attributes[.label] = .text(label) }
        item.secret = try value.keychainSecret()
        item.returning = [.usage]
        item.replacesExisting = replaces
        item.lease = lease?.token
        item.accessControl = key.requirement?.control(key.accessibility)
        return item
    }

    private func primaryKey<Value>(_ key: ItemKey<Value>) -> ItemAttributes {
        var attributes = ItemAttributes()
        attributes[.service] = .text(service)
        attributes[.account] = .text(key.account)
        attributes[.accessGroup] = accessGroup.map { .text($0) }
        if key.isSynchronizable { attributes[.synchronizable] = .integer(1) }
        return attributes
    }

    func query<Value>(_ key: ItemKey<Value>, returning: ReturnFields) -> ItemQuery {
        var query = ItemQuery(.genericPassword)
        query.attributes = primaryKey(key)
        query.attributes[.synchronizable] = nil
        query.synchronizable = key.isSynchronizable ? .yes : .no
        query.returning = returning
        return query
    }

    var allQuery: ItemQuery {
        var query = ItemQuery(.genericPassword)
        query.attributes[.service] = .text(service)
        query.attributes[.accessGroup] = accessGroup.map { .text($0) }
        query.synchronizable = .any
        query.limit = nil
        query.returning = [.attributes]
        return query
    }

    func replacement<Value>(
        _ generation: ItemGeneration, _ value: Value, _ key: ItemKey<Value>,
        _ lease: KeychainLease?
    ) throws(KeychainError) -> (ItemQuery, ItemChanges) {
        var query = ItemQuery(.genericPassword)
        query.generation = generation
        query.lease = lease?.token
        var changes = ItemChanges()
        changes.secret = try value.keychainSecret()
        changes.attributes.accessibility = key.accessibility
        if let control = key.requirement?.control(key.accessibility) {
            changes.accessControl = .replaced(control)
        }
        return (query, changes)
    }

    static func stored<Value: KeychainValue>(
        _ items: [FoundItem]
    ) throws(KeychainError) -> Stored<Value> {
        guard let item = items.first else { throw .absent }
        guard let generation = item.generation else { throw .unreachable }
        guard let secret = item.secret else { throw .undecodable("The item has no data.") }
        return Stored(value: try Value(keychainSecret: secret), generation: generation)
    }

    static func generation(_ item: FoundItem) throws(KeychainError) -> ItemGeneration {
        guard let generation = item.generation else { throw .unknownOutcome }
        return generation
    }

    static func accounts(_ items: [FoundItem]) -> [String] {
        items.compactMap { item in
            guard case .text(let account)? = item.attributes[.account] else { return nil }
            return account
        }
    }
}
