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

    /// As ``Keychain/save(_:for:under:within:)``.
    @discardableResult
    public func save<Value>(
        _ value: Value, for key: ItemKey<Value>, under lease: KeychainLease? = nil
    ) throws(KeychainError) -> ItemGeneration {
        let item = try keychain.newItem(value, key, lease, replaces: true)
        return try Keychain.generation(try store.add(item))
    }

    /// As ``Keychain/add(_:for:under:within:)``.
    @discardableResult
    public func add<Value>(
        _ value: Value, for key: ItemKey<Value>, under lease: KeychainLease? = nil
    ) throws(KeychainError) -> ItemGeneration {
        let item = try keychain.newItem(value, key, lease, replaces: false)
        return try Keychain.generation(try store.add(item))
    }

    /// As ``Keychain/value(for:within:)``.
    public func value<Value>(for key: ItemKey<Value>) throws(KeychainError) -> Value {
        try stored(for: key).value
    }

    /// As ``Keychain/valueIfPresent(for:within:)``.
    public func valueIfPresent<Value>(for key: ItemKey<Value>) throws(KeychainError) -> Value? {
        do throws(KeychainError) { return try value(for: key) } catch {
            guard error.reason == .absent else { throw error }
            return nil
        }
    }

    /// As ``Keychain/stored(for:within:)``.
    public func stored<Value>(for key: ItemKey<Value>) throws(KeychainError) -> Stored<Value> {
        try Keychain.stored(try store.find(keychain.query(key, returning: [.data, .usage])))
    }

    /// As ``Keychain/replace(_:with:for:under:within:)``.
    public func replace<Value>(
        _ stored: Stored<Value>, with value: Value, for key: ItemKey<Value>,
        under lease: KeychainLease? = nil
    ) throws(KeychainError) -> Stored<Value> {
        let (query, changes) = try keychain.replacement(stored.generation, value, key, lease)
        guard let generation = try store.update(query, applying: changes) else {
            throw .unknownOutcome
        }
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
