// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

public import SecurityWire

/// Where a ``Keychain`` keeps its items: the service, or a ``TestKeychain``.
///
/// No call blocks its caller's thread. Each has a deadline; by default 5 s for reads and 30 s for
/// writes, or the value of `LLAVERO_DEADLINE_MS`. A call whose task is cancelled ends soon. When a
/// write throws ``FailureReason/cancelled`` or ``FailureReason/timedOut``, nothing was written nor
/// will be. If the store can't be sure of that within 2 s, it throws
/// ``FailureReason/unknownOutcome``.
public protocol KeychainStore: Sendable {
    /// Finds items; the result is never empty.
    /// - Throws: ``FailureReason/absent``; ``FailureReason/locked`` when a matching item can't be
    ///   opened now; ``FailureReason/keyGone``; ``FailureReason/unreachable``.
    func find(
        _ query: ItemQuery, within duration: Duration?
    ) async throws(KeychainError) -> [FoundItem]

    /// Stores an item; with ``NewItem/replacesExisting`` it replaces one with the same primary key,
    /// in one transaction.
    /// - Throws: ``FailureReason/duplicate``; ``FailureReason/locked``; ``FailureReason/tooLarge``
    ///   for a secret over 1 MiB; ``FailureReason/leaseLost``.
    func add(_ item: NewItem, within duration: Duration?) async throws(KeychainError) -> FoundItem

    /// Changes every item that matches, or none.
    /// - Returns: The new state of the item, if exactly one matched.
    /// - Throws: ``FailureReason/absent``; ``FailureReason/generationChanged``;
    ///   ``FailureReason/leaseLost``.
    func update(
        _ query: ItemQuery, applying changes: ItemChanges, within duration: Duration?
    ) async throws(KeychainError) -> ItemGeneration?

    /// Deletes every item that matches.
    /// - Returns: The number of items.
    /// - Throws: ``FailureReason/absent``; ``FailureReason/generationChanged``;
    ///   ``FailureReason/leaseLost``.
    func delete(_ query: ItemQuery, within duration: Duration?) async throws(KeychainError)
        -> UInt64

    /// As ``find(_:within:)``, for items that demand a person: who is asked as often as needed.
    /// - Throws: also ``FailureReason/personNeeded`` where nobody can be asked;
    ///   ``FailureReason/personCanceled``; ``FailureReason/wrongPasscode`` after three wrong
    ///   entries; ``FailureReason/accessRefused``.
    func find(
        _ query: ItemQuery, in context: AccessContext, within duration: Duration?
    ) async throws(KeychainError) -> [FoundItem]

    /// As ``add(_:within:)``; replacing an item that demands a person asks as for ``find(_:in:within:)``.
    func add(
        _ item: NewItem, in context: AccessContext, within duration: Duration?
    ) async throws(KeychainError) -> FoundItem

    /// As ``update(_:applying:within:)``, and asks as ``find(_:in:within:)``.
    func update(
        _ query: ItemQuery, applying changes: ItemChanges, in context: AccessContext,
        within duration: Duration?
    ) async throws(KeychainError) -> ItemGeneration?

    /// Asks for the person's presence; it opens no item.
    /// - Throws: as ``find(_:in:within:)``.
    func authenticate(
        _ context: AccessContext, reason: String, within duration: Duration?
    ) async throws(KeychainError)

    /// The classes whose keys can be used now, and those whose keys exist.
    func accessibilities(
        within duration: Duration?
    ) async throws(KeychainError) -> (usable: [Accessibility], existing: [Accessibility])

    /// Takes the lease of a name, once no other holder has it.
    /// - Parameters:
    ///   - name: 1 to 256 bytes.
    ///   - accessGroup: The group that the name is in; nil is the program's own.
    ///   - duration: How long it lasts without renewal: 1 ms to 10 minutes.
    ///   - waiting: How long to wait for it.
    /// - Returns: The lease.
    /// - Throws: ``FailureReason/leased`` when another holder has it until the end of the wait.
    func takeLease(
        _ name: String, accessGroup: String?, for duration: Duration, waiting: Duration
    ) async throws(KeychainError) -> KeychainLease

    /// Reports changes from the moment this call returns.
    func changes() async throws(KeychainError) -> KeychainChanges

    /// Asks for the outcome of a write that threw ``FailureReason/unknownOutcome``. If the write
    /// hasn't been carried out, it is refused from now on.
    /// - Returns: Whether it was carried out.
    func settle(
        _ write: PendingWrite, within duration: Duration?
    ) async throws(KeychainError) -> Bool

    /// The same items with blocking calls.
    var blocking: any BlockingKeychainStore { get }
}

/// A store without persons: what demands one fails with ``FailureReason/personNeeded``.
extension KeychainStore {
    /// Finds items, and asks nobody.
    public func find(
        _ query: ItemQuery, in context: AccessContext, within duration: Duration?
    ) async throws(KeychainError) -> [FoundItem] { try await find(query, within: duration) }

    /// Stores an item, and asks nobody.
    public func add(
        _ item: NewItem, in context: AccessContext, within duration: Duration?
    ) async throws(KeychainError) -> FoundItem { try await add(item, within: duration) }

    /// Changes items, and asks nobody.
    public func update(
        _ query: ItemQuery, applying changes: ItemChanges, in context: AccessContext,
        within duration: Duration?
    ) async throws(KeychainError) -> ItemGeneration? {
        try await update(query, applying: changes, within: duration)
    }

    /// Nobody is there.
    public func authenticate(
        _ context: AccessContext, reason: String, within duration: Duration?
    ) async throws(KeychainError) { throw .personNeeded }
}

/// Items by calls that block, at most until their deadline; on any thread.
public protocol BlockingKeychainStore: Sendable {
    /// Finds items; the result is never empty.
    func find(_ query: ItemQuery) throws(KeychainError) -> [FoundItem]
    /// Stores an item; as ``KeychainStore/add(_:within:)``.
    @discardableResult func add(_ item: NewItem) throws(KeychainError) -> FoundItem
    /// Changes every item that matches, or none.
    @discardableResult func update(
        _ query: ItemQuery, applying changes: ItemChanges
    ) throws(KeychainError) -> ItemGeneration?
    /// Deletes every item that matches.
    @discardableResult func delete(_ query: ItemQuery) throws(KeychainError) -> UInt64
}

extension KeychainConnection: BlockingKeychainStore {}
