// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import KeychainVocabulary
public import SecurityWire

extension KeychainConnection {
    /// Longer than any program can hold a device unlocked, and than the service delays a lock.
    private static let lockDeadline = Duration.seconds(65)

    /// Locks the device: when this returns, the keys of when-unlocked items are gone. Without a
    /// passcode it has no effect.
    ///
    /// If a program holds the device unlocked (``holdUnlocked(for:)``), the call waits until that
    /// ends, for a minute at most. Other threads can use this connection meanwhile.
    /// - Throws: ``FailureReason/calledOff`` when the device was unlocked before the lock happened;
    ///   ``FailureReason/unreachable``.
    public func lock() throws(KeychainError) { _ = try lock(.now) }

    /// Locks the device, now or later.
    /// - Parameter mode: When to lock, and which keys to delete.
    /// - Returns: How long until the keys are gone; zero if they are. Only
    ///   ``DeviceLockMode/afterGrace`` returns before.
    /// - Throws: as ``lock()``.
    @discardableResult
    public func lock(_ mode: DeviceLockMode) throws(KeychainError) -> Duration {
        let request = ClientRequest.lock(mode, waits: false)
        let rest = try Self.rest(try read(request, deadline: Self.writeDeadline))
        guard mode == .now, rest > .zero else { return rest }
        // It waits on a separate connection, since other threads share this one.
        let waiting = KeychainConnection(location: location)
        let reply = try waiting.read(.lock(mode, waits: true), deadline: Self.lockDeadline)
        guard try Self.rest(reply) == .zero else { throw .unreachable }
        return .zero
    }

    /// Locks another user's device, or every user's. Only the user of `llavero-session` may, and only
    /// in the system service.
    /// - Parameters:
    ///   - subject: Whose device.
    ///   - mode: When, and which keys to delete; ``LockSubject/everybody`` locks at once.
    ///   - limit: How long the service may take.
    /// - Returns: How long until the keys are gone; zero if they are. It doesn't wait for that.
    /// - Throws: ``FailureReason/administratorNeeded``; ``FailureReason/unreachable``.
    package func lock(
        _ subject: LockSubject, _ mode: DeviceLockMode, within limit: Duration
    ) throws(KeychainError) -> Duration {
        try Self.rest(try read(.lock(mode, waits: false, of: subject), deadline: limit))
    }

    private static func rest(_ reply: ReceivedReply) throws(KeychainError) -> Duration {
        guard case .locked(let seconds) = reply else { throw .unreachable }
        return .seconds(Int64(seconds))
    }

    /// Holds the device unlocked: a lock waits until the returned value is released, at most for
    /// `duration`. For work that a lock must not interrupt, such as a backup.
    /// - Parameter duration: Up to 60 s, in whole seconds, rounded up.
    /// - Returns: The value that holds it.
    /// - Throws: ``FailureReason/locked`` when the device is locked, or a lock waits already;
    ///   ``FailureReason/invalidRequest`` for another duration; ``FailureReason/busy`` when the
    ///   user's programs hold it unlocked 8 times already; ``FailureReason/unreachable``.
    public func holdUnlocked(for duration: Duration) throws(KeychainError) -> UnlockAssertion {
        let (whole, part) = duration.components
        let seconds = whole + (part > 0 ? 1 : 0)
        guard let seconds = UInt16(exactly: seconds), AssertionBounds.seconds.contains(seconds)
        else { throw KeychainError(status: SecurityStatus.param, reason: .invalidRequest) }
        return try UnlockAssertion(
            seconds: seconds, location: location, deadline: deadline ?? Self.readDeadline)
    }
}

/// Holds the device unlocked, until it is released or goes out of scope, the process ends, or its
/// time expires. A child that `fork` made meanwhile holds it too.
public struct UnlockAssertion: ~Copyable, Sendable {
    private let transport: Transport

    init(seconds: UInt16, location: ServiceLocation, deadline: Duration) throws(KeychainError) {
        var transport = Transport(locate: { location })
        let reply: ReceivedReply
        do {
            reply = try transport.exchange(.assertion(seconds: seconds), deadline: deadline)
        } catch {
            throw KeychainConnection.error(error)
        }
        guard case .done = try KeychainConnection.succeeded(reply) else { throw .unreachable }
        self.transport = transport
    }

    /// Stops holding the device unlocked; if no other holder exists, a waiting lock happens at
    /// once.
    public consuming func release() {}
}
