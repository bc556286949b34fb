// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

public import SecurityWire

/// Hears of changes to the items that this program may see, whoever makes them.
///
/// It has a connection of its own. What changed before it was made is not told; what changes
/// between two calls of ``next(within:)`` waits for the second.
public struct KeychainWatch: ~Copyable, Sendable {
    /// News of items.
    public struct News: Equatable, Sendable {
        /// What happened, in order.
        public let changes: [ItemChange]
        /// Whether something happened before these that isn't among them: a reader that fell
        /// behind, or very many changes at once, leave no trace of each. Look at all items anew.
        public let missedSome: Bool
    }

    private var transport: Transport

    /// Begins to watch.
    /// - Parameters:
    ///   - location: Where the service is.
    ///   - deadline: For connecting and the service's answer.
    /// - Throws: ``FailureReason/unreachable``; ``FailureReason/denied`` for a program that holds
    ///   no access group.
    public init(
        location: ServiceLocation = .current, deadline: Duration = .seconds(5)
    ) throws(KeychainError) {
        try self.init(location: location, deadline: deadline, interruption: nil)
    }

    /// `interruption` ends what is waited for, for good.
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

    /// Waits for news.
    /// - Parameter deadline: How long.
    /// - Returns: Nil when nothing happened.
    /// - Throws: ``FailureReason/unreachable`` when the service has ended; a new watch then begins
    ///   with a look at all items.
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
