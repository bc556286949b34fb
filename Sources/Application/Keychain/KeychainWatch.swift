// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

public import SecurityWire

/// Reports changes to the items that this program may see, by any process.
///
/// It has its own connection. It doesn't report changes from before that was made. Changes between
/// two calls of ``next(within:)`` are reported by the second.
public struct KeychainWatch: ~Copyable, Sendable {
    /// Changes of items.
    public struct News: Equatable, Sendable {
        /// The changes, in order.
        public let changes: [ItemChange]
        /// Whether earlier changes are missing from the list, because the reader was too slow or
        /// very many changes came at once. Read all items again.
        public let missedSome: Bool
    }

    private var transport: Transport

    /// Begins to watch.
    /// - Parameters:
    ///   - location: Where the service is.
    ///   - deadline: For connecting and the service's reply.
    /// - Throws: ``FailureReason/unreachable``; ``FailureReason/denied`` for a program that holds
    ///   no access group.
    public init(
        location: ServiceLocation = .current, deadline: Duration = .seconds(5)
    ) throws(KeychainError) {
        try self.init(location: location, deadline: deadline, interruption: nil)
    }

    /// `interruption` ends the current wait and all later ones.
    init(
        location: ServiceLocation, deadline: Duration, interruption: Interruption?
    ) throws(KeychainError) {
        transport = Transport(locate: { location })
        transport.beginInterruptible(interruption)
        let reply: ReceivedReply
        do {
            reply = try transport.exchange(.watch, deadline: deadline, mayBeFollowed: true)
        } catch {
            throw KeychainConnection.error(error)
        }
        guard case .changes = try KeychainConnection.succeeded(reply) else { throw .unreachable }
    }

    /// Waits for changes.
    /// - Parameter deadline: How long.
    /// - Returns: Nil when nothing changed.
    /// - Throws: ``FailureReason/unreachable`` when the service has ended; after a new watch
    ///   begins, read all items again.
    public mutating func next(within deadline: Duration) throws(KeychainError) -> News? {
        let reply: ReceivedReply?
        do { reply = try transport.nextReply(within: deadline) } catch {
            throw KeychainConnection.error(error)
        }
        guard let reply else { return nil }
        guard case .changes(let changes, let missedSome) = try KeychainConnection.succeeded(reply)
        else { throw .unreachable }
        return News(changes: changes, missedSome: missedSome)
    }
}
