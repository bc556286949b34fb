// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

public import SecurityWire

extension KeychainConnection {
    /// Longer than anybody holds a device unlocked, and than the service lets a lock wait.
    private static let lockDeadline = Duration.seconds(65)

    /// Locks the device: when this returns, the keys of when-unlocked items are gone. Without a
    /// passcode it has no effect.
    ///
    /// While somebody holds the device unlocked (``holdUnlocked(for:)``), it waits until that ends,
    /// for a minute at most; calls of other threads on this connection go on meanwhile.
    /// - Throws: ``FailureReason/calledOff`` when somebody unlocked the device before the lock came;
    ///   ``FailureReason/unreachable``.
    public func lock() throws(KeychainError) { _ = try lock(.now) }

    /// Locks the device, now or later.
    /// - Parameter mode: When, and how much is taken away.
    /// - Returns: How long until the keys are gone; zero: they are. Only
    ///   ``DeviceLockMode/afterGrace`` returns before.
    /// - Throws: as ``lock()``.
    @discardableResult
    public func lock(_ mode: DeviceLockMode) throws(KeychainError) -> Duration {
        let request = ClientRequest.lock(mode, waits: false)
        let rest = try Self.rest(try read(request, deadline: Self.writeDeadline))
        guard mode == .now, rest > .zero else { return rest }
        // It waits on a connection of its own: this one is others' too.
        let waiting = KeychainConnection(location: location)
        let reply = try waiting.read(.lock(mode, waits: true), deadline: Self.lockDeadline)
        guard try Self.rest(reply) == .zero else { throw .unreachable }
        return .zero
    }

    private static func rest(_ reply: ReceivedReply) throws(KeychainError) -> Duration {
        guard case .locked(let seconds) = reply else { throw .unreachable }
        return .seconds(Int64(seconds))
    }

    /// Holds the device unlocked: a lock waits until the value that this returns is gone, at most
    /// for `duration`. For work that a lock mustn't break off in the middle, such as a backup.
    /// - Parameter duration: Up to 60 s, in whole seconds; a part of one counts as one.
    /// - Returns: What holds it.
    /// - Throws: ``FailureReason/locked`` when it is locked, or a lock waits already;
    ///   ``FailureReason/invalidRequest`` for another duration; ``FailureReason/busy`` when the user
    ///   holds it unlocked 8 times, at once; ``FailureReason/unreachable``.
    public func holdUnlocked(for duration: Duration) throws(KeychainError) -> UnlockAssertion {
        let (whole, part) = duration.components
        let seconds = whole + (part > 0 ? 1 : 0)
        guard let seconds = UInt16(exactly: seconds), assertionSecondsBounds.contains(seconds)
        else { throw KeychainError(status: SecurityStatus.param, reason: .invalidRequest) }
        return try UnlockAssertion(
            seconds: seconds, location: location, deadline: deadline ?? Self.readDeadline)
    }
}

/// Holds the device unlocked, until it is released or goes out of scope, the process ends, or its
/// time is over. A child made by `fork` in between holds it too.
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

    /// Lets the device be locked; a lock that waited for it alone comes at once.
    public consuming func release() {}
}
