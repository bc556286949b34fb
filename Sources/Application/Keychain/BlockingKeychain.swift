// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

public import SecurityWire

extension Keychain {
    /// The same values with blocking calls, for tools and for code that isn't asynchronous.
    public var blocking: BlockingKeychain { BlockingKeychain(keychain: self) }
}

/// A ``Keychain`` whose calls block their thread, at most until their deadline: 5 s for reads, 30 s
/// for writes, or the value of `LLAVERO_DEADLINE_MS`.
public struct BlockingKeychain: Sendable {
    let keychain: Keychain

    private var store: any BlockingKeychainStore { keychain.store.blocking }

    /// Makes a call for which the person may have to be asked.
    private func asking<R>(
        _ context: AccessContext?,
        _ call: (any BlockingKeychainStore, ItemAccess) throws(KeychainError) -> R
    ) throws(KeychainError) -> R {
        guard let store = store as? any AskingStore else {
            return try call(store, context?.access ?? ItemAccess())
        }
        return try store.askingFor(context, call)
    }

    /// As ``Keychain/save(_:for:under:in:within:)``.
    @discardableResult
    public func save<Value>(
        _ value: Value, for key: ItemKey<Value>, under lease: KeychainLease? = nil,
        in context: AccessContext? = nil
    ) throws(KeychainError) -> ItemGeneration {
        let item = try keychain.newItem(value, key, lease, replaces: true)
        let added = try asking(context) { (store, access) throws(KeychainError) in
            var item = item
            item.access = access
            return try store.add(item)
        }
        return try Keychain.generation(added)
    }

    /// As ``Keychain/add(_:for:under:within:)``.
    @discardableResult
    public func add<Value>(
        _ value: Value, for key: ItemKey<Value>, under lease: KeychainLease? = nil
    ) throws(KeychainError) -> ItemGeneration {
        let item = try keychain.newItem(value, key, lease, replaces: false)
        return try Keychain.generation(try store.add(item))
    }

    /// As ``Keychain/value(for:in:within:)``.
    public func value<Value>(
        for key: ItemKey<Value>, in context: AccessContext? = nil
    ) throws(KeychainError) -> Value {
        try stored(for: key, in: context).value
    }

    /// As ``Keychain/valueIfPresent(for:in:within:)``.
    public func valueIfPresent<Value>(
        for key: ItemKey<Value>, in context: AccessContext? = nil
    ) throws(KeychainError) -> Value? {
        do throws(KeychainError) { return try value(for: key, in: context) } catch {
            guard error.reason == .absent else { throw error }
            return nil
        }
    }

    /// As ``Keychain/stored(for:in:within:)``.
    public func stored<Value>(
        for key: ItemKey<Value>, in context: AccessContext? = nil
    ) throws(KeychainError) -> Stored<Value> {
        let query = keychain.query(key, returning: [.data, .usage])
        let found = try asking(context) { (store, access) throws(KeychainError) in
            var query = query
            query.access = access
            return try store.find(query)
        }
        return try Keychain.stored(found)
    }

    /// As ``Keychain/replace(_:with:for:under:in:within:)``.
    public func replace<Value>(
        _ stored: Stored<Value>, with value: Value, for key: ItemKey<Value>,
        under lease: KeychainLease? = nil, in context: AccessContext? = nil
    ) throws(KeychainError) -> Stored<Value> {
        let (query, changes) = try keychain.replacement(stored.generation, value, key, lease)
        let written = try asking(context) { (store, access) throws(KeychainError) in
            var query = query
            query.access = access
            return try store.update(query, applying: changes)
        }
        guard let generation = written else { throw .unknownOutcome }
        return Stored(value: value, generation: generation)
    }

    /// As ``Keychain/delete(_:under:within:)``.
    public func delete<Value>(
        _ key: ItemKey<Value>, under lease: KeychainLease? = nil
    ) throws(KeychainError) {
        var query = keychain.query(key, returning: [])
        query.lease = lease?.token
        try store.delete(query)
    }

    /// As ``Keychain/accounts(within:)``.
    public func accounts() throws(KeychainError) -> [String] {
        do throws(KeychainError) {
            return Keychain.accounts(try store.find(keychain.allQuery))
        } catch {
            guard error.reason == .absent else { throw error }
            return []
        }
    }
}
