// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import IPC
public import SecurityWire

/// The keychain service as a store: a process's one connection to it, and the few threads that use
/// it for tasks. The reasons are in
/// Documentation/decisions/0023-async-calls-have-a-thread-of-their-own.md.
public final class KeychainService: KeychainStore, Sendable {
    /// The default service of this process, from its environment.
    public static let process = KeychainService(KeychainConnection())

    let connection: KeychainConnection
    /// Nil in a process that has no descriptors left.
    private let parts: Parts?

    private struct Parts: Sendable {
        let calls: AsyncCalls
        let leases: LeaseDesk
        let watcher: ServiceWatcher
    }

    /// A service at a given location; stores with the same location may share it.
    public convenience init(location: ServiceLocation) {
        self.init(KeychainConnection(location: location))
    }

    /// The service behind a connection that the process also uses for blocking calls.
    package init(_ connection: KeychainConnection) {
        self.connection = connection
        do throws(SystemError) {
            let calls = try AsyncCalls()
            parts = Parts(
                calls: calls, leases: LeaseDesk(calls),
                watcher: ServiceWatcher { connection.location })
        } catch { parts = nil }
    }

    /// The connection, for blocking calls; calls of tasks wait in the same queue.
    public var blocking: any BlockingKeychainStore { connection }

    /// As ``KeychainStore/find(_:within:)``.
    public func find(
        _ query: ItemQuery, within duration: Duration?
    ) async throws(KeychainError) -> [FoundItem] {
        try await call(.read, duration) { (connection, bounds) throws(KeychainError) in
            try connection.find(query, bounds)
        }
    }

    /// As ``KeychainStore/add(_:within:)``.
    public func add(
        _ item: NewItem, within duration: Duration?
    ) async throws(KeychainError) -> FoundItem {
        try await call(.write, duration) { (connection, bounds) throws(KeychainError) in
            try connection.add(item, bounds)
        }
    }

    /// As ``KeychainStore/update(_:applying:within:)``.
    public func update(
        _ query: ItemQuery, applying changes: ItemChanges, within duration: Duration?
    ) async throws(KeychainError) -> ItemGeneration? {
        try await call(.write, duration) { (connection, bounds) throws(KeychainError) in
            try connection.update(query, applying: changes, bounds)
        }
    }

    /// As ``KeychainStore/delete(_:within:)``.
    public func delete(
        _ query: ItemQuery, within duration: Duration?
    ) async throws(KeychainError) -> UInt64 {
        try await call(.write, duration) { (connection, bounds) throws(KeychainError) in
            try connection.delete(query, bounds)
        }
    }

    /// As ``KeychainStore/find(_:in:within:)``.
    public func find(
        _ query: ItemQuery, in context: AccessContext, within duration: Duration?
    ) async throws(KeychainError) -> [FoundItem] {
        try await asking(context, .read, duration) {
            (connection, access, bounds) throws(KeychainError) in
            var query = query
            query.access = access
            return try connection.find(query, bounds)
        }
    }

    /// As ``KeychainStore/add(_:in:within:)``.
    public func add(
        _ item: NewItem, in context: AccessContext, within duration: Duration?
    ) async throws(KeychainError) -> FoundItem {
        try await asking(context, .write, duration) {
            (connection, access, bounds) throws(KeychainError) in
            var item = item
            item.access = access
            return try connection.add(item, bounds)
        }
    }

    /// As ``KeychainStore/update(_:applying:in:within:)``.
    public func update(
        _ query: ItemQuery, applying changes: ItemChanges, in context: AccessContext,
        within duration: Duration?
    ) async throws(KeychainError) -> ItemGeneration? {
        try await asking(context, .write, duration) {
            (connection, access, bounds) throws(KeychainError) in
            var query = query
            query.access = access
            return try connection.update(query, applying: changes, bounds)
        }
    }

