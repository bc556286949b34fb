// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SecurityWire
import Synchronization

/// A property that shows a value of a keychain as it was last read.
///
/// Reading the property costs nothing and never blocks: it is nil until ``load(within:)`` has been
/// called. Writes by other programs show after the next load, or while ``follow(_:)`` runs. Writing
/// is a method of the projection, because it can fail.
@propertyWrapper
public final class KeychainItem<Value: KeychainValue>: Sendable {
    private let keychain: Keychain
    private let key: ItemKey<Value>
    private let context: AccessContext?
    private let known = Mutex<Stored<Value>?>(nil)

    /// A property of a value.
    /// - Parameters:
    ///   - key: The value's name.
    ///   - keychain: The keychain.
    ///   - context: What a person has approved, for a value that demands one; nil: each load asks.
    public init(_ key: ItemKey<Value>, in keychain: Keychain, context: AccessContext? = nil) {
        self.key = key
        self.context = context
        self.keychain = keychain
    }

    /// The value as it was last read or saved here; nil when there is none, or none was read.
    public var wrappedValue: Value? { known.withLock { $0?.value } }

    /// Loads and saves the value.
    public var projectedValue: KeychainItem<Value> { self }

    /// Reads the value.
    /// - Throws: As ``Keychain/value(for:in:within:)``, but never ``FailureReason/absent``. After an
    ///   error the property keeps its previous value.
    @discardableResult
    public func load(within duration: Duration? = nil) async throws(KeychainError) -> Value? {
        do throws(KeychainError) {
            let stored = try await keychain.stored(for: key, in: context, within: duration)
            known.withLock { $0 = stored }
            return stored.value
        } catch {
            guard error.reason == .absent else { throw error }
            known.withLock { $0 = nil }
            return nil
        }
    }

    /// Stores the value.
    /// - Throws: As ``Keychain/save(_:for:under:in:within:)``.
    public func save(_ value: Value, within duration: Duration? = nil) async throws(KeychainError) {
        let generation = try await keychain.save(
            value, for: key, in: context, within: duration)
        known.withLock { $0 = Stored(value: value, generation: generation) }
    }

    /// Deletes the value, if there is one.
    public func delete(within duration: Duration? = nil) async throws(KeychainError) {
        do throws(KeychainError) { try await keychain.delete(key, within: duration) } catch {
            guard error.reason == .absent else { throw error }
        }
        known.withLock { $0 = nil }
    }

    /// Keeps the property up to date with the value, until the task is cancelled.
    /// - Parameter onChange: Called after each change, and once at first.
    /// - Throws: As ``load(within:)`` and ``Keychain/changes(of:)``.
    public func follow(
        _ onChange: @Sendable (Value?) -> Void = { _ in }
    ) async throws(KeychainError) {
        var changes = try await keychain.changes(of: key).makeAsyncIterator()
        onChange(try await load())
        while try await changes.next() != nil { onChange(try await load()) }
    }
}
