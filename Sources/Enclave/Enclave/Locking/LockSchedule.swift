// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Llavero project authors

import EnclaveWire

/// When one user's keys are dropped: a requested lock, the assertions that delay it, and how long
/// it has lasted. Times are seconds of the enclave's clock.
struct LockSchedule {
    /// A requested lock that must not happen earlier than this.
    private(set) var askedFor: UInt64?
    /// When the user was locked; nil in any other state.
    var lockedSince: UInt64?
    /// When a keychain may lock by itself; it may be too early, never too late.
    var keychainDue: UInt64?
    private var assertions: [UInt32: UInt64] = [:]

    /// When the requested lock happens.
    var due: UInt64? { askedFor.map { max($0, assertions.values.max() ?? 0) } }

    /// When there is something to do.
    func deadline(_ inactivity: InactivityPolicy) -> UInt64? {
        let times = [due, lockedSince.map { $0 + inactivity.seconds }, keychainDue]
        return times.compactMap { $0 }.min()
    }

    /// Whether nothing is scheduled or held.
    var isIdle: Bool {
        askedFor == nil && lockedSince == nil && keychainDue == nil && assertions.isEmpty
    }

    /// Whether an assertion is held.
    func isHeld(now: UInt64) -> Bool { assertions.values.contains { $0 > now } }

    /// Requests a lock; of several requests the earliest counts.
    mutating func ask(for earliest: UInt64) { askedFor = min(askedFor ?? .max, earliest) }

    /// No lock is requested any more.
    mutating func cancel() { askedFor = nil }

    /// The lock has happened, so the assertions that delayed it are void.
    mutating func finish() {
        askedFor = nil
        assertions = [:]
    }

    /// Adds an assertion.
    /// - Returns: False when there are too many.
    mutating func hold(_ token: UInt32, until end: UInt64, now: UInt64) -> Bool {
        assertions = assertions.filter { $0.value > now }
        guard assertions.count < LockAssertion.countLimit else { return false }
        assertions[token] = end
        return true
    }

    /// Removes an assertion, if it exists.
    mutating func release(_ token: UInt32) { assertions[token] = nil }

    /// Removes all assertions.
    mutating func releaseAll() { assertions = [:] }
}
