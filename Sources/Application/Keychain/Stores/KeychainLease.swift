// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SecurityWire
import Synchronization

/// A name that this program has to itself, across all processes that use the same keychain, until
/// it is given back, its time is over, or the program ends in whatever way.
///
/// A write that names it (`under:`) is refused once it is over: a holder that was held up can't
/// overwrite what the next one has written.
public final class KeychainLease: Sendable {
    /// How long a lease is had, at most, without renewing it.
    public static let longestDuration = Duration.milliseconds(
        Int64(LeaseLimits.milliseconds.upperBound))

    let token: LeaseToken
    private let holding: any LeaseHolding
    private let end: Mutex<ContinuousClock.Instant>

    init(_ token: LeaseToken, until end: ContinuousClock.Instant, _ holding: any LeaseHolding) {
        self.token = token
        self.holding = holding
        self.end = Mutex(end)
    }

    deinit { holding.drop() }

    /// Whether its time isn't over, as this program's clock tells. The service may have lost it
    /// meanwhile, by being restarted; it knows at the next write.
    public var isHeld: Bool { !holding.isDropped && ContinuousClock.now < end.withLock { $0 } }

    /// Has it for so long from now on.
    /// - Throws: ``FailureReason/leaseLost`` when it is over already.
    public func renew(for duration: Duration) async throws(KeychainError) {
        let asked = ContinuousClock.now
        try await holding.renew(token, for: duration)
        end.withLock { $0 = asked + duration }
    }

    /// Gives it back; whoever waits for it has it when this returns. It is given back as well when
    /// nobody refers to this object any more.
    public func release() async { await holding.release(token) }
}

/// How a lease is had.
protocol LeaseHolding: Sendable {
    var isDropped: Bool { get }
    func renew(_ token: LeaseToken, for duration: Duration) async throws(KeychainError)
    func release(_ token: LeaseToken) async
    /// Gives it back without a word.
    func drop()
}

extension LeaseLimits {
    /// A duration of a lease, or of a wait for one, as on the wire.
    static func milliseconds(
        _ duration: Duration, in bounds: ClosedRange<UInt32>
    ) throws(KeychainError) -> UInt32 {
        let count = (duration / .milliseconds(1)).rounded(.up)
        guard let milliseconds = UInt32(exactly: count), bounds.contains(milliseconds) else {
            throw .invalidRequest
        }
        return milliseconds
    }
}
