// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

public import SecurityWire

/// The values of one service (an application, or a part of one): each has an account, and is a
/// generic password to other programs.
///
/// It is a handle and costs nothing: make it wherever it is needed. Its calls never block a thread,
/// are cancelled with their task, and end at their deadline; ``blocking`` has the same calls in
/// blocking form. Failures are ``KeychainError``. Its `reason` tells apart an item that is absent
/// or locked or has lost its key, a service that is unreachable, and a denied request.
public struct Keychain: Sendable {
    /// The items' service.
    public let service: String
    /// The items' access group; nil is the program's own.
    public let accessGroup: String?
    /// The store with the items.
    public let store: any KeychainStore

    /// A handle to the values of a service.
    public init(
        service: String, accessGroup: String? = nil,
        in store: any KeychainStore = KeychainService.process
    ) {
        self.service = service
        self.accessGroup = accessGroup
        self.store = store
    }

    // MARK: - Values

    /// Stores a value, new or existing, in one step: no other process sees a state without a value.
    /// - Parameters:
    ///   - value: Up to 1 MiB.
    ///   - key: Its name.
    ///   - lease: The value is stored only if this lease is still held.
    ///   - context: What a person has approved; nil: an existing value that demands a person asks.
    ///   - duration: The deadline.
    /// - Returns: The state of the item.
    /// - Throws: ``FailureReason/locked``, ``FailureReason/tooLarge``,
    ///   ``FailureReason/leaseLost`` and as ``KeychainStore`` says.
    @discardableResult
    public func save<Value>(
        _ value: Value, for key: ItemKey<Value>, under lease: KeychainLease? = nil,
        in context: AccessContext? = nil, within duration: Duration? = nil
    ) async throws(KeychainError) -> ItemGeneration {
        let item = try newItem(value, key, lease, replaces: true)
        let added = try await asking(context) { (context) throws(KeychainError) in
            guard let context else { return try await store.add(item, within: duration) }
            return try await store.add(item, in: context, within: duration)
        }
        return try Self.generation(added)
    }

    /// Stores a new value.
    /// - Throws: ``FailureReason/duplicate`` if the value exists already; else as
    ///   ``save(_:for:under:in:within:)``.
    @discardableResult
    public func add<Value>(
        _ value: Value, for key: ItemKey<Value>, under lease: KeychainLease? = nil,
        within duration: Duration? = nil
    ) async throws(KeychainError) -> ItemGeneration {
        let item = try newItem(value, key, lease, replaces: false)
        return try Self.generation(try await store.add(item, within: duration))
    }

    /// A value.
    /// - Parameters:
    ///   - key: Its name.
    ///   - context: What a person has approved. With the same context a value is asked for once;
    ///     without one, each call asks.
    ///   - duration: The deadline.
    /// - Returns: The value.
    /// - Throws: ``FailureReason/absent``, ``FailureReason/locked``,
    ///   ``FailureReason/keyGone``, ``FailureReason/unreachable``,
    ///   ``FailureReason/undecodable``; for a value that demands a person
    ///   ``FailureReason/personNeeded``, ``FailureReason/personCanceled``,
    ///   ``FailureReason/wrongPasscode``, ``FailureReason/accessRefused``.
    public func value<Value>(
        for key: ItemKey<Value>, in context: AccessContext? = nil,
        within duration: Duration? = nil
    ) async throws(KeychainError) -> Value {
        try await stored(for: key, in: context, within: duration).value
    }

    /// A value; nil when there is none. It throws every other failure: nil never means "unknown".
    public func valueIfPresent<Value>(
        for key: ItemKey<Value>, in context: AccessContext? = nil,
        within duration: Duration? = nil
    ) async throws(KeychainError) -> Value? {
        do throws(KeychainError) {
            return try await value(for: key, in: context, within: duration)
        } catch {
            guard error.reason == .absent else { throw error }
            return nil
        }
    }

    /// A value, with the state that it was read in.
    /// - Throws: As ``value(for:in:within:)``.
    public func stored<Value>(
        for key: ItemKey<Value>, in context: AccessContext? = nil,
        within duration: Duration? = nil
    ) async throws(KeychainError) -> Stored<Value> {
        let query = query(key, returning: [.data, .usage])
        let found = try await asking(context) { (context) throws(KeychainError) in
            guard let context else { return try await store.find(query, within: duration) }
            return try await store.find(query, in: context, within: duration)
        }
        return try Self.stored(found)
    }

    /// Deletes a value.
    /// - Throws: ``FailureReason/absent`` when there is none.
    public func delete<Value>(
        _ key: ItemKey<Value>, under lease: KeychainLease? = nil, within duration: Duration? = nil
    ) async throws(KeychainError) {
        var query = query(key, returning: [])
        query.lease = lease?.token
        _ = try await store.delete(query, within: duration)
    }

    /// The accounts of all values of the service, including those that synchronize.
    public func accounts(
        within duration: Duration? = nil
    ) async throws(KeychainError) -> [String] {
        do throws(KeychainError) {
            return Self.accounts(try await store.find(allQuery, within: duration))
        } catch {
            guard error.reason == .absent else { throw error }
            return []
        }
    }

    // MARK: - Conditional on the state

    /// Replaces a value, if no write has changed it since it was read.
    /// - Throws: ``FailureReason/generationChanged`` when it was changed: read it again, and decide
    ///   again.
    public func replace<Value>(
        _ stored: Stored<Value>, with value: Value, for key: ItemKey<Value>,
        under lease: KeychainLease? = nil, in context: AccessContext? = nil,
        within duration: Duration? = nil
    ) async throws(KeychainError) -> Stored<Value> {
        let (query, changes) = try replacement(stored.generation, value, key, lease)
        let written = try await asking(context) { (context) throws(KeychainError) in
            guard let context else {
                return try await store.update(query, applying: changes, within: duration)
            }
            return try await store.update(
                query, applying: changes, in: context, within: duration)
        }
        guard let generation = written else { throw .unknownOutcome }
        return Stored(value: value, generation: generation)
    }

