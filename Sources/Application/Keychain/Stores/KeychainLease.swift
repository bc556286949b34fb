// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SecurityWire
import Synchronization

/// A name that only this program holds, among all processes that use the same keychain. The lease
/// ends when it is released, when its time expires, or when the program ends for any reason.
///
/// A write that names it (`under:`) is refused once the lease is over: a holder that was delayed
/// can't overwrite what the next one has written.
public final class KeychainLease: Sendable {
    /// The maximum duration of a lease without renewal.
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

    /// Whether its time hasn't expired by this program's clock. The service may have lost it by a
    /// restart; the next write will show that.
    public var isHeld: Bool { !holding.isDropped && ContinuousClock.now < end.withLock { $0 } }

    /// Extends it by this duration from now.
    /// - Throws: ``FailureReason/leaseLost`` when it is over already.
    public func renew(for duration: Duration) async throws(KeychainError) {
        let asked = ContinuousClock.now
        try await holding.renew(token, for: duration)
        end.withLock { $0 = asked + duration }
    }

    /// Releases it; when this returns, the next waiting holder has it. The last reference to this
    /// object also releases it.
    public func release() async { await holding.release(token) }
}

/// The implementation of a held lease.
protocol LeaseHolding: Sendable {
    var isDropped: Bool { get }
    func renew(_ token: LeaseToken, for duration: Duration) async throws(KeychainError)
    func release(_ token: LeaseToken) async
    /// Releases it without waiting for a result.
    func drop()
}

extension LeaseLimits {
    /// A duration of a lease, or of a wait for one, in the wire's encoding.
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
