// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

extension Keychain {
    /// Takes the lease of a value: of all processes that ask for it, one has it at a time. The
    /// lease is only a name; it doesn't prevent writes by a program that doesn't ask for it.
    /// - Parameters:
    ///   - key: The value's name.
    ///   - duration: How long it lasts, up to 10 minutes, unless it is renewed.
    ///   - waiting: How long to wait for it.
    /// - Returns: The lease.
    /// - Throws: ``FailureReason/leased`` when another holder has it until the end of the wait. A
    ///   process has or waits for 10 different ones at most; a further one is
    ///   ``FailureReason/unreachable``.
    public func lease<Value>(
        on key: ItemKey<Value>, for duration: Duration, waiting: Duration
    ) async throws(KeychainError) -> KeychainLease {
        try await store.takeLease(
            leaseName(key.account), accessGroup: accessGroup, for: duration, waiting: waiting)
    }

    /// Takes the lease of a value, for as long as `body` works.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws; ``KeychainError`` as ``lease(on:for:waiting:)``.
    public func withLease<Value, R>(
        on key: ItemKey<Value>, for duration: Duration, waiting: Duration,
        _ body: (KeychainLease) async throws -> R
    ) async throws -> R {
        let lease = try await lease(on: key, for: duration, waiting: waiting)
        let result: R
        do { result = try await body(lease) } catch {
            await lease.release()
            throw error
        }
        await lease.release()
        return result
    }

    /// A lease name made of both names and their lengths, so that no two values share a lease; a
    /// digest replaces long names.
    private func leaseName(_ account: String) -> String {
        let name = "\(service.utf8.count) \(service) \(account)"
        return name.utf8.count <= 200 ? name : LeaseName.digest(name)
    }
}
