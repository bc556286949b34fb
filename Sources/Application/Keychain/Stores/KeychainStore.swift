// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

public import SecurityWire

/// Where a ``Keychain`` keeps its items: the service, or a ``TestKeychain``.
///
/// No call blocks its caller's thread. Each has a deadline; without one, reads have 5 s and writes
/// 30 s, or what `LLAVERO_DEADLINE_MS` says. A call whose task is cancelled ends soon. When a write
/// throws ``FailureReason/cancelled`` or ``FailureReason/timedOut``, nothing was written nor will
/// be; if that can't be found out within 2 s, it throws ``FailureReason/unknownOutcome``.
public protocol KeychainStore: Sendable {
    /// Finds items; never none.
    /// - Throws: ``FailureReason/absent``; ``FailureReason/locked`` when one that matches can't be
    ///   opened now; ``FailureReason/keyGone``; ``FailureReason/unreachable``.
    func find(
        _ query: ItemQuery, within duration: Duration?
    ) async throws(KeychainError) -> [FoundItem]

    /// Stores an item; with ``NewItem/replacesExisting`` in the place of one with the same primary
    /// key, in one transaction.
    /// - Throws: ``FailureReason/duplicate``; ``FailureReason/locked``; ``FailureReason/tooLarge``
    ///   for a secret over 1 MiB; ``FailureReason/leaseLost``.
    func add(_ item: NewItem, within duration: Duration?) async throws(KeychainError) -> FoundItem

    /// Changes every item that matches, or none.
    /// - Returns: The state that the item is in now, if it was one.
    /// - Throws: ``FailureReason/absent``; ``FailureReason/generationChanged``;
    ///   ``FailureReason/leaseLost``.
    func update(
        _ query: ItemQuery, applying changes: ItemChanges, within duration: Duration?
    ) async throws(KeychainError) -> ItemGeneration?

    /// Deletes every item that matches.
    /// - Returns: How many.
    /// - Throws: ``FailureReason/absent``; ``FailureReason/generationChanged``;
    ///   ``FailureReason/leaseLost``.
    func delete(_ query: ItemQuery, within duration: Duration?) async throws(KeychainError)
        -> UInt64

    /// The classes whose keys can be used now, and those whose keys exist.
    func accessibilities(
        within duration: Duration?
    ) async throws(KeychainError) -> (usable: [Accessibility], existing: [Accessibility])

    /// Takes the lease of a name, once nobody else has it.
    /// - Parameters:
    ///   - name: 1 to 256 bytes.
    ///   - accessGroup: The group that the name is in; nil is the program's own.
    ///   - duration: How long it lasts without being renewed: 1 ms to 10 minutes.
    ///   - waiting: How long to wait for it.
    /// - Returns: The lease.
    /// - Throws: ``FailureReason/leased`` when somebody else has it to the end of the wait.
    func takeLease(
        _ name: String, accessGroup: String?, for duration: Duration, waiting: Duration
    ) async throws(KeychainError) -> KeychainLease

    /// Hears of changes from the moment on at which this returns.
    func changes() async throws(KeychainError) -> KeychainChanges

    /// Asks what became of a write that threw ``FailureReason/unknownOutcome``, and has it never be
    /// carried out if it hasn't been.
    /// - Returns: Whether it was carried out.
    func settle(
        _ write: PendingWrite, within duration: Duration?
    ) async throws(KeychainError) -> Bool

    /// The same items for whoever wants to be blocked.
    var blocking: any BlockingKeychainStore { get }
}

/// Items by calls that block, at most for their deadline; on any thread.
public protocol BlockingKeychainStore: Sendable {
    /// Finds items; never none.
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