    /// As ``KeychainStore/authenticate(_:reason:within:)``.
    public func authenticate(
        _ context: AccessContext, reason: String, within duration: Duration?
    ) async throws(KeychainError) {
        let connection = connection
        try await callAlone(.read, within: duration ?? Self.questionDeadline) {
            (_) throws(KeychainError) in
            try context.establishPresence(purpose: reason, over: connection)
        }
    }

    /// Longer than a person has for three wrong entries.
    private static let questionDeadline = Duration.seconds(120)

    /// Makes a call for which the person may have to be asked, on a separate thread: other calls
    /// don't wait for the person.
    private func asking<R: Sendable>(
        _ context: AccessContext, _ kind: AsyncCalls.Kind, _ duration: Duration?,
        _ body:
            @escaping @Sendable (KeychainConnection, ItemAccess, CallBounds)
            throws(KeychainError) -> R
    ) async throws(KeychainError) -> R {
        let connection = connection
        return try await callAlone(kind, within: duration ?? Self.questionDeadline) {
            (bounds) throws(KeychainError) -> R in
            try connection.asking(context) { (connection, access) throws(KeychainError) -> R in
                try body(connection, access, bounds)
            }
        }
    }

    /// What protects the keychain now.
    public func deviceStatus(
        within duration: Duration? = nil
    ) async throws(KeychainError) -> DeviceStatus {
        try await call(.read, duration) { (connection, bounds) throws(KeychainError) in
            try connection.deviceStatus(bounds)
        }
    }

    /// The identity that the service assigned to this program, and what it may therefore see.
    public func callerIdentity(
        within duration: Duration? = nil
    ) async throws(KeychainError) -> CallerIdentity {
        try await call(.read, duration) { (connection, bounds) throws(KeychainError) in
            try connection.callerIdentity(bounds)
        }
    }

    /// As ``KeychainStore/accessibilities(within:)``.
    public func accessibilities(
        within duration: Duration?
    ) async throws(KeychainError) -> (usable: [Accessibility], existing: [Accessibility]) {
        let status = try await deviceStatus(within: duration)
        return (status.usableClasses, status.existingClasses)
    }

    /// As ``KeychainStore/takeLease(_:accessGroup:for:waiting:)``.
    public func takeLease(
        _ name: String, accessGroup: String?, for duration: Duration, waiting: Duration
    ) async throws(KeychainError) -> KeychainLease {
        guard let parts else { throw .unreachable }
        let connection = connection
        return try await parts.leases.take(
            LeaseDesk.Name(accessGroup: accessGroup, name: name), for: duration, waiting: waiting,
            locate: { connection.location })
    }

    /// As ``KeychainStore/changes()``.
    public func changes() async throws(KeychainError) -> KeychainChanges {
        guard let parts else { throw .unreachable }
        return try await parts.watcher.watch()
    }

    /// As ``KeychainStore/settle(_:within:)``.
    public func settle(
        _ write: PendingWrite, within duration: Duration?
    ) async throws(KeychainError) -> Bool {
        try await call(.read, duration) { (connection, bounds) throws(KeychainError) in
            try connection.settle(write, bounds)
        }
    }

    /// Makes a call on a separate thread, for as long as it takes.
    func callAlone<R: Sendable>(
        _ kind: AsyncCalls.Kind, within duration: Duration?,
        _ body: @escaping @Sendable (CallBounds) throws(KeychainError) -> R
    ) async throws(KeychainError) -> R {
        guard let parts else { throw .unreachable }
        return try await parts.calls.makeAlone(kind, within: duration, body)
    }

    private func call<R: Sendable>(
        _ kind: AsyncCalls.Kind, _ duration: Duration?,
        _ body:
            @escaping @Sendable (KeychainConnection, CallBounds) throws(KeychainError) -> R
    ) async throws(KeychainError) -> R {
        guard let parts else { throw .unreachable }
        let usual =
            kind == .read ? KeychainConnection.readDeadline : KeychainConnection.writeDeadline
        let connection = connection
        return try await parts.calls.make(
            kind, within: duration ?? connection.deadline ?? usual
        ) { (bounds) throws(KeychainError) -> R in
            try body(connection, bounds)
        }
    }
}
