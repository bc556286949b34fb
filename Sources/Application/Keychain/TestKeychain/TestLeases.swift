// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import SecurityWire
import Synchronization

/// The leases of a ``TestKeychain``.
final class TestLeases: Sendable {
    private struct Lease {
        let name: [String]
        var end: ContinuousClock.Instant
    }

    private let leases = Mutex<[LeaseToken: Lease]>([:])

    private static let pause = Duration.milliseconds(2)

    /// - Throws: ``FailureReason/leaseLost`` when a lease that a write depends on is over.
    func check(_ token: LeaseToken?) throws(KeychainError) {
        guard let token else { return }
        let end = leases.withLock { $0[token]?.end }
        guard let end, end > .now else { throw .leaseLost }
    }

    func take(
        _ name: [String], for duration: Duration, waiting: Duration
    ) async throws(KeychainError) -> KeychainLease {
        _ = try LeaseLimits.milliseconds(duration, in: LeaseLimits.milliseconds)
        let end = ContinuousClock.Instant.end(of: waiting)
        while true {
            if let (token, end) = takeNow(name, duration) {
                return KeychainLease(token, until: end, TestLease(token, self))
            }
            guard ContinuousClock.now + Self.pause < end else { throw .leased }
            do { try await Task.sleep(for: Self.pause) } catch { throw .cancelled }
        }
    }

    private func takeNow(
        _ name: [String], _ duration: Duration
    ) -> (LeaseToken, ContinuousClock.Instant)? {
        guard let token = LeaseToken(UInt64.random(in: 1 ... .max)) else { return nil }
        let now = ContinuousClock.now
        return leases.withLock { leases in
            leases = leases.filter { $0.value.end > now }
            guard !leases.values.contains(where: { $0.name == name }) else { return nil }
            leases[token] = Lease(name: name, end: now + duration)
            return (token, now + duration)
        }
    }

    fileprivate func renew(_ token: LeaseToken, for duration: Duration) throws(KeychainError) {
        try check(token)
        leases.withLock { $0[token]?.end = .now + duration }
    }

    fileprivate func end(_ token: LeaseToken) { leases.withLock { $0[token] = nil } }

    fileprivate func has(_ token: LeaseToken) -> Bool { leases.withLock { $0[token] != nil } }
}

private struct TestLease: LeaseHolding {
    private let token: LeaseToken
    private let leases: TestLeases

    init(_ token: LeaseToken, _ leases: TestLeases) {
        self.token = token
        self.leases = leases
    }

    var isDropped: Bool { !leases.has(token) }

    func renew(_ token: LeaseToken, for duration: Duration) async throws(KeychainError) {
        try leases.renew(token, for: duration)
    }

    func release(_ token: LeaseToken) async { drop() }

    func drop() { leases.end(token) }
}