    /// Changes a value, or creates it. If another process writes in between, `body` is called again
    /// with the new value.
    /// - Parameters:
    ///   - key: The value's name.
    ///   - context: What a person has approved; nil: a value that demands one asks at each step.
    ///   - duration: The deadline of each step.
    ///   - body: Returns the new value, given the old one, or nil if there is none.
    /// - Returns: The new value.
    /// - Throws: ``FailureReason/generationChanged`` when others wrote 100 times in between;
    ///   the errors of the steps. A value that can't be read isn't overwritten.
    @discardableResult
    public func update<Value>(
        _ key: ItemKey<Value>, in context: AccessContext? = nil,
        within duration: Duration? = nil,
        _ body: (Value?) throws(KeychainError) -> Value
    ) async throws(KeychainError) -> Value {
        for _ in 0..<Self.updateAttempts {
            do throws(KeychainError) {
                guard let old = try await storedIfPresent(key, context, duration) else {
                    let value = try body(nil)
                    _ = try await add(value, for: key, within: duration)
                    return value
                }
                return try await replace(
                    old, with: try body(old.value), for: key, in: context, within: duration
                ).value
            } catch {
                guard error.reason == .generationChanged || error.reason == .duplicate else {
                    throw error
                }
            }
        }
        throw .generationChanged
    }

    private static let updateAttempts = 100

    private func storedIfPresent<Value>(
        _ key: ItemKey<Value>, _ context: AccessContext?, _ duration: Duration?
    ) async throws(KeychainError) -> Stored<Value>? {
        do throws(KeychainError) {
            return try await stored(for: key, in: context, within: duration)
        } catch {
            guard error.reason == .absent else { throw error }
            return nil
        }
    }

    // MARK: - Persons

    /// Asks for the person's presence. It opens no value: those that demand a person are asked for
    /// when they are used.
    /// - Throws: ``FailureReason/personCanceled``; ``FailureReason/personNeeded`` where nobody can
    ///   be asked; ``FailureReason/wrongPasscode`` after three wrong entries;
    ///   ``FailureReason/accessRefused`` without a passcode, or in a context that has ended.
    public func authenticate(
        reason: String, in context: AccessContext = AccessContext(),
        within duration: Duration? = nil
    ) async throws(KeychainError) {
        try await store.authenticate(context, reason: reason, within: duration)
    }

    /// A property of a value.
    /// - Parameters:
    ///   - account: The value's account.
    ///   - type: The type of the value.
    ///   - accessibility: When it can be read.
    ///   - requirement: What a person must prove before it is read or replaced.
    ///   - context: What a person has approved; nil: each load asks.
    /// - Returns: The property.
    public func item<Value>(
        _ account: String, as type: Value.Type = Value.self,
        accessibility: Accessibility = .afterFirstUnlock,
        requiring requirement: ItemRequirement? = nil, in context: AccessContext? = nil
    ) -> KeychainItem<Value> {
        let key = ItemKey<Value>(
            account: account, accessibility: accessibility, requiring: requirement)
        return KeychainItem(key, in: self, context: context)
    }

    /// Makes a call without a context first, unless one is given: most values demand nobody.
    private func asking<R>(
        _ context: AccessContext?,
        _ call: (AccessContext?) async throws(KeychainError) -> R
    ) async throws(KeychainError) -> R {
        do throws(KeychainError) { return try await call(context) } catch {
            guard context == nil, error.reason == .personNeeded else { throw error }
        }
        return try await call(AccessContext())
    }

    // MARK: - Waiting

    /// Waits until values of an accessibility can be read: until the service is reachable, and the
    /// device was unlocked.
    /// - Parameters:
    ///   - accessibility: The class of the values.
    ///   - duration: How long to wait for that. Zero asks once. The service has a read's deadline
    ///     for its reply in any case, so an unreachable service can add that much time.
    /// - Throws: After the wait, why they can't be read: ``FailureReason/locked``,
    ///   ``FailureReason/keyGone`` if no such class exists, or ``FailureReason/unreachable``;
    ///   ``FailureReason/cancelled``.
    public func waitUntilAvailable(
        _ accessibility: Accessibility = .afterFirstUnlock, deadline duration: Duration
    ) async throws(KeychainError) {
        let end = ContinuousClock.Instant.end(of: duration)
        var pause = Duration.milliseconds(20)
        while true {
            guard let obstacle = try await obstacle(to: accessibility) else { return }
            guard ContinuousClock.now + pause < end else { throw obstacle }
            do { try await Task.sleep(for: pause) } catch { throw .cancelled }
            pause = min(pause * 2, .milliseconds(500))
        }
    }

    private func obstacle(
        to accessibility: Accessibility
    ) async throws(KeychainError) -> KeychainError? {
        do throws(KeychainError) {
            // A busy service counts as reachable, even if the wait ends soon.
            let now = try await store.accessibilities(within: nil)
            if now.usable.contains(accessibility) { return nil }
            return now.existing.contains(accessibility)
                ? .locked
                : KeychainError(status: KeychainError.unreachable.status, reason: .keyGone)
        } catch {
            if error.reason == .busy { return error }
            guard error.reason == .unreachable || error.reason == .timedOut else { throw error }
            return .unreachable
        }
    }
}
